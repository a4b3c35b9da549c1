//! A page to look at: the chosen pictures or texts, what each stands for, the strangest ones, and a map of thumbnails.
//!
//! One file without scripts: what opens on a click is an HTML `details` element. Pictures are in it as thumbnails.

mod picture_map;
mod projection;
mod thumbnails;

use std::fmt::Write;
use std::path::Path;

use arss::Selection;
use arss_table::number_text::number;
use arss_table::numeric_view::NumericView;
use arss_table::{Table, counted};
use picture_map::PictureMap;
use rayon::prelude::*;
use thumbnails::{Thumbnails, Wanted};

use crate::media::Media;

const STYLE: &str = include_str!("style.css");
/// Neighbours of a pick, strangest items, and files of a list that are shown.
const NEIGHBOURS: usize = 8;
const STRANGEST: usize = 12;
const LISTED: usize = 100;
/// Thumbnails of the map at most; of more pictures, every second, third, ... is there.
const ON_MAP: usize = 5000;
/// Pixels on the longer side of a large and a small thumbnail.
const LARGE: usize = 144;
const SMALL: usize = 72;

/// What a page is about.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The table of files; its numbers are those the choice was made by.
    pub table: &'a Table,
    /// The files.
    pub media: &'a Media,
    /// What was chosen.
    pub selection: &'a Selection,
    /// The command line.
    pub command: &'a str,
}

/// The page as HTML; its size is bounded by the number of thumbnails.
pub fn page(subject: &Subject<'_>) -> String {
    let gallery = Gallery::new(subject);
    let noun = subject.media.kind.noun();
    let all = counted(subject.media.names.len(), noun);
    let title = format!("{} of {all} that stand for all", subject.selection.indices.len());
    let mut html = String::from("<!doctype html><html lang=en><head><meta charset=utf-8>");
    html += "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\">";
    html += "<meta name=viewport content='width=device-width'>";
    let class = if subject.media.is_of_pictures() { "of-pictures" } else { "of-texts" };
    let _ = write!(html, "<title>{}</title><style>{STYLE}</style></head>", escaped(&title));
    let _ = write!(html, "<body class={class}><main><h1>{}</h1>", escaped(&title));
    let _ = write!(html, "<p><code>{}</code></p>", escaped(subject.command));
    let _ = write!(html, "<p>{}</p>", told(subject));
    let terms = if subject.media.terms.is_empty() { "" } else { " In italics: the words that set it apart." };
    let _ = write!(html, "<h2>The picks</h2><p>Open one to see what is near it.{terms}</p><div class=picks>");
    let ranks = subject.media.shown_order(&subject.selection.indices);
    ranks.into_iter().for_each(|rank| gallery.pick(&mut html, rank));
    html += "</div>";
    gallery.strangest(&mut html);
    if gallery.thumbnails.is_some() {
        gallery.map(&mut html);
    }
    lists(&mut html, subject.media);
    html += "</main></body></html>\n";
    html
}

/// What was compared, and what became of the rest.
fn told(subject: &Subject<'_>) -> String {
    let media = subject.media;
    let aside = subject.selection.report.set_aside().map_or(0, |aside| aside.rows);
    let mut parts = Vec::new();
    if !media.compared_by.is_empty() {
        parts.push(format!("Compared by {}.", escaped(&media.compared_by)));
    }
    let counts = [
        (media.duplicates.len(), "Copies of others, which count but are not chosen"),
        (media.blank.len(), "Left aside, see below"),
        (aside, "Set aside as too strange, which neither count nor are chosen"),
        (media.unreadable.len(), "Could not be read"),
    ];
    parts.extend(counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{what}: {count}.")));
    parts.join(" ")
}

/// How many items each pick stands for, where that is known; outliers are not counted.
pub fn stands_for(selection: &Selection) -> Option<Vec<usize>> {
    let assignment = selection.assignment.as_ref()?;
    let gated = selection.report.set_aside().is_some();
    let mut counts = vec![0; selection.indices.len()];
    let counts_here = |item: usize| !gated || selection.residuals[item] <= 1.0;
    let counted = assignment.labels.iter().enumerate().filter(|(item, _)| counts_here(*item));
    counted.for_each(|(_, &label)| counts[label] += 1);
    Some(counts)
}

/// What the parts of the page need.
struct Gallery<'a> {
    subject: &'a Subject<'a>,
    values: Option<NumericView<'a>>,
    thumbnails: Option<Thumbnails>,
    /// How many each pick stands for, if that is known, and the rows nearest to it.
    counts: Option<Vec<usize>>,
    neighbours: Vec<Vec<usize>>,
}

impl<'a> Gallery<'a> {
    fn new(subject: &'a Subject<'a>) -> Self {
        let values = NumericView::new(&subject.table.matrix).ok();
        let counts = stands_for(subject.selection);
        let picks = &subject.selection.indices;
        let near = |&pick: &usize| values.as_ref().map_or_else(Vec::new, |values| nearest(values, pick));
        let neighbours = picks.par_iter().map(near).collect();
        let mut gallery = Gallery { subject, values, thumbnails: None, counts, neighbours };
        if subject.media.is_of_pictures() {
            let mut wanted: Vec<(usize, usize)> = picks.iter().map(|&row| (row, LARGE)).collect();
            wanted.extend(gallery.neighbours.iter().flatten().map(|&row| (row, SMALL)));
            wanted.extend(gallery.strange().into_iter().map(|row| (row, SMALL)));
            let wanted: Vec<Wanted<'_>> =
                wanted.into_iter().map(|(row, side)| (row, side, gallery.path(row))).collect();
            gallery.thumbnails = Some(Thumbnails::new(wanted));
        }
        gallery
    }

    /// The file of a row.
    fn path(&self, row: usize) -> &'a Path {
        &self.subject.media.paths[self.subject.table.number(row)]
    }

    fn selection(&self) -> &'a Selection {
        self.subject.selection
    }

    /// The strangest rows, if the method knows.
    fn strange(&self) -> Vec<usize> {
        let scores = &self.selection().residuals;
        let mut rows: Vec<usize> = (0..scores.len()).filter(|&row| scores[row].is_finite()).collect();
        rows.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
        rows.truncate(STRANGEST);
        rows
    }

    /// The rows on the map: all, or every so many, and the picks last, so that they are on top.
    fn on_map(&self) -> Vec<usize> {
        let rows = self.subject.table.matrix.shape().0;
        let chosen = &self.selection().indices;
        let others = (0..rows).step_by(rows.div_ceil(ON_MAP).max(1)).filter(|row| !chosen.contains(row));
        others.chain(chosen.iter().copied()).collect()
    }

    fn name(&self, row: usize) -> String {
        let number = self.subject.table.number(row);
        let name = escaped(&self.subject.media.names[number]);
        let terms = self.subject.media.terms.get(number).map(|terms| format!("<br><i>{}</i>", escaped(terms)));
        let beginning = self.subject.media.beginnings.get(number).map(|text| format!("<br>{}", escaped(text)));
        name + &terms.unwrap_or_default() + &beginning.unwrap_or_default()
    }

    fn image(&self, row: usize, side: usize) -> String {
        self.thumbnails.as_ref().map_or_else(String::new, |all| all.image(row, side, &self.name(row)))
    }

    fn figure(&self, row: usize, caption: &str) -> String {
        format!("<figure>{}<figcaption>{caption}{}</figcaption></figure>", self.image(row, SMALL), self.name(row))
    }

    fn pick(&self, html: &mut String, rank: usize) {
        let row = self.selection().indices[rank];
        let stands = self.counts.as_ref().map_or_else(String::new, |counts| format!(" stands for {}", counts[rank]));
        let image = self.image(row, LARGE);
        let _ = write!(
            html,
            "<details class=pick id=pick-{0}><summary>{image}<b>{0}</b>{stands}<div class=name>{1}</div></summary><div class=few>",
            rank + 1,
            self.name(row)
        );
        self.neighbours[rank].iter().for_each(|&near| html.push_str(&self.figure(near, "")));
        html.push_str("</div></details>");
    }

    fn strangest(&self, html: &mut String) {
        let rows = self.strange();
        if rows.is_empty() || self.selection().assignment.is_none() {
            return;
        }
        let beyond = match (self.selection().residuals[rows[0]] > 1.0, self.selection().report.set_aside().is_some()) {
            (true, true) => "Those with an outlier score above 1 were set aside: neither chosen nor counted.",
            (true, false) => "An outlier score above 1 is strange; they could be chosen all the same.",
            _ => "The number is the outlier score. None is above 1, so none was set aside.",
        };
        let _ = write!(html, "<h2>The strangest</h2><p>{beyond}</p><div class=few>");
        for row in rows {
            let score = number(self.selection().residuals[row]);
            html.push_str(&self.figure(row, &format!("{score}<br>")));
        }
        html.push_str("</div>");
    }

    /// All pictures in one, with the name of each under the pointer and the picks as links to their cards.
    fn map(&self, html: &mut String) {
        let Some(values) = &self.values else { return };
        let rows = self.on_map();
        let paths: Vec<&Path> = rows.iter().map(|&row| self.path(row)).collect();
        let others = rows.len() - self.selection().indices.len();
        let Some(map) = PictureMap::new(&paths, &projection::plane(values, &rows), others) else { return };
        let (shown, all) = (map.places.iter().flatten().count(), self.subject.table.matrix.shape().0);
        let some = if shown < all { format!(" {shown} of {all} are there.") } else { String::new() };
        let _ = write!(
            html,
            "<h2>The map</h2><p>Pictures that are alike are near each other; the picks have a frame.{some}</p>\
             <div class=map tabindex=0 role=group aria-label='A map of thumbnails'>\
             <img decoding=async alt='All pictures, those that are alike near each other' usemap=#all \
             width={} height={} src='{}'><map name=all>",
            map.size.0, map.size.1, map.source
        );
        // Of those that lie on each other the first one counts: the one on top.
        for (at, place) in map.places.iter().enumerate().rev() {
            let Some([left, top, right, bottom]) = place else { continue };
            let name = self.name(rows[at]);
            let link = at
                .checked_sub(others)
                .map_or_else(String::new, |rank| format!(" href=#pick-{} alt=\"{name}\"", rank + 1));
            let _ = write!(html, "<area shape=rect coords={left},{top},{right},{bottom} title=\"{name}\"{link}>");
        }
        html.push_str("</map></div>");
    }
}

/// The rows nearest to row `own`, without itself.
fn nearest(values: &NumericView<'_>, own: usize) -> Vec<usize> {
    let centre = values.gather(&[own]);
    let mut row_values = vec![0.0; values.columns];
    let mut near: Vec<(f64, usize)> = Vec::with_capacity(values.rows);
    for row in (0..values.rows).filter(|&row| row != own) {
        values.copy(row, &mut row_values);
        near.push((centre.iter().zip(&row_values).map(|(a, b)| (a - b) * (a - b)).sum(), row));
    }
    let count = NEIGHBOURS.min(near.len());
    let order = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    if count < near.len() {
        near.select_nth_unstable_by(count, order);
    }
    near.truncate(count);
    near.sort_unstable_by(order);
    near.into_iter().map(|(_, row)| row).collect()
}

/// What could not be read, and what repeats other files.
fn lists(html: &mut String, media: &Media) {
    let mut list = |title: &str, lines: Vec<String>| {
        if lines.is_empty() {
            return;
        }
        let _ = write!(html, "<h2>{title}: {}</h2><ul>", lines.len());
        for line in lines.iter().take(LISTED) {
            let _ = write!(html, "<li>{}</li>", escaped(line));
        }
        html.push_str(if lines.len() > LISTED { "<li>...</li></ul>" } else { "</ul>" });
    };
    let copy = |copy: &crate::Duplicate| {
        let how = if copy.exact { "is the same as" } else { "is nearly" };
        format!("{} {how} {}", media.names[copy.file], media.names[copy.of])
    };
    list("Copies, which count but are not chosen", media.duplicates.iter().map(copy).collect());
    let blank = if media.is_of_pictures() {
        "Left aside, since they show nothing or are washed out"
    } else {
        "Left aside, since they have no word in common with another one"
    };
    list(blank, media.blank.iter().map(|&file| media.names[file].clone()).collect());
    let unreadable = media.unreadable.iter().map(|one| format!("{}: {}", one.path.display(), one.why));
    list("Could not be read", unreadable.collect());
}

/// Text as HTML shows it, in quotes as well.
fn escaped(text: &str) -> String {
    let mut found = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => found.push_str("&amp;"),
            '<' => found.push_str("&lt;"),
            '>' => found.push_str("&gt;"),
            '"' => found.push_str("&quot;"),
            '\'' => found.push_str("&#39;"),
            // What cannot be seen, and what turns text around.
            letter if letter.is_control() => found.push('\u{2426}'),
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' => found.push('\u{2426}'),
            _ => found.push(letter),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_text() {
        assert_eq!(escaped("<b onclick='x'>\"&"), "&lt;b onclick=&#39;x&#39;&gt;&quot;&amp;");
        assert_eq!(escaped("gpj.\u{202e}a\n\u{1b}[1m"), "gpj.\u{2426}a\u{2426}\u{2426}[1m");
    }
}
