//! The items in two dimensions: which are drawn, and where.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use crate::charts::projection::{Projection, project, quantile};
use crate::model::fitting;
use crate::sample::sample;
use crate::subject::Subject;
use crate::summary::{self, percent, thousands};

/// Most points.
const POINTS: usize = 3000;
/// Most picks among them, and so many of the strangest: they are drawn before all others.
const PICKS: usize = 1500;
const STRANGEST: usize = 20;
/// Most values of an item that the picture is made from.
const FEATURES: usize = 1024;
/// Most cells of the file that are read for the picture: a wide table gets fewer points.
const CELLS: usize = 20_000_000;
/// Bytes of cells in the page.
const BYTES: usize = 450_000;
/// The share of the points at each end that may lie outside the frame, and what is added to the rest: where the
/// method knows its outliers, and where some of the points are unknown ones.
const KNOWN: (f64, f64) = (0.01, 0.25);
const UNKNOWN: (f64, f64) = (0.05, 0.4);

/// The items in two dimensions.
#[derive(Debug, Serialize)]
pub struct Map {
    text: String,
    /// What each axis says.
    axes: [String; 2],
    /// The frame: from and to, for x and y.
    frame: [[f64; 2]; 2],
    points: Vec<Point>,
}

#[derive(Debug, Serialize)]
struct Point {
    item: usize,
    x: f64,
    y: f64,
    kind: Kind,
    #[serde(skip_serializing_if = "Option::is_none")]
    rank: Option<usize>,
    outlier: f64,
    /// True if it lies beyond the frame and is drawn at its edge.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    edge: bool,
    cells: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Other,
    Outlier,
    Chosen,
}

impl Map {
    /// The picture of `subject`.
    pub fn new(subject: &Subject<'_>) -> Self {
        let mut items = drawn(subject);
        let cells = fitting(subject, &items, BYTES);
        items.truncate(cells.len());
        let view = seen(subject, &items);
        let inner = frame(subject, &items, &view);
        let ranks: HashMap<usize, usize> = subject.selection.indices.iter().copied().zip(1..).collect();
        let mut points = Vec::with_capacity(items.len());
        for ((&item, cells), at) in items.iter().zip(cells).zip(&view.points) {
            let rank = ranks.get(&item).copied();
            let [x, y] = [0, 1].map(|axis| at[axis].clamp(inner[axis][0], inner[axis][1]));
            let outlier = short(subject.selection.residuals[item]);
            let (kind, edge) = (kind(subject, item, rank), [x, y] != *at);
            points.push(Point {
                item: subject.number(item),
                x: short(x),
                y: short(y),
                kind,
                rank,
                outlier,
                edge,
                cells,
            });
        }
        // What matters is drawn last, on top.
        points.sort_by_key(|point| (point.kind as usize, point.item));
        Map { text: text(subject, &points), axes: axes(&view), frame: inner.map(with_rim), points }
    }
}

/// Picks, the strangest, and others at random.
fn drawn(subject: &Subject<'_>) -> Vec<usize> {
    let width = if subject.chose_columns { 1 } else { subject.headings().len().max(subject.features()) };
    let most = POINTS.min((CELLS / width).max(200));
    let mut seen = HashSet::new();
    let picks = subject.selection.indices.iter().copied().take(PICKS.min(most));
    let first = picks.chain(summary::strangest(subject, STRANGEST));
    first.chain(sample(subject.items(), most)).filter(|item| seen.insert(*item)).take(most).collect()
}

fn seen(subject: &Subject<'_>, items: &[usize]) -> Projection {
    let features = sample(subject.features(), FEATURES);
    let mut values = Vec::with_capacity(items.len() * features.len());
    subject.visit(items, &features, |_, row| values.extend_from_slice(row));
    let inside: Vec<bool> = items.iter().map(|&item| !subject.is_outlier(item)).collect();
    project(values, features.len(), &inside)
}

/// A frame that one far outlier cannot blow up: most of the points that are no outliers, and some space.
fn frame(subject: &Subject<'_>, items: &[usize], view: &Projection) -> [[f64; 2]; 2] {
    let (cut, margin) = if subject.threshold().is_some() { KNOWN } else { UNKNOWN };
    std::array::from_fn(|axis| {
        let all: Vec<f64> = view.points.iter().map(|point| point[axis]).collect();
        let ordinary = items.iter().zip(&all).filter(|(item, _)| !subject.is_outlier(**item));
        let inside: Vec<f64> = ordinary.map(|(_, value)| *value).collect();
        let inside = if inside.is_empty() { all.clone() } else { inside };
        let (low, high) = (quantile(inside.clone(), cut), quantile(inside, 1.0 - cut));
        let space = margin * (high - low);
        // No more space than there are points to fill it.
        let (least, most) = (quantile(all.clone(), 0.0), quantile(all, 1.0));
        [(low - space).max(least), (high + space).min(most)]
    })
}

/// Marks at the edge need some room, too.
fn with_rim([low, high]: [f64; 2]) -> [f64; 2] {
    let rim = if high > low { 0.04 * (high - low) } else { 1.0 };
    [short(low - rim), short(high + rim)]
}

fn kind(subject: &Subject<'_>, item: usize, rank: Option<usize>) -> Kind {
    match rank {
        Some(_) => Kind::Chosen,
        None if subject.is_outlier(item) => Kind::Outlier,
        None => Kind::Other,
    }
}

fn axes(view: &Projection) -> [String; 2] {
    let name = |name: &str, share: f64| format!("{name} component ({} of the variance)", percent(share));
    [name("first", view.explained[0]), name("second", view.explained[1])]
}

fn text(subject: &Subject<'_>, points: &[Point]) -> String {
    let count = |kind: Kind| points.iter().filter(|point| point.kind == kind).count();
    let item = subject.item();
    let mut text = format!("The {item}s in two dimensions: the principal components of the ordinary ones, ");
    // The method may have seen them on another scale, one that outliers have stretched.
    text += "all values on one robust scale. ";
    text += &format!("{} chosen, ", thousands(count(Kind::Chosen)));
    if subject.threshold().is_some() {
        text += &format!("{} outliers, ", thousands(count(Kind::Outlier)));
    }
    text += &format!("{} others.", thousands(count(Kind::Other)));
    if points.len() < subject.items() {
        text += &format!(" {} of {} {item}s are drawn.", thousands(points.len()), thousands(subject.items()));
    }
    let edge = points.iter().filter(|point| point.edge).count();
    if edge > 0 {
        text += &format!(" {} lie further out and are drawn at the edge.", thousands(edge));
    }
    text
}

/// The value with five digits: more cannot be seen, but would fill the page.
fn short(value: f64) -> f64 {
    format!("{value:.4e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_numbers() {
        assert_eq!([short(1.234_567_8), short(-1e-300), short(0.0)], [1.2346, -1e-300, 0.0]);
        assert!(short(f64::NAN).is_nan());
    }
}
