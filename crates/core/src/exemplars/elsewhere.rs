//! The choice of exemplars among rows that are elsewhere: only those that are looked at come here.

use faer::Mat;

use super::blocks::{Base, Digits, Gate, LABEL, Nearest, Ranked, STRANGE, Strange, WIDTH};
use super::choice::{Chosen, Facility, Plan, pick};
use super::demands::Demands;
use super::lists::Lists;
use super::score::explained;
use super::{Exemplars, gate};
use crate::baselines::distance::{Table, median_row, origin_items};
use crate::baselines::{Clock, report};
use crate::kernel::Landmarks;
use crate::pass::{Engine, Kind, Record, Request, Top};
use crate::{Assignment, Error, Note, Progress, Run, Samples, Selection, Status};

/// Bits of the first look at the strangeness, and of each one after it.
const DIGITS: (u32, u32) = (16, 4);

impl Exemplars {
    /// Chooses among rows in a safe range, wherever they are.
    pub(crate) fn run_engine(&self, rows: &mut dyn Engine, k: usize, run: &mut Run<'_>) -> Result<Selection, Error> {
        let (items, mut clock) = (rows.items(), Clock::start());
        let mut exclude = self.exclude.clone();
        exclude.sort_unstable();
        exclude.dedup();
        self.check_lists(&exclude, items, k)?;

        let origin: Vec<usize> = origin_items(items).collect();
        let origin = median_row(&fetch(rows, &origin)?.into_iter().map(|record| record.row).collect::<Vec<_>>());
        self.strangeness(rows, &origin, run)?;
        let limit = gate::threshold_of(&quantiles(rows)?, self.ridge);
        let counts = rows.pass(&Gate { limit, gate: self.gate, exclude: exclude.clone() }.request())?.records.list;
        clock.prepared();

        let within: usize = counts.iter().map(|count| count.key as usize).sum();
        let stopped = run.tell(&Progress::count("prepare", items, items));
        let mut found = self.choose(rows, (&counts, exclude, limit), k, &origin, (stopped, run))?;
        clock.solved();

        let picks = found.picks.clone();
        let row = found.rows(rows)?;
        let table = Mat::from_fn(picks.len(), origin.len(), |i, j| row[i][j]);
        let stood = rows.pass(&Nearest::<f64>::request(self.gate, &picks, &table, &origin))?.add;
        let mut selection = found.selection(items, &stood);
        selection.residuals = rows.column(STRANGE)?.unwrap_or_default();
        selection.all_scores = (run.all_scores && !selection.residuals.is_empty()).then(|| selection.spread(items));
        if let (Some(labels), Some(assignment)) = (rows.column(LABEL)?, &mut selection.assignment) {
            assignment.labels = labels.into_iter().map(|label| label as usize).collect();
        }
        if within < items {
            selection.report.notes.push(Note::Gated { rows: items - within, items });
        }
        selection.report.seconds = clock.seconds();
        Ok(selection)
    }

    /// `Ok` if nothing is asked for that needs the whole table.
    pub(crate) fn check_elsewhere(&self) -> Result<(), Error> {
        let what = match self {
            Exemplars { weights: Some(_), .. } => "a weight for each row",
            Exemplars { groups: Some(_), .. } => "a group for each row",
            _ => return Ok(()),
        };
        Err(Error::InMemoryOnly { what, instead: "leave it out, or use the estimator for tables in memory" })
    }

    /// The demands on rows, as [`Demands`] checks them.
    fn check_lists(&self, exclude: &[usize], items: usize, k: usize) -> Result<(), Error> {
        for (list, named) in [("exclude", exclude), ("include", &self.include[..])] {
            if let Some(&item) = named.iter().find(|&&item| item >= items) {
                return Err(Error::NoSuchItem { list, item, items });
            }
        }
        if let Some(&item) = self.include.iter().find(|item| exclude.binary_search(item).is_ok()) {
            return Err(Error::Contradiction { item });
        }
        let mut included = self.include.clone();
        included.sort_unstable();
        included.dedup();
        if included.len() > k {
            return Err(Error::TooManyIncluded { included: included.len(), k });
        }
        let allowed = items - exclude.len();
        if allowed < k && !(self.stop.is_some() && allowed > 0) {
            return Err(Error::TooFewAllowed { k, allowed });
        }
        Ok(())
    }

    fn strangeness(&self, rows: &mut dyn Engine, origin: &[f64], run: &Run<'_>) -> Result<(), Error> {
        let kernel = self.kernel();
        let (landmarks, some) = kernel.draw(rows.items());
        let looked_at = Gathered::new(rows, landmarks.iter().chain(&some).copied().collect())?;
        let table = looked_at.table(origin, run)?;
        let local = looked_at.positions(&landmarks);
        let mut found = Landmarks::of(&kernel, &table, local.clone(), &looked_at.positions(&some));
        found.items = landmarks;
        let values = Mat::from_fn(local.len(), origin.len(), |i, j| looked_at.row(local[i])[j]);
        rows.pass(&Strange::<f64>::request(&found, &values, origin, self.ridge)).map(|_| ())
    }

    /// The choice among the rows that it looks at.
    fn choose(
        &self,
        rows: &mut dyn Engine,
        (counts, exclude, limit): (&[Record], Vec<usize>, f64),
        k: usize,
        origin: &[f64],
        (stopped, run): (bool, &mut Run<'_>),
    ) -> Result<Found, Error> {
        let total = |count: fn(&Record) -> f64| counts.iter().map(|record| count(record) as usize).sum::<usize>();
        let (within, allowed) = (total(|record| record.key), total(|record| record.row[0]));
        // If nobody is within the gate, all are to be covered.
        let (gate, covered) = if within == 0 { (false, rows.items()) } else { (self.gate, within) };
        let bases = bases(counts, within == 0);
        let drawn = Lists::draw(self.seed, k, allowed, covered);
        let mut covers: Vec<usize> =
            [&drawn.reference, &drawn.wide, &drawn.narrow].into_iter().flatten().copied().collect();
        covers.sort_unstable();
        covers.dedup();
        let request = Ranked { gate, exclude: exclude.clone(), bases, within: covers.clone(), allowed: drawn.pool };
        let looked_at = rows.pass(&request.request())?.records.list;
        let flagged = |flag: usize| looked_at.iter().filter(move |record| record.row[flag] != 0.0).map(|r| r.index);
        let (covers_items, pool): (Vec<usize>, Vec<usize>) = (flagged(0).collect(), flagged(1).collect());
        let mut gathered = Gathered::from_records(looked_at.iter().map(|r| (r.index, r.row[2..].to_vec())));
        gathered.add(rows, &self.include)?;

        let local = |places: &[usize]| -> Vec<usize> {
            let at = |place: &usize| covers_items[covers.binary_search(place).expect("it was asked for")];
            gathered.positions(&places.iter().map(at).collect::<Vec<_>>())
        };
        let mut pool = gathered.positions(&pool);
        pool.extend(gathered.positions(&self.include));
        pool.sort_unstable();
        pool.dedup();
        let lists =
            Lists { pool, reference: local(&drawn.reference), wide: local(&drawn.wide), narrow: local(&drawn.narrow) };
        let settings = Exemplars { include: gathered.positions(&self.include), ..Exemplars::default() };
        let mut demands = Demands::new(&settings, gathered.items.len(), settings.include.len(), true)?;
        let plan = Plan { k, seed: self.seed, passed: &[], weights: None, stop: self.stop };
        let table = gathered.table(origin, run)?;
        let counts = |at: &usize| {
            let record = looked_at.binary_search_by_key(&gathered.items[*at], |record| record.index);
            let score = looked_at[record.expect("it was asked for")].key;
            if self.gate { explained(score * limit) } else { 1.0 }
        };
        let weights = lists.reference.iter().map(counts).collect();
        let mut chosen = if stopped {
            Chosen::stopped(&mut demands)
        } else {
            pick(Facility::new(&table, lists, weights)?, &plan, &mut demands, run)?
        };
        let items = chosen.picks.iter().map(|&at| gathered.items[at]).collect();
        let mut found =
            Found { picks: items, gains: std::mem::take(&mut chosen.gains), status: chosen.status, gathered };
        if found.picks.len() < plan.least() {
            found.fill(rows, plan.least(), &exclude)?;
        }
        Ok(found)
    }
}

/// Where each chunk begins, and what comes before it.
fn bases(counts: &[Record], all: bool) -> Vec<Base> {
    let mut next = Base { first: 0, within: 0, allowed: 0 };
    let mut bases = Vec::with_capacity(counts.len());
    for record in counts {
        bases.push(Base { first: record.index, within: if all { record.index } else { next.within }, ..next });
        next.within += record.key as usize;
        next.allowed += record.row[0] as usize;
    }
    bases
}

/// What was chosen, and the rows that are here.
struct Found {
    picks: Vec<usize>,
    gains: Vec<f64>,
    status: Status,
    gathered: Gathered,
}

impl Found {
    /// Nobody within the gate is left: the least strange others.
    fn fill(&mut self, rows: &mut dyn Engine, k: usize, exclude: &[usize]) -> Result<(), Error> {
        let count = k + exclude.len();
        let top = Top { least: true, count, after: None, key: STRANGE, other: LABEL, width: WIDTH };
        let order = rows.pass(&top.request())?.records.list;
        for record in order {
            let open = exclude.binary_search(&record.index).is_err() && !self.picks.contains(&record.index);
            if self.picks.len() < k && open {
                self.picks.push(record.index);
                self.gains.push(0.0);
            }
        }
        Ok(())
    }

    /// The rows of the picks.
    fn rows(&mut self, rows: &mut dyn Engine) -> Result<Vec<Vec<f64>>, Error> {
        self.gathered.add(rows, &self.picks)?;
        Ok(self.gathered.positions(&self.picks).into_iter().map(|at| self.gathered.row(at).to_vec()).collect())
    }

    fn selection(self, items: usize, stood: &[f64]) -> Selection {
        let report = report(self.status, self.picks.len(), self.gains.iter().sum(), items);
        let total: f64 = stood.iter().sum();
        let sum = |covered: &mut f64, gain: &f64| {
            *covered += gain;
            Some(*covered)
        };
        let assignment = Assignment {
            labels: Vec::new(),
            shares: stood.iter().map(|share| share / total.max(f64::MIN_POSITIVE)).collect(),
            coverage: self.gains.iter().scan(0.0, sum).collect(),
        };
        Selection {
            method: "exemplars",
            indices: self.picks,
            scores: self.gains,
            all_scores: None,
            assignment: Some(assignment),
            row_norms: None,
            residuals: Vec::new(),
            solution: None,
            report,
        }
    }
}

/// The rows at some positions; the list is in order.
fn fetch(rows: &mut dyn Engine, positions: &[usize]) -> Result<Vec<Record>, Error> {
    Ok(rows.pass(&Request::new(Kind::Fetch, 0).positions(positions.iter().copied()))?.records.list)
}

/// The values of the strangeness that stand for all.
fn quantiles(rows: &mut dyn Engine) -> Result<Vec<f64>, Error> {
    // For each prefix of bits the ranks, among the rows that begin so, that are looked for.
    let mut open: Vec<(u64, Vec<usize>)> = vec![(0, gate::quantiles(rows.items()))];
    let (mut behind, mut bits) = (64, DIGITS.0);
    while behind > 0 {
        behind -= bits;
        let prefixes = open.iter().map(|(prefix, _)| *prefix).collect();
        let counts = rows.pass(&Digits { bits, behind, prefixes }.request())?.add;
        let mut next: Vec<(u64, Vec<usize>)> = Vec::new();
        for ((prefix, ranks), counts) in open.into_iter().zip(counts.chunks_exact(1 << bits)) {
            let (mut before, mut ranks) = (0, ranks.into_iter().peekable());
            for (digit, &count) in counts.iter().enumerate() {
                let mut here = Vec::new();
                while let Some(rank) = ranks.next_if(|&rank| rank < before + count as usize) {
                    here.push(rank - before);
                }
                if !here.is_empty() {
                    next.push(((prefix << bits) | digit as u64, here));
                }
                before += count as usize;
            }
        }
        (open, bits) = (next, DIGITS.1);
    }
    Ok(open.into_iter().flat_map(|(bits, ranks)| vec![f64::from_bits(bits); ranks.len()]).collect())
}

/// Some rows of the table, in its order.
struct Gathered {
    items: Vec<usize>,
    rows: Vec<Vec<f64>>,
    values: Vec<f64>,
}

impl Gathered {
    fn new(rows: &mut dyn Engine, mut items: Vec<usize>) -> Result<Self, Error> {
        items.sort_unstable();
        items.dedup();
        Ok(Self::from_records(fetch(rows, &items)?.into_iter().map(|record| (record.index, record.row))))
    }

    fn from_records(records: impl Iterator<Item = (usize, Vec<f64>)>) -> Self {
        let (items, rows): (Vec<usize>, Vec<Vec<f64>>) = records.unzip();
        let values = rows.concat();
        Gathered { items, rows, values }
    }

    /// Fetches those of the listed items that are missing.
    fn add(&mut self, rows: &mut dyn Engine, items: &[usize]) -> Result<(), Error> {
        let missing = items.iter().copied().filter(|item| self.items.binary_search(item).is_err());
        let more = Gathered::new(rows, missing.collect())?;
        let known = std::mem::take(&mut self.items).into_iter().zip(std::mem::take(&mut self.rows));
        let mut all: Vec<(usize, Vec<f64>)> = known.chain(more.items.into_iter().zip(more.rows)).collect();
        all.sort_unstable_by_key(|(item, _)| *item);
        *self = Self::from_records(all.into_iter());
        Ok(())
    }

    fn row(&self, at: usize) -> &[f64] {
        &self.rows[at]
    }

    /// Where the listed items stand here.
    fn positions(&self, items: &[usize]) -> Vec<usize> {
        items.iter().map(|item| self.items.binary_search(item).expect("it was fetched")).collect()
    }

    fn table(&self, origin: &[f64], run: &Run<'_>) -> Result<Table<'_, f64>, Error> {
        let shape = (self.items.len(), origin.len());
        let samples = Samples::trusted(&self.values, shape, (origin.len(), 1), 1.0)?;
        Table::of_rows(&samples, origin.to_vec(), run)
    }
}
