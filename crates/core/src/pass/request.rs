//! What a pass asks of every block of rows.

use faer::{Mat, MatRef};

/// Which step. The numbers are part of the format that travels: never give one another meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    Check = 0,
    Longest = 1,
    LargestForm = 2,
    InverseGram = 3,
    Top = 4,
    Absolute = 5,
    Fetch = 6,
    Least = 7,
    ArssStart = 16,
    ArssSigns = 17,
    ArssMultiplier = 18,
    ArssWeights = 19,
    ArssFinish = 20,
    RrssStart = 32,
    RrssFit = 33,
    RrssWeights = 34,
    RrssFinish = 35,
    TedGram = 48,
    TedStart = 49,
    TedTake = 50,
    TedLeft = 51,
    TedRest = 52,
    Strange = 64,
    Digits = 65,
    Gate = 66,
    Ranked = 67,
    Nearest = 68,
}

impl Kind {
    /// Every kind, for reading them back.
    pub const ALL: [Kind; 27] = [
        Kind::Check,
        Kind::Longest,
        Kind::LargestForm,
        Kind::InverseGram,
        Kind::Top,
        Kind::Absolute,
        Kind::Fetch,
        Kind::Least,
        Kind::ArssStart,
        Kind::ArssSigns,
        Kind::ArssMultiplier,
        Kind::ArssWeights,
        Kind::ArssFinish,
        Kind::RrssStart,
        Kind::RrssFit,
        Kind::RrssWeights,
        Kind::RrssFinish,
        Kind::TedGram,
        Kind::TedStart,
        Kind::TedTake,
        Kind::TedLeft,
        Kind::TedRest,
        Kind::Strange,
        Kind::Digits,
        Kind::Gate,
        Kind::Ranked,
        Kind::Nearest,
    ];
}

/// A step with its small matrices; what they mean is written where the step is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Request {
    pub kind: Kind,
    /// Numbers of state a row.
    pub width: usize,
    /// What the rows are multiplied by: 1, or a power of two.
    pub scale: f64,
    pub numbers: Vec<f64>,
    pub positions: Vec<u64>,
    pub matrices: Vec<Mat<f64>>,
}

impl Request {
    /// The step `kind` with `width` numbers of state a row.
    pub fn new(kind: Kind, width: usize) -> Self {
        let (numbers, positions, matrices) = (Vec::new(), Vec::new(), Vec::new());
        Request { kind, width, scale: 1.0, numbers, positions, matrices }
    }

    pub fn numbers(mut self, numbers: impl IntoIterator<Item = f64>) -> Self {
        self.numbers.extend(numbers);
        self
    }

    pub fn positions(mut self, positions: impl IntoIterator<Item = usize>) -> Self {
        self.positions.extend(positions.into_iter().map(|position| position as u64));
        self
    }

    pub fn matrix(mut self, matrix: MatRef<'_, f64>) -> Self {
        self.matrices.push(matrix.to_owned());
        self
    }

    /// A number that says yes or no.
    pub fn flag(&self, at: usize) -> bool {
        self.numbers[at] != 0.0
    }
}
