//! The steps of the choice of exemplars on a block of rows. The state: how strange the row is, and its pick.

use faer::Mat;

use crate::baselines::distance::{self, Near, Points};
use crate::kernel::{self, Landmarks};
use crate::pass::{Access, Batch, Kind, Own, Partial, Request, Visit};
use crate::{Float, linalg};

/// Numbers a row: the strangeness, divided by the gate's once that is known, and the nearest pick.
pub(crate) const WIDTH: usize = 2;
pub(crate) const STRANGE: usize = 0;
pub(crate) const LABEL: usize = 1;

/// The values of a matrix row by row.
fn rows_of(matrix: &Mat<f64>) -> Vec<f64> {
    matrix.row_iter().flat_map(|row| row.iter().copied().collect::<Vec<_>>()).collect()
}

/// How strange each row is; the landmarks' own strangeness is given.
pub(crate) struct Strange<T> {
    ridge: f64,
    origin: Vec<f64>,
    own: Vec<f64>,
    landmarks: Landmarks<T>,
}

impl<T: Float> Strange<T> {
    /// `rows` are those of the landmarks.
    pub fn request(landmarks: &Landmarks<f64>, rows: &Mat<f64>, origin: &[f64], ridge: f64) -> Request {
        let (h2, root) = landmarks.parts();
        let own = (0..landmarks.items.len()).map(|j| 1.0 / landmarks.inverse[(j, j)]);
        let numbers = [h2, ridge].into_iter().chain(origin.iter().copied()).chain(own);
        let request = Request::new(Kind::Strange, WIDTH).numbers(numbers).positions(landmarks.items.iter().copied());
        request.matrix(rows.as_ref()).matrix(root.as_ref())
    }

    pub fn read(request: &Request) -> Self {
        let (h2, ridge, rows) = (request.numbers[0], request.numbers[1], &request.matrices[0]);
        let (origin, own) = request.numbers[2..].split_at(rows.ncols());
        let items = request.positions.iter().map(|&item| item as usize).collect();
        let root = linalg::cast(request.matrices[1].as_ref());
        let landmarks = Landmarks::from_parts(items, &rows_of(rows), origin, (h2, root));
        Strange { ridge, origin: origin.to_vec(), own: own.to_vec(), landmarks }
    }
}

impl<T: Float> Visit<T> for Strange<T> {
    fn access(&self) -> (Access, Access) {
        (Access::None, Access::Change)
    }

    fn start(&self, _: usize) -> Partial<T> {
        Partial::new(0, 0)
    }

    fn visit(&self, _: &mut Partial<T>, batch: &Batch<'_, T>, own: Own<'_, T>) {
        let ridge = self.ridge;
        let mut scratch = kernel::Scratch::default();
        self.landmarks.map(batch.values, &self.origin, &mut scratch);
        let mapped = scratch.mapped.chunks_exact(self.landmarks.items.len());
        for ((row, mapped), item) in own.numbers.as_chunks_mut::<WIDTH>().0.iter_mut().zip(mapped).zip(batch.first..) {
            let strange = match self.landmarks.items.binary_search(&item) {
                Ok(landmark) => self.own[landmark],
                Err(_) => 1.0 + ridge - linalg::norm_squared(mapped),
            };
            row[STRANGE] = strange.clamp(0.5 * ridge, 1.0 + ridge);
        }
    }
}

/// How many rows have a strangeness whose bits begin in certain ways: the way to exact quantiles without sorting.
///
/// Strangeness is larger than 0, so its bits are ordered as it is.
pub(crate) struct Digits {
    /// How many bits are looked at next, and how many follow them.
    pub bits: u32,
    pub behind: u32,
    /// What the bits before them must be, in order.
    pub prefixes: Vec<u64>,
}

impl Digits {
    pub fn request(&self) -> Request {
        let sizes = [self.bits as usize, self.behind as usize];
        let prefixes = self.prefixes.iter().map(|&prefix| prefix as usize);
        Request::new(Kind::Digits, WIDTH).positions(sizes.into_iter().chain(prefixes))
    }

    pub fn read(request: &Request) -> Self {
        let sizes = [0, 1].map(|at| request.positions[at] as u32);
        Digits { bits: sizes[0], behind: sizes[1], prefixes: request.positions[2..].to_vec() }
    }
}

impl<T: Float> Visit<T> for Digits {
    fn access(&self) -> (Access, Access) {
        (Access::None, Access::Read)
    }

    fn start(&self, _: usize) -> Partial<T> {
        Partial::new(self.prefixes.len() << self.bits, 0)
    }

    fn visit(&self, sums: &mut Partial<T>, _: &Batch<'_, T>, own: Own<'_, T>) {
        for row in own.numbers.as_chunks::<WIDTH>().0 {
            let head = row[STRANGE].to_bits() >> self.behind;
            if let Ok(at) = self.prefixes.binary_search(&head.checked_shr(self.bits).unwrap_or(0)) {
                let digit = head & ((1 << self.bits) - 1);
                sums.add[(at << self.bits) + digit as usize] += 1.0;
            }
        }
    }
}

/// Strangeness in units of the gate's; for each chunk how many rows are within the gate, and how many of these may
/// be chosen. Without a gate all are within.
pub(crate) struct Gate {
    pub limit: f64,
    pub gate: bool,
    /// Rows that must not be chosen, in order.
    pub exclude: Vec<usize>,
}

impl Gate {
    pub fn request(&self) -> Request {
        let numbers = [f64::from(u8::from(self.gate)), self.limit];
        Request::new(Kind::Gate, WIDTH).numbers(numbers).positions(self.exclude.iter().copied())
    }

    pub fn read(request: &Request) -> Self {
        let exclude = request.positions.iter().map(|&item| item as usize).collect();
        Gate { gate: request.flag(0), limit: request.numbers[1], exclude }
    }
}

impl<T: Float> Visit<T> for Gate {
    fn access(&self) -> (Access, Access) {
        (Access::None, Access::Change)
    }

    fn start(&self, _: usize) -> Partial<T> {
        Partial::new(0, 0)
    }

    fn visit(&self, sums: &mut Partial<T>, batch: &Batch<'_, T>, own: Own<'_, T>) {
        if sums.records.list.is_empty() {
            sums.records.push(batch.first, 0.0, vec![0.0]);
        }
        let count = &mut sums.records.list[0];
        for (row, item) in own.numbers.as_chunks_mut::<WIDTH>().0.iter_mut().zip(batch.first..) {
            row[STRANGE] /= self.limit;
            if !self.gate || row[STRANGE] <= 1.0 {
                count.key += 1.0;
                count.row[0] += f64::from(u8::from(self.exclude.binary_search(&item).is_err()));
            }
        }
    }
}

/// A chunk: its first row, and how many rows within the gate, and how many of these that may be chosen, come before it.
#[derive(Clone, Copy)]
pub(crate) struct Base {
    pub first: usize,
    pub within: usize,
    pub allowed: usize,
}

/// The rows at some places among those within the gate, and among those that may be chosen, with their strangeness.
pub(crate) struct Ranked {
    pub gate: bool,
    pub exclude: Vec<usize>,
    pub bases: Vec<Base>,
    /// Places, in order.
    pub within: Vec<usize>,
    pub allowed: Vec<usize>,
}

impl Ranked {
    pub fn request(&self) -> Request {
        let lists = [self.exclude.len(), self.bases.len(), self.within.len()];
        let bases = self.bases.iter().flat_map(|base| [base.first, base.within, base.allowed]);
        let lists = lists.into_iter().chain(self.exclude.iter().copied()).chain(bases);
        let lists = lists.chain(self.within.iter().copied()).chain(self.allowed.iter().copied());
        Request::new(Kind::Ranked, WIDTH).numbers([f64::from(u8::from(self.gate))]).positions(lists)
    }

    pub fn read(request: &Request) -> Self {
        let all: Vec<usize> = request.positions.iter().map(|&position| position as usize).collect();
        let (exclude, rest) = all[3..].split_at(all[0]);
        let (bases, rest) = rest.split_at(3 * all[1]);
        let (within, allowed) = rest.split_at(all[2]);
        let base = |base: &[usize]| Base { first: base[0], within: base[1], allowed: base[2] };
        Ranked {
            gate: request.flag(0),
            exclude: exclude.to_vec(),
            bases: bases.chunks_exact(3).map(base).collect(),
            within: within.to_vec(),
            allowed: allowed.to_vec(),
        }
    }
}

impl<T: Float> Visit<T> for Ranked {
    fn access(&self) -> (Access, Access) {
        (Access::None, Access::Read)
    }

    fn start(&self, _: usize) -> Partial<T> {
        Partial::new(0, 0)
    }

    /// The record's row begins with two flags: wanted among those within, wanted among those allowed.
    fn visit(&self, sums: &mut Partial<T>, batch: &Batch<'_, T>, own: Own<'_, T>) {
        let places = &mut sums.long.0; // of the next row, in both counts; a chunk begins at its base
        if let Ok(at) = self.bases.binary_search_by_key(&batch.first, |base| base.first) {
            *places = vec![self.bases[at].within as f64, self.bases[at].allowed as f64];
        }
        for (at, row) in own.numbers.as_chunks::<WIDTH>().0.iter().enumerate() {
            if self.gate && row[STRANGE] > 1.0 {
                continue;
            }
            let open = self.exclude.binary_search(&(batch.first + at)).is_err();
            let within = self.within.binary_search(&(places[0] as usize)).is_ok();
            let allowed = open && self.allowed.binary_search(&(places[1] as usize)).is_ok();
            places[0] += 1.0;
            places[1] += f64::from(u8::from(open));
            if within || allowed {
                let flags = [within, allowed].map(|flag| f64::from(u8::from(flag)));
                let values = flags.into_iter().chain(batch.row(at)).collect();
                sums.records.push(batch.first + at, row[STRANGE], values);
            }
        }
    }
}

/// The nearest pick of each row, a pick being its own; how many rows within the gate each pick stands for.
pub(crate) struct Nearest<T> {
    gate: bool,
    origin: Vec<f64>,
    /// Items and positions of the picks, by item.
    picks: Vec<(usize, usize)>,
    points: Points<T>,
}

impl<T: Float> Nearest<T> {
    /// `rows` are those of the picks.
    pub fn request(gate: bool, picks: &[usize], rows: &Mat<f64>, origin: &[f64]) -> Request {
        let numbers = [f64::from(u8::from(gate))].into_iter().chain(origin.iter().copied());
        Request::new(Kind::Nearest, WIDTH).numbers(numbers).positions(picks.iter().copied()).matrix(rows.as_ref())
    }

    pub fn read(request: &Request) -> Self {
        let origin = request.numbers[1..].to_vec();
        let mut picks: Vec<(usize, usize)> = request.positions.iter().map(|&item| item as usize).zip(0..).collect();
        picks.sort_unstable();
        let points = Points::new(rows_of(&request.matrices[0]), &origin);
        Nearest { gate: request.flag(0), origin, picks, points }
    }
}

impl<T: Float> Visit<T> for Nearest<T> {
    fn access(&self) -> (Access, Access) {
        (Access::None, Access::Change)
    }

    fn start(&self, _: usize) -> Partial<T> {
        Partial::new(self.picks.len(), 0)
    }

    fn visit(&self, sums: &mut Partial<T>, batch: &Batch<'_, T>, own: Own<'_, T>) {
        let mut near = vec![Near { point: 0, squared: 0.0 }; batch.rows];
        self.points.nearest(batch.values, &self.origin, &mut distance::Scratch::default(), &mut near);
        for ((row, near), item) in own.numbers.as_chunks_mut::<WIDTH>().0.iter_mut().zip(near).zip(batch.first..) {
            let pick = self.picks.binary_search_by_key(&item, |pick| pick.0);
            let label = pick.map_or(near.point, |at| self.picks[at].1);
            row[LABEL] = label as f64;
            if !self.gate || row[STRANGE] <= 1.0 {
                sums.add[label] += 1.0;
            }
        }
    }
}
