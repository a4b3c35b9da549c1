//! Rows on other machines: steps and results travel as bytes.

#![warn(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::fmt::Write;

use super::{
    Access, Accumulator, BlockState, CheckFinite, PassResult, Request, RowAttributes, RowBackend, RowBlock, Step,
    damaged,
};
use crate::options::check_k;
use crate::parallel::default_block;
use crate::row_view::RowView;
use crate::samples::safe_scale;
use crate::{Arss, Count, Error, Float, Method, Metric, Model, Rrss, RunOptions, Samples, Selection, Ted};

/// What is kept of some rows between two passes.
///
/// Its contents are private to the steps. The numbers of a row stand side by side; [`columns`] tells which of them
/// are of use at the end of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RowState<T> {
    /// One value per entry of the rows, or none.
    pub values: Vec<T>,
    /// Some numbers per row, or none.
    pub numbers: Vec<f64>,
}

/// The shape of a table whose rows are on other machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RemoteTable {
    /// The number of rows.
    pub items: usize,
    /// The number of columns.
    pub features: usize,
    /// Whether the values are `f32`.
    pub single: bool,
}

/// Runs an encoded request on all rows: [`step_on`] for each part of the rows with its state, and [`merge`] over the
/// results in the order of the rows.
pub type Pass<'a> = dyn FnMut(&[u8]) -> Result<Vec<u8>, Error> + 'a;

/// Some rows in any layout: value (i, j) stands at `i * row_stride + j * column_stride`.
#[derive(Debug, Clone, Copy)]
pub struct RowsOf<'a, T> {
    /// The values.
    pub data: &'a [T],
    /// Rows and columns.
    pub shape: (usize, usize),
    /// Strides of rows and columns.
    pub strides: (usize, usize),
}

/// One step of a pass, decoded and ready to run on parts of the rows.
///
/// ```
/// use arss::distributed::StepRequest;
///
/// assert!(StepRequest::decode(b"no step").is_err());
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct StepRequest(Request);

impl StepRequest {
    /// The step in an encoded request.
    ///
    /// # Errors
    /// If the bytes are no request of this version.
    pub fn decode(request: &[u8]) -> Result<Self, Error> {
        Request::decode(request).map(StepRequest)
    }

    /// What the step does with the values and with the numbers of the state.
    pub fn access(&self) -> (Access, Access) {
        let needs = self.0.step.spec().needs();
        (needs.values, needs.numbers)
    }

    /// What kind of step it is, in lower case: `ted-take`. For names of tasks that tell what a cluster is doing.
    pub fn name(&self) -> String {
        let mut head = Head::default();
        // Ends with an error once the name is over: the matrices behind it are not written.
        let _ = write!(head, "{:?}", self.0.step);
        head.0
    }

    /// Runs the step on some rows: changes their state and returns the encoded result.
    ///
    /// `first` is the position of the first row in the whole table. The result depends on the arguments alone.
    ///
    /// # Errors
    /// If the step does not fit the rows, there is not one attribute per row, or the state is not one of so many rows.
    pub fn apply<T: Float>(
        &self,
        rows: &RowsOf<'_, T>,
        place: (usize, RowAttributes<'_>),
        state: &mut RowState<T>,
    ) -> Result<Vec<u8>, Error> {
        T::step_on(self, rows, place, state)
    }
}

/// The name in front of a bracket, its words separated.
#[derive(Default)]
struct Head(String);

impl Write for Head {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        for letter in text.chars() {
            if !letter.is_ascii_alphanumeric() {
                return Err(std::fmt::Error);
            }
            if letter.is_ascii_uppercase() && !self.0.is_empty() {
                self.0.push('-');
            }
            self.0.push(letter.to_ascii_lowercase());
        }
        Ok(())
    }
}

/// Runs one step of a pass on some rows without attributes: [`StepRequest::decode`] and [`StepRequest::apply`].
///
/// # Errors
/// If the request is damaged or does not fit the rows, or the state is not one of so many rows.
pub fn step_on<T: Float>(
    request: &[u8],
    rows: &RowsOf<'_, T>,
    first: usize,
    state: &mut RowState<T>,
) -> Result<Vec<u8>, Error> {
    StepRequest::decode(request)?.apply(rows, (first, RowAttributes::default()), state)
}

/// More numbers per row than any step keeps: a message that asks for more is damaged, and would take all memory.
const MOST_NUMBERS: usize = 64;

pub(crate) fn step_on_rows<T: Float>(
    StepRequest(Request { view, step }): &StepRequest,
    rows: &RowsOf<'_, T>,
    (first, attributes): (usize, RowAttributes<'_>),
    state: &mut RowState<T>,
) -> Result<Vec<u8>, Error> {
    let samples = Samples::trusted(rows.data, rows.shape, rows.strides, *view)?;
    let (items, features, spec) = (samples.items(), samples.features(), step.spec());
    spec.check(features)?;
    spec.points().map_or(Ok(()), |points| points.check_metric(view.metric))?;
    attributes.check(items)?;
    let needs = spec.needs();
    let too_wide = needs.width > MOST_NUMBERS;
    if spec.range().is_some() || too_wide || view.metric == Metric::Precomputed || first.checked_add(items).is_none() {
        return Err(damaged());
    }
    let (depth, width) = (if needs.values == Access::None { 0 } else { features }, used(needs.numbers, needs.width));
    let mut none = RowState { values: Vec::new(), numbers: Vec::new() };
    let values = sized(if depth == 0 { &mut none.values } else { &mut state.values }, items * depth)?;
    let size = items.checked_mul(width).ok_or_else(damaged)?;
    let numbers = sized(if width == 0 { &mut none.numbers } else { &mut state.numbers }, size)?;
    let ready = step.prepare::<T>();
    let mut sums = Accumulator::new(&spec.output(features));
    let block = default_block(features);
    let mut gathered = Vec::new();
    for start in (0..items).step_by(block) {
        let end = (start + block).min(items);
        let rows = if needs.rows { samples.block_in(start..end, &mut gathered) } else { &[] };
        let attributes = attributes.slice(start..end);
        let block =
            RowBlock { values: rows, entries: None, first: first + start, rows: end - start, features, attributes };
        #[expect(clippy::indexing_slicing, reason = "`sized` made both as long as all rows")]
        let (values, numbers) = (&mut values[start * depth..end * depth], &mut numbers[start * width..end * width]);
        ready.visit(&mut sums, &block, BlockState { values, numbers });
    }
    sums.finish().encode()
}

fn used(access: Access, width: usize) -> usize {
    if access == Access::None { 0 } else { width }
}

/// The state if there is some, and zeros before the first step that writes it.
fn sized<N: Float>(state: &mut Vec<N>, size: usize) -> Result<&mut [N], Error> {
    if state.is_empty() {
        state.resize(size, N::from_f64(0.0));
    }
    if state.len() == size { Ok(state) } else { Err(damaged()) }
}

/// What the step of an encoded request does with the values and with the numbers of the state.
///
/// # Errors
/// If the request is damaged.
pub fn access(request: &[u8]) -> Result<(Access, Access), Error> {
    StepRequest::decode(request).map(|request| request.access())
}

/// The results of some rows and of those that follow them, as one.
///
/// # Errors
/// If one is damaged, or they are results of different steps.
pub fn merge(first: &[u8], second: &[u8]) -> Result<Vec<u8>, Error> {
    let mut result = PassResult::decode(first)?;
    result.merge(PassResult::decode(second)?)?;
    result.encode()
}

/// Chooses rows of a table on other machines, by passes over it.
///
/// The picks are those of the table in memory. Sums may be added in another order, so scores agree to rounding. What
/// there is one of per row (outlier scores, labels) stays in the state of the rows, and is empty in the selection.
///
/// Weights and groups lie with the rows, as [`RowAttributes`]: where the method has an empty list of them, it uses
/// those.
///
/// # Errors
/// As for [`Method::select_count`]; if the method needs the whole table; and whatever `pass` returns.
pub fn select(
    method: &Method,
    table: RemoteTable,
    count: Count,
    pass: &mut Pass<'_>,
    run: &mut RunOptions<'_>,
) -> Result<Selection, Error> {
    let (method, k) = &method.with_count(count, table.items)?;
    method.validate()?;
    check_k(*k, table.items)?;
    check_method(method, table.items, table.features)?;
    let mut rows = Distributed { table, view: RowView::PLAIN, pass };
    check_metric(method, run.metric)?;
    let checked = rows.pass(&Step::CheckFinite(CheckFinite { directions: run.metric == Metric::Cosine }))?;
    #[expect(clippy::indexing_slicing, reason = "`PassResult::check` compared its parts with what the step gives")]
    let safe = safe_scale(checked.maxima[0], if table.single { f32::SAFE } else { f64::SAFE });
    let scale = scale_of(&checked, method, (table.items, table.features), safe)?;
    rows.view = RowView { scale, metric: run.metric };
    let scale = rows.view.distance_scale();
    choose(method, &mut rows, scale, *k, run)
}

/// `scale`, if the first look at the rows found numbers that can be worked with.
#[expect(clippy::indexing_slicing, reason = "`PassResult::check` compared its parts with what the step gives")]
pub(crate) fn scale_of(
    checked: &PassResult,
    method: &Method,
    (rows, columns): (usize, usize),
    scale: f64,
) -> Result<f64, Error> {
    if let Some(bad) = checked.rows.list.first() {
        if bad.key == 0.0 {
            let others = (checked.sums.first().copied().unwrap_or(0.0) as usize).saturating_sub(1);
            return Err(Error::NoDirection { row: bad.index, others });
        }
        return Err(Error::NotFinite { row: bad.index, column: bad.values[0] as usize, value: bad.key });
    }
    if checked.maxima[0] == 0.0 && method.needs_lengths() { Err(Error::AllZero { rows, columns }) } else { Ok(scale) }
}

/// The method over passes, where it can do so.
pub(crate) fn choose(
    method: &Method,
    rows: &mut dyn RowBackend,
    scale: f64,
    k: usize,
    run: &mut RunOptions<'_>,
) -> Result<Selection, Error> {
    let mut selection = match method {
        Method::Exemplars(settings) => settings.run_backend(rows, k, run),
        Method::Facility(settings) => settings.run_backend(rows, scale, k, run),
        Method::Arss(settings) => settings.run_backend(rows, scale, k, run),
        Method::Rrss(settings) => settings.run_backend(rows, scale, k, run),
        Method::Ted(settings) => settings.run_backend(rows, scale, k, run),
        _ => Err(in_memory_only(method.name())),
    }?;
    if run.keep_model && selection.model.is_none() {
        selection.model = Some(Model::of(rows, &selection)?);
    }
    Ok(selection)
}

/// `Ok` if the method can work by passes over a table of so many rows and columns.
///
/// # Errors
/// What needs the whole table, and what to do instead.
pub fn check_method(method: &Method, items: usize, features: usize) -> Result<(), Error> {
    match method {
        Method::Exemplars(_) | Method::Facility(_) => Ok(()),
        Method::Arss(Arss { kernel: Some(_), .. })
        | Method::Rrss(Rrss { kernel: Some(_), .. })
        | Method::Ted(Ted { kernel: Some(_), .. }) => Err(in_memory_only("the kernel map")),
        Method::Arss(Arss { diverse: true, .. }) | Method::Rrss(Rrss { diverse: true, .. }) => {
            Err(in_memory_only("a diverse choice"))
        }
        Method::Arss(_) | Method::Rrss(_) | Method::Ted(_) if items <= features => {
            Err(in_memory_only("a table with no more rows than columns"))
        }
        Method::Arss(_) | Method::Rrss(_) | Method::Ted(_) => Ok(()),
        _ => Err(in_memory_only(method.name())),
    }
}

/// `Ok` if the method can work by passes and this metric.
pub(crate) fn check_metric(method: &Method, metric: Metric) -> Result<(), Error> {
    match metric {
        Metric::Precomputed => Err(in_memory_only("a table of distances")),
        _ => method.check_metric(metric),
    }
}

fn in_memory_only(what: &'static str) -> Error {
    Error::InMemoryOnly { what, instead: "use the estimator for tables in memory" }
}

/// At the end of a run: how many numbers a row has, which of them is its residual or outlier score, and which its pick.
pub fn columns(method: &Method) -> (usize, usize, Option<usize>) {
    use crate::exemplars::steps as exemplars;
    use crate::models::{arss, rrss, ted};
    match method {
        Method::Exemplars(_) | Method::Facility(_) => (exemplars::WIDTH, exemplars::SCORE, Some(exemplars::LABEL)),
        Method::Rrss(_) => (rrss::steps::WIDTH, rrss::steps::RESIDUAL, None),
        Method::Ted(_) => (ted::steps::WIDTH, ted::steps::D, None),
        _ => (arss::steps::WIDTH, arss::steps::RESIDUAL, None),
    }
}

/// The backend of [`select`].
struct Distributed<'p, 'a> {
    table: RemoteTable,
    view: RowView,
    pass: &'p mut Pass<'a>,
}

impl RowBackend for Distributed<'_, '_> {
    fn items(&self) -> usize {
        self.table.items
    }

    fn features(&self) -> usize {
        self.table.features
    }

    fn view(&self) -> RowView {
        self.view
    }

    fn pass(&mut self, step: &Step) -> Result<PassResult, Error> {
        let request = Request { view: self.view, step: step.clone() };
        let result = PassResult::decode(&(self.pass)(&request.encode()?)?)?;
        result.check(&step.spec().output(self.table.features), self.table.items)
    }

    fn column(&mut self, _: usize) -> Result<Option<Vec<f64>>, Error> {
        Ok(None)
    }

    fn values(&mut self) -> Result<Option<Vec<f64>>, Error> {
        Ok(None)
    }
}
