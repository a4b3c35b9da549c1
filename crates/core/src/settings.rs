//! Settings that several methods share.

use crate::Error;

/// How heavily the rows of A are penalised.
///
/// ```
/// use arss::{Arss, Gamma};
///
/// let settings = Arss { gamma: Gamma::Ratio(0.3), ..Arss::default() };
/// assert!(settings.validate().is_ok());
/// assert!(Arss { gamma: Gamma::Absolute(0.0), ..settings }.validate().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Gamma {
    /// As it stands in the objective; larger than 0. Its effect depends on the data's scale and size.
    Absolute(f64),
    /// A share of the value at which A = 0 is the answer; larger than 0, usually below 1.
    Ratio(f64),
}

impl Gamma {
    pub(crate) fn validate(self) -> Result<(), Error> {
        match self {
            Gamma::Absolute(value) => Error::check("gamma", value, value > 0.0, "larger than 0"),
            Gamma::Ratio(value) => Error::check("gamma ratio", value, value > 0.0, "larger than 0"),
        }
    }
}

/// How many items to choose.
///
/// ```
/// use arss::{Count, Exemplars, Method, Run, Samples};
///
/// let table: Vec<f64> = (0..90).map(|i| f64::from(i % 3) * 9.0 + f64::from(i) * 0.001).collect();
/// let samples = Samples::new(&table, 90, 1)?;
/// let method = Method::Exemplars(Exemplars::default());
/// let picks = |count| method.select_count(&samples, count, &mut Run::default()).map(|found| found.indices.len());
/// assert_eq!((picks(Count::Exactly(7))?, picks(Count::Share(0.1))?, picks(Count::Auto)?), (7, 9, 3));
/// # Ok::<(), arss::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Count {
    /// So many.
    Exactly(usize),
    /// A share of the items, larger than 0 and at most 1: rounded down, but at least one item.
    Share(f64),
    /// As many as pay: [`Exemplars::select_auto`](crate::Exemplars::select_auto). The other methods cannot tell.
    Auto,
}

/// A product with a share this little below a whole number is that number.
const ROUNDING: f64 = 1e-9;

/// The number of items that a share means.
pub(crate) fn share_of(share: f64, items: usize) -> Result<usize, Error> {
    Error::check("k as a share", share, share > 0.0 && share <= 1.0, "larger than 0 and at most 1")?;
    Ok(((share * items as f64 + ROUNDING) as usize).clamp(1, items))
}

/// `Ok` if 1 <= k <= items.
pub(crate) fn check_k(k: usize, items: usize) -> Result<(), Error> {
    if (1..=items).contains(&k) { Ok(()) } else { Err(Error::BadK { k, items }) }
}

/// `Ok` if there is one usable weight an item.
pub(crate) fn check_weights(weights: &[f64], items: usize) -> Result<(), Error> {
    if weights.len() != items {
        return Err(Error::WeightCount { found: weights.len(), expected: items });
    }
    let bad = weights.iter().position(|w| !(w.is_finite() && *w >= 0.0));
    let all_zero = weights.iter().all(|&w| w == 0.0);
    match bad.or(all_zero.then_some(0)) {
        Some(index) => Err(Error::BadWeight { index, value: weights[index] }),
        None => Ok(()),
    }
}
