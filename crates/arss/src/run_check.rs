//! Whether a run would be refused, before it is one.

use crate::options::{check_k, check_weights};
use crate::{Count, Error, Float, Method, Metric, RunOptions, Samples, precomputed};

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

    /// `Ok` if these items can be compared by this metric, and chosen among by the method: what a run looks at besides
    /// [`check_run`](Method::check_run) before it begins.
    ///
    /// ```
    /// use arss::{Method, Metric, Samples, Ted};
    ///
    /// let samples = Samples::new(&[0.0, 1.0, 2.0, 0.0], 2, 2)?;
    /// let method = Method::Ted(Ted::default());
    /// assert!(method.check_samples(&samples, Metric::Cosine).is_ok());
    /// assert!(method.check_samples(&samples, Metric::Manhattan).is_err());
    /// # Ok::<(), arss::Error>(())
    /// ```
    ///
    /// # Errors
    /// As a run would be refused.
    pub fn check_samples<T: Float>(&self, samples: &Samples<'_, T>, metric: Metric) -> Result<(), Error> {
        self.check_metric(metric)?;
        self.check_density(samples, metric)?;
        match metric {
            Metric::Precomputed => precomputed::checked(self, samples).map(drop),
            _ => samples.seen_by(metric).map(drop),
        }
    }
}
