//! Requests and sums as bytes, for rows on other machines: numbers in little-endian order, each list behind its length.

use faer::Mat;

use super::{Kind, Record, Records, Request, Sums};
use crate::Error;

/// First byte of everything: another layout gets another number.
const VERSION: u8 = 1;

/// Writes numbers one behind the other.
#[derive(Default)]
struct Writer(Vec<u8>);

impl Writer {
    fn count(&mut self, count: usize) {
        self.0.extend_from_slice(&(count as u64).to_le_bytes());
    }

    fn number(&mut self, number: f64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    fn numbers(&mut self, numbers: &[f64]) {
        self.count(numbers.len());
        numbers.iter().for_each(|&number| self.number(number));
    }

    fn matrix(&mut self, matrix: &Mat<f64>) {
        self.count(matrix.nrows());
        self.count(matrix.ncols());
        matrix.col_iter().flat_map(|column| column.iter()).for_each(|&number| self.number(number));
    }
}

/// Reads them back; what is missing or too much is an error.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let (bytes, rest) = self.0.split_first_chunk::<N>().ok_or_else(broken)?;
        self.0 = rest;
        Ok(*bytes)
    }

    /// A number of things that take at least `size` bytes each.
    fn count(&mut self, size: usize) -> Result<usize, Error> {
        let count = usize::try_from(u64::from_le_bytes(self.bytes()?)).map_err(|_| broken())?;
        if count.checked_mul(size).is_some_and(|bytes| bytes <= self.0.len()) { Ok(count) } else { Err(broken()) }
    }

    fn number(&mut self) -> Result<f64, Error> {
        Ok(f64::from_le_bytes(self.bytes()?))
    }

    fn numbers(&mut self) -> Result<Vec<f64>, Error> {
        (0..self.count(8)?).map(|_| self.number()).collect()
    }

    fn matrix(&mut self) -> Result<Mat<f64>, Error> {
        let (rows, columns) = (self.count(0)?, self.count(0)?);
        let cells = rows.checked_mul(columns).ok_or_else(broken)?;
        if cells.checked_mul(8).is_none_or(|bytes| bytes > self.0.len()) {
            return Err(broken());
        }
        let cells: Vec<f64> = (0..cells).map(|_| self.number()).collect::<Result<_, _>>()?;
        Ok(Mat::from_fn(rows, columns, |i, j| cells[j * rows + i]))
    }

    fn version(&mut self) -> Result<(), Error> {
        match self.bytes::<1>()? {
            [VERSION] => Ok(()),
            _ => Err(broken()),
        }
    }

    fn end<R>(self, found: R) -> Result<R, Error> {
        if self.0.is_empty() { Ok(found) } else { Err(broken()) }
    }
}

fn broken() -> Error {
    Error::Engine { reason: "a message of a pass is damaged, or from another version of arss".into() }
}

impl Request {
    pub fn encode(&self) -> Vec<u8> {
        let mut writer = Writer(vec![VERSION, self.kind as u8]);
        writer.count(self.width);
        writer.number(self.scale);
        writer.numbers(&self.numbers);
        writer.count(self.positions.len());
        self.positions.iter().for_each(|position| writer.0.extend_from_slice(&position.to_le_bytes()));
        writer.count(self.matrices.len());
        self.matrices.iter().for_each(|matrix| writer.matrix(matrix));
        writer.0
    }

    pub fn decode(bytes: &[u8]) -> Result<Self, Error> {
        let mut reader = Reader(bytes);
        reader.version()?;
        let [kind] = reader.bytes()?;
        let kind = Kind::ALL.into_iter().find(|known| *known as u8 == kind).ok_or_else(broken)?;
        let (width, scale, numbers) = (reader.count(0)?, reader.number()?, reader.numbers()?);
        let positions =
            (0..reader.count(8)?).map(|_| reader.bytes().map(u64::from_le_bytes)).collect::<Result<_, _>>()?;
        let matrices = (0..reader.count(16)?).map(|_| reader.matrix()).collect::<Result<_, _>>()?;
        reader.end(Request { kind, width, scale, numbers, positions, matrices })
    }
}

impl Sums {
    /// Of the symmetric sum one half is enough.
    pub fn encode(&self) -> Vec<u8> {
        let mut writer = Writer(vec![VERSION]);
        let dim = self.gram.ncols();
        writer.count(dim);
        (0..dim).for_each(|j| self.gram.col_as_slice(j)[j..].iter().for_each(|&number| writer.number(number)));
        writer.numbers(&self.add);
        writer.numbers(&self.max);
        writer.count(self.records.keep);
        writer.count(self.records.list.len());
        for record in &self.records.list {
            writer.count(record.index);
            writer.number(record.key);
            writer.numbers(&record.row);
        }
        writer.0
    }

    pub fn decode(bytes: &[u8]) -> Result<Self, Error> {
        let mut reader = Reader(bytes);
        reader.version()?;
        let dim = reader.count(8)?;
        if dim * (dim + 1) / 2 * 8 > reader.0.len() {
            return Err(broken());
        }
        let mut gram = Mat::zeros(dim, dim);
        for j in 0..dim {
            for i in j..dim {
                let number = reader.number()?;
                (gram[(i, j)], gram[(j, i)]) = (number, number);
            }
        }
        let (add, max, keep) = (reader.numbers()?, reader.numbers()?, reader.count(0)?);
        let list = (0..reader.count(24)?)
            .map(|_| Ok(Record { index: reader.count(0)?, key: reader.number()?, row: reader.numbers()? }))
            .collect::<Result<_, _>>()?;
        reader.end(Sums { gram, add, max, records: Records { keep, list, least: None } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let matrix = Mat::from_fn(2, 3, |i, j| i as f64 - 7.5 * j as f64);
        let request =
            Request::new(Kind::TedTake, 3).numbers([1.5, -0.0]).positions([7, 1 << 40]).matrix(matrix.as_ref());
        let bytes = request.encode();
        assert_eq!(Request::decode(&bytes).unwrap(), request);
        let gram = Mat::from_fn(3, 3, |i, j| (i + j) as f64);
        let mut records = Records::best(1);
        records.offer(3, f64::INFINITY, || vec![1.0, 2.0]);
        let sums = Sums { gram, add: vec![4.0], max: Vec::new(), records: records.take() };
        assert_eq!(Sums::decode(&sums.encode()).unwrap(), sums);

        for end in 0..bytes.len() {
            assert!(Request::decode(&bytes[..end]).is_err(), "cut at {end}");
        }
        let mut huge = bytes;
        huge[18..26].copy_from_slice(&u64::MAX.to_le_bytes());
        assert!(Request::decode(&huge).is_err());
        assert!(Sums::decode(&[VERSION + 1]).is_err());
    }
}
