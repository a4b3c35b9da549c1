//! What the caller demands of the choice: rows that must be in, rows that must not, groups with quotas.

use super::Exemplars;
use crate::Error;

/// The group of each item, and how many picks a group may have.
///
/// ```
/// use arss::{Exemplars, Groups, Quotas, Samples};
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
    /// At most so many, one number a group.
    AtMost(Vec<usize>),
}

/// The demands, checked, and what is left of them while picks are taken.
pub(crate) struct Demands<'a> {
    /// Items that must be in, each once, in the order given.
    pub include: Vec<usize>,
    /// Excluded or taken already.
    closed: Vec<bool>,
    /// The group of each item, and the places left in each group.
    groups: Option<(&'a [usize], Vec<usize>)>,
}

impl<'a> Demands<'a> {
    /// No demands.
    pub fn none(items: usize) -> Self {
        Demands { include: Vec::new(), closed: vec![false; items], groups: None }
    }

    /// What `settings` demand of a choice of `k`; with `fewer`, less than k will do.
    pub fn new(settings: &'a Exemplars, items: usize, k: usize, fewer: bool) -> Result<Self, Error> {
        let mut demands = Demands::none(items);
        for &item in &settings.exclude {
            *demands.closed.get_mut(item).ok_or(Error::NoSuchItem { list: "exclude", item, items })? = true;
        }
        let mut included = vec![false; items];
        for &item in &settings.include {
            if item >= items {
                return Err(Error::NoSuchItem { list: "include", item, items });
            }
            if demands.closed[item] {
                return Err(Error::Contradiction { item });
            }
            if !std::mem::replace(&mut included[item], true) {
                demands.include.push(item);
            }
        }
        if demands.include.len() > k {
            return Err(Error::TooManyIncluded { included: demands.include.len(), k });
        }
        let mut allowed = demands.closed.iter().filter(|&&closed| !closed).count();
        if let Some(groups) = &settings.groups {
            let sizes = sizes(groups, &demands.closed)?;
            let quotas = match &groups.quotas {
                Quotas::Proportional => proportional(&sizes, k.min(allowed)),
                Quotas::AtMost(quotas) => quotas.clone(),
            };
            check_included(&demands.include, groups, &quotas)?;
            allowed = sizes.iter().zip(&quotas).map(|(&size, &quota)| size.min(quota)).sum();
            demands.groups = Some((&groups.of, quotas));
        }
        if allowed < k && !(fewer && allowed > 0) {
            return Err(Error::TooFewAllowed { k, allowed });
        }
        Ok(demands)
    }

    /// True if the item may be taken.
    pub fn open(&self, item: usize) -> bool {
        !self.closed[item] && self.groups.as_ref().is_none_or(|(of, left)| left[of[item]] > 0)
    }

    /// Takes an item.
    pub fn take(&mut self, item: usize) {
        self.closed[item] = true;
        if let Some((of, left)) = &mut self.groups {
            left[of[item]] = left[of[item]].saturating_sub(1);
        }
    }
}

/// The items of each group that are not excluded.
fn sizes(groups: &Groups, excluded: &[bool]) -> Result<Vec<usize>, Error> {
    let items = excluded.len();
    if groups.of.len() != items {
        return Err(Error::GroupCount { found: groups.of.len(), expected: items });
    }
    let count = match &groups.quotas {
        Quotas::Proportional => items,
        Quotas::AtMost(quotas) => quotas.len(),
    };
    let mut sizes = vec![0; count];
    for (item, (&group, &excluded)) in groups.of.iter().zip(excluded).enumerate() {
        let size = sizes.get_mut(group).ok_or(Error::BadGroup { item, group, groups: count })?;
        *size += usize::from(!excluded);
    }
    Ok(sizes)
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

/// `Ok` if the quotas have room for the items that must be in.
fn check_included(include: &[usize], groups: &Groups, quotas: &[usize]) -> Result<(), Error> {
    let mut counts = vec![0; quotas.len()];
    include.iter().for_each(|&item| counts[groups.of[item]] += 1);
    match (0..quotas.len()).find(|&group| counts[group] > quotas[group]) {
        Some(group) => Err(Error::OverQuota { group, included: counts[group], quota: quotas[group] }),
        None => Ok(()),
    }
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
