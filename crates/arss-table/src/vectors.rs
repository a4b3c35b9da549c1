//! Columns whose cells are lists of numbers: embeddings.

/// The vectors of some rows, one after the other.
#[derive(Debug, Clone, PartialEq)]
pub enum VectorValues {
    /// Single precision; half precision is widened to it.
    Single(Vec<f32>),
    /// Double precision.
    Double(Vec<f64>),
}

/// A row without a vector, or with one of another length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Misfit {
    /// The row.
    pub row: usize,
    /// The length of its vector; none if there is no vector.
    pub length: Option<usize>,
}

/// The vectors of one column in one chunk.
#[derive(Debug, Clone, PartialEq)]
pub struct VectorChunk {
    /// The length of each vector; none before the first.
    pub width: Option<usize>,
    /// The numbers; rows that do not fit have none.
    pub values: VectorValues,
    /// The number of rows.
    pub rows: usize,
    /// The first row that does not fit.
    pub misfit: Option<Misfit>,
}

impl VectorChunk {
    /// No rows yet.
    pub fn new() -> Self {
        VectorChunk { width: None, values: VectorValues::Double(Vec::new()), rows: 0, misfit: None }
    }

    /// Adds a row of text such as `[0.5, 2]` or `[0.5 2.]`.
    pub fn push_text(&mut self, text: &[u8]) {
        let mut found = Vec::with_capacity(self.width.unwrap_or_default());
        let is_vector = numbers(text, |value| found.push(value));
        self.push(is_vector.then_some(&found));
    }

    /// Adds a row.
    pub fn push(&mut self, vector: Option<&Vec<f64>>) {
        let row = self.rows;
        self.rows += 1;
        let VectorValues::Double(values) = &mut self.values else { return };
        match vector.filter(|vector| self.width.is_none_or(|width| width == vector.len())) {
            Some(fitting) => {
                self.width = Some(fitting.len());
                values.extend_from_slice(fitting);
            }
            None => drop(self.misfit.get_or_insert(Misfit { row, length: vector.map(Vec::len) })),
        }
    }

    /// Makes it `rows` rows: rows without a vector are added, rows that are too many are taken back.
    pub fn pad(&mut self, rows: usize) {
        (self.rows..rows).for_each(|_| self.push(None));
        if let VectorValues::Double(values) = &mut self.values {
            values.truncate(rows * self.width.unwrap_or_default());
        }
        self.rows = rows;
    }

    /// Number `at` of row `row`.
    pub fn number(&self, row: usize, at: usize) -> f64 {
        let place = row * self.width.unwrap_or_default() + at;
        match &self.values {
            VectorValues::Single(values) => f64::from(values[place]),
            VectorValues::Double(values) => values[place],
        }
    }
}

/// Calls `take` with each number of a text such as `[0.5, 2]`; false if it is no such text.
pub fn numbers(text: &[u8], mut take: impl FnMut(f64)) -> bool {
    let text = text.trim_ascii();
    let Some(inner) = text.strip_prefix(b"[").and_then(|text| text.strip_suffix(b"]")) else { return false };
    let mut count = 0;
    for part in inner.split(|byte| matches!(byte, b',' | b' ' | b'\n' | b'\r' | b'\t')) {
        if part.is_empty() {
            continue;
        }
        match fast_float2::parse(part) {
            Ok(value) => take(value),
            Err(_) => return false,
        }
        count += 1;
    }
    // One number in brackets is a footnote, or the name of a row.
    count > 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_read_from_text() {
        let mut chunk = VectorChunk::new();
        [&b"[1, 2.5]"[..], b"[3.  4.]", b" [ 5,\n6 ] "].into_iter().for_each(|text| chunk.push_text(text));
        assert_eq!(chunk.values, VectorValues::Double(vec![1.0, 2.5, 3.0, 4.0, 5.0, 6.0]));
        assert_eq!((chunk.width, chunk.rows, chunk.misfit), (Some(2), 3, None));
        chunk.push_text(b"[1, 2, 3]");
        assert_eq!(chunk.misfit, Some(Misfit { row: 3, length: Some(3) }));
        chunk.push_text(b"");
        assert_eq!((chunk.rows, chunk.number(1, 1)), (5, 4.0));
        for text in [&b"[]"[..], b"[1,]", b"[a]", b"1, 2", b"[1 ... 2]", b"["] {
            assert!(!numbers(text, |_| ()), "{text:?}");
        }
    }
}
