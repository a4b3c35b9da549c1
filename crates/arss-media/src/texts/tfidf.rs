//! How often each word stands in each text, weighted: TF-IDF.

use std::collections::HashMap;

use rayon::prelude::*;

use super::words::each_word;

/// The commonest words that tell texts apart; more would not fit into the memory of the projection.
const MOST_TERMS: usize = 50_000;

/// Texts as sparse rows of unit length.
#[derive(Debug)]
pub struct Weights {
    /// The words, in the order of the columns.
    pub terms: Vec<String>,
    /// The first entry of each row, and the number of entries.
    pub starts: Vec<usize>,
    /// Which term, ascending in each row.
    pub columns: Vec<u32>,
    /// Its weight.
    pub values: Vec<f32>,
    /// Words of each text.
    pub lengths: Vec<usize>,
}

impl Weights {
    /// Counts and weighs the words of texts.
    ///
    /// A word that stands in one text only, or in all of them, tells nothing. The weight of a word is (1 + ln count) times
    /// 1 + ln(texts / texts that have it); rows have length one, so that the product of two is their cosine.
    pub fn of(texts: &[String]) -> Self {
        let counted: Vec<HashMap<String, u32>> = texts.par_iter().map(|text| counts(text)).collect();
        let mut in_texts: HashMap<&str, u32> = HashMap::new();
        counted.iter().flat_map(HashMap::keys).for_each(|word| *in_texts.entry(word).or_default() += 1);
        let all = texts.len() as u32;
        // Of few texts, a word of one is all there is.
        let least = if all < 8 { 1 } else { 2 };
        let mut chosen: Vec<(&str, u32)> =
            in_texts.into_iter().filter(|&(_, texts)| texts >= least && (texts < all || all == 1)).collect();
        chosen.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        chosen.truncate(MOST_TERMS);
        chosen.sort_unstable();
        let places: HashMap<&str, (u32, f64)> = (0..)
            .zip(&chosen)
            .map(|(at, (word, texts))| (*word, (at, 1.0 + (f64::from(all) / f64::from(*texts)).ln())))
            .collect();
        let rows: Vec<Vec<(u32, f32)>> = counted.par_iter().map(|counts| row(counts, &places)).collect();
        let mut weights = Weights {
            terms: chosen.iter().map(|(word, _)| (*word).to_owned()).collect(),
            starts: vec![0],
            columns: Vec::new(),
            values: Vec::new(),
            lengths: counted.iter().map(|counts| counts.values().map(|&count| count as usize).sum()).collect(),
        };
        for row in rows {
            weights.columns.extend(row.iter().map(|entry| entry.0));
            weights.values.extend(row.iter().map(|entry| entry.1));
            weights.starts.push(weights.columns.len());
        }
        weights
    }

    /// The number of texts.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// Terms and weights of a text.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, f32)> + '_ {
        let range = self.starts[row]..self.starts[row + 1];
        self.columns[range.clone()].iter().zip(&self.values[range]).map(|(&term, &value)| (term as usize, value))
    }

    /// The `count` terms that weigh most in a text.
    pub fn distinctive(&self, row: usize, count: usize) -> Vec<&str> {
        let mut entries: Vec<(usize, f32)> = self.row(row).collect();
        entries.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let words = entries.iter().map(|entry| self.terms[entry.0].as_str());
        words.filter(|word| tells(word)).take(count).collect()
    }

    /// The same with rows and columns exchanged.
    pub fn transposed(&self) -> (Vec<usize>, Vec<(u32, f32)>) {
        let mut starts = vec![0usize; self.terms.len() + 1];
        self.columns.iter().for_each(|&term| starts[term as usize + 1] += 1);
        (0..self.terms.len()).for_each(|term| starts[term + 1] += starts[term]);
        let mut next = starts.clone();
        let mut entries = vec![(0u32, 0.0f32); self.columns.len()];
        for row in 0..self.rows() {
            for (term, value) in self.row(row) {
                entries[next[term]] = (row as u32, value);
                next[term] += 1;
            }
        }
        (starts, entries)
    }
}

/// True of words that tell people something: no numbers, single letters and short forms.
fn tells(word: &str) -> bool {
    let letters = word.chars().filter(|letter| letter.is_alphabetic()).count();
    letters > 1 && !word.contains('\'')
}

fn counts(text: &str) -> HashMap<String, u32> {
    let mut counts: HashMap<String, u32> = HashMap::new();
    each_word(text, &mut |word| match counts.get_mut(word) {
        Some(count) => *count += 1,
        None => drop(counts.insert(word.to_owned(), 1)),
    });
    counts
}

/// The weights of a text, of length one.
fn row(counts: &HashMap<String, u32>, places: &HashMap<&str, (u32, f64)>) -> Vec<(u32, f32)> {
    let weight = |(word, count): (&String, &u32)| {
        let (place, rarity) = places.get(word.as_str())?;
        Some((*place, (1.0 + f64::from(*count).ln()) * rarity))
    };
    let mut entries: Vec<(u32, f64)> = counts.iter().filter_map(weight).collect();
    entries.sort_unstable_by_key(|entry| entry.0);
    let length = entries.iter().map(|entry| entry.1 * entry.1).sum::<f64>().sqrt();
    entries.into_iter().map(|(place, weight)| (place, (weight / length) as f32)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_those_of_the_formula() {
        let texts = ["cat cat dog the", "dog the", "bird the"].map(str::to_owned);
        let weights = Weights::of(&texts);
        assert_eq!(weights.terms, ["bird", "cat", "dog"]);
        assert_eq!(weights.lengths, [4, 2, 2]);
        let (cat, dog) = ((1.0 + 2f64.ln()) * (1.0 + 3f64.ln()), 1.0 + 1.5f64.ln());
        let length = cat.hypot(dog);
        let found: Vec<(usize, f32)> = weights.row(0).collect();
        assert_eq!(found, [(1, (cat / length) as f32), (2, (dog / length) as f32)]);
        assert_eq!(weights.distinctive(0, 5), ["cat", "dog"]);
        let (starts, entries) = weights.transposed();
        assert_eq!(entries[starts[2]..starts[3]].iter().map(|entry| entry.0).collect::<Vec<_>>(), [0, 1]);
    }
}
