//! The one error type: bad input, with the offending values.

/// Why a selection could not be made.
///
/// Every variant is about the input or the settings. Not converging is not an
/// error: it is a [`Status`](crate::Status) in the report.
///
/// ```
/// use arss::{Error, Samples};
///
/// let table = [1.0, 2.0, f64::NAN, 4.0];
/// let error = Samples::new(&table, 2, 2).unwrap_err();
/// assert_eq!(error.to_string(), "row 1, column 0 is NaN: remove or fill missing values first");
/// assert!(matches!(error, Error::NotFinite { row: 1, column: 0, .. }));
/// ```
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The table has no rows or no columns.
    #[error("the table is empty ({rows} rows, {columns} columns): at least one of each is needed")]
    Empty {
        /// Rows given.
        rows: usize,
        /// Columns given.
        columns: usize,
    },
    /// The slice does not hold the table that was described.
    #[error("a table of {rows} x {columns} with these strides needs {needed} values, the slice has {found}")]
    Shape {
        /// Rows described.
        rows: usize,
        /// Columns described.
        columns: usize,
        /// Values that such a table spans.
        needed: usize,
        /// Values in the slice.
        found: usize,
    },
    /// A value is NaN or infinite.
    #[error("row {row}, column {column} is {value}: remove or fill missing values first")]
    NotFinite {
        /// Row of the first such value, counted from 0.
        row: usize,
        /// Column of the first such value, counted from 0.
        column: usize,
        /// The value.
        value: f64,
    },
    /// Every value is zero, so no row stands for anything.
    #[error("all {rows} x {columns} values are zero: there is nothing to choose by")]
    AllZero {
        /// Rows of the table.
        rows: usize,
        /// Columns of the table.
        columns: usize,
    },
    /// Rows with other columns than those of the run.
    #[error("the rows have {found} columns, but the model was made of {expected}")]
    OtherColumns {
        /// Columns given.
        found: usize,
        /// Columns of the run.
        expected: usize,
    },
    /// Rows of zeros, where only directions count.
    #[error("{}", no_direction(*row, *others))]
    NoDirection {
        /// The first of them, counted from 0.
        row: usize,
        /// How many there are besides.
        others: usize,
    },
    /// A metric that the method cannot work with.
    #[error("method {method} cannot choose by the {metric} metric: exemplars, facility and kmedoids can")]
    NoSuchMetric {
        /// The method's name.
        method: &'static str,
        /// The metric's name.
        metric: &'static str,
    },
    /// A table of distances has no columns to judge outliers by.
    #[error("distances have no columns to tell outliers by: leave outlier_columns out")]
    NoOutlierColumns,
    /// Sparse rows by a metric that the method needs dense ones for.
    #[error(
        "method {method} by the manhattan metric needs dense rows: make the table dense, or use exemplars or facility"
    )]
    DenseOnly {
        /// The method's name.
        method: &'static str,
    },
    /// A table of distances has as many columns as rows.
    #[error("a table of distances has as many columns as rows, but this one is {rows} x {columns}")]
    NotSquare {
        /// Rows given.
        rows: usize,
        /// Columns given.
        columns: usize,
    },
    /// A value that is no distance.
    #[error("row {row}, column {column} of the distances is {value}: {what}")]
    NotDistance {
        /// The row, counted from 0.
        row: usize,
        /// The column, counted from 0.
        column: usize,
        /// The value.
        value: f64,
        /// What is wrong with it.
        what: &'static str,
    },
    /// The lists of a sparse table do not fit each other.
    #[error("the sparse table is damaged: {what}")]
    NotSparseRows {
        /// What is wrong.
        what: &'static str,
    },
    /// K is zero or larger than the number of items.
    #[error("k is {k}, but it must lie between 1 and the number of items, {items}")]
    BadK {
        /// The number of items asked for.
        k: usize,
        /// The number of items there are.
        items: usize,
    },
    /// Only some methods can tell how many items are enough.
    #[error("method {method} cannot tell how many items are enough: give a number or a share, or use exemplars")]
    NoAuto {
        /// The method's name.
        method: &'static str,
    },
    /// A setting lies outside its range.
    #[error("{name} is {value}, but it must be {range}")]
    BadSetting {
        /// The name of the setting.
        name: &'static str,
        /// The value given.
        value: f64,
        /// The range allowed, in words.
        range: &'static str,
    },
    /// One weight per sample is needed, finite and not negative, and not all zero.
    #[error("sample weight {index} is {value}: weights must be finite, not negative and not all zero")]
    BadWeight {
        /// Index of the weight.
        index: usize,
        /// The weight.
        value: f64,
    },
    /// The number of weights differs from the number of samples.
    #[error("{found} sample weights were given for {expected} samples")]
    WeightCount {
        /// Weights given.
        found: usize,
        /// Samples there are.
        expected: usize,
    },
    /// A list names an item that does not exist.
    #[error("{list} names item {item}, but there are only {items} items, counted from 0")]
    NoSuchItem {
        /// Which list: `include` or `exclude`.
        list: &'static str,
        /// The item named.
        item: usize,
        /// The number of items there are.
        items: usize,
    },
    /// An item that must be in must not be in.
    #[error("item {item} is both included and excluded")]
    Contradiction {
        /// The item.
        item: usize,
    },
    /// More items must be in than are to be chosen.
    #[error("{included} items must be included, but k is only {k}")]
    TooManyIncluded {
        /// Items that must be in.
        included: usize,
        /// The number of items asked for.
        k: usize,
    },
    /// The number of group labels differs from the number of items.
    #[error("{found} groups were given for {expected} items: one for each is needed")]
    GroupCount {
        /// Labels given.
        found: usize,
        /// Items there are.
        expected: usize,
    },
    /// An item is of a group that cannot be.
    #[error("item {item} is of group {group}, but groups are counted from 0 and there are {groups}")]
    BadGroup {
        /// The item.
        item: usize,
        /// Its group.
        group: usize,
        /// Quotas there are, or the number of items.
        groups: usize,
    },
    /// More items of a group must be in than its quota allows.
    #[error("{included} items of group {group} must be included, but its quota is {quota}")]
    OverQuota {
        /// The group.
        group: usize,
        /// Its items that must be in.
        included: usize,
        /// Its quota.
        quota: usize,
    },
    /// Exclusions and quotas leave fewer items than are to be chosen.
    #[error("k is {k}, but exclusions and quotas leave only {allowed} items")]
    TooFewAllowed {
        /// The number of items asked for.
        k: usize,
        /// The most that can be chosen.
        allowed: usize,
    },
    /// The method, or one of its settings, needs the whole table in memory.
    #[error("{what} needs the whole table in memory: {instead}")]
    InMemoryOnly {
        /// What was asked for.
        what: &'static str,
        /// What to do about it.
        instead: &'static str,
    },
    /// Whoever holds the rows could not walk over them.
    #[error("{reason}")]
    Backend {
        /// What it said.
        reason: String,
    },
    /// The thread pool could not be started.
    #[error("could not start {threads} threads: {reason}")]
    Threads {
        /// Threads asked for.
        threads: usize,
        /// What the system said.
        reason: String,
    },
}

fn no_direction(row: usize, others: usize) -> String {
    let (who, them) = match others {
        0 => (format!("row {row} holds only zeros and has"), "it"),
        1 => (format!("row {row} and one other hold only zeros and have"), "them"),
        _ => (format!("row {row} and {others} others hold only zeros and have"), "them"),
    };
    format!("{who} no direction: leave {them} out, or choose by the Euclidean metric")
}

impl Error {
    /// `Ok` if `value` is finite and `ok`, otherwise the error naming the setting.
    pub(crate) fn check(name: &'static str, value: f64, ok: bool, range: &'static str) -> Result<(), Error> {
        if ok && value.is_finite() { Ok(()) } else { Err(Error::BadSetting { name, value, range }) }
    }
}
