//! Constraints on the choice: rows that must be in, rows that must not, groups with quotas.

use std::collections::HashSet;

use super::Exemplars;
use super::steps::{GroupCount, GroupSizes};
use crate::Error;
use crate::exec::{RowBackend, Step, damaged};

/// The group of each item, and how many picks a group may have.
///
/// ```
/// use arss::{Exemplars, Groups, Quotas, Samples, Selector};
///
/// let samples = Samples::new(&[0.0, 0.1, 0.2, 0.3, 7.0, 7.1], 6, 1)?;
/// let groups = Groups { of: vec![0, 0, 0, 1, 1, 1], quotas: Quotas::AtMost(vec![2, 1]) };
/// let picks = Exemplars { groups: Some(groups), ..Exemplars::default() }.select(&samples, 3)?.indices;
/// assert_eq!(picks.iter().filter(|&&i| i >= 3).count(), 1);
/// # Ok::<(), arss::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Groups {
    /// The group of each item, counted from 0.
    pub of: Vec<usize>,
    /// How many picks a group may have.
    pub quotas: Quotas,
}

/// How many picks a group may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Quotas {
    /// As large a share of the picks as of the items that are not excluded (largest remainders).
    Proportional,
    /// At most so many, one number per group.
    AtMost(Vec<usize>),
}

/// The constraints, checked, and what is left of them while picks are taken.
pub(crate) struct Constraints {
    /// Rows that must be in, each once, in the order given, with their groups.
    pub include: Vec<(usize, usize)>,
    /// Rows that must not be chosen, ascending.
    pub exclude: Vec<usize>,
    taken: HashSet<usize>,
    /// Places left in each group.
    quotas: Option<Vec<usize>>,
}

impl Constraints {
    /// Any row may be chosen.
    pub fn none() -> Self {
        Constraints { include: Vec::new(), exclude: Vec::new(), taken: HashSet::new(), quotas: None }
    }

    /// What `settings` demand of a choice of `k`. Where there is a rule that stops, fewer than k will do.
    pub fn new(settings: &Exemplars, rows: &mut dyn RowBackend, k: usize) -> Result<Self, Error> {
        let items = rows.items();
        let mut constraints = Constraints::none();
        constraints.exclude = sorted(&settings.exclude);
        let exclude = &constraints.exclude;
        let listed = [("exclude", &settings.exclude), ("include", &settings.include)];
        for (list, named) in listed {
            if let Some(&item) = named.iter().find(|&&item| item >= items) {
                return Err(Error::NoSuchItem { list, item, items });
            }
        }
        if let Some(&item) = settings.include.iter().find(|item| exclude.binary_search(item).is_ok()) {
            return Err(Error::Contradiction { item });
        }
        let mut seen = HashSet::new();
        let include: Vec<usize> = settings.include.iter().copied().filter(|&item| seen.insert(item)).collect();
        if include.len() > k {
            return Err(Error::TooManyIncluded { included: include.len(), k });
        }
        let mut allowed = items - exclude.len();
        constraints.include = include.iter().map(|&item| (item, 0)).collect();
        if let Some(groups) = &settings.groups {
            allowed = constraints.add_quotas(&groups.quotas, rows, (k, allowed))?;
        }
        if allowed < k && !(settings.stop.is_some() && allowed > 0) {
            return Err(Error::TooFewAllowed { k, allowed });
        }
        Ok(constraints)
    }

    /// Sets the quotas; how many rows may be chosen under them.
    fn add_quotas(
        &mut self,
        quotas: &Quotas,
        rows: &mut dyn RowBackend,
        (k, allowed): (usize, usize),
    ) -> Result<usize, Error> {
        let groups = match quotas {
            Quotas::AtMost(quotas) => quotas.len(),
            Quotas::Proportional => {
                let largest = rows.pass(&Step::ExemplarsGroupCount(GroupCount))?.maxima[0];
                (largest as usize).saturating_add(1).min(rows.items())
            }
        };
        let include: Vec<usize> = self.include.iter().map(|pick| pick.0).collect();
        let step = GroupSizes { groups, include: sorted(&include), exclude: self.exclude.clone() };
        let found = rows.pass(&Step::ExemplarsGroupSizes(step))?;
        if let Some(bad) = found.rows.list.iter().find(|row| row.key as usize >= groups) {
            return Err(Error::BadGroup { item: bad.index, group: bad.key as usize, groups });
        }
        let sizes: Vec<usize> = found.sums.iter().map(|&size| size as usize).collect();
        let quotas = match quotas {
            Quotas::Proportional => proportional(&sizes, k.min(allowed)),
            Quotas::AtMost(quotas) => quotas.clone(),
        };
        for (item, group) in &mut self.include {
            let row = found.rows.list.binary_search_by_key(item, |row| row.index);
            *group = found.rows.list[row.map_err(|_| damaged())?].key as usize;
        }
        let mut included = vec![0; groups];
        self.include.iter().for_each(|&(_, group)| included[group] += 1);
        if let Some(group) = (0..groups).find(|&group| included[group] > quotas[group]) {
            return Err(Error::OverQuota { group, included: included[group], quota: quotas[group] });
        }
        let allowed = sizes.iter().zip(&quotas).map(|(&size, &quota)| size.min(quota)).sum();
        self.quotas = Some(quotas);
        Ok(allowed)
    }

    /// True if the row may be taken.
    pub fn open(&self, item: usize, group: usize) -> bool {
        self.group_open(group) && !self.taken.contains(&item) && self.exclude.binary_search(&item).is_err()
    }

    /// True if the group has a place left.
    pub fn group_open(&self, group: usize) -> bool {
        self.quotas.as_ref().is_none_or(|left| left[group] > 0)
    }

    /// Takes a row.
    pub fn take(&mut self, item: usize, group: usize) {
        self.taken.insert(item);
        if let Some(left) = &mut self.quotas {
            left[group] = left[group].saturating_sub(1);
        }
    }

    /// True if groups have quotas.
    pub fn has_quotas(&self) -> bool {
        self.quotas.is_some()
    }

    /// Gives one row back and takes another, each with its group.
    pub fn exchange(&mut self, given: (usize, usize), taken: (usize, usize)) {
        self.taken.remove(&given.0);
        if let Some(left) = &mut self.quotas {
            left[given.1] += 1;
        }
        self.take(taken.0, taken.1);
    }

    /// The groups of some rows.
    pub fn groups_of(&self, rows: &mut dyn RowBackend, items: Vec<usize>) -> Result<Vec<usize>, Error> {
        let Some(quotas) = &self.quotas else { return Ok(vec![0; items.len()]) };
        let step = GroupSizes { groups: quotas.len(), include: sorted(&items), exclude: Vec::new() };
        let found = rows.pass(&Step::ExemplarsGroupSizes(step))?.rows.list;
        let group = |item: &usize| found.binary_search_by_key(item, |row| row.index).map(|at| found[at].key as usize);
        items.iter().map(|item| group(item).map_err(|_| damaged())).collect()
    }

    /// The groups that have no place left, ascending.
    pub fn closed_groups(&self) -> Vec<usize> {
        let quotas = self.quotas.as_deref().unwrap_or_default();
        (0..quotas.len()).filter(|&group| quotas[group] == 0).collect()
    }
}

fn sorted(items: &[usize]) -> Vec<usize> {
    let mut items = items.to_vec();
    items.sort_unstable();
    items.dedup();
    items
}

/// `k` places in proportion to the sizes, by largest remainders; equal remainders to the first groups.
fn proportional(sizes: &[usize], k: usize) -> Vec<usize> {
    let total: usize = sizes.iter().sum();
    if total == 0 {
        return vec![0; sizes.len()];
    }
    let product = |size: usize| k as u128 * size as u128;
    let mut quotas: Vec<usize> = sizes.iter().map(|&size| (product(size) / total as u128) as usize).collect();
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|&group| std::cmp::Reverse(product(sizes[group]) % total as u128));
    let left = k - quotas.iter().sum::<usize>();
    order[..left].iter().for_each(|&group| quotas[group] += 1);
    quotas
}

#[cfg(test)]
mod tests {
    use super::proportional;

    #[test]
    fn proportional_quotas_add_up() {
        assert_eq!(proportional(&[50, 30, 20], 10), [5, 3, 2]);
        assert_eq!(proportional(&[1, 1, 1], 2), [1, 1, 0]);
        assert_eq!(proportional(&[97, 2, 1], 3), [3, 0, 0]);
        assert_eq!(proportional(&[4, 0, 3], 7), [4, 0, 3]);
    }
}
