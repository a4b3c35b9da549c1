//! Tables that are elsewhere: in parts, or read when they are needed.

use std::sync::Mutex;

use arss::distributed::{Access, RemoteTable, RowState, RowsOf, access, merge, select, step_on};
use arss::out_of_core::{RowSource, Store};
use arss::{Count, Error, Float, Method, RunOptions, Selection};

/// The parts of a table, with their state.
pub struct Parts<'a, T> {
    table: &'a [T],
    features: usize,
    /// Where each begins, and the end.
    cuts: Vec<usize>,
    pub states: Vec<RowState<T>>,
}

impl<'a, T: Float> Parts<'a, T> {
    pub fn new(table: &'a [T], features: usize, cuts: &[usize]) -> Self {
        let states = vec![RowState { values: Vec::new(), numbers: Vec::new() }; cuts.len() - 1];
        Parts { table, features, cuts: cuts.to_vec(), states }
    }

    fn pass(&mut self, request: &[u8]) -> Result<Vec<u8>, Error> {
        let mut sums = Vec::new();
        let (values, numbers) = access(request)?;
        let kept = self.states.clone();
        for (part, state) in self.states.iter_mut().enumerate() {
            let (first, end, l) = (self.cuts[part], self.cuts[part + 1], self.features);
            let rows = RowsOf { data: &self.table[first * l..end * l], shape: (end - first, l), strides: (l, 1) };
            sums.push(step_on(request, &rows, first, state)?);
        }
        // A step does what it says.
        for (before, after) in kept.iter().zip(&self.states) {
            assert!(values == Access::Change || before.values == after.values);
            // What was never written is zero: it may be made when it is first read.
            assert!(numbers == Access::Change || before.numbers.is_empty() || before.numbers == after.numbers);
        }
        while sums.len() > 1 {
            sums = sums
                .chunks(2)
                .map(|pair| pair.iter().skip(1).try_fold(pair[0].clone(), |a, b| merge(&a, b)))
                .collect::<Result<_, _>>()?;
        }
        Ok(sums.remove(0))
    }

    pub fn select(&mut self, method: &Method, k: usize) -> Result<Selection, Error> {
        let (items, features) = (self.cuts[self.cuts.len() - 1], self.features);
        let table = RemoteTable { items, features, single: size_of::<T>() == 4 };
        select(method, table, Count::Exactly(k), &mut |request| self.pass(request), &mut RunOptions::default())
    }
}

/// A table, and room for state, in memory: only how they are reached differs.
pub struct Outside<N>(pub Mutex<Vec<N>>, pub usize);

impl<T: Float> RowSource<T> for Outside<T> {
    fn items(&self) -> usize {
        self.0.lock().unwrap().len() / self.1
    }

    fn features(&self) -> usize {
        self.1
    }

    fn read(&self, first: usize, rows: &mut [T]) -> Result<(), String> {
        rows.copy_from_slice(&self.0.lock().unwrap()[first * self.1..][..rows.len()]);
        Ok(())
    }
}

impl<N: Float> Store<N> for Outside<N> {
    fn read(&self, at: usize, numbers: &mut [N]) -> Result<(), String> {
        numbers.copy_from_slice(&self.0.lock().unwrap()[at..][..numbers.len()]);
        Ok(())
    }

    fn write(&self, at: usize, numbers: &[N]) -> Result<(), String> {
        if numbers.len() > self.1 {
            return Err("the disk is full".into());
        }
        self.0.lock().unwrap()[at..][..numbers.len()].copy_from_slice(numbers);
        Ok(())
    }
}
