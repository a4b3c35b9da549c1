//! Every method under one name, for callers that choose at run time.

use crate::settings::check_k;
use crate::{
    Arss, Assignment, Error, Exemplars, FacilityLocation, Float, KMeans, KMedoids, Random, Rrqr, Rrss, Run, Samples,
    Selection, Ted,
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

    /// What the picks of a selection stand for, if the method is `exemplars` or `facility`.
    ///
    /// # Errors
    /// If the selection is of another table, or a thread pool cannot be started.
    pub fn assign<T: Float>(
        &self,
        samples: &Samples<'_, T>,
        selection: &Selection,
        run: &Run<'_>,
    ) -> Result<Option<Assignment>, Error> {
        T::assign(self, samples, selection, run)
    }

    pub(crate) fn run_assign<T: Float>(
        &self,
        samples: &Samples<'_, T>,
        selection: &Selection,
        run: &Run<'_>,
    ) -> Result<Option<Assignment>, Error> {
        let weights = match self {
            Method::Exemplars(settings) => settings.share_weights(selection),
            Method::Facility(_) => vec![1.0; selection.residuals.len()],
            _ => return Ok(None),
        };
        Assignment::new(samples, selection, &weights, run).map(Some)
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
        match self {
            Method::Exemplars(settings) => settings.run(&samples, k, run),
            Method::Arss(settings) => settings.run(&samples, k, run),
            Method::Rrss(settings) => settings.run(&samples, k, run),
            Method::Ted(settings) => settings.run(&samples, k, run),
            Method::KMeans(settings) => settings.run(&samples, k, run),
            Method::KMedoids(settings) => settings.run(&samples, k, run),
            Method::Facility(settings) => settings.run(&samples, k, run),
            Method::Rrqr(settings) => settings.run(&samples, k, run),
            Method::Random(settings) => settings.run(&samples, k, run),
        }
    }
}
