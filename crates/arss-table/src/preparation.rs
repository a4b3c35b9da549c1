//! How the columns of a table became numbers: enough to see another table in the same way.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::matrix::MatrixValues;
use crate::missing::{mean, median};
use crate::untrusted::limit::MemoryLimit;
use crate::{
    ColumnRole, ColumnScale, DenseMatrix, Encode, Matrix, Missing, Progress, ReadOptions, Table, TableError, counted,
};

/// Columns that a note names.
const MOST_NAMED: usize = 5;

/// What a column to choose by holds of its column in the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Encoding {
    /// The number, truth value or date.
    Number,
    /// 1 for these texts, 0 for others. Several are rare texts, and stand for those that nobody has seen.
    Texts(Vec<String>),
    /// The place of the text among these.
    Ranks(Vec<String>),
    /// One number of a vector.
    Element(usize),
}

/// A column to choose by, as a model keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PreparedColumn {
    /// The column of the file.
    pub column: String,
    /// What is taken of it.
    pub encoding: Encoding,
    /// What stands in for a missing value; without it none may be missing.
    pub fill: Option<f64>,
    /// How it is scaled, if it is.
    pub scale: Option<ColumnScale>,
}

/// How a table became numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Preparation {
    /// Whether columns have names; otherwise their places count.
    pub named: bool,
    /// The columns to choose by.
    pub columns: Vec<PreparedColumn>,
    /// Rows are divided by their length.
    pub unit_rows: bool,
}

impl Preparation {
    /// How `table`, which is not scaled yet, became numbers.
    ///
    /// # Errors
    /// If a scratch file cannot be read.
    pub fn of(table: &Table) -> Result<Self, TableError> {
        let is_category = |at: usize| matches!(table.encodings[at], Encoding::Texts(_));
        let all: Vec<usize> = (0..table.encodings.len()).collect();
        let mut fills = vec![0.0; all.len()];
        let mut see = |at: usize, mut values: Vec<f64>| {
            fills[at] = if is_category(at) { mean(&mut values) } else { median(&mut values) };
        };
        match &table.matrix {
            Matrix::F32(matrix) => matrix.each_column(&all, &mut see),
            Matrix::F64(matrix) => matrix.each_column(&all, &mut see),
            Matrix::Disk32(matrix) => matrix.each_column(&all, &mut see),
            Matrix::Disk64(matrix) => matrix.each_column(&all, &mut see),
            // Most values of every column are zero.
            Matrix::Sparse(_) => Ok(()),
        }?;
        // The first of the commonest texts stands in for a missing one.
        for own in all.chunk_by(|&a, &b| is_category(a) && table.categories[a] == table.categories[b]) {
            if is_category(own[0]) {
                let commonest = own.iter().copied().rev().max_by(|&a, &b| fills[a].total_cmp(&fills[b]));
                own.iter().for_each(|&at| fills[at] = f64::from(u8::from(Some(at) == commonest)));
            }
        }
        let column = |at: usize| PreparedColumn {
            column: table.source.headings[table.feature_columns[at]].clone(),
            encoding: table.encodings[at].clone(),
            fill: Some(fills[at]),
            scale: None,
        };
        let named = table.source.first_file().has_names();
        Ok(Preparation { named, columns: all.into_iter().map(column).collect(), unit_rows: false })
    }

    /// The same with the scales of the columns.
    #[must_use]
    pub fn scaled(mut self, scales: Option<Vec<ColumnScale>>) -> Self {
        for (column, scale) in self.columns.iter_mut().zip(scales.into_iter().flatten()) {
            column.scale = Some(scale);
        }
        self
    }

    /// Reads another table, of which `matrix` becomes what the first was when it was chosen from. Whatever is missing is
    /// filled in as there.
    ///
    /// # Errors
    /// If it cannot be read, a column is not there, or a vector has another length.
    pub fn read(&self, paths: &[PathBuf], options: &ReadOptions, progress: Progress<'_>) -> Result<Table, TableError> {
        let mut options = ReadOptions { encode: Encode::Auto, missing: Missing::Keep, ..options.clone() };
        if self.named {
            let mut names: Vec<String> = self.columns.iter().map(|column| column.column.clone()).collect();
            names.dedup();
            let role = |column: &PreparedColumn| match column.encoding {
                Encoding::Number => Some((column.column.clone(), ColumnRole::Number)),
                Encoding::Texts(_) | Encoding::Ranks(_) => Some((column.column.clone(), ColumnRole::Category)),
                Encoding::Element(_) => None,
            };
            let mut roles: Vec<(String, ColumnRole)> = self.columns.iter().filter_map(role).collect();
            roles.dedup();
            (options.columns, options.roles) = (Some(names), roles);
        }
        let mut table = crate::open_with_progress(paths, &options, progress)?;
        // A model may name a column many times: what it makes of a small table need not be small.
        let fits =
            MemoryLimit::new(options.memory, false).check_values(table.matrix.shape().0 as u64, self.columns.len());
        fits.map_err(|what| TableError::in_file(table.source.first_path(), what))?;
        table.matrix = table.matrix.into_memory()?;
        let matrix = self.matrix(&table)?;
        let notes = self.notes(&table)?;
        table.notes.extend(notes);
        table.matrix = Matrix::F64(matrix);
        if self.unit_rows {
            table.matrix = crate::unit_rows(table.matrix, table.kept.as_deref())?;
        }
        Ok(table)
    }

    /// The numbers of a table that was read with the same columns.
    fn matrix(&self, table: &Table) -> Result<DenseMatrix<f64>, TableError> {
        let (rows, width) = (table.matrix.shape().0, self.columns.len());
        if !self.named && table.feature_columns.len() != width {
            let (found, path) = (table.feature_columns.len(), table.source.first_path());
            return Err(TableError::in_file(path, format_args!("has {found} columns, but the model {width}")));
        }
        let mut data = vec![f64::NAN; rows * width];
        for (at, (column, source)) in self.columns.iter().zip(self.sources(table)?).enumerate() {
            for row in 0..rows {
                let value = source.value(row, &table.matrix);
                let value = match column.fill {
                    _ if value.is_finite() => value,
                    Some(fill) => fill,
                    None => {
                        let (row, name) = (table.number(row), &column.column);
                        let what = format_args!("row {row}, column {name} is missing, and the model fills nothing in");
                        return Err(TableError::in_file(table.source.first_path(), what));
                    }
                };
                data[row * width + at] = column.scale.map_or(value, |scale| scale.scaled(value));
            }
        }
        Ok(DenseMatrix { data, rows, columns: width, by_column: false })
    }

    /// Where each column comes from in a table.
    fn sources(&self, table: &Table) -> Result<Vec<Seen>, TableError> {
        let mut features: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, &column) in table.feature_columns.iter().enumerate() {
            features.entry(&table.source.headings[column]).or_default().push(at);
        }
        let texts = self.known_texts();
        let source = |(at, column): (usize, &PreparedColumn)| {
            let own: &[usize] = match self.named {
                true => features.get(column.column.as_str()).map_or(&[], Vec::as_slice),
                false => &[at],
            };
            Seen::of(column, own, table, &texts)
        };
        self.columns.iter().enumerate().map(source).collect()
    }

    /// The texts of each column that the model has seen.
    fn known_texts(&self) -> HashMap<&str, HashSet<&str>> {
        let mut texts: HashMap<&str, HashSet<&str>> = HashMap::new();
        for column in &self.columns {
            if let Encoding::Texts(own) | Encoding::Ranks(own) = &column.encoding {
                texts.entry(&column.column).or_default().extend(own.iter().map(String::as_str));
            }
        }
        texts
    }

    /// What was filled in, and which texts the model does not know.
    fn notes(&self, table: &Table) -> Result<Vec<String>, TableError> {
        let (mut filled, mut notes) = (Vec::new(), Vec::new());
        let (known, rows) = (self.known_texts(), table.matrix.shape().0);
        let columns: Vec<(&PreparedColumn, Seen)> = self.columns.iter().zip(self.sources(table)?).collect();
        // A column of texts or vectors became several: the first tells what is missing.
        let same = |a: &(&PreparedColumn, Seen), b: &(&PreparedColumn, Seen)| a.0.column == b.0.column;
        for own in columns.chunk_by(|a, b| self.named && same(a, b)) {
            let (column, source) = &own[0];
            let missing = (0..rows).filter(|&row| source.is_missing(row, &table.matrix)).count();
            if missing > 0 {
                filled.push(format!("{} ({missing})", column.column));
            }
            let Seen::Texts(places) = source else { continue };
            let known = known.get(column.column.as_str());
            let text = |at: usize| match &table.encodings[at] {
                Encoding::Texts(texts) => texts.first(),
                _ => None,
            };
            let new: Vec<(usize, &String)> = places
                .iter()
                .filter_map(|place| text(place.0).map(|text| (place.0, text)))
                .filter(|(_, text)| known.is_none_or(|known| !known.contains(text.as_str())))
                .collect();
            let cells =
                (0..rows).filter(|&row| new.iter().any(|place| cell(&table.matrix, row, place.0) == 1.0)).count();
            if cells > 0 {
                let name = &column.column;
                let cells = counted(cells, "cell");
                notes.push(format!("{cells} of {name} with a text that the model does not know, such as {}", new[0].1));
            }
        }
        if !filled.is_empty() {
            let all = if filled.len() > MOST_NAMED { " and others" } else { "" };
            filled.truncate(MOST_NAMED);
            notes.insert(0, format!("missing values filled in as the model does: {}{all}", filled.join(", ")));
        }
        let path = table.source.first_path().display();
        Ok(notes.into_iter().map(|note| format!("{path}: {note}")).collect())
    }
}

/// Where the numbers of a column come from in another table.
enum Seen {
    /// A column of it.
    Column(usize),
    /// 0/1 columns of it, each with the number that its 1 stands for.
    Texts(Vec<(usize, f64)>),
}

impl Seen {
    /// `known` has the texts of each column that the model has seen.
    fn of(
        column: &PreparedColumn,
        own: &[usize],
        table: &Table,
        known: &HashMap<&str, HashSet<&str>>,
    ) -> Result<Self, TableError> {
        let is_new = |text: &str| known.get(column.column.as_str()).is_none_or(|known| !known.contains(text));
        let missing = |what: &str| {
            let name = &column.column;
            TableError::in_file(table.source.first_path(), format_args!("column {name} {what}, as the model needs it"))
        };
        // What the text of a 0/1 column stands for.
        let texts = |number: &dyn Fn(&str) -> f64| -> Result<Self, TableError> {
            let text = |&at: &usize| match &table.encodings[at] {
                Encoding::Texts(texts) => texts.first().map(|text| (at, number(text))),
                _ => None,
            };
            let found: Option<Vec<(usize, f64)>> = own.iter().map(text).collect();
            found.map(Seen::Texts).ok_or_else(|| missing("holds no texts"))
        };
        match &column.encoding {
            Encoding::Number => {
                let is_number = |at: &&usize| matches!(table.encodings[**at], Encoding::Number);
                own.iter().find(is_number).map(|&at| Seen::Column(at)).ok_or_else(|| missing("holds no numbers"))
            }
            Encoding::Element(wanted) => {
                let is_it = |at: &&usize| table.encodings[**at] == Encoding::Element(*wanted);
                own.iter().find(is_it).map(|&at| Seen::Column(at)).ok_or_else(|| missing("holds no such vectors"))
            }
            Encoding::Texts(own) => texts(&|text| {
                let is_rare = own.len() > 1 && is_new(text);
                f64::from(u8::from(is_rare || own.iter().any(|own| own == text)))
            }),
            Encoding::Ranks(own) => {
                texts(&|text| own.iter().position(|own| own == text).map_or(f64::NAN, |rank| rank as f64))
            }
        }
    }

    /// True if the cell is missing, and not only a text that the model does not know.
    fn is_missing(&self, row: usize, matrix: &Matrix) -> bool {
        match self {
            Seen::Column(column) => !cell(matrix, row, *column).is_finite(),
            Seen::Texts(texts) => texts.first().is_some_and(|&(column, _)| cell(matrix, row, column).is_nan()),
        }
    }

    fn value(&self, row: usize, matrix: &Matrix) -> f64 {
        let get = |column: usize| cell(matrix, row, column);
        match self {
            Seen::Column(column) => get(*column),
            Seen::Texts(texts) => {
                // All of them are missing, or none is.
                let one = texts.iter().find(|(column, _)| !(get(*column) == 0.0));
                one.map_or(f64::NAN, |&(column, number)| if get(column).is_nan() { f64::NAN } else { number })
            }
        }
    }
}

/// A cell of a matrix in memory.
fn cell(matrix: &Matrix, row: usize, column: usize) -> f64 {
    match matrix {
        Matrix::F32(matrix) => f64::from(matrix.get(row, column)),
        Matrix::F64(matrix) => matrix.get(row, column),
        Matrix::Sparse(matrix) => matrix.get(row, column),
        Matrix::Disk32(_) | Matrix::Disk64(_) => f64::NAN,
    }
}
