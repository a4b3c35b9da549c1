//! The gate: which rows are set aside as outliers, and what ranks them.
//!
//! A row is set aside only if it is alone *and* lonelier than those around it. z = log(v - ridge) says how alone it is:
//! v is the variance that the landmarks leave. x = z - half the median of z of its nearest landmarks says how much lonelier it
//! is than they are: a wide class is alone, but not lonelier than its neighbours.
//!
//! If z or x falls into two populations with a valley between them, the upper one is set aside. Otherwise only rows
//! that are far above the median in z and in x, and rare, are, and rows that are out there, far from all. The constants were found on ten sets:
//! benchmarks/quality/NOTES.md.

mod shift;
#[cfg(test)]
mod tests;
mod weighting;

use serde::{Deserialize, Serialize};

pub(super) use shift::shift;
pub(crate) use weighting::Weighting;

use super::mixture::{Populations, mean_and_sd, populations};
use crate::linalg::median::median;

/// Fewest rows that can be judged at all, and in which two populations can be seen.
const FEWEST: (usize, usize) = (8, 20);
/// How deep the valley between two populations has to be: its density relative to the lower of the two peaks. Small tables
/// have valleys by chance, so that more is asked of them: VALLEY.0 (1 - VALLEY.1 / sqrt(n)).
const VALLEY: (f64, f64) = (0.8, 4.0);
/// Most rows of the upper population, as a share.
const UPPER: f64 = 0.45;
/// Most rows that are set aside: of two populations,
const MOST: f64 = 0.4;
/// and in small tables or where there is only a tail.
const FEW: f64 = 0.15;
/// Rows from which `MOST` holds, and the same where the two are hardly to be confused.
const ENOUGH: (usize, usize) = (400, 128);
/// Hardly to be confused: so shallow a valley, and so much of the upper population unexplained.
const CLEAR: (f64, f64) = (0.08, 0.25);
/// Rows that are set aside have at least this variance, and this many times that of the others.
const UNEXPLAINED: f64 = 0.15;
const FACTOR: f64 = 2.0;
/// A tail: so many robust deviations above the median in z and in x, and so many in rarity.
const FALL: f64 = 3.0;
const RARE: f64 = 2.0;
/// Out there: a row whose fifth nearest landmark is so many times as far, squared, as rows usually are from each other. In small
/// and in wide tables all rows are alone, so that z cannot tell.
const OUT_THERE: f64 = 4.0;
/// Least robust deviation of z and x.
const LEAST_SPREAD: f64 = 0.15;
/// With so many columns or fewer rarity ranks the rows, with so many or more loneliness; a mixture in between.
pub(crate) const DENSE: f64 = 128.0;
pub(crate) const WIDE: f64 = 512.0;
/// Less than this share of the ridge unexplained is rounding.
const ROUNDING: f64 = 1e-3;

/// What is known of a row when it is judged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RowMeasures {
    /// The variance that the landmarks leave.
    pub variance: f64,
    /// x: how much lonelier it is than its nearest landmarks.
    pub relative: f64,
    /// Squared distance to the fifth nearest landmark, in units of the kernel's width.
    pub near: f64,
    /// The same to a far one, about the thirtieth.
    pub far: f64,
    /// Mean over the columns of minus the logarithm of the tail that its cell lies in.
    pub tail: f64,
}

impl RowMeasures {
    /// z: what is left unexplained, as a logarithm.
    fn alone(&self, ridge: f64) -> f64 {
        unexplained(self.variance, ridge)
    }

    /// How lonely it is; it keeps growing where the variance has reached its bound.
    fn lonely(&self) -> f64 {
        self.relative + self.near.ln_1p()
    }

    fn far(&self) -> f64 {
        (self.far + 1e-6).ln()
    }

    fn tail(&self) -> f64 {
        (self.tail + 1e-3).ln()
    }
}

/// What is left unexplained of a row with this variance, as a logarithm.
pub(super) fn unexplained(variance: f64, ridge: f64) -> f64 {
    (variance - ridge).max(ROUNDING * ridge).ln()
}

/// A centre and a unit to measure in.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Standard {
    centre: f64,
    unit: f64,
}

impl Standard {
    fn of(self, value: f64) -> f64 {
        (value - self.centre) / self.unit
    }

    /// Median and robust deviation, which is at least .3 of the plain one.
    fn robust(values: &[f64]) -> Self {
        let plain = mean_and_sd(values).1;
        Standard::with_least(values, (0.3 * plain).max(1e-9))
    }

    /// Median and robust deviation, which is at least `least`.
    fn with_least(values: &[f64], least: f64) -> Self {
        let centre = median(&mut values.to_vec());
        let mut deviations: Vec<f64> = values.iter().map(|value| (value - centre).abs()).collect();
        Standard { centre, unit: (1.4826 * median(&mut deviations)).max(least) }
    }
}

/// How a row is judged, once for the whole table.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct GateRule {
    ridge: f64,
    z: Standard,
    x: Standard,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
enum Kind {
    /// Too few rows, or all alike: nothing is set aside.
    Open,
    /// The upper of two populations is set aside; `z` and `x` are measured from its limits.
    TwoPopulations,
    /// A tail is set aside; `z` and `x` are measured from their medians.
    Tail {
        /// Least variance.
        variance: f64,
        far: Standard,
        tail: Standard,
        lonely: Standard,
        /// Share of rarity in what has to be beyond a limit.
        rarity: f64,
        /// Loneliness alone ranks the rows.
        ranked_by_loneliness: bool,
        /// Raised where more than a few rows would be set aside.
        limit: f64,
    },
}

impl GateRule {
    /// The outlier score: above 1 where the row is set aside, and growing with how far out it is on either side.
    pub fn score(&self, row: &RowMeasures) -> f64 {
        let (rank, margin) = self.judge(row);
        if margin > 0.0 { set_aside_score(rank) } else { kept_score(rank) }
    }

    /// The same rule, setting nothing aside.
    pub fn opened(self) -> Self {
        GateRule { kind: Kind::Open, ..self }
    }

    /// What ranks the row, and by how much it is beyond the gate.
    fn judge(&self, row: &RowMeasures) -> (f64, f64) {
        let (z, x) = (self.z.of(row.alone(self.ridge)), self.x.of(row.relative));
        match self.kind {
            Kind::Open => (self.x.of(row.lonely()), f64::NEG_INFINITY),
            Kind::TwoPopulations => (self.x.of(row.lonely()), z.min(x)),
            Kind::Tail { variance, far, tail, lonely, rarity, ranked_by_loneliness, limit } => {
                let (rare, lonely) = ((far.of(row.far()) + 0.5 * tail.of(row.tail())) / 1.5, lonely.of(row.lonely()));
                let mixed = rarity * rare + (1.0 - rarity) * lonely;
                let margin = (z.min(x) - FALL).min((row.variance / variance).ln()).min(mixed - RARE);
                let out_there = (row.near / OUT_THERE).ln().min(far.of(row.far()) - FALL);
                (if ranked_by_loneliness { lonely } else { mixed }, margin.max(out_there) - limit)
            }
        }
    }
}

/// The score of a row that is set aside.
fn set_aside_score(rank: f64) -> f64 {
    // ln(1 + e^rank), which cannot overflow, and is larger than 0.
    1.0 + (rank.max(0.0) + (-rank.abs()).exp().ln_1p()).max(1e-9)
}

/// The score of a row that is kept.
fn kept_score(rank: f64) -> f64 {
    (0.5 * (1.0 + rank / (1.0 + rank.abs()))).min(1.0 - 1e-12)
}

/// The score of a row that was to be set aside with this score, and stays after all.
pub(super) fn readmitted(score: f64) -> f64 {
    let soft = score - 1.0;
    kept_score(soft + (-(-soft).exp()).ln_1p())
}

/// What the gate decided, and how sure that is.
pub(super) struct Decision {
    pub rule: GateRule,
    /// 0 to 1: how clearly the rows that are set aside differ from the others.
    pub confidence: f64,
    /// The median, over rows that stay, of the squared distance to the fifth nearest landmark, in units of the width.
    pub usual: f64,
    /// How much rows that stay count in the choice.
    pub weighting: Weighting,
}

/// Decides by the measures of all rows, or of a sample; `features` is the number of columns that rows are judged by. With
/// none, nothing is set aside.
pub(super) fn decide(rows: &[RowMeasures], features: usize, ridge: f64) -> Decision {
    let n = rows.len();
    let column = |of: &dyn Fn(&RowMeasures) -> f64| rows.iter().map(of).collect::<Vec<f64>>();
    let z = column(&|row| row.alone(ridge));
    let x = column(&|row| row.relative);
    let variances = column(&|row| row.variance);
    let [from, to] = [f64::min, f64::max].map(|pick| z.iter().copied().fold(z.first().copied().unwrap_or(0.0), pick));
    let open = || {
        let plain = Standard { centre: 0.0, unit: 1.0 };
        let x = if n == 0 { plain } else { Standard::with_least(&x, LEAST_SPREAD) };
        GateRule { ridge, z: plain, x, kind: Kind::Open }
    };
    let alike = features == 0 || n < FEWEST.0 || to - from < 1e-6;
    let fits = (!alike && n >= FEWEST.1).then(|| [populations(&z), populations(&x)]);
    let measured = (&z[..], &x[..], &variances[..]);
    let upper = fits.as_ref().map_or(Upper::Unclear, |fits| two_populations(rows, fits, measured, ridge));
    let weighting = Weighting::new(fits, &upper);
    let (rule, confidence) = match upper {
        Upper::Strange(rule, confidence) => (rule, confidence),
        _ if alike => (open(), 0.0),
        _ => tail(rows, measured, (features, matches!(upper, Upper::TooMany)), ridge),
    };
    let stay = rows.iter().filter(|row| rule.judge(row).1 <= 0.0);
    let mut near: Vec<f64> = stay.map(|row| row.near).collect();
    let usual = if near.is_empty() { 0.0 } else { median(&mut near) };
    Decision { rule, confidence, usual, weighting }
}

type Measured<'a> = (&'a [f64], &'a [f64], &'a [f64]);

/// What the upper of two populations is.
enum Upper {
    /// Rows to set aside by this rule, and how sure that is.
    Strange(GateRule, f64),
    /// A class of its own.
    Class,
    /// There is a valley, but the table is too small for one to prove that so many rows are strange.
    TooMany,
    /// There is no valley.
    Unclear,
}

/// Looks for a valley between two populations.
fn two_populations(rows: &[RowMeasures], fits: &[Populations; 2], (z, x, v): Measured<'_>, ridge: f64) -> Upper {
    let n = rows.len();
    let asked = (VALLEY.0 * (1.0 - VALLEY.1 / (n as f64).sqrt())).max(0.02);
    if fits.iter().all(|fit| fit.valley > asked) {
        return Upper::Unclear;
    }
    let seen = fits.each_ref().map(|fit| fit.valley <= asked && fit.share <= UPPER);
    if seen == [false, false] {
        return Upper::Class;
    }
    // A measure in which no valley is seen only has to be above its median.
    let limit = |at: usize, values: &[f64]| {
        let fit = &fits[at];
        let centre = if seen[at] { fit.limit } else { fit.limit.min(median(&mut values.to_vec())) };
        Standard { centre, unit: fit.sd }
    };
    let rule = GateRule { ridge, z: limit(0, z), x: limit(1, x), kind: Kind::TwoPopulations };
    let valley = (0..2).filter(|&at| seen[at]).map(|at| fits[at].valley).fold(1.0, f64::min);
    let aside: Vec<bool> = rows.iter().map(|row| rule.judge(row).1 > 0.0).collect();
    let of =
        |wanted: bool| -> Vec<f64> { v.iter().zip(&aside).filter(|(_, a)| **a == wanted).map(|(v, _)| *v).collect() };
    let (mut upper, mut lower) = (of(true), of(false));
    if upper.is_empty() || lower.is_empty() {
        return Upper::Class;
    }
    let share = upper.len() as f64 / n as f64;
    let typical = median(&mut upper);
    let clear = n >= ENOUGH.1 && valley <= CLEAR.0 && typical >= CLEAR.1;
    let enough = n >= ENOUGH.0 || clear;
    if typical < UNEXPLAINED.max(FACTOR * median(&mut lower)) || share > MOST {
        Upper::Class
    } else if share <= FEW || enough {
        Upper::Strange(rule, 1.0 - valley)
    } else {
        Upper::TooMany
    }
}

/// The rule that sets a tail aside: where no upper population is. With `ranked_by_loneliness` there is one, but it stays.
fn tail(
    rows: &[RowMeasures],
    (z, x, v): Measured<'_>,
    (features, ranked_by_loneliness): (usize, bool),
    ridge: f64,
) -> (GateRule, f64) {
    let n = rows.len();
    let robust = |of: &dyn Fn(&RowMeasures) -> f64| Standard::robust(&rows.iter().map(of).collect::<Vec<f64>>());
    let rarity = ((WIDE / features as f64).ln() / (WIDE / DENSE).ln()).clamp(0.0, 1.0);
    let rule = |limit: f64| {
        let kind = Kind::Tail {
            variance: UNEXPLAINED.max(FACTOR * median(&mut v.to_vec())),
            far: robust(&RowMeasures::far),
            tail: robust(&RowMeasures::tail),
            lonely: robust(&RowMeasures::lonely),
            rarity,
            ranked_by_loneliness,
            limit,
        };
        let [z, x] = [z, x].map(|values| Standard::with_least(values, LEAST_SPREAD));
        GateRule { ridge, z, x, kind }
    };
    let open = rule(0.0);
    let mut margins: Vec<f64> = rows.iter().map(|row| open.judge(row).1).collect();
    margins.sort_unstable_by(|a, b| b.total_cmp(a));
    let few = (FEW * n as f64) as usize;
    let limit = margins.get(few).copied().unwrap_or(0.0).max(0.0);
    // A row just beyond the gate may be there by chance, one far beyond hardly.
    let aside = margins.iter().map(|margin| margin - limit).take_while(|&beyond| beyond > 0.0);
    let sure: Vec<f64> = aside.map(|beyond| 1.0 - (-beyond).exp()).collect();
    // The sum of nothing is -0.
    let confidence = sure.iter().fold(0.0, |sum, sure| sum + sure) / sure.len().max(1) as f64;
    (rule(limit), confidence)
}
