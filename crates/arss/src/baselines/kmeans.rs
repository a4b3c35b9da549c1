//! The samples nearest to the centres of k-means.

use std::ops::Range;

use rand_chacha::ChaCha8Rng;

use super::{Outcome, size_scores};
use crate::linalg::nearest::{Near, NearestTable};
use crate::linalg::rng::{draw, generator, uniform};
use crate::linalg::{self, top_k};
use crate::parallel::Partition;
use crate::selection::{Clock, report};
use crate::{Error, Float, HistoryStep, Method, Progress, RunOptions, Samples, Selection, Selector, Status};

/// K-means, then the sample nearest to each centre among those of its cluster.
///
/// Minimises sum_n |x_n - c(n)|^2 over K centres by Lloyd's iterations, started by k-means++.
/// A cluster that runs empty takes over the item farthest from its own centre. The clusters
/// share no item, so the K picks are distinct. The score of a pick is the size of its cluster,
/// 0 for all other items; the residual is the distance to the nearest pick; the objective is
/// the sum of squared distances to the centres.
///
/// ```
/// use arss::{KMeans, Samples, Selector};
///
/// let table = [0.0, 0.1, 0.2, 9.0, 9.1]; // two groups on a line
/// let selection = KMeans::default().select(&Samples::new(&table, 5, 1)?, 2)?;
/// assert_eq!(selection.indices[0], 1); // the middle of the larger group
/// assert_eq!(selection.scores, [3.0, 2.0]);
/// # Ok::<(), arss::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KMeans {
    /// Seed of the first centres. Default 0.
    pub seed: u64,
    /// Most iterations, at least 1. Default 100.
    pub max_iterations: usize,
    /// Stop when an iteration lowers the objective by at most this share; not negative. Default 1e-4.
    /// With 0 the iterations go on until nothing moves any more.
    pub tolerance: f64,
}

impl Default for KMeans {
    fn default() -> Self {
        KMeans { seed: 0, max_iterations: 100, tolerance: 1e-4 }
    }
}

impl Selector for KMeans {
    fn method(&self) -> Method {
        Method::KMeans(*self)
    }
}

impl KMeans {
    /// Checks the ranges of the settings.
    ///
    /// ```
    /// use arss::KMeans;
    /// assert!(KMeans { max_iterations: 0, ..KMeans::default() }.validate().is_err());
    /// ```
    ///
    /// # Errors
    /// If one is out of range.
    pub fn validate(&self) -> Result<(), Error> {
        let iterations = self.max_iterations;
        Error::check("max_iterations", iterations as f64, iterations > 0, "at least 1")?;
        Error::check("tolerance", self.tolerance, self.tolerance >= 0.0, "not negative")
    }

    pub(crate) fn run<T: Float>(
        &self,
        samples: &Samples<'_, T>,
        k: usize,
        run: &mut RunOptions<'_>,
    ) -> Result<Selection, Error> {
        let mut clock = Clock::start();
        let table = NearestTable::new(samples, run)?;
        let (seeds, stopped) = spread(&table, k, |squared| squared, &mut generator(self.seed), run);
        let mut state = Clusters::new(&table, table.rows(&seeds))?;
        clock.prepared();
        let (status, history) = self.iterate(&mut state, stopped, run);
        clock.solved();

        let picks = state.central_items();
        let scores = size_scores(samples.items(), &picks, &state.sizes);
        let residuals = table.distances(&table.nearest_pick(&picks));
        let objective = table.unscale_squared(state.inertia());
        let mut report = report(status, history.len(), objective, samples.items());
        report.history = history;
        Ok(Outcome { method: "kmeans", picks, scores, residuals, report }.finish(run.all_scores, clock))
    }

    /// Lloyd's iterations: assign, then move the centres.
    fn iterate<T: Float>(
        &self,
        state: &mut Clusters<'_, '_, T>,
        mut stopped: bool,
        run: &mut RunOptions<'_>,
    ) -> (Status, Vec<HistoryStep>) {
        let mut history = Vec::new();
        let mut before = f64::INFINITY;
        for iteration in 1..=self.max_iterations {
            state.assign();
            state.fill_empty();

            let inertia = state.inertia();
            let decrease = if before.is_finite() { (before - inertia) / before } else { 1.0 };
            let objective = state.table.unscale_squared(inertia);
            history.push(HistoryStep {
                iteration,
                objective,
                residual: decrease,
                gap: f64::NAN,
                mu: f64::NAN,
                active: f64::NAN,
            });
            let progress = HistoryStep::progress(&history, self.tolerance, self.max_iterations);
            stopped = stopped || run.tell(&progress);
            if stopped {
                return (Status::Stopped, history);
            }
            if inertia == 0.0 || decrease <= self.tolerance {
                return (Status::Converged, history);
            }
            if iteration < self.max_iterations {
                state.move_centres();
            }
            before = inertia;
        }
        (Status::IterationLimit, history)
    }
}

/// The centres, and which cluster each item is in.
struct Clusters<'t, 'a, T> {
    table: &'t NearestTable<'a, T>,
    /// Walks over the clusters, on the threads of the table's partition.
    partition: Partition,
    centres: Vec<f64>,
    near: Vec<Near>,
    sizes: Vec<usize>,
}

impl<'t, 'a, T: Float> Clusters<'t, 'a, T> {
    fn new(table: &'t NearestTable<'a, T>, centres: Vec<f64>) -> Result<Self, Error> {
        let features = table.samples.features();
        let k = centres.len() / features;
        let partition = Partition::new(&RunOptions { block: 1, ..RunOptions::default() }, k, features)?;
        Ok(Clusters { table, partition, centres, near: Vec::new(), sizes: vec![0; k] })
    }

    /// Each item goes to its nearest centre.
    fn assign(&mut self) {
        self.near = self.table.nearest(&self.table.points(self.centres.clone()));
        self.sizes.fill(0);
        for near in &self.near {
            self.sizes[near.point] += 1;
        }
    }

    /// Each empty cluster takes over the item farthest from its centre in a cluster of several.
    fn fill_empty(&mut self) {
        let empty: Vec<usize> = (0..self.sizes.len()).filter(|&c| self.sizes[c] == 0).collect();
        if empty.is_empty() {
            return;
        }
        let squared: Vec<f64> = self.near.iter().map(|near| near.squared).collect();
        let mut farthest = top_k::top(&squared, squared.len()).into_iter();
        for cluster in empty {
            let several = |&item: &usize| self.sizes[self.near[item].point] > 1;
            let item = farthest.find(several).expect("more items than filled clusters");
            self.sizes[self.near[item].point] -= 1;
            self.sizes[cluster] = 1;
            self.near[item] = Near { point: cluster, squared: 0.0 };
        }
    }

    /// Each centre becomes the mean of its cluster, summed in the order of the items; its direction, where only that
    /// counts (spherical k-means).
    fn move_centres(&mut self) {
        let features = self.table.samples.features();
        let members = self.members();
        let visit = |_: &mut (), range: Range<usize>, own: &mut [f64]| {
            for (cluster, centre) in range.zip(own.chunks_exact_mut(features)) {
                centre.fill(0.0);
                for &item in &members[cluster] {
                    let block = self.table.samples.block(item..item + 1);
                    centre.iter_mut().zip(block.values.iter()).for_each(|(sum, x)| *sum += x.to_f64());
                }
                let size = match self.table.samples.has_directions() {
                    true => linalg::norm_squared(centre).sqrt().max(f64::MIN_POSITIVE),
                    false => members[cluster].len() as f64,
                };
                centre.iter_mut().for_each(|sum| *sum /= size);
            }
        };
        let (partition, centres) = (&self.partition, &mut self.centres);
        self.table.partition.install(|| partition.fold_mut(centres, features, || (), visit, |(), ()| ()));
    }

    /// The items of each cluster.
    fn members(&self) -> Vec<Vec<usize>> {
        let mut members: Vec<Vec<usize>> = self.sizes.iter().map(|&size| Vec::with_capacity(size)).collect();
        for (item, near) in self.near.iter().enumerate() {
            members[near.point].push(item);
        }
        members
    }

    /// Sum of squared distances to the centres.
    fn inertia(&self) -> f64 {
        self.near.iter().map(|near| near.squared).sum()
    }

    /// The item nearest to the centre in each cluster.
    fn central_items(&self) -> Vec<usize> {
        let mut central = vec![usize::MAX; self.sizes.len()];
        for (item, near) in self.near.iter().enumerate() {
            let best = &mut central[near.point];
            if *best == usize::MAX || near.squared < self.near[*best].squared {
                *best = item;
            }
        }
        central
    }
}

/// Seeds far apart, as in k-means++: each is drawn with weight `weight(squared distance to the
/// nearest seed so far)`. True if the callback stopped it; the first items left fill up then.
pub(crate) fn spread<T: Float>(
    table: &NearestTable<'_, T>,
    k: usize,
    weight: fn(f64) -> f64,
    generator: &mut ChaCha8Rng,
    run: &mut RunOptions<'_>,
) -> (Vec<usize>, bool) {
    let items = table.samples.items();
    let mut chosen = vec![false; items];
    let mut squared = vec![f64::INFINITY; items];
    let mut seeds = Vec::with_capacity(k);
    let mut next = (uniform(generator) * items as f64) as usize;
    let mut stopped = false;
    loop {
        seeds.push(next);
        chosen[next] = true;
        stopped = stopped || run.tell(&Progress::count("prepare", seeds.len(), k));
        if seeds.len() == k || stopped {
            break;
        }
        bring_nearer(table, next, &mut squared);
        let drawn = draw(generator, squared.iter().map(|&s| weight(s)));
        next = drawn.unwrap_or_else(|| chosen.iter().position(|&chosen| !chosen).expect("k <= items"));
    }
    let left = (0..items).filter(|&item| !chosen[item]);
    seeds.extend(left.take(k - seeds.len()));
    (seeds, stopped)
}

/// Lowers each item's squared distance to that from `seed`, where this is nearer.
fn bring_nearer<T: Float>(table: &NearestTable<'_, T>, seed: usize, squared: &mut [f64]) {
    let point = table.rows(&[seed]);
    let visit = |_: &mut (), range: Range<usize>, own: &mut [f64]| {
        let block = table.block(range.clone());
        for ((position, squared), item) in own.iter_mut().enumerate().zip(range) {
            *squared = squared.min(table.squared_between((item, &block, position), (seed, &point)));
        }
    };
    table.partition.fold_mut(squared, 1, || (), visit, |(), ()| ());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_clusters_take_the_farthest_items() {
        let data = [0.0, 0.1, 5.0, 9.0];
        let table = NearestTable::new(&Samples::new(&data, 4, 1).unwrap(), &RunOptions::default()).unwrap();
        let mut state = Clusters::new(&table, vec![0.0, 100.0, 200.0]).unwrap();
        state.assign();
        state.fill_empty();
        assert_eq!(state.sizes, [2, 1, 1]);
        assert_eq!(state.near.iter().map(|near| near.point).collect::<Vec<_>>(), [0, 0, 2, 1]);
        state.move_centres();
        assert_eq!(state.centres, [0.05, 9.0, 5.0]);
    }

    #[test]
    fn the_objective_never_grows() {
        let data: Vec<f64> = (0..600).map(|i| (f64::from(i) * 12.9898).sin() * 43758.5453 % 1.0).collect();
        let settings = KMeans { tolerance: 0.0, ..KMeans::default() };
        let selection = settings.select(&Samples::new(&data, 200, 3).unwrap(), 7).unwrap();
        assert_eq!(selection.report.status, Status::Converged);
        assert!(selection.report.history.windows(2).all(|pair| pair[1].objective <= pair[0].objective));
        assert_eq!(selection.scores.iter().sum::<f64>(), 200.0);
    }

    #[test]
    fn seeds_are_distinct_even_among_equal_items() {
        let data = [1.0, 2.0, 1.0, 2.0, 1.0];
        let table = NearestTable::new(&Samples::new(&data, 5, 1).unwrap(), &RunOptions::default()).unwrap();
        let mut generator = generator(3);
        let (mut seeds, stopped) = spread(&table, 5, |squared| squared, &mut generator, &mut RunOptions::default());
        assert!(!stopped && data[seeds[0]] != data[seeds[1]]);
        seeds.sort_unstable();
        assert_eq!(seeds, [0, 1, 2, 3, 4]);
    }
}
