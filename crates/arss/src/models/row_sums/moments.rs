//! What a sample says of many rows: products with all terms and their moments, none of which leaves a register.
//!
//! A lane is a row. So each row adds up its own terms, one after the other, and its sums are the same wherever it stands and
//! however wide the registers are.

use faer::MatRef;
use pulp::{Simd, WithSimd};

use super::bounds::{Moments, Shape};

/// Registers of rows, and terms, whose products are made at a time: eight sums that do not wait for each other.
const WIDE: usize = 2;
pub(super) const TERMS: usize = 4;
/// Terms after which sums go on to the next stage: lanes that add, lanes of their sums, and doubles. So no number in single
/// precision is the sum of more than a few.
const FIRST: usize = 16;
const SECOND: usize = 256;
/// The most summands that stand behind a sum in single precision: those of both stages, and a fill-up.
pub(super) const ADDED: usize = FIRST + SECOND / FIRST + TERMS;

/// The terms of a sample, as the kernel takes them.
#[derive(Clone, Copy)]
pub(super) struct TermsOf<'a> {
    /// From [`side_by_side`].
    pub points: &'a [[f32; TERMS]],
    pub features: usize,
    pub shares: &'a [f32],
    pub spreads: &'a [f32],
    /// One or two.
    pub shapes: &'a [Shape],
}

/// Points, one a column, as the kernel reads them: value by value of four at a time, the last ones filled up with zeros.
pub(super) fn side_by_side(points: MatRef<'_, f32>) -> Vec<[f32; TERMS]> {
    let value = |i, term| if term < points.ncols() { points[(i, term)] } else { 0.0 };
    let four = |first| (0..points.nrows()).map(move |i| std::array::from_fn(|at| value(i, first + at)));
    (0..points.ncols()).step_by(TERMS).flat_map(four).collect()
}

/// Adds to the moments of each row those of |<u, v_m>|, u being its direction and v_m the points; `lanes` is space.
pub(super) fn add_moments(terms: TermsOf<'_>, directions: &[f32], lanes: &mut Vec<f32>, moments: &mut [Moments]) {
    pulp::Arch::new().dispatch(AllRows { terms, directions, lanes, moments });
}

struct AllRows<'a> {
    terms: TermsOf<'a>,
    directions: &'a [f32],
    lanes: &'a mut Vec<f32>,
    moments: &'a mut [Moments],
}

impl WithSimd for AllRows<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match *self.terms.shapes {
            [shape] => self.run(simd, [shape]),
            [first, second] => self.run(simd, [first, second]),
            _ => {}
        }
    }
}

impl AllRows<'_> {
    #[inline(always)]
    fn run<S: Simd, const N: usize>(self, simd: S, shapes: [Shape; N]) {
        let AllRows { terms, directions, lanes, moments } = self;
        let TermsOf { points, features, shares, spreads, .. } = terms;
        let rows = WIDE * S::F32_LANES;
        turn(directions, (features, rows), lanes);
        // Terms outside: those of a stage stay in the cache while all rows see them.
        let stages = points.chunks(SECOND / TERMS * features).zip(shares.chunks(SECOND).zip(spreads.chunks(SECOND)));
        for (points, (shares, spreads)) in stages {
            for (columns, moments) in lanes.chunks_exact(features * rows).zip(moments.chunks_mut(rows)) {
                let (columns, _) = pulp::as_arrays::<WIDE, _>(S::as_simd_f32s(columns).0);
                let groups = points.chunks_exact(features).zip(shares.chunks(TERMS).zip(spreads.chunks(TERMS)));
                store::<S, N>(some_terms(simd, groups, columns, shapes), moments);
            }
        }
    }
}

/// Rows in groups of so many, value by value; the last group is filled up with zeros.
fn turn(directions: &[f32], (features, rows): (usize, usize), columns: &mut Vec<f32>) {
    columns.clear();
    columns.resize(directions.len().div_ceil(features * rows) * features * rows, 0.0);
    for (directions, columns) in directions.chunks(features * rows).zip(columns.chunks_exact_mut(features * rows)) {
        for (row, direction) in directions.chunks_exact(features).enumerate() {
            columns[row..].iter_mut().step_by(rows).zip(direction).for_each(|(column, &value)| *column = value);
        }
    }
}

/// For each shape and register: the sum of share times value, and of spread times its square.
type Sums<S, const N: usize> = [[[<S as Simd>::f32s; 2]; WIDE]; N];

/// The sums over some terms, four at a time: their values, shares and spreads.
#[inline(always)]
fn some_terms<'a, S: Simd, const N: usize>(
    simd: S,
    mut groups: impl Iterator<Item = (&'a [[f32; TERMS]], (&'a [f32], &'a [f32]))>,
    columns: &[[S::f32s; WIDE]],
    shapes: [Shape; N],
) -> Sums<S, N> {
    let zero = [[[simd.splat_f32s(0.0); 2]; WIDE]; N];
    let mut total = zero;
    loop {
        let mut sums = zero;
        let mut seen = 0;
        for (points, (shares, spreads)) in groups.by_ref().take(FIRST / TERMS) {
            seen += 1;
            let mut products = [[simd.splat_f32s(0.0); WIDE]; TERMS];
            for (point, column) in points.iter().zip(columns) {
                for (products, &value) in products.iter_mut().zip(point) {
                    let value = simd.splat_f32s(value);
                    for (product, &column) in products.iter_mut().zip(column) {
                        *product = simd.mul_add_f32s(value, column, *product);
                    }
                }
            }
            for (products, (&share, &spread)) in products.into_iter().zip(shares.iter().zip(spreads)) {
                let weights = [simd.splat_f32s(share), simd.splat_f32s(spread)];
                for (sums, shape) in sums.iter_mut().zip(shapes) {
                    add(simd, sums, shape, (products, weights));
                }
            }
        }
        if seen == 0 {
            return total;
        }
        for (total, sums) in
            total.as_flattened_mut().as_flattened_mut().iter_mut().zip(sums.as_flattened().as_flattened())
        {
            *total = simd.add_f32s(*total, *sums);
        }
    }
}

/// Adds r(|t|) less the centre for one term and the rows of some registers.
#[inline(always)]
fn add<S: Simd>(
    simd: S,
    sums: &mut [[S::f32s; 2]; WIDE],
    shape: Shape,
    (products, [share, spread]): ([S::f32s; WIDE], [S::f32s; 2]),
) {
    let (down, cut, centre) = shape.numbers();
    let (down, cut, centre) = (simd.splat_f32s(down), simd.splat_f32s(cut), simd.splat_f32s(centre));
    for ([sum, square], product) in sums.iter_mut().zip(products) {
        let t = simd.min_f32s(simd.abs_f32s(product), cut);
        let value = simd.sub_f32s(simd.mul_add_f32s(simd.mul_f32s(down, t), t, t), centre);
        *sum = simd.mul_add_f32s(share, value, *sum);
        *square = simd.mul_add_f32s(simd.mul_f32s(spread, value), value, *square);
    }
}

/// Adds what is in the registers to the sums of their rows.
#[inline(always)]
fn store<S: Simd, const N: usize>(sums: Sums<S, N>, moments: &mut [Moments]) {
    // As many as the widest registers hold.
    let mut numbers = [0.0f32; 64];
    for (shape, sums) in sums.into_iter().enumerate() {
        for (rows, parts) in moments.chunks_mut(S::F32_LANES).zip(sums) {
            for (part, lanes) in parts.into_iter().enumerate() {
                if let Some(slot) = S::as_mut_simd_f32s(&mut numbers).0.first_mut() {
                    *slot = lanes;
                }
                rows.iter_mut().zip(numbers).for_each(|(row, number)| row.add(shape, part, f64::from(number)));
            }
        }
    }
}
