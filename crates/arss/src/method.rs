//! Every method under one name, for callers that choose at run time.

use crate::exec::{InMemory, RowAttributes, RowBackend};
use crate::exemplars::landmarks;
use crate::linalg::nearest;
use crate::linalg::tsqr::rotated;
use crate::models::diverse;
use crate::options::{check_k, share_of};
use crate::parallel::Partition;
use crate::precomputed;
use crate::{
    Arss, Count, Error, Exemplars, FacilityLocation, Float, KMeans, KMedoids, Kernel, Metric, Model, Random, Rrqr,
    Rrss, RunOptions, Samples, Selection, Status, Ted,
};

/// A method with its settings, which can choose items.
///
/// ```
/// use arss::{Random, Samples, Selector, Ted};
///
/// let samples = Samples::new(&[3.0, 0.0, 0.0, 2.0], 2, 2)?;
/// assert_eq!(Ted::default().select(&samples, 1)?.indices, [0]);
/// assert_eq!(Random::default().method().name(), "random");
/// # Ok::<(), arss::Error>(())
/// ```
pub trait Selector {
    /// The method under the name that all methods share.
    fn method(&self) -> Method;

    /// Chooses `k` items.
    ///
    /// # Errors
    /// If k or a setting is out of range, the data is all zero, or weights, rows or groups do not fit the table.
    fn select<T: Float>(&self, samples: &Samples<'_, T>, k: usize) -> Result<Selection, Error> {
        self.select_with(samples, k, &mut RunOptions::default())
    }

    /// As [`select`](Selector::select), with threads, progress and extras.
    ///
    /// # Errors
    /// As for [`select`](Selector::select).
    fn select_with<T: Float>(
        &self,
        samples: &Samples<'_, T>,
        k: usize,
        run: &mut RunOptions<'_>,
    ) -> Result<Selection, Error> {
        self.method().select(samples, k, run)
    }
}

/// One of the methods, with its settings.
///
/// ```
/// use arss::{Method, RunOptions, Samples, Ted};
///
/// let method = Method::Ted(Ted::default());
/// let selection = method.select(&Samples::new(&[3.0, 0.0, 0.0, 2.0], 2, 2)?, 1, &mut RunOptions::default())?;
/// assert_eq!((method.name(), selection.indices), ("ted", vec![0]));
/// # Ok::<(), arss::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Method {
    /// Exemplars: robust, and the picks do not repeat each other. What we recommend.
    Exemplars(Exemplars),
    /// Accelerated robust subset selection.
    Arss(Arss),
    /// Robust representative subset selection (Nie 2013).
    Rrss(Rrss),
    /// Transductive experimental design (Yu 2006).
    Ted(Ted),
    /// The samples nearest to the centres of k-means.
    KMeans(KMeans),
    /// Medoids found by swapping.
    KMedoids(KMedoids),
    /// Facility location with a bounded similarity.
    Facility(FacilityLocation),
    /// Column-pivoted QR.
    Rrqr(Rrqr),
    /// A random choice.
    Random(Random),
}

impl Default for Method {
    /// Exemplars: what we recommend.
    fn default() -> Self {
        Method::Exemplars(Exemplars::default())
    }
}

impl Method {
    /// Every method with its default settings, the recommended one first.
    ///
    /// ```
    /// let names = arss::Method::all().map(|method| method.name());
    /// assert_eq!(names[0], "exemplars");
    /// ```
    pub fn all() -> [Method; 9] {
        [
            Method::Exemplars(Exemplars::default()),
            Method::Arss(Arss::default()),
            Method::Rrss(Rrss::default()),
            Method::Ted(Ted::default()),
            Method::KMeans(KMeans::default()),
            Method::KMedoids(KMedoids::default()),
            Method::Facility(FacilityLocation::default()),
            Method::Rrqr(Rrqr::default()),
            Method::Random(Random::default()),
        ]
    }

    /// The method of this name, with its default settings; `None` if there is none.
    ///
    /// ```
    /// use arss::Method;
    ///
    /// assert_eq!(Method::from_name("ted"), Some(Method::Ted(arss::Ted::default())));
    /// assert_eq!(Method::from_name("magic"), None);
    /// ```
    pub fn from_name(name: &str) -> Option<Method> {
        Method::all().into_iter().find(|method| method.name() == name)
    }

    /// The method's name: `exemplars`, `arss`, `rrss`, `ted`, `kmeans`, `kmedoids`, `facility`, `rrqr` or `random`.
    pub fn name(&self) -> &'static str {
        self.identity().0
    }

    /// What the method chooses, in a few words.
    pub fn summary(&self) -> &'static str {
        self.identity().1
    }

    fn identity(&self) -> (&'static str, &'static str) {
        match self {
            Method::Exemplars(_) => ("exemplars", "Rows that stand for the others, outliers set aside"),
            Method::Arss(_) => ("arss", "Accelerated robust subset selection"),
            Method::Rrss(_) => ("rrss", "Robust representative subset selection"),
            Method::Ted(_) => ("ted", "Transductive experimental design"),
            Method::KMeans(_) => ("kmeans", "Rows nearest to the centres of k-means"),
            Method::KMedoids(_) => ("kmedoids", "Medoids found by swapping"),
            Method::Facility(_) => ("facility", "Facility location with a bounded similarity"),
            Method::Rrqr(_) => ("rrqr", "Column-pivoted QR"),
            Method::Random(_) => ("random", "A random choice"),
        }
    }

    /// The seed of the random numbers, if the method draws any.
    ///
    /// The models of the paper draw only for their kernel, which has a seed of its own.
    pub fn seed_mut(&mut self) -> Option<&mut u64> {
        match self {
            Method::Exemplars(Exemplars { seed, .. })
            | Method::KMeans(KMeans { seed, .. })
            | Method::KMedoids(KMedoids { seed, .. })
            | Method::Facility(FacilityLocation { seed })
            | Method::Random(Random { seed }) => Some(seed),
            Method::Arss(_) | Method::Rrss(_) | Method::Ted(_) | Method::Rrqr(_) => None,
        }
    }

    /// The same method with this seed; unchanged if it draws no random numbers.
    ///
    /// ```
    /// use arss::{Method, Random};
    ///
    /// let method = Method::Random(Random::default()).with_seed(7);
    /// assert_eq!(method, Method::Random(Random { seed: 7 }));
    /// ```
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        if let Some(own) = self.seed_mut() {
            *own = seed;
        }
        self
    }

    /// `Ok` if every setting lies in its range.
    ///
    /// # Errors
    /// Names the first setting that does not.
    pub fn validate(&self) -> Result<(), Error> {
        match self {
            Method::Exemplars(settings) => settings.validate(),
            Method::Arss(settings) => settings.validate(),
            Method::Rrss(settings) => settings.validate(),
            Method::Ted(settings) => settings.validate(),
            Method::KMeans(settings) => settings.validate(),
            Method::KMedoids(settings) => settings.validate(),
            Method::Facility(_) | Method::Rrqr(_) | Method::Random(_) => Ok(()),
        }
    }

    /// Chooses `k` items.
    ///
    /// # Errors
    /// If k or a setting is out of range, or the data is all zero.
    pub fn select<T: Float>(
        &self,
        samples: &Samples<'_, T>,
        k: usize,
        run: &mut RunOptions<'_>,
    ) -> Result<Selection, Error> {
        T::select(self, samples, k, run)
    }

    /// Chooses a number of items, a share of them, or as many as pay.
    ///
    /// # Errors
    /// As for [`select`](Method::select); [`Count::Auto`] is for exemplars only.
    pub fn select_count<T: Float>(
        &self,
        samples: &Samples<'_, T>,
        count: Count,
        run: &mut RunOptions<'_>,
    ) -> Result<Selection, Error> {
        let (method, k) = self.with_count(count, samples.items())?;
        method.select(samples, k, run)
    }

    /// The method and the number of items that a count means for it.
    pub(crate) fn with_count(&self, count: Count, items: usize) -> Result<(Method, usize), Error> {
        Ok(match (count, self) {
            (Count::Exactly(k), _) => (self.clone(), k),
            (Count::Share(share), _) => (self.clone(), share_of(share, items)?),
            (Count::Auto, Method::Exemplars(settings)) => {
                let (settings, limit) = settings.auto(items);
                (Method::Exemplars(settings), limit)
            }
            (Count::Auto, _) => return Err(Error::NoAuto { method: self.name() }),
        })
    }

    /// True if the selection says what each pick stands for: [`Selection::assignment`].
    pub fn assigns(&self) -> bool {
        matches!(self, Method::Exemplars(_) | Method::Facility(_))
    }

    /// True if a table of zeros is nothing to choose by: the method looks at the lengths of rows. Others look at the
    /// distances between rows, to which rows of zeros are rows that are alike.
    ///
    /// ```
    /// assert!(arss::Method::from_name("ted").unwrap().needs_lengths() && !arss::Method::default().needs_lengths());
    /// ```
    pub fn needs_lengths(&self) -> bool {
        matches!(self, Method::Arss(_) | Method::Rrss(_) | Method::Ted(_) | Method::Rrqr(_))
    }

    /// The one place where every run starts: what all methods demand is checked here.
    pub(crate) fn run<T: Float>(
        &self,
        samples: &Samples<'_, T>,
        k: usize,
        run: &mut RunOptions<'_>,
    ) -> Result<Selection, Error> {
        self.validate()?;
        check_k(k, samples.items())?;
        if self.needs_lengths() {
            samples.require_nonzero()?;
        }
        self.check_metric(run.metric)?;
        if run.metric == Metric::Precomputed {
            return precomputed::run(self, samples, k, run);
        }
        let samples = samples.seen_by(run.metric)?.in_safe_range();
        if let Some(kernel) = self.kernel() {
            let mapped = kernel.run(&samples, run)?;
            let mut selection = self.choose(&mapped.samples()?, k, run)?;
            if !mapped.complete {
                selection.report.status = Status::Stopped;
            }
            return Ok(with_model(selection, &samples, run));
        }
        Ok(with_model(self.choose(&samples, k, run)?, &samples, run))
    }

    /// `Ok` if the method can choose by this metric.
    ///
    /// # Errors
    /// If it cannot.
    pub fn check_metric(&self, metric: Metric) -> Result<(), Error> {
        let by_pairs =
            matches!(self, Method::Exemplars(_) | Method::Facility(_) | Method::KMedoids(_) | Method::Random(_));
        if metric.by_products() || by_pairs {
            return Ok(());
        }
        Err(Error::NoSuchMetric { method: self.name(), metric: metric.name() })
    }

    /// The kernel that the rows are mapped by first.
    fn kernel(&self) -> Option<Kernel> {
        match self {
            Method::Arss(Arss { kernel, .. }) | Method::Rrss(Rrss { kernel, .. }) | Method::Ted(Ted { kernel, .. }) => {
                *kernel
            }
            _ => None,
        }
    }

    /// Chooses by score alone, or item by item among the best.
    fn choose<T: Float>(
        &self,
        samples: &Samples<'_, T>,
        k: usize,
        run: &mut RunOptions<'_>,
    ) -> Result<Selection, Error> {
        if let Method::Arss(Arss { diverse: true, .. }) | Method::Rrss(Rrss { diverse: true, .. }) = self {
            let selection = self.solve(samples, diverse::candidates(k, samples.items()), run)?;
            return diverse::choose(samples, selection, k, run);
        }
        self.solve(samples, k, run)
    }

    pub(crate) fn solve<T: Float>(
        &self,
        samples: &Samples<'_, T>,
        k: usize,
        run: &mut RunOptions<'_>,
    ) -> Result<Selection, Error> {
        self.check_density(samples, samples.metric())?;
        let by_products = samples.metric().by_products();
        if samples.is_sparse() && self.wants_rotation() && by_products && samples.items() <= samples.features() {
            let (items, scale) = (samples.items(), samples.scale());
            let mut small = rotated(samples, run)?;
            small.iter_mut().for_each(|value| *value /= scale);
            let small = Samples::new(&small, items, items)?;
            let metric = if samples.has_directions() { Metric::Cosine } else { Metric::Euclidean };
            return self.solve(&small.seen_by(metric)?, k, run);
        }
        match self {
            Method::Exemplars(settings) => self.in_memory(samples, run, |rows, run| settings.run_backend(rows, k, run)),
            Method::Facility(settings) => {
                self.in_memory(samples, run, |rows, run| settings.run_backend(rows, samples.scale(), k, run))
            }
            Method::Arss(settings) => settings.run(samples, k, run),
            Method::Rrss(settings) => settings.run(samples, k, run),
            Method::Ted(settings) => settings.run(samples, k, run),
            Method::KMeans(settings) => settings.run(samples, k, run),
            Method::KMedoids(settings) => settings.run(samples, k, run),
            Method::Rrqr(settings) => settings.run(samples, k, run),
            Method::Random(settings) => settings.run(samples, k, run),
        }
    }

    /// `Ok` if the method can choose among rows that are as sparse as these.
    pub(crate) fn check_density<T: Float>(&self, samples: &Samples<'_, T>, metric: Metric) -> Result<(), Error> {
        if samples.is_sparse() && self.wants_rotation() && metric == Metric::Manhattan {
            return Err(Error::DenseOnly { method: self.name() });
        }
        Ok(())
    }

    /// True for methods that look at distances alone and multiply dense rows: sparse ones are rotated into as many dimensions
    /// as there are items first.
    fn wants_rotation(&self) -> bool {
        matches!(self, Method::KMeans(_) | Method::KMedoids(_))
    }

    /// Runs a solver on rows in memory.
    pub(crate) fn in_memory<T: Float, R>(
        &self,
        samples: &Samples<'_, T>,
        run: &mut RunOptions<'_>,
        solve: impl FnOnce(&mut dyn RowBackend, &mut RunOptions<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let (items, features, attributes) = (samples.items(), samples.features(), self.attributes());
        attributes.check(items)?;
        // Of a row of distances few are looked at.
        let features = if samples.metric() == Metric::Precomputed { features.min(landmarks::MOST) } else { features };
        let block = if run.block == 0 { nearest::short_block(features) } else { run.block };
        let options = RunOptions { threads: run.threads, block, ..RunOptions::default() };
        let partition = Partition::new(&options, items, features)?;
        solve(&mut InMemory::new(samples, &partition, attributes), run)
    }

    /// What the settings say of each row.
    pub(crate) fn attributes(&self) -> RowAttributes<'_> {
        match self {
            Method::Exemplars(Exemplars { weights, groups, .. }) => RowAttributes {
                weights: weights.as_deref(),
                groups: groups.as_ref().map(|groups| groups.of.as_slice()),
            },
            Method::Ted(Ted { weights, .. }) => {
                RowAttributes { weights: weights.as_deref(), ..RowAttributes::default() }
            }
            _ => RowAttributes::default(),
        }
    }
}

/// The selection with its picks for rows to come, if asked for.
pub(crate) fn with_model<T: Float>(
    mut selection: Selection,
    samples: &Samples<'_, T>,
    run: &RunOptions<'_>,
) -> Selection {
    if run.keep_model && selection.model.is_none() {
        selection.model = Some(Model::new(&selection, samples.view(), samples, samples.features()));
    }
    selection
}
