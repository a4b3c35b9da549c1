//! Newton's steps for the weights of the rows at their bound, in both convex models.
//!
//! For weights w the dual point is D(w), and the optimum is the least of a convex function h(w) whose slope is
//! (gamma^2 - |x_n' D|^2) times a constant: rows beyond the bound need more weight, rows within it less. Re-weighting
//! follows the slope of one row at a time; most of its iterations go into weights of rows that look alike, which push each
//! other about. With B = D D' / gamma^2 and dD = -P dS D the curvature between two rows is 2 (x' P y) (x' B y): all of it
//! from L x L matrices. So the few rows near or beyond their bound take one of Newton's steps together, with weights not
//! below zero; all others are re-weighted as before.
#![allow(non_snake_case)]

use faer::{Mat, MatRef};
use serde::{Deserialize, Serialize};

use crate::exec::{RowBlock, TopRow, TopRows};
use crate::linalg::simd::vectorised;
use crate::{Float, linalg};

/// The weight that a row was given, and by which factor it moved.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Given {
    pub index: usize,
    pub weight: f64,
    pub factor: f64,
}

/// Rows for each column that take part, and the least and most of them.
const ROWS: usize = 8;
const FEW: (usize, usize) = (64, 512);
/// One row in so many takes part at most, unless there are few.
const SHARE: usize = 8;
/// A weight falls to this share at most, so that a row that is needed again comes back.
const LEAST: f64 = 0.05;
/// What of a step counts for the momentum of the re-weighting.
const FACTORS: (f64, f64) = (0.3, 3.0);
/// Rounds over the weights. They end early where nothing moves.
const ROUNDS: usize = 30;
const STILL: f64 = 1e-6;
/// Share of itself that is added to each row's own curvature: copies of a row leave it singular.
const RIDGE: f64 = 1e-6;
/// The model is made stiffer when the objective rises, and recovers slowly.
const STIFFER: f64 = 2.0;
const RECOVERS: f64 = 0.9;
const STIFFEST: f64 = 64.0;

/// The rows of a block that a step was given weights for.
pub(crate) fn given_in(given: &[Given], first: usize, rows: usize) -> impl Iterator<Item = (usize, Given)> {
    let from = given.partition_point(|one| one.index < first);
    // They come in order; a list from elsewhere may not.
    given[from..].iter().map_while(move |one| Some((one.index.checked_sub(first).filter(|&at| at < rows)?, *one)))
}

/// Offers the rows beyond `near`: with each its values, its weight, and the weight that it gets otherwise.
/// `sizes` gives |x_n' D| / gamma and the two weights of a row of the block.
pub(crate) fn offer<T: Float>(
    found: &mut TopRows,
    block: &RowBlock<'_, T>,
    near: f64,
    sizes: impl Iterator<Item = (f64, [f64; 2])>,
) {
    for ((at, (size, weights)), values) in sizes.enumerate().zip(block.lines()) {
        if size > near {
            found.offer(block.first + at, size, || values.iter().map(|x| x.to_f64()).chain(weights).collect());
        }
    }
}

/// Rows that take part at most, of a table of so many rows and columns.
pub(crate) fn rows((items, features): (usize, usize)) -> usize {
    (ROWS * features).clamp(FEW.0, FEW.1).min((items / SHARE).max(FEW.0))
}

/// What the curvature is made of.
pub(crate) struct Bend<'a> {
    /// D D' / gamma^2.
    pub B: MatRef<'a, f64>,
    /// dD = -P dS D.
    pub P: MatRef<'a, f64>,
    /// S as the re-weighting changes it.
    pub change: MatRef<'a, f64>,
}

/// How stiff the model is.
pub(crate) struct Newton {
    /// Iterations before it starts.
    plain: usize,
    /// At its softest: more than 1 where D does not follow S at once.
    softest: f64,
    stiffness: f64,
    /// No weight falls below it: the re-weighting takes a smaller one for a row that grows.
    floor: f64,
    objective: Option<f64>,
    most: usize,
}

impl Newton {
    /// For a table of so many rows and columns.
    pub fn new(plain: usize, softest: f64, floor: f64, shape: (usize, usize)) -> Self {
        Newton { plain, softest, stiffness: softest, floor, objective: None, most: rows(shape) }
    }

    /// Rows that take part in an iteration.
    pub fn wanted(&self, iteration: usize) -> usize {
        if iteration > self.plain { self.most } else { 0 }
    }

    /// What the iteration came to.
    pub fn learn(&mut self, objective: f64) {
        let rose = self.objective.replace(objective).is_some_and(|before| objective > before);
        let next = self.stiffness * if rose { STIFFER } else { RECOVERS };
        self.stiffness = next.clamp(self.softest, self.softest * STIFFEST);
    }

    /// The weights of these rows, and what they add to S.
    pub fn step(&self, rows: &[TopRow], bend: &Bend<'_>) -> Option<(Vec<Given>, Mat<f64>)> {
        let (count, L) = (rows.len(), bend.B.ncols());
        if count == 0 {
            return None;
        }
        let X = Mat::from_fn(count, L, |k, l| rows[k].values[l]);
        let (old, next) = (|k: usize| rows[k].values[L], |k: usize| rows[k].values[L + 1]);
        let undone: Vec<f64> = (0..count).map(|k| old(k) - next(k)).collect();
        let (slope, curvature) = self.model(&X, bend, &undone);
        // No weight falls further than by re-weighting: there rows far within their bound fall fastest, which is what the ranking of the
        // rows that are not needed rests on.
        let least: Vec<f64> = (0..count).map(|k| (next(k) - old(k)).min(0.0).max((LEAST - 1.0) * old(k))).collect();
        let moved = least_of(&curvature, slope, &least);
        let mut given: Vec<Given> = (0..count)
            .map(|k| {
                let weight = (old(k) + moved[k]).max(LEAST * old(k)).max(self.floor);
                Given { index: rows[k].index, weight, factor: (weight / old(k)).clamp(FACTORS.0, FACTORS.1) }
            })
            .collect();
        let weighed = Mat::from_fn(count, L, |k, l| (given[k].weight - next(k)) * X[(k, l)]);
        let added = times(X.transpose(), weighed.as_ref());
        if !given.iter().all(|one| one.weight.is_finite() && one.factor.is_finite()) {
            return None;
        }
        given.sort_unstable_by_key(|one| one.index);
        Some((given, Mat::from_fn(L, L, |i, j| added[(i.max(j), i.min(j))])))
    }

    /// Slope and curvature of h in the weights of some rows, where all others are re-weighted and what the re-weighting did to
    /// these is `undone`.
    fn model(&self, X: &Mat<f64>, bend: &Bend<'_>, undone: &[f64]) -> (Vec<f64>, Mat<f64>) {
        let (XB, XP) = (times(X.as_ref(), bend.B), times(X.as_ref(), bend.P));
        let (KB, KP) = (times(XB.as_ref(), X.transpose()), times(XP.as_ref(), X.transpose()));
        let moved = times(XP.as_ref(), bend.change);
        let scale = 2.0 * self.stiffness;
        let slope = |k: usize| {
            let effect: f64 = (0..X.ncols()).map(|l| moved[(k, l)] * XB[(k, l)]).sum();
            1.0 - KB[(k, k)] + scale * effect
        };
        let curvature = |i: usize, j: usize| scale * KB[(i, j)] * KP[(i, j)] * if i == j { 1.0 + RIDGE } else { 1.0 };
        let H = Mat::from_fn(X.nrows(), X.nrows(), curvature);
        let back = |k: usize| H.col_as_slice(k).iter().zip(undone).map(|(h, undone)| h * undone).sum::<f64>();
        ((0..X.nrows()).map(|k| slope(k) + back(k)).collect(), H)
    }
}

fn times(lhs: MatRef<'_, f64>, rhs: MatRef<'_, f64>) -> Mat<f64> {
    let mut product = Mat::zeros(lhs.nrows(), rhs.ncols());
    linalg::product(product.as_mut(), lhs, rhs, 1.0);
    product
}

/// The y from `least` on with the least y' H y / 2 + y' slope, one after the other until none moves.
fn least_of(H: &Mat<f64>, mut slope: Vec<f64>, least: &[f64]) -> Vec<f64> {
    let mut y = vec![0.0; slope.len()];
    for _ in 0..ROUNDS {
        let (mut largest, mut furthest) = (0.0f64, 0.0f64);
        for k in 0..y.len() {
            let next = (y[k] - slope[k] / H[(k, k)].max(f64::MIN_POSITIVE)).max(least[k]);
            let step = next - y[k];
            if step != 0.0 {
                y[k] = next;
                let column = H.col_as_slice(k);
                vectorised(
                    #[inline(always)]
                    || slope.iter_mut().zip(column).for_each(|(slope, h)| *slope += step * h),
                );
            }
            (largest, furthest) = (largest.max(y[k].abs()), furthest.max(step.abs()));
        }
        if furthest <= STILL * largest {
            break;
        }
    }
    y
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_value_above_the_bounds_is_found() {
        let H = Mat::from_fn(2, 2, |i, j| if i == j { 2.0 } else { 1.0 });
        let close = |found: &[f64], wanted: [f64; 2]| {
            found.iter().zip(wanted).for_each(|(a, b)| assert!((a - b).abs() < 1e-5, "{found:?}"));
        };
        close(&least_of(&H, vec![-4.0, -5.0], &[-9.0, -9.0]), [1.0, 2.0]);
        close(&least_of(&H, vec![-4.0, 1.0], &[-9.0, -0.5]), [2.25, -0.5]);
        // Copies of a row: a singular curvature has many such points, and one is found.
        let copies = Mat::from_fn(3, 3, |i, j| if i == j { 1.0 + RIDGE } else { 1.0 });
        let found = least_of(&copies, vec![-3.0; 3], &[0.0; 3]);
        assert!((found.iter().sum::<f64>() - 3.0).abs() < 1e-4, "{found:?}");
    }

    #[test]
    fn given_weights_are_found_in_their_block() {
        let given: Vec<Given> = [2, 5, 6, 9].map(|index| Given { index, weight: 1.0, factor: 1.0 }).to_vec();
        let places = |first, rows| given_in(&given, first, rows).map(|(at, _)| at).collect::<Vec<_>>();
        assert_eq!(places(0, 2), Vec::<usize>::new());
        assert_eq!(places(2, 4), [0, 3]);
        assert_eq!(places(6, 100), [0, 3]);
        assert_eq!(places(10, 100), Vec::<usize>::new());
    }

    #[test]
    fn a_rise_makes_it_stiffer() {
        let mut newton = Newton::new(1, 2.0, 0.0, (100, 3));
        assert_eq!((newton.wanted(1), newton.wanted(2)), (0, 64));
        newton.learn(1.0);
        newton.learn(2.0);
        assert_eq!(newton.stiffness, 4.0);
        (0..20).for_each(|_| newton.learn(1.0));
        assert_eq!(newton.stiffness, 2.0);
    }
}
