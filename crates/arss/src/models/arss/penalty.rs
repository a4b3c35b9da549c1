//! How the penalty mu of the augmented Lagrangian moves.

use super::certificate::Certificate;
use super::weights::Pace;
use super::{MODERATE, Problem};
use crate::Error;
use crate::models::momentum::Momentum;
use crate::models::newton::Newton;

/// How the penalty mu of the augmented Lagrangian moves.
///
/// ```
/// use arss::{Arss, Penalty};
///
/// let constant = Penalty::Growing { mu: 2.0, rho: 1.0, max: 2.0 };
/// assert!(Arss { penalty: constant, ..Arss::default() }.validate().is_ok());
/// let shrinking = Penalty::Growing { mu: 2.0, rho: 0.9, max: 2.0 };
/// assert!(Arss { penalty: shrinking, ..Arss::default() }.validate().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Penalty {
    /// Chosen by the solver from the sizes of multiplier and error, so that it converges.
    Adaptive,
    /// The paper's: mu <- min(rho mu, max) after each iteration.
    Growing {
        /// First value, larger than 0.
        mu: f64,
        /// Growth, at least 1.
        rho: f64,
        /// Largest value, at least mu.
        max: f64,
    },
}

impl Penalty {
    /// The authors' schedule: from 1e-3 by 1.1 up to 1e4.
    pub const PAPER: Penalty = Penalty::Growing { mu: 1e-3, rho: 1.1, max: 1e4 };

    pub(crate) fn validate(self) -> Result<(), Error> {
        let Penalty::Growing { mu, rho, max } = self else { return Ok(()) };
        Error::check("mu", mu, mu > 0.0, "larger than 0")?;
        Error::check("rho", rho, rho >= 1.0, "at least 1")?;
        Error::check("mu max", max, max >= mu, "at least mu")
    }
}

/// Over-relaxation of the weights, w <- w (|a| / w)^r, for p = 1 and for p < 1; at 2 the fixed point would no longer attract.
/// With momentum p = 1 is best off with less of it.
const RELAXATION: (f64, f64) = (1.5, 1.9);
/// The largest momentum of the weights, for p = 1 and for p from .5 on, and the iterations without it. With p = .2 and momentum the
/// weights cycled: there is none below .5, and the penalty grows slowly.
const MOMENTUM: (f64, f64) = (0.95, 0.8);
const PLAIN: usize = 5;

/// The adaptive rules in units of 1 / mean|x|^(2 - p). For p = 1 the penalty starts at its largest
/// value and gives way while the multiplier overshoots its bound, which it does where entries are
/// huge; a constant penalty left a gap of 30 % there. For p < 1 it starts small, so that the loss
/// can act, and grows until the conditions of optimality nearly hold; a constant one cycles. From .2 on it ends within
/// .6 % of where it ends from .01 or lower (eight sets, three ratios, both scales), in .6 of the iterations; from 1 on up to 3 % higher.
const CONVEX: (f64, f64, f64) = (3.0, 3.0, 1.05);
const OVERSHOOT: f64 = 1.2;
const ROBUST: (f64, f64, f64) = (0.2, 1e4, 1.07);
const FAR_FROM_CONVEX: (f64, f64, f64) = (0.01, 1e4, 1.03);
const NEARLY: f64 = 0.01;

/// Iterations before rows at their bound take Newton's steps, and how much stiffer the model is than one where Lambda follows
/// S at once: with 1 it overshot on two sets of five.
const ALONE: usize = 4;
const SOFTEST: f64 = 2.0;

/// How the weights move.
#[derive(Clone, Copy)]
pub(crate) struct Move<'a> {
    pub pace: Pace,
    /// For how many rows, where the problem is convex and the paper's iterations are not asked for.
    pub newton: Option<(&'a Newton, usize)>,
}

/// The penalty's state while solving.
pub(crate) struct Schedule {
    penalty: Penalty,
    convex: bool,
    next: f64,
    max: f64,
    growth: f64,
    momentum: Momentum,
    newton: Option<Newton>,
}

impl Schedule {
    pub fn new(penalty: Penalty, problem: &Problem) -> Self {
        let convex = problem.p == 1.0;
        let (rules, most) = match problem.p {
            1.0 => (CONVEX, MOMENTUM.0),
            p if p >= 0.5 => (ROBUST, MOMENTUM.1),
            _ => (FAR_FROM_CONVEX, 0.0),
        };
        let momentum = if convex { Momentum::patient(PLAIN, most) } else { Momentum::new(PLAIN, most) };
        let newton =
            (convex && penalty == Penalty::Adaptive).then(|| Newton::new(ALONE, SOFTEST, problem.floor, problem.shape));
        match penalty {
            Penalty::Growing { mu, rho, max } => {
                let scaled = |mu: f64| (mu * problem.mu_unit).clamp(MODERATE.0, MODERATE.1);
                let (next, max) = (scaled(mu), scaled(max));
                Schedule { penalty, convex, next, max, growth: rho, momentum, newton }
            }
            Penalty::Adaptive => {
                let unit = problem.mean_abs.powf(problem.p - 2.0);
                let (first, max, growth) = rules;
                Schedule { penalty, convex, next: first * unit, max: max * unit, growth, momentum, newton }
            }
        }
    }

    /// How far the weights go in an iteration: no further than the paper's with its penalty.
    pub fn pace(&mut self, iteration: usize) -> Pace {
        if self.penalty != Penalty::Adaptive {
            return Pace::PLAIN;
        }
        let relaxation = if self.convex { RELAXATION.0 } else { RELAXATION.1 };
        Pace { relaxation, momentum: self.momentum.at(iteration) }
    }

    /// The same with Newton's steps.
    pub fn moved(&self, pace: Pace, iteration: usize) -> Move<'_> {
        Move { pace, newton: self.newton.as_ref().map(|newton| (newton, newton.wanted(iteration))) }
    }

    /// What the iteration came to.
    pub fn learn(&mut self, objective: f64) {
        self.momentum.learn(objective);
        if let Some(newton) = &mut self.newton {
            newton.learn(objective);
        }
    }

    /// The penalty of this iteration and of the next, from how the one before went.
    pub fn advance(&mut self, before: Option<&Certificate>) -> (f64, f64) {
        let mu = self.next;
        let grow = (self.growth * mu).min(self.max);
        self.next = match (self.penalty, before) {
            (Penalty::Growing { .. }, _) => grow,
            (Penalty::Adaptive, None) => mu,
            (Penalty::Adaptive, Some(before)) if self.convex => {
                if before.overshoot > OVERSHOOT {
                    mu / self.growth
                } else {
                    grow
                }
            }
            (Penalty::Adaptive, Some(before)) => {
                if before.violation.max(before.mismatch) > NEARLY {
                    grow
                } else {
                    mu
                }
            }
        };
        (mu, self.next)
    }
}
