//! The items in two dimensions: which are drawn, and where.

use std::collections::HashSet;

use serde::Serialize;

use crate::charts::projection::{Projection, project, quantile};
use crate::colours::{Colour, colours};
use crate::packed;
use crate::sample::sample;
use crate::shown_rows::ShownRows;
use crate::subject::Subject;
use crate::summary::{self, percent, thousands};

/// Most points, and most of the numbers that they are drawn by: a wide table gets fewer points.
const POINTS: usize = 100_000;
const VALUES: usize = 3_000_000;
/// Most picks among them, and so many of the strangest: they are drawn before all others.
const PICKS: usize = 1500;
const STRANGEST: usize = 20;
/// Most values of an item that the picture is made from.
const FEATURES: usize = 1024;
/// Most items that the axes are found by.
const AXES: usize = 20_000;
/// Steps from one side of the frame to the other.
const STEPS: f64 = 65_535.0;
/// The share of the points at each end that may lie outside the frame, and what is added to the rest: where the
/// method knows its outliers, and where some of the points are unknown ones.
const KNOWN: (f64, f64) = (0.01, 0.25);
const UNKNOWN: (f64, f64) = (0.05, 0.4);

/// The items in two dimensions. One entry a point in each list, packed; what matters is drawn last, on top.
#[derive(Debug, Serialize)]
pub struct Map {
    text: String,
    /// What each axis says.
    axes: [String; 2],
    /// The frame: from and to, for x and y.
    frame: [[f64; 2]; 2],
    count: usize,
    /// From 0 at one side of the frame to 65535 at the other.
    x: String,
    y: String,
    /// The numbers of the rows in the file.
    numbers: String,
    /// 0 for others, 1 for outliers, 2 for picks; 4 more for what lies further out and is drawn at the edge.
    kinds: String,
    /// The rank of the pick that a row belongs to, 0 where there is none.
    picks: String,
    outliers: String,
    /// What it can be coloured by.
    colours: Vec<Colour>,
    /// What it cannot.
    colours_note: String,
}

/// A point before it is packed.
struct Point {
    item: usize,
    place: [f64; 2],
    kind: Kind,
    edge: bool,
    /// Where its values are.
    at: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Other,
    Outlier,
    Chosen,
}

impl Map {
    /// The picture of `subject`; the rows that are drawn are added to `shown` as far as there is room.
    pub fn new(subject: &Subject<'_>, shown: &mut ShownRows) -> Self {
        let features = sample(subject.features(), FEATURES);
        let items = drawn(subject, features.len());
        let mut values = Vec::with_capacity(items.len() * features.len());
        subject.visit(&items, &features, |_, row| values.extend_from_slice(row));
        let view = seen(subject, &items, &values, features.len());
        let inner = frame(subject, &items, &view);
        let picks: HashSet<usize> = subject.selection.indices.iter().copied().collect();
        let mut points: Vec<Point> = Vec::with_capacity(items.len());
        for (at, (&item, place)) in items.iter().zip(&view.points).enumerate() {
            let inside = [0, 1].map(|axis| place[axis].clamp(inner[axis][0], inner[axis][1]));
            let kind = kind(subject, item, picks.contains(&item));
            points.push(Point { item, place: inside, kind, edge: inside != *place, at });
        }
        shown.add(subject, &items);
        points.sort_by_key(|point| (point.kind, point.item));
        let order: Vec<usize> = points.iter().map(|point| point.item).collect();
        let width = features.len();
        let sorted: Vec<f64> =
            points.iter().flat_map(|point| values[point.at * width..(point.at + 1) * width].to_vec()).collect();
        drop(values);
        // The columns in the order of the file.
        let mut columns: Vec<usize> = (0..width).collect();
        columns.sort_by_key(|&at| features[at]);
        let features: Vec<usize> = columns.iter().map(|&at| features[at]).collect();
        let sorted: Vec<f64> =
            sorted.chunks_exact(width.max(1)).flat_map(|row| columns.iter().map(|&at| row[at])).collect();
        let (colours, colours_note) = colours(subject, &order, (&features, &sorted), shown);
        Map::packed(subject, &points, inner.map(with_rim), (colours, colours_note, axes(&view)))
    }

    fn packed(
        subject: &Subject<'_>,
        points: &[Point],
        frame: [[f64; 2]; 2],
        (colours, colours_note, axes): (Vec<Colour>, String, [String; 2]),
    ) -> Self {
        let step = |axis: usize| {
            let [low, high] = frame[axis];
            packed::words(points.iter().map(|point| ((point.place[axis] - low) / (high - low) * STEPS).round() as u16))
        };
        let labels = subject.selection.assignment.as_ref().map(|assignment| assignment.labels.as_slice());
        let pick = |point: &Point| match labels {
            Some(labels) if !subject.was_set_aside(point.item) => u16::try_from(labels[point.item] + 1).unwrap_or(0),
            Some(_) | None => 0,
        };
        let kinds: Vec<u8> = points.iter().map(|point| point.kind as u8 + 4 * u8::from(point.edge)).collect();
        Map {
            text: text(subject, points),
            axes,
            frame,
            count: points.len(),
            x: step(0),
            y: step(1),
            numbers: packed::longs(points.iter().map(|point| subject.number(point.item))),
            kinds: packed::bytes(&kinds),
            picks: packed::words(points.iter().map(pick)),
            outliers: packed::fractions(points.iter().map(|point| subject.selection.residuals[point.item])),
            colours,
            colours_note,
        }
    }
}

/// Picks, the strangest, and others at random.
fn drawn(subject: &Subject<'_>, width: usize) -> Vec<usize> {
    let most = POINTS.min((VALUES / width.max(1)).max(200));
    let mut seen = HashSet::new();
    let picks = subject.selection.indices.iter().copied().take(PICKS.min(most));
    let first = picks.chain(summary::strangest(subject, STRANGEST));
    first.chain(sample(subject.items(), most)).filter(|item| seen.insert(*item)).take(most).collect()
}

fn seen(subject: &Subject<'_>, items: &[usize], values: &[f64], width: usize) -> Projection {
    // The items are in random order, so the first ones are a sample.
    let inside = |(at, &item): (usize, &usize)| at < AXES && !subject.is_outlier(item);
    let inside: Vec<bool> = items.iter().enumerate().map(inside).collect();
    project(values.to_vec(), width, &inside)
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

fn kind(subject: &Subject<'_>, item: usize, chosen: bool) -> Kind {
    match chosen {
        true => Kind::Chosen,
        false if subject.is_outlier(item) => Kind::Outlier,
        false => Kind::Other,
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
