//! Rows and state in memory, walked over by a team of threads.

use std::ops::Range;

use super::{Access, Batch, Engine, Own, Partial, Request, Sums, step};
use crate::blocks::Team;
use crate::{Error, Float, Samples};

/// A table in memory and the state of its rows.
pub(crate) struct Memory<'a, T> {
    samples: &'a Samples<'a, T>,
    team: &'a Team,
    values: Vec<T>,
    numbers: Vec<f64>,
}

impl<'a, T: Float> Memory<'a, T> {
    /// No state yet. Memory for the values is taken when they are written.
    pub fn new(samples: &'a Samples<'a, T>, team: &'a Team) -> Self {
        let values = vec![T::from_f64(0.0); samples.items() * samples.features()];
        Memory { samples, team, values, numbers: Vec::new() }
    }

    /// Sets one of `width` numbers of each row, before the first pass that keeps numbers.
    pub fn set_column(&mut self, at: usize, width: usize, column: &[f64]) {
        self.numbers.resize(column.len() * width, 0.0);
        self.numbers.chunks_exact_mut(width).zip(column).for_each(|(row, &value)| row[at] = value);
    }
}

impl<T: Float> Engine for Memory<'_, T> {
    fn items(&self) -> usize {
        self.samples.items()
    }

    fn features(&self) -> usize {
        self.samples.features()
    }

    fn pass(&mut self, request: &Request) -> Result<Sums, Error> {
        let (samples, team, features) = (self.samples, self.team, self.samples.features());
        let step = step::<T>(request);
        let (values, numbers) = step.access();
        let mut none = (Vec::new(), Vec::new());
        let (values, depth) = if values == Access::None { (&mut none.0, 0) } else { (&mut self.values, features) };
        let (numbers, width) = match numbers {
            Access::None => (&mut none.1, 0),
            _ => {
                self.numbers.resize(samples.items() * request.width, 0.0);
                (&mut self.numbers, request.width)
            }
        };
        let states = team.pieces(values, depth).zip(team.pieces(numbers, width));
        let chunk = |sums: &mut Partial<T>, chunk: Range<usize>, (values, numbers): (&mut [T], &mut [f64])| {
            for range in team.blocks(chunk.clone()) {
                let block = samples.block(range.clone());
                let batch = Batch { values: &block.values, first: range.start, rows: range.len(), features };
                let (start, end) = (range.start - chunk.start, range.end - chunk.start);
                let (values, numbers) =
                    (&mut values[start * depth..end * depth], &mut numbers[start * width..end * width]);
                step.visit(sums, &batch, Own { values, numbers });
            }
        };
        Ok(team.fold_chunks(states, || step.start(features), chunk, Partial::merge).finish())
    }

    fn column(&mut self, at: usize) -> Result<Option<Vec<f64>>, Error> {
        let width = self.numbers.len() / self.samples.items();
        Ok(Some(self.numbers.iter().skip(at).step_by(width).copied().collect()))
    }

    fn values(&mut self) -> Result<Option<Vec<f64>>, Error> {
        Ok(Some(self.values.iter().map(|value| value.to_f64()).collect()))
    }
}
