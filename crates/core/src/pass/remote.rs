//! Rows on other machines: requests and sums travel as bytes.

use super::{Batch, Engine, Kind, Own, Request, Sums, step};

pub use super::partial::Access;
use crate::blocks::default_block;
use crate::data::safe_scale;
use crate::settings::check_k;
use crate::{Arss, Count, Error, Float, Method, Rrss, Run, Samples, Selection, Ted};

/// What is kept of some rows between two passes.
///
/// Its contents are the business of the steps. The numbers of a row stand side by side; [`columns`] tells which of
/// them are of use at the end of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RowState<T> {
    /// One value an entry of the rows, or none.
    pub values: Vec<T>,
    /// Some numbers a row, or none.
    pub numbers: Vec<f64>,
}

/// A table whose rows are elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Elsewhere {
    /// The number of rows.
    pub items: usize,
    /// The number of columns.
    pub features: usize,
    /// Whether the values are `f32`.
    pub single: bool,
}

/// Walks over all rows for an encoded request: [`step_on`] for each part of the rows with its state, and
/// [`merge`] over their sums in the order of the rows.
pub type Pass<'a> = dyn FnMut(&[u8]) -> Result<Vec<u8>, Error> + 'a;

/// Does one step of a pass on some rows: changes their state and returns the sums.
///
/// `first` is the position of the first row in the whole table. The function depends on nothing but its arguments.
///
/// # Errors
/// If the request is damaged, or the state is not one of so many rows.
pub fn step_on<T: Float>(
    request: &[u8],
    rows: &RowsOf<'_, T>,
    first: usize,
    state: &mut RowState<T>,
) -> Result<Vec<u8>, Error> {
    T::step_on(request, rows, first, state)
}

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

pub(crate) fn step_on_rows<T: Float>(
    request: &[u8],
    rows: &RowsOf<'_, T>,
    first: usize,
    state: &mut RowState<T>,
) -> Result<Vec<u8>, Error> {
    let request = Request::decode(request)?;
    let samples = Samples::trusted(rows.data, rows.shape, rows.strides, request.scale)?;
    let (items, features) = (samples.items(), samples.features());
    let step = step::<T>(&request);
    let (values, numbers) = step.access();
    let mut none = RowState { values: Vec::new(), numbers: Vec::new() };
    let (values, depth) = if values == Access::None { (&mut none.values, 0) } else { (&mut state.values, features) };
    let (numbers, width) =
        if numbers == Access::None { (&mut none.numbers, 0) } else { (&mut state.numbers, request.width) };
    // Before the first step that keeps something there is nothing.
    values.resize(items * depth, T::from_f64(0.0));
    numbers.resize(items * width, 0.0);
    let mut sums = step.start(features);
    let block = default_block(features);
    for start in (0..items).step_by(block) {
        let end = (start + block).min(items);
        let rows = samples.block(start..end);
        let batch = Batch { values: &rows.values, first: first + start, rows: end - start, features };
        let (values, numbers) = (&mut values[start * depth..end * depth], &mut numbers[start * width..end * width]);
        step.visit(&mut sums, &batch, Own { values, numbers });
    }
    Ok(sums.finish().encode())
}

/// What the step of an encoded request does with the values and with the numbers of the state.
///
/// # Errors
/// If the request is damaged.
pub fn access(request: &[u8]) -> Result<(Access, Access), Error> {
    Ok(step::<f64>(&Request::decode(request)?).access())
}

/// The sums of some rows and of those that follow them, as one.
///
/// # Errors
/// If one is damaged.
pub fn merge(first: &[u8], second: &[u8]) -> Result<Vec<u8>, Error> {
    let mut sums = Sums::decode(first)?;
    sums.merge(Sums::decode(second)?);
    Ok(sums.encode())
}

/// Chooses rows of a table that is elsewhere, by passes over it.
///
/// The picks are those of the table in memory; sums may be added in another order, so scores agree to rounding. What
/// there is one of a row (outlier scores, labels) stays in the state of the rows, and is empty in the selection.
///
/// # Errors
/// As for [`Method::select_count`]; if the method needs the whole table; and whatever `pass` returns.
pub fn select(
    method: &Method,
    table: Elsewhere,
    count: Count,
    pass: &mut Pass<'_>,
    run: &mut Run<'_>,
) -> Result<Selection, Error> {
    let (method, k) = &method.with_count(count, table.items)?;
    method.validate()?;
    check_k(*k, table.items)?;
    check_method(method, table.items, table.features)?;
    let mut rows = Remote { table, scale: 1.0, pass };
    let checked = rows.pass(&Request::new(Kind::Check, 0))?;
    let safe = safe_scale(checked.max[0], if table.single { f32::SAFE } else { f64::SAFE });
    let scale = scale_of(&checked, (table.items, table.features), safe)?;
    rows.scale = scale;
    choose(method, &mut rows, scale, *k, run)
}

/// `scale`, if the first look at the rows found numbers that can be worked with.
pub(crate) fn scale_of(checked: &Sums, (rows, columns): (usize, usize), scale: f64) -> Result<f64, Error> {
    if let Some(bad) = checked.records.list.first() {
        return Err(Error::NotFinite { row: bad.index, column: bad.row[0] as usize, value: bad.key });
    }
    if checked.max[0] == 0.0 { Err(Error::AllZero { rows, columns }) } else { Ok(scale) }
}

/// The method over passes, where it can do so.
pub(crate) fn choose(
    method: &Method,
    rows: &mut dyn Engine,
    scale: f64,
    k: usize,
    run: &mut Run<'_>,
) -> Result<Selection, Error> {
    match method {
        Method::Exemplars(settings) => settings.run_engine(rows, k, run),
        Method::Arss(settings) => settings.run_engine(rows, scale, k, run),
        Method::Rrss(settings) => settings.run_engine(rows, scale, k, run),
        Method::Ted(settings) => settings.run_engine(rows, scale, k, run),
        _ => Err(in_memory_only(method.name())),
    }
}

/// `Ok` if the method can work by passes over a table of so many rows and columns.
///
/// # Errors
/// What needs the whole table, and what to do instead.
pub fn check_method(method: &Method, items: usize, features: usize) -> Result<(), Error> {
    match method {
        Method::Exemplars(settings) => settings.check_elsewhere(),
        Method::Arss(Arss { kernel: Some(_), .. })
        | Method::Rrss(Rrss { kernel: Some(_), .. })
        | Method::Ted(Ted { kernel: Some(_), .. }) => Err(in_memory_only("the kernel map")),
        Method::Arss(Arss { diverse: true, .. }) | Method::Rrss(Rrss { diverse: true, .. }) => {
            Err(in_memory_only("a diverse choice"))
        }
        Method::Ted(Ted { weights: Some(_), .. }) => Err(in_memory_only("a weight for each row")),
        Method::Arss(_) | Method::Rrss(_) | Method::Ted(_) if items <= features => {
            Err(in_memory_only("a table with no more rows than columns"))
        }
        Method::Arss(_) | Method::Rrss(_) | Method::Ted(_) => Ok(()),
        _ => Err(in_memory_only(method.name())),
    }
}

fn in_memory_only(what: &'static str) -> Error {
    Error::InMemoryOnly { what, instead: "use the estimator for tables in memory" }
}

/// At the end of a run: how many numbers a row has, which of them is what the method leaves of it, and which its pick.
pub fn columns(method: &Method) -> (usize, usize, Option<usize>) {
    use crate::{arss, exemplars, rrss, ted};
    match method {
        Method::Exemplars(_) => (exemplars::blocks::WIDTH, exemplars::blocks::STRANGE, Some(exemplars::blocks::LABEL)),
        Method::Rrss(_) => (rrss::blocks::WIDTH, rrss::blocks::RESIDUAL, None),
        Method::Ted(_) => (ted::blocks::WIDTH, ted::blocks::D, None),
        _ => (arss::blocks::WIDTH, arss::blocks::RESIDUAL, None),
    }
}

/// The engine behind [`select`].
struct Remote<'p, 'a> {
    table: Elsewhere,
    scale: f64,
    pass: &'p mut Pass<'a>,
}

impl Engine for Remote<'_, '_> {
    fn items(&self) -> usize {
        self.table.items
    }

    fn features(&self) -> usize {
        self.table.features
    }

    fn pass(&mut self, request: &Request) -> Result<Sums, Error> {
        let request = Request { scale: self.scale, ..request.clone() };
        Sums::decode(&(self.pass)(&request.encode())?)
    }

    fn column(&mut self, _: usize) -> Result<Option<Vec<f64>>, Error> {
        Ok(None)
    }

    fn values(&mut self) -> Result<Option<Vec<f64>>, Error> {
        Ok(None)
    }
}
