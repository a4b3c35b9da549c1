//! Reduction in a fixed order, so that the number of threads cannot change a sum.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Locks, whether or not another thread panicked: rayon passes the panic on.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The sums of chunks, added in the order of the chunks.
///
/// Only a few finished sums may wait for an earlier chunk. Without that limit one descheduled thread makes the others
/// pile up their sums (89 MB instead of 80 in a test on a busy machine).
pub(super) struct OrderedSums<A, M> {
    state: Mutex<InOrder<A, M>>,
    changed: Condvar,
    most: usize,
}

impl<A, M: FnMut(&mut A, &mut A)> OrderedSums<A, M> {
    /// `most` sums may wait for an earlier chunk.
    pub fn new(merge: M, most: usize) -> Self {
        OrderedSums { state: Mutex::new(InOrder::new(merge)), changed: Condvar::new(), most }
    }

    /// The sum over all chunks; `None` if there were none.
    pub fn finish(self) -> Option<A> {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).total
    }

    /// Blocks while too many sums wait. Returns a sum that can be reused, if there is one.
    ///
    /// A thread that blocks here holds no chunk, so another thread is working on the chunk that is awaited.
    pub fn turn(&self) -> Option<A> {
        let crowded = |state: &mut InOrder<A, M>| state.waiting.len() >= self.most && !state.abandoned;
        let state = self.changed.wait_while(lock(&self.state), crowded);
        state.unwrap_or_else(PoisonError::into_inner).free.pop()
    }

    pub fn add(&self, chunk: usize, sum: A) {
        lock(&self.state).add(chunk, sum);
        self.changed.notify_all();
    }
}

/// Held while a chunk is worked on. If the work panics, the threads that wait for the chunk are woken.
pub(super) struct PanicGuard<'a, A, M>(pub &'a OrderedSums<A, M>);

impl<A, M> Drop for PanicGuard<'_, A, M> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            lock(&self.0.state).abandoned = true;
            self.0.changed.notify_all();
        }
    }
}

/// Adds sums in the order of the chunks, whichever is finished first.
struct InOrder<A, M> {
    total: Option<A>,
    next: usize,
    waiting: BTreeMap<usize, A>,
    free: Vec<A>,
    abandoned: bool,
    merge: M,
}

impl<A, M: FnMut(&mut A, &mut A)> InOrder<A, M> {
    fn new(merge: M) -> Self {
        InOrder { total: None, next: 0, waiting: BTreeMap::new(), free: Vec::new(), abandoned: false, merge }
    }

    fn add(&mut self, chunk: usize, sum: A) {
        self.waiting.insert(chunk, sum);
        while let Some(mut sum) = self.waiting.remove(&self.next) {
            self.next += 1;
            match &mut self.total {
                None => self.total = Some(sum),
                Some(total) => {
                    (self.merge)(total, &mut sum);
                    self.free.push(sum);
                }
            }
        }
    }
}
