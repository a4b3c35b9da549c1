//! Whether a run would be refused, whatever the values are.

use crate::options::{check_k, check_weights};
use crate::{Count, Error, Method, RunOptions, Samples};

impl Method {
    /// `Ok` if so many items can be asked for so many picks: the settings, the count, and what is demanded of rows.
    ///
    /// ```
    /// use arss::{Count, Method, Random};
    ///
    /// let method = Method::Random(Random::default());
    /// assert!(method.check_run(Count::Exactly(5), 5).is_ok());
    /// assert!(method.check_run(Count::Exactly(5), 4).is_err());
    /// ```
    ///
    /// # Errors
    /// As a run would be refused, whatever the values are.
    pub fn check_run(&self, count: Count, items: usize) -> Result<(), Error> {
        let (method, k) = self.with_count(count, items)?;
        method.validate()?;
        check_k(k, items)?;
        method.attributes().weights.map_or(Ok(()), |weights| check_weights(weights, items))?;
        let Method::Exemplars(settings) = &method else { return Ok(()) };
        if settings.include.is_empty() && settings.exclude.is_empty() && settings.groups.is_none() {
            return Ok(());
        }
        let values = vec![0.0; items];
        let samples = Samples::new(&values, items, 1)?;
        method.in_memory(&samples, &mut RunOptions::default(), |rows, _| settings.check(rows, k))
    }
}
