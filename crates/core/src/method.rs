//! Every method under one name, for callers that choose at run time.

use crate::settings::{check_k, share_of};
use crate::{
    Arss, Count, Error, Exemplars, FacilityLocation, Float, KMeans, KMedoids, Kernel, Random, Rrqr, Rrss, Run, Samples,
    Selection, Status, Ted, diverse,
};

/// One of the methods, with its settings.
///
/// ```
/// use arss::{Method, Run, Samples, Ted};
///
/// let method = Method::Ted(Ted::default());
/// let selection = method.select(&Samples::new(&[3.0, 0.0, 0.0, 2.0], 2, 2)?, 1, &mut Run::default())?;
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

impl Method {
    /// The method's name: `exemplars`, `arss`, `rrss`, `ted`, `kmeans`, `kmedoids`, `facility`, `rrqr` or `random`.
    pub fn name(&self) -> &'static str {
        match self {
            Method::Exemplars(_) => "exemplars",
            Method::Arss(_) => "arss",
            Method::Rrss(_) => "rrss",
            Method::Ted(_) => "ted",
            Method::KMeans(_) => "kmeans",
            Method::KMedoids(_) => "kmedoids",
            Method::Facility(_) => "facility",
            Method::Rrqr(_) => "rrqr",
            Method::Random(_) => "random",
        }
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
    pub fn select<T: Float>(&self, samples: &Samples<'_, T>, k: usize, run: &mut Run<'_>) -> Result<Selection, Error> {
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
        run: &mut Run<'_>,
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

    /// The one place where every run starts: what all methods demand is checked here.
    pub(crate) fn run<T: Float>(
        &self,
        samples: &Samples<'_, T>,
        k: usize,
        run: &mut Run<'_>,
    ) -> Result<Selection, Error> {
        self.validate()?;
        check_k(k, samples.items())?;
        samples.require_nonzero()?;
        let samples = samples.in_safe_range();
        if let Some(kernel) = self.kernel() {
            let mapped = kernel.run(&samples, run)?;
            let mut selection = self.choose(&mapped.samples()?, k, run)?;
            if !mapped.complete {
                selection.report.status = Status::Stopped;
            }
            return Ok(selection);
        }
        self.choose(&samples, k, run)
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
    fn choose<T: Float>(&self, samples: &Samples<'_, T>, k: usize, run: &mut Run<'_>) -> Result<Selection, Error> {
        if let Method::Arss(Arss { diverse: true, .. }) | Method::Rrss(Rrss { diverse: true, .. }) = self {
            let selection = self.solve(samples, diverse::candidates(k, samples.items()), run)?;
            return diverse::choose(samples, selection, k, run);
        }
        self.solve(samples, k, run)
    }

    fn solve<T: Float>(&self, samples: &Samples<'_, T>, k: usize, run: &mut Run<'_>) -> Result<Selection, Error> {
        match self {
            Method::Exemplars(settings) => settings.run(samples, k, run),
            Method::Arss(settings) => settings.run(samples, k, run),
            Method::Rrss(settings) => settings.run(samples, k, run),
            Method::Ted(settings) => settings.run(samples, k, run),
            Method::KMeans(settings) => settings.run(samples, k, run),
            Method::KMedoids(settings) => settings.run(samples, k, run),
            Method::Facility(settings) => settings.run(samples, k, run),
            Method::Rrqr(settings) => settings.run(samples, k, run),
            Method::Random(settings) => settings.run(samples, k, run),
        }
    }
}
