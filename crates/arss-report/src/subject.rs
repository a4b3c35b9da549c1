//! What a report is about: the table, what was asked, and what was found.

use arss::{Count, Method, Metric, Outlook, Samples, Selection};
use arss_table::scratch::DiskFloat;
use arss_table::{DiskMatrix, Encoding, Matrix, Missing, Scale, Table};

use crate::comparison::Comparison;

/// What a report is about.
#[derive(Debug)]
pub struct Subject<'a> {
    /// The table; its values are those the choice was made by.
    pub table: &'a Table,
    /// The method that chose.
    pub method: &'a Method,
    /// How many items were asked for.
    pub count: Count,
    /// True if columns were chosen, not rows.
    pub chose_columns: bool,
    /// What was found.
    pub selection: &'a Selection,
    /// What the table is called.
    pub input: String,
    /// The command line that repeats it.
    pub command: String,
    /// What only some commands have to show.
    pub more: More,
}

/// How the table was prepared, and what only some commands have to show.
#[derive(Debug, Default)]
pub struct More {
    /// How columns were scaled.
    pub scale: Scale,
    /// How rows were compared.
    pub metric: Metric,
    /// What was done about missing values.
    pub missing: Missing,
    /// The name of the column of labels.
    pub label: Option<String>,
    /// The outlier score above which a row is an outlier, if it is not the method's own.
    pub threshold: Option<f64>,
    /// Other methods on the same table.
    pub comparison: Option<Comparison>,
}

impl Subject<'_> {
    /// The number of items that could be chosen.
    pub fn items(&self) -> usize {
        let (rows, columns) = self.table.matrix.shape();
        if self.chose_columns { columns } else { rows }
    }

    /// The number of values per item.
    pub fn features(&self) -> usize {
        let (rows, columns) = self.table.matrix.shape();
        if self.chose_columns { rows } else { columns }
    }

    /// What an item is called.
    pub fn item(&self) -> &'static str {
        if self.chose_columns { "column" } else { "row" }
    }

    /// What people call an item.
    pub fn number(&self, item: usize) -> usize {
        self.table.place_of(item, self.chose_columns)
    }

    /// Brings the cells of these items at once.
    pub fn fetch(&self, items: &[usize]) {
        if !self.chose_columns {
            self.table.fetch(items);
        }
    }

    /// What stands above [`cells`](Subject::cells).
    pub fn headings(&self) -> Vec<String> {
        if self.chose_columns { vec!["name".to_owned()] } else { self.table.headings() }
    }

    /// What an item looks like: the cells of a row as they stood in the file, the name of a column.
    pub fn cells(&self, item: usize) -> Vec<String> {
        if self.chose_columns { vec![self.table.feature_names[item].clone()] } else { self.table.cells(item) }
    }

    /// The column of the file that a column to choose by is a category of.
    pub fn category(&self, feature: usize) -> Option<usize> {
        self.table.categories.get(feature).copied().flatten()
    }

    /// True if a cell of the file shows the value of a column to choose by: that of a vector holds all of its numbers.
    pub fn has_cell(&self, feature: usize) -> bool {
        !matches!(self.table.encodings.get(feature), Some(Encoding::Element(_)))
    }

    /// What a column to choose by is called: as the column of the file that it comes from, if that is one of one value.
    pub fn name_of(&self, feature: usize) -> String {
        let names = if self.has_cell(feature) { &self.table.source.headings } else { &self.table.feature_names };
        let at = if self.has_cell(feature) { self.table.feature_columns[feature] } else { feature };
        names.get(at).cloned().unwrap_or_default()
    }

    /// What the choice would lose without its picks and gain by more, where that is known.
    pub fn outlook(&self) -> Option<&Outlook> {
        self.selection.assignment.as_ref()?.outlook.as_ref()
    }

    /// True if an item was neither chosen nor represented.
    pub fn was_set_aside(&self, item: usize) -> bool {
        self.selection.report.set_aside().is_some() && self.selection.residuals[item] > 1.0
    }

    /// The outlier score above which an item is an outlier, where the method has one.
    pub fn threshold(&self) -> Option<f64> {
        matches!(self.method, Method::Exemplars(_)).then(|| self.more.threshold.unwrap_or(1.0))
    }

    /// True for an item beyond the threshold.
    pub fn is_outlier(&self, item: usize) -> bool {
        self.threshold().is_some_and(|threshold| self.selection.residuals[item] > threshold)
    }

    /// The outlier scores, if they tell anything.
    pub fn outlier_scores(&self) -> Option<&[f64]> {
        let scores = &self.selection.residuals;
        scores.iter().any(|&score| score.is_finite() && score > 0.0).then_some(scores)
    }

    /// Calls `visit` with some of the values of each of the items, in this order.
    pub fn visit(&self, items: &[usize], features: &[usize], mut visit: impl FnMut(usize, &[f64])) {
        // Values near the limits of the range would overflow when squared: distances are compared, not read.
        match &self.table.matrix {
            Matrix::F32(matrix) => each(matrix.samples(), self.chose_columns, items, features, &mut visit),
            Matrix::F64(matrix) => each(matrix.samples(), self.chose_columns, items, features, &mut visit),
            Matrix::Sparse(matrix) => each(matrix.samples(), self.chose_columns, items, features, &mut visit),
            Matrix::Disk32(rows) if !self.chose_columns => each_row(rows, items, features, &mut visit),
            Matrix::Disk64(rows) if !self.chose_columns => each_row(rows, items, features, &mut visit),
            Matrix::Disk32(_) | Matrix::Disk64(_) => {}
        }
    }
}

fn each<T: arss::Float>(
    samples: Result<Samples<'_, T>, arss::Error>,
    transposed: bool,
    items: &[usize],
    features: &[usize],
    visit: &mut impl FnMut(usize, &[f64]),
) {
    // The table was chosen from, so it is a good one.
    let Ok(samples) = samples else { return };
    let samples = if transposed { samples.transposed() } else { samples };
    let largest = samples.max_abs().max(f64::MIN_POSITIVE);
    let mut values = vec![0.0; features.len()];
    for &item in items {
        for (value, &feature) in values.iter_mut().zip(features) {
            *value = samples.get(item, feature).to_f64() / largest;
        }
        visit(item, &values);
    }
}

/// The same from a file.
fn each_row<T: DiskFloat>(
    rows: &DiskMatrix<T>,
    items: &[usize],
    features: &[usize],
    visit: &mut impl FnMut(usize, &[f64]),
) {
    let mut largest = f64::MIN_POSITIVE;
    let all = rows.walk(&mut |_, rows| {
        largest = rows.iter().fold(largest, |largest, value| largest.max(value.to_f64().abs()));
    });
    for &item in items.iter().filter(|_| all.is_ok()) {
        // It could be read when it was chosen from; what cannot be read now is not shown.
        let Ok(row) = rows.row(item) else { continue };
        let values: Vec<f64> = features.iter().map(|&feature| row[feature].to_f64() / largest).collect();
        visit(item, &values);
    }
}
