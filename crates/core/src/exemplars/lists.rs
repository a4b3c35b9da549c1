//! Which rows the choice looks at: all of a small table, samples of a large one.

use super::choice::Plan;
use super::demands::Demands;
use crate::baselines::random::generator;
use crate::rows::positions;

/// Most rows that must be covered; more are sampled.
const REFERENCE: usize = 8192;
/// Most rows to choose from, or 4 K if that is more.
const POOL: usize = 8192;
/// Rows that the width is measured on.
const SCALE_ROWS: (usize, usize) = (512, 2048);

/// The rows that the choice looks at.
pub(crate) struct Lists {
    /// Rows to choose from, in order.
    pub pool: Vec<usize>,
    /// Rows to cover.
    pub reference: Vec<usize>,
    /// Rows that the width is measured on: from the first to the second.
    pub wide: Vec<usize>,
    pub narrow: Vec<usize>,
}

impl Lists {
    /// Positions among `allowed` rows that may be chosen and `rows` that are to be covered, drawn with a seed.
    pub fn draw(seed: u64, k: usize, allowed: usize, rows: usize) -> Self {
        let mut generator = generator(seed.wrapping_add(1));
        let pool = positions(&mut generator, allowed, POOL.max(k.saturating_mul(4)));
        let reference = positions(&mut generator, rows, REFERENCE);
        let narrow = positions(&mut generator, rows, SCALE_ROWS.0);
        Lists { pool, reference, wide: positions(&mut generator, rows, SCALE_ROWS.1), narrow }
    }

    /// Those of a table in memory.
    pub fn of(plan: &Plan<'_>, demands: &Demands<'_>) -> Self {
        let items = 0..plan.passed.len();
        let mut rows: Vec<usize> = items.clone().filter(|&n| plan.passed[n] && plan.weight(n) > 0.0).collect();
        if rows.is_empty() {
            rows = items.clone().filter(|&item| plan.weight(item) > 0.0).collect();
        }
        let allowed: Vec<usize> = items.filter(|&item| plan.passed[item] && demands.open(item)).collect();
        let drawn = Lists::draw(plan.seed, plan.k, allowed.len(), rows.len());
        let at = |list: Vec<usize>, items: &[usize]| list.into_iter().map(|position| items[position]).collect();
        let mut pool: Vec<usize> = at(drawn.pool, &allowed);
        pool.extend_from_slice(&demands.include);
        pool.sort_unstable();
        pool.dedup();
        Lists {
            pool,
            reference: at(drawn.reference, &rows),
            wide: at(drawn.wide, &rows),
            narrow: at(drawn.narrow, &rows),
        }
    }
}
