//! Which test of the old files is which of the new ones, by what they say. Similar words make no two tests the same.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::hash::Hash;

use crate::asked::Ask;
use crate::pattern::fits;
use crate::test::Test;

/// So many tests that share an assert with a lost one are looked at.
const MOST_CANDIDATES: usize = 200;

/// Which tests there are still.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Matching {
    /// In the order of the old tests.
    pub kept: Vec<Kept>,
    /// Old tests that are gone, by their index.
    pub lost: Vec<usize>,
    /// New tests that are none of the old, by their index.
    pub added: Vec<usize>,
}

/// An old test that is there still.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// The old test, by its index.
    pub old: usize,
    /// What it is now, by index; several where it was split.
    pub new: Vec<usize>,
}

/// Finds out which test of the old is which of the new.
pub fn same_tests(old: &[&Test], new: &[&Test]) -> Matching {
    let mut matcher = Matcher::new(old, new);
    matcher.pair(|test| (&test.path, test.id()));
    // It moved, or has another name.
    matcher.pair(|test| (&test.name, &test.normal));
    matcher.pair(|test| &test.normal);
    if matcher.is_taken.contains(&false) || !matcher.left().is_empty() {
        matcher.index();
        matcher.find_contained();
        matcher.find_split();
    }
    matcher.matching()
}

struct Matcher<'t> {
    old: &'t [&'t Test],
    new: &'t [&'t Test],
    kept: Vec<Option<Vec<usize>>>,
    is_taken: Vec<bool>,
    /// The new tests that ask something, those that are no old one first.
    asking: HashMap<&'t str, Vec<usize>>,
}

impl<'t> Matcher<'t> {
    fn new(old: &'t [&'t Test], new: &'t [&'t Test]) -> Self {
        let kept = vec![None; old.len()];
        Self { old, new, kept, is_taken: vec![false; new.len()], asking: HashMap::new() }
    }

    fn left(&self) -> Vec<usize> {
        (0..self.old.len()).filter(|old| self.kept[*old].is_none()).collect()
    }

    /// Pairs those that have the same key, in their order.
    fn pair<K: Hash + Eq>(&mut self, key: impl Fn(&'t Test) -> K) {
        let left = self.left();
        if left.is_empty() {
            return;
        }
        let mut free: HashMap<K, VecDeque<usize>> = HashMap::new();
        for new in (0..self.new.len()).filter(|new| !self.is_taken[*new]) {
            free.entry(key(self.new[new])).or_default().push_back(new);
        }
        for old in left {
            if let Some(new) = free.get_mut(&key(self.old[old])).and_then(VecDeque::pop_front) {
                self.keep(old, vec![new]);
            }
        }
    }

    fn keep(&mut self, old: usize, new: Vec<usize>) {
        for new in &new {
            self.is_taken[*new] = true;
        }
        self.kept[old] = Some(new);
    }

    fn index(&mut self) {
        let asserts = |new: &usize| !self.new[*new].asserts.is_empty();
        let mut order: Vec<usize> = (0..self.new.len()).filter(asserts).collect();
        order.sort_by_key(|new| self.is_taken[*new]);
        for index in order {
            let asks = self.new[index].asks().iter().map(|ask| ask.text.as_str());
            for ask in asks.collect::<BTreeSet<_>>() {
                self.asking.entry(ask).or_default().push(index);
            }
        }
    }

    /// A test under another name that asks all that the old one did.
    fn find_contained(&mut self) {
        for index in self.left() {
            let old = self.old[index];
            let having = |ask: &Ask| self.asking.get(ask.text.as_str()).map_or(&[][..], Vec::as_slice);
            let asserts = old.asks().iter().filter(|ask| ask.is_assert);
            let Some(candidates) = asserts.map(having).min_by_key(|tests| tests.len()) else { continue };
            let mut candidates = candidates.iter().copied().take(MOST_CANDIDATES);
            let same = candidates.find(|new| old.has_demands() && is_asked_by(old, &[self.new[*new]]));
            if let Some(new) = same {
                self.keep(index, vec![new]);
            }
        }
    }

    /// Tests whose questions stand in several new tests. One that kept its name may have given some of them away. What is asked
    /// by tests inside of one alone is asked by what they became.
    fn find_split(&mut self) {
        let was_taken = self.is_taken.clone();
        for index in 0..self.old.len() {
            let old = self.old[index];
            let mut new = self.kept[index].clone().unwrap_or_default();
            let gave_nothing_away = |new: &usize| {
                let new = self.new[*new];
                old.says_the_same(new) || (&old.path, old.id()) != (&new.path, new.id())
            };
            if new.first().is_some_and(gave_nothing_away) {
                continue;
            }
            let kept = new.len();
            for ask in old.asks() {
                let has = |new: &usize| has(self.new[*new], ask);
                let mut others = self.asking.get(ask.text.as_str()).into_iter().flatten();
                if !new.iter().any(has)
                    && let Some(other) = others.find(|other| !was_taken[**other] || old.asserts.is_empty())
                {
                    new.push(*other);
                }
            }
            let tests: Vec<&Test> = new.iter().map(|new| self.new[*new]).collect();
            if new.len() > kept.max(1) && old.has_demands() && is_asked_by(old, &tests) {
                self.keep(index, new);
            }
        }
    }

    fn matching(self) -> Matching {
        let lost = self.left();
        let added = (0..self.new.len()).filter(|new| !self.is_taken[*new]).collect();
        let kept = self.kept.into_iter().enumerate();
        let kept = kept.filter_map(|(old, new)| Some(Kept { old, new: new? })).collect();
        Matching { kept, lost, added }
    }
}

/// Tells whether tests ask together all that an old one asked. A call alone is made as well where it is a part of something.
pub fn is_asked_by(old: &Test, new: &[&Test]) -> bool {
    let is_asked = |ask: &Ask| {
        new.iter().any(|test| has(test, ask))
            || !ask.is_assert
                && new.iter().flat_map(|test| test.asks()).any(|other| holds(&other.text, &ask.text))
    };
    old.asks().iter().all(is_asked)
}

/// Tells whether tests assert together in all words that an old one asserted in, whatever their order: the values, the names of
/// what is called, the operators. What is asked may have another name, and other calls in front.
pub fn is_worded_by(old: &Test, new: &[&Test]) -> bool {
    let asserts = |test: &Test| {
        let asserts = test.asks().iter().filter(|ask| ask.is_assert);
        asserts.flat_map(|ask| ask.text.split(' ').map(str::to_owned)).collect::<Vec<_>>()
    };
    let (asked, said) = (asserts(old), new.iter().flat_map(|test| asserts(test)).collect::<BTreeSet<_>>());
    let begins_path = |at: usize| {
        asked[at + 1..].first().is_some_and(|next| next == ".") && !asked[..at].ends_with(&[".".to_owned()])
    };
    let is_said = |at: usize| said.contains(&asked[at]) || "()[]{},".contains(&asked[at]) || begins_path(at);
    !asked.is_empty() && (0..asked.len()).all(is_said)
}

fn has(test: &Test, ask: &Ask) -> bool {
    test.asks().iter().any(|other| other.text == ask.text)
}

/// Tells whether a question holds all words of another, one after the other.
fn holds(ask: &str, part: &str) -> bool {
    let is_edge = |found: Option<char>| found.is_none_or(|c| c == ' ');
    ask.match_indices(part).any(|(at, _)| {
        is_edge(ask[..at].chars().next_back()) && is_edge(ask[at + part.len()..].chars().next())
    })
}

impl Test {
    /// Returns the names of what a test calls within its asserts and besides them, but for what is the runner's.
    pub fn subjects(&self) -> BTreeSet<&str> {
        let asks = self.asks().iter().flat_map(|ask| calls(&ask.text.split(' ').collect::<Vec<_>>()));
        let asserts = self.asserts.iter().flat_map(|assert| calls(&assert.code()));
        asks.chain(asserts).map(|(_, name)| name).filter(|name| !fits("of_runner", name)).collect()
    }

    /// Returns the names that its asserts call: `count`, `pages.count`.
    pub fn asserted_calls(&self) -> impl Iterator<Item = String> {
        let calls = self.asserts.iter().flat_map(|assert| calls(&assert.code()));
        calls.map(|(owner, name)| owner.map_or_else(|| name.to_owned(), |owner| format!("{owner}.{name}")))
    }
}

/// Returns what is called, each with what it is called of where that has a name: `pages.count(…)`.
fn calls<'w>(words: &[&'w str]) -> Vec<(Option<&'w str>, &'w str)> {
    let is_name = |word: &str| word.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let call = |at: usize| match words[..at] {
        [.., owner, ".", name, _] if is_name(name) && is_name(owner) => Some((Some(owner), name)),
        [.., name, _] if is_name(name) => Some((None, name)),
        _ => None,
    };
    (0..words.len()).filter(|at| words[*at] == "(").filter_map(|at| call(at + 1)).collect()
}

#[cfg(test)]
mod tests;
