//! Where columns were chosen: what each of them explains of the others, and which are near copies of each other.

use arss_table::Matrix;
use serde::Serialize;

use crate::sample::sample;
use crate::subject::Subject;

/// Rows that it is measured on; most of their values.
const ROWS: usize = 5000;
const VALUES: usize = 2_000_000;
/// Chosen columns and all columns of the matrix.
const CHOSEN: usize = 60;
const COLUMNS: usize = 2000;
/// Columns up to which every pair is looked at.
const PAIRS: usize = 400;
/// Squared correlation from which on two columns are near copies.
const COPY: f64 = 0.96;
/// A part that is shorter than this share of a column adds nothing to what others explain.
const FLAT: f64 = 1e-10;

/// What the chosen columns explain.
#[derive(Debug, Serialize)]
pub struct Explained {
    text: String,
    /// Names of the chosen columns, the best first.
    chosen: Vec<String>,
    /// The other columns.
    others: Vec<Other>,
    /// Pairs of columns that are near copies, and their correlation.
    copies: Vec<(String, String, f64)>,
}

/// A column that was not chosen.
#[derive(Debug, Serialize)]
struct Other {
    name: String,
    /// The share of its variance that each chosen column explains by a straight line,
    by: Vec<f64>,
    /// and all of them together.
    together: f64,
}

impl Explained {
    /// What the columns chosen in `subject` explain; none if rows were chosen, or the table is in a file.
    pub fn new(subject: &Subject<'_>) -> Option<Self> {
        if !subject.chose_columns || matches!(subject.table.matrix, Matrix::Disk32(_) | Matrix::Disk64(_)) {
            return None;
        }
        let items = subject.items();
        let rows = sample(subject.features(), ROWS.min((VALUES / items.max(1)).max(100)));
        let all: Vec<usize> = (0..items).collect();
        let mut columns: Vec<Vec<f64>> = Vec::with_capacity(items);
        subject.visit(&all, &rows, |_, values| columns.push(standard(values)));
        let chosen = &subject.selection.indices[..subject.selection.indices.len().min(CHOSEN)];
        let basis = basis(&columns, &subject.selection.indices);
        let name = |item: usize| subject.table.feature_names[item].clone();
        let others: Vec<usize> = all.iter().copied().filter(|item| !subject.selection.indices.contains(item)).collect();
        let other = |&item: &usize| Other {
            name: name(item),
            by: chosen.iter().map(|&pick| dot(&columns[pick], &columns[item]).powi(2)).collect(),
            together: basis.iter().map(|axis| dot(axis, &columns[item]).powi(2)).sum::<f64>().min(1.0),
        };
        let shown = others.len().min(COLUMNS);
        let mut text = format!(
            "The share of the variance of each other column that a straight line through one chosen column explains, and what \
             all {} explain together.",
            subject.selection.indices.len()
        );
        if rows.len() < subject.features() {
            text += &format!(" Measured on {} rows drawn at random.", rows.len());
        }
        if shown < others.len() || chosen.len() < subject.selection.indices.len() {
            text += &format!(" Shown are {shown} of {} columns, by {} chosen ones.", others.len(), chosen.len());
        }
        let copies = copies(&columns, &subject.selection.indices);
        Some(Explained {
            text,
            chosen: chosen.iter().map(|&item| name(item)).collect(),
            others: others.iter().take(COLUMNS).map(other).collect(),
            copies: copies.into_iter().map(|(a, b, r)| (name(a), name(b), r)).collect(),
        })
    }
}

/// The column with mean 0 and length 1; zeros if it is constant.
fn standard(values: &[f64]) -> Vec<f64> {
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    let centred: Vec<f64> = values.iter().map(|value| value - mean).collect();
    let length = dot(&centred, &centred).sqrt();
    centred.iter().map(|value| if length > 0.0 { value / length } else { 0.0 }).collect()
}

/// Orthonormal columns that span the chosen ones: Gram and Schmidt's, each done twice.
fn basis(columns: &[Vec<f64>], chosen: &[usize]) -> Vec<Vec<f64>> {
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for &item in chosen {
        let Some(mut rest) = columns.get(item).cloned() else { continue };
        for _ in 0..2 {
            for axis in &basis {
                let along = dot(axis, &rest);
                rest.iter_mut().zip(axis).for_each(|(value, axis)| *value -= along * axis);
            }
        }
        let left = dot(&rest, &rest).sqrt();
        if left > FLAT {
            basis.push(rest.iter().map(|value| value / left).collect());
        }
    }
    basis
}

/// Pairs that are near copies, the nearest first: of all columns if these are not too many, otherwise with a chosen one.
fn copies(columns: &[Vec<f64>], chosen: &[usize]) -> Vec<(usize, usize, f64)> {
    let few = columns.len() <= PAIRS;
    let mut found = Vec::new();
    for a in 0..columns.len() {
        if !few && !chosen.contains(&a) {
            continue;
        }
        for b in 0..columns.len() {
            let once = a < b || (!few && !chosen.contains(&b));
            let correlation = if a != b && once { dot(&columns[a], &columns[b]) } else { 0.0 };
            if correlation.powi(2) >= COPY {
                found.push((a, b, correlation));
            }
        }
    }
    found.sort_by(|a, b| b.2.abs().total_cmp(&a.2.abs()).then((a.0, a.1).cmp(&(b.0, b.1))));
    found
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_found_and_what_is_left_is_told() {
        let first: Vec<f64> = (0..50).map(f64::from).collect();
        let wave: Vec<f64> = (0..50).map(|row| (f64::from(row) * 0.9).sin()).collect();
        let sum: Vec<f64> = first.iter().zip(&wave).map(|(a, b)| a / 14.4 + b / 0.7).collect();
        let copy: Vec<f64> = first.iter().map(|value| 3.0 - 2.0 * value).collect();
        let columns: Vec<Vec<f64>> = [first, wave, sum, copy, vec![4.0; 50]].iter().map(|c| standard(c)).collect();
        let found = copies(&columns, &[0]);
        assert_eq!((found.len(), found[0].0, found[0].1), (1, 0, 3));
        assert!((found[0].2 + 1.0).abs() < 1e-12);
        let basis = basis(&columns, &[0, 1, 3]);
        assert_eq!(basis.len(), 2);
        let together: f64 = basis.iter().map(|axis| dot(axis, &columns[2]).powi(2)).sum();
        assert!((together - 1.0).abs() < 1e-9, "{together}");
    }
}
