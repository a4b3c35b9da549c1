//! Scratch space for each thread of a pass.

use std::sync::{Mutex, PoisonError};

use super::accumulator::Scratch;
use super::{Accumulator, OutputShape};
use crate::Float;

/// Scratch space that is not in use. Kept with the sums it would wait for earlier chunks, and there would be three for each
/// thread instead of one.
pub(super) struct ScratchPool<T>(Mutex<Vec<Scratch<T>>>);

impl<T> Default for ScratchPool<T> {
    fn default() -> Self {
        ScratchPool(Mutex::new(Vec::new()))
    }
}

impl<T: Float> ScratchPool<T> {
    /// Gives space to sums that begin with a chunk.
    pub fn lend(&self, sums: &mut Accumulator<T>) {
        if let Some(space) = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop() {
            sums.scratch = space;
        }
    }

    /// Takes it back at the end of the chunk.
    pub fn take_back(&self, sums: &mut Accumulator<T>) {
        let none = Accumulator::new(&OutputShape::default()).scratch;
        let space = std::mem::replace(&mut sums.scratch, none);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(space);
    }
}
