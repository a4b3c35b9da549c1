//! Euclidean distances from all items to a few points, block by block.
//!
//! The nearest point is found by a block product, |x - c|^2 = |x|^2 - 2 x.c + |c|^2, after a
//! common origin was taken off both; its distance is then computed anew as a sum of squared
//! differences in `f64`, so that cancellation can only ever confuse points almost equally near.

use std::ops::Range;

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

use super::compressed::{self, Compressed};
use super::distances::{self, dot, shift_rows};
use super::manhattan;
use super::row_values::RowValues;
use super::simd::{LANES, vectorised};
use crate::block::Block;
use crate::parallel::Partition;
use crate::{Error, Float, Metric, RunOptions, Samples};

/// Points per product: its result stays in the cache.
const TILE: usize = 128;
/// Most values of one block where rows are so long that blocks must be short.
const BLOCK_VALUES: usize = 1 << 21;
/// Items that the origin is the median of.
const ORIGIN_ITEMS: usize = 15;

/// A table in a safe range, the threads that walk over it, and an origin amid its items.
pub(crate) struct NearestTable<'a, T> {
    pub samples: Samples<'a, T>,
    pub partition: Partition,
    /// Taken off items and points before they are multiplied: distances do not depend on it,
    /// but their rounding errors do.
    pub origin: Vec<f64>,
}

/// The nearest of some points, and how near it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Near {
    pub point: usize,
    pub squared: f64,
}

/// Points to measure distances to.
pub(crate) struct Points<T> {
    /// The points, row-major; none if they are mostly zero.
    values: Vec<f64>,
    /// The same without the origin, in the type of the products.
    shifted: Vec<T>,
    /// Points that are mostly zero, and the same without the origin by columns.
    sparse: Option<(Compressed<f64>, Compressed<T>)>,
    /// Half the squared norm of each shifted point; by the Manhattan metric its sum of absolute values.
    half: Vec<T>,
    metric: Metric,
}

impl<'a, T: Float> NearestTable<'a, T> {
    pub fn new(samples: &Samples<'a, T>, run: &RunOptions<'_>) -> Result<Self, Error> {
        let samples = samples.in_safe_range();
        let (items, features) = (samples.items(), samples.features());
        let block = if run.block == 0 { short_block(features) } else { run.block };
        let partition =
            Partition::new(&RunOptions { threads: run.threads, block, ..RunOptions::default() }, items, features)?;
        let by_products = samples.metric().by_products();
        let origin = if by_products { origin(&samples) } else { vec![0.0; features] };
        Ok(NearestTable { samples, partition, origin })
    }

    /// The rows by position.
    pub fn by_position(&self) -> distances::Table<'_> {
        distances::Table { rows: &self.samples, origin: &self.origin, metric: self.samples.metric() }
    }

    /// The points whose rows are `values`.
    pub fn points(&self, values: Vec<f64>) -> Points<T> {
        Points::new(values, &self.origin, self.samples.metric())
    }

    /// The listed items as rows of `f64`; none of a table of distances.
    pub fn rows(&self, items: &[usize]) -> Vec<f64> {
        if self.samples.metric() == Metric::Precomputed {
            return Vec::new();
        }
        items.iter().flat_map(|&item| self.samples.item(item)).collect()
    }

    /// The nearest point of every item; of equally near ones usually the first.
    pub fn nearest(&self, points: &Points<T>) -> Vec<Near> {
        let mut near = vec![Near { point: 0, squared: 0.0 }; self.samples.items()];
        let visit = |scratch: &mut Scratch<T>, range, own: &mut [Near]| self.visit(points, scratch, range, own);
        self.partition.fold_mut(&mut near, 1, Scratch::default, visit, |_, _| ());
        near
    }

    /// The nearest pick of every item, as a position in `picks`; a pick is its own.
    pub fn nearest_pick(&self, picks: &[usize]) -> Vec<Near> {
        let mut near = match self.samples.metric() {
            Metric::Precomputed => self.nearest_given(picks),
            _ => self.nearest(&self.points(self.rows(picks))),
        };
        for (point, &pick) in picks.iter().enumerate() {
            near[pick] = Near { point, squared: 0.0 };
        }
        near
    }

    /// The same of a table of distances.
    fn nearest_given(&self, picks: &[usize]) -> Vec<Near> {
        let points = Points::of_columns(picks.len());
        let mut near = vec![Near { point: 0, squared: 0.0 }; self.samples.items()];
        let visit = |scratch: &mut Scratch<T>, range: Range<usize>, own: &mut [Near]| {
            let mut gathered = std::mem::take(&mut scratch.gathered);
            gathered.clear();
            range.for_each(|item| self.samples.push_distances(item, picks, &mut gathered));
            points.nearest(&RowValues::Dense(&gathered), &self.origin, scratch, own);
            scratch.gathered = gathered;
        };
        self.partition.fold_mut(&mut near, 1, Scratch::default, visit, |_, _| ());
        near
    }

    /// The rows of some items; none of a table of distances.
    pub fn block(&self, range: Range<usize>) -> Block<'a, T> {
        match self.samples.metric() {
            Metric::Precomputed => self.samples.block(0..0),
            _ => self.samples.block(range),
        }
    }

    /// The squared distance of an item with the row at `position` of `block` and an item whose row is `other`.
    pub fn squared_between(
        &self,
        (item, block, position): (usize, &Block<'a, T>, usize),
        (other, row): (usize, &[f64]),
    ) -> f64 {
        match self.samples.metric() {
            Metric::Precomputed => {
                let mut found = Vec::with_capacity(1);
                self.samples.push_distances(item, &[other], &mut found);
                found[0].to_f64() * found[0].to_f64()
            }
            metric => distances::squared_by(metric, block.row(position), row),
        }
    }

    /// The distances in the units of the data.
    pub fn distances(&self, near: &[Near]) -> Vec<f64> {
        near.iter().map(|near| near.squared.sqrt() / self.samples.scale()).collect()
    }

    /// A sum of squared distances in the units of the data.
    pub fn unscale_squared(&self, sum: f64) -> f64 {
        sum / self.samples.scale() / self.samples.scale()
    }

    fn visit(&self, points: &Points<T>, scratch: &mut Scratch<T>, range: Range<usize>, own: &mut [Near]) {
        let mut gathered = std::mem::take(&mut scratch.gathered);
        let rows = RowValues::Dense(self.samples.block_in(range, &mut gathered));
        points.nearest(&rows, &self.origin, scratch, own);
        scratch.gathered = gathered;
    }
}

impl<T: Float> Points<T> {
    /// The points whose rows are `values`.
    pub fn new(values: Vec<f64>, origin: &[f64], metric: Metric) -> Self {
        let shift = |(x, o): (&f64, &f64)| T::from_f64(x - o);
        let rows = values.chunks_exact(origin.len());
        let shifted: Vec<T> = rows.flat_map(|row| row.iter().zip(origin).map(shift)).collect();
        let half: Vec<T> = shifted.chunks_exact(origin.len()).map(|row| T::from_f64(0.5 * dot(row, row))).collect();
        Points { values, shifted, sparse: None, half, metric }
    }

    /// So many rows of a table of distances: what is compared with them are the distances.
    pub fn of_columns(count: usize) -> Self {
        let half = vec![T::from_f64(0.0); count];
        Points { values: Vec::new(), shifted: Vec::new(), sparse: None, half, metric: Metric::Precomputed }
    }

    /// Points of which only the entries that are not zero are given.
    pub fn of_entries(points: &Compressed<f64>, origin: &[f64], metric: Metric) -> Self {
        let shifted: Compressed<T> = points.shifted(0..points.rows(), &compressed::entries_of(origin));
        let part = if metric == Metric::Manhattan { 1.0 } else { 0.5 };
        let half = (0..points.rows()).map(|point| T::from_f64(shifted.size(point, metric) * part)).collect();
        let by_column = shifted.transposed(origin.len());
        Points { values: Vec::new(), shifted: Vec::new(), sparse: Some((points.clone(), by_column)), half, metric }
    }

    /// The nearest point of each of some rows.
    pub fn nearest(&self, rows: &RowValues<'_, T>, origin: &[f64], scratch: &mut Scratch<T>, own: &mut [Near]) {
        if let Some(sparse) = &self.sparse {
            self.nearest_sparse(sparse, rows, origin, scratch, own);
            return;
        }
        let mut expanded = std::mem::take(&mut scratch.expanded);
        self.nearest_values(rows.dense(origin.len(), &mut expanded), origin, scratch, own);
        scratch.expanded = expanded;
    }

    fn nearest_values(&self, rows: &[T], origin: &[f64], scratch: &mut Scratch<T>, own: &mut [Near]) {
        let features = origin.len();
        match self.metric {
            Metric::Precomputed => return self.nearest_measured(rows, own),
            Metric::Manhattan => self.nearest_summed(rows, features, scratch, own),
            _ => self.nearest_dense(rows, origin, scratch, own),
        }
        vectorised(
            #[inline(always)]
            || {
                for (row, near) in rows.chunks_exact(features).zip(own) {
                    let point = &self.values[near.point * features..(near.point + 1) * features];
                    near.squared = distances::squared_by(self.metric, row, point);
                }
            },
        );
    }

    fn nearest_sparse(
        &self,
        (points, by_column): &(Compressed<f64>, Compressed<T>),
        rows: &RowValues<'_, T>,
        origin: &[f64],
        scratch: &mut Scratch<T>,
        own: &mut [Near],
    ) {
        let zero = T::from_f64(0.0);
        scratch.products.resize(self.half.len(), zero);
        let (products, entries_of_origin) = (&mut scratch.products, compressed::entries_of(origin));
        for (at, near) in own.iter_mut().enumerate() {
            match rows {
                RowValues::Dense(values) => {
                    let row = &values[at * origin.len()..(at + 1) * origin.len()];
                    let shifted = row.iter().zip(origin).map(|(x, o)| T::from_f64(x.to_f64() - o));
                    near.point = self.least(by_column, shifted.enumerate().filter(|(_, x)| *x != zero), products);
                    let mut point = points.row(near.point).peekable();
                    let mut other =
                        |column: usize| point.next_if(|entry| entry.0 == column).map_or(0.0, |entry| entry.1);
                    let differences = row.iter().enumerate().map(|(column, x)| x.to_f64() - other(column));
                    near.squared = compressed::squared_size(differences, self.metric);
                }
                RowValues::Sparse(all, own) => {
                    let row = own.start + at;
                    near.point = self.least(by_column, all.shifted_row(row, &entries_of_origin), products);
                    near.squared = all.squared_distance(row, points, near.point, self.metric);
                }
            }
        }
    }

    /// The point nearest to a row, of which the entries without the origin are given.
    fn least(&self, by_column: &Compressed<T>, row: impl Iterator<Item = (usize, T)>, products: &mut [T]) -> usize {
        let zero = T::from_f64(0.0);
        match self.metric {
            Metric::Manhattan => by_column.sums(row, products, |x, y| zero - compressed::shared_difference(x, y)),
            _ => by_column.products(row, products),
        }
        let (mut least, mut nearest) = (T::from_f64(f64::INFINITY), 0);
        for (point, (&product, &half)) in products.iter().zip(&self.half).enumerate() {
            if half - product < least {
                (least, nearest) = (half - product, point);
            }
        }
        nearest
    }

    /// The least of the given distances.
    fn nearest_measured(&self, rows: &[T], own: &mut [Near]) {
        for (distances, near) in rows.chunks_exact(self.half.len()).zip(own) {
            let mut least = f64::INFINITY;
            for (point, distance) in distances.iter().map(|distance| distance.to_f64()).enumerate() {
                if distance < least {
                    (least, near.point) = (distance, point);
                }
            }
            near.squared = least * least;
        }
    }

    /// The nearest by sums of absolute differences.
    fn nearest_summed(&self, rows: &[T], features: usize, scratch: &mut Scratch<T>, own: &mut [Near]) {
        scratch.least.clear();
        scratch.least.resize(own.len(), T::from_f64(f64::INFINITY));
        for (tile, values) in self.shifted.chunks(TILE * features).enumerate() {
            let points = values.len() / features;
            scratch.products.resize(own.len() * points, T::from_f64(0.0));
            manhattan::squared(rows, values, features, &mut scratch.products);
            let rows = scratch.products.chunks_exact(points).zip(&mut scratch.least).zip(own.iter_mut());
            for ((squared, least), near) in rows {
                for (point, &squared) in squared.iter().enumerate() {
                    if squared < *least {
                        (*least, near.point) = (squared, tile * TILE + point);
                    }
                }
            }
        }
    }

    fn nearest_dense(&self, rows: &[T], origin: &[f64], scratch: &mut Scratch<T>, own: &mut [Near]) {
        let (features, count) = (origin.len(), own.len());
        shift_rows(rows, origin, &mut scratch.shifted);
        scratch.least.clear();
        scratch.least.resize(count, T::from_f64(f64::INFINITY));
        let lhs = MatRef::from_row_major_slice(&scratch.shifted, count, features);
        let tiles = self.shifted.chunks(TILE * features).zip(self.half.chunks(TILE));
        for (tile, (values, half)) in tiles.enumerate() {
            let points = half.len();
            scratch.products.resize(count * points, T::from_f64(0.0));
            let rhs = MatRef::from_row_major_slice(values, points, features).transpose();
            let product = MatMut::from_row_major_slice_mut(&mut scratch.products, count, points);
            matmul(product, Accum::Replace, lhs, rhs, T::from_f64(1.0), Par::Seq);
            let rows = scratch.products.chunks_exact(points).zip(&mut scratch.least).zip(own.iter_mut());
            for ((products, least), near) in rows {
                if let Some((value, point)) = least_below(products, half, *least) {
                    (*least, near.point) = (value, tile * TILE + point);
                }
            }
        }
    }
}

/// The least of half - product if it is below a limit, and where it stands first. The least is found many at a time, and
/// its place afterwards: most tiles have none.
fn least_below<T: Float>(products: &[T], half: &[T], limit: T) -> Option<(T, usize)> {
    let mut lanes = [limit; LANES];
    let least = |least: T, value: T| if value < least { value } else { least };
    vectorised(
        #[inline(always)]
        || {
            let ((products, last), (half, last_half)) = (products.as_chunks::<LANES>(), half.as_chunks::<LANES>());
            for (products, half) in products.iter().zip(half) {
                (0..LANES).for_each(|lane| lanes[lane] = least(lanes[lane], half[lane] - products[lane]));
            }
            (0..last.len()).for_each(|lane| lanes[lane] = least(lanes[lane], last_half[lane] - last[lane]));
        },
    );
    let found = lanes.into_iter().fold(limit, least);
    let first = || products.iter().zip(half).position(|(&product, &half)| half - product == found);
    if found < limit { first().map(|point| (found, point)) } else { None }
}

/// Buffers of one chunk.
pub(crate) struct Scratch<T> {
    gathered: Vec<T>,
    expanded: Vec<T>,
    shifted: Vec<T>,
    products: Vec<T>,
    least: Vec<T>,
}

impl<T> Default for Scratch<T> {
    fn default() -> Self {
        Scratch {
            gathered: Vec::new(),
            expanded: Vec::new(),
            shifted: Vec::new(),
            products: Vec::new(),
            least: Vec::new(),
        }
    }
}

/// Rows per block where rows are so long that blocks must be short; 0, the default, where they are not.
pub(crate) fn short_block(features: usize) -> usize {
    if features > BLOCK_VALUES / 64 { rows_within(BLOCK_VALUES, features) } else { 0 }
}

/// Rows of `features` values that make up at most `values`, at least one.
pub(crate) fn rows_within(values: usize, features: usize) -> usize {
    (values / features).max(1)
}

/// The median of a few items, feature by feature: amid the data even when some rows are wild.
fn origin<T: Float>(samples: &Samples<'_, T>) -> Vec<f64> {
    let rows: Vec<Vec<f64>> = origin_items(samples.items()).map(|item| samples.item(item)).collect();
    median_row(&rows)
}

/// The items that the origin is made of.
pub(crate) fn origin_items(items: usize) -> impl Iterator<Item = usize> {
    let count = items.min(ORIGIN_ITEMS);
    (0..count).map(move |position| (position as u128 * items as u128 / count as u128) as usize)
}

/// The median of some rows, feature by feature.
pub(crate) fn median_row(rows: &[Vec<f64>]) -> Vec<f64> {
    let median = |feature: usize| {
        let mut values: Vec<f64> = rows.iter().map(|row| row[feature]).collect();
        values.sort_unstable_by(f64::total_cmp);
        values[rows.len() / 2]
    };
    (0..rows[0].len()).map(median).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::distances::squared_distance;

    fn values(count: u32) -> Vec<f64> {
        (0..count).map(|i| (f64::from(i) * 12.9898).sin() * 43758.5453 % 1.0 + 1000.0).collect()
    }

    #[test]
    fn the_nearest_of_many_points_is_found() {
        let data = values(900);
        for block in [0, 1, 13] {
            let run = RunOptions { block, ..RunOptions::default() };
            let table = NearestTable::new(&Samples::new(&data, 300, 3).unwrap(), &run).unwrap();
            let rows: Vec<f64> = values(810).iter().map(|x| x * 1.001 - 1.0).collect(); // more than two tiles
            let near = table.nearest(&table.points(rows.clone()));
            for (item, near) in near.iter().enumerate() {
                let all: Vec<f64> = rows.chunks(3).map(|row| squared_distance(&data[3 * item..][..3], row)).collect();
                let least = all.iter().copied().fold(f64::INFINITY, f64::min);
                assert_eq!((near.squared, all[near.point]), (least, least));
            }
        }
    }

    #[test]
    fn the_origin_lies_amid_the_items() {
        let mut data = values(400);
        data[..40].fill(1e9);
        let table = NearestTable::new(&Samples::new(&data, 100, 4).unwrap(), &RunOptions::default()).unwrap();
        assert!(table.origin.iter().all(|o| (999.0..1001.0).contains(o)));
    }
}
