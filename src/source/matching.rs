//! Which test of the old files is which of the new ones, by what they say. Similar words make no two tests the same.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::hash::Hash;

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
    /// How it is known to be the same.
    pub how: SameTest,
}

/// How a test is known to be the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SameTest {
    /// It has its file, its groups and its name.
    Id,
    /// It has its name, and says the same or asserts all that it asserted, in another file or group.
    Moved,
    /// Its name is another. It says the same, or asserts all that it asserted, in its order, with all that it used.
    Renamed,
    /// What it asserted stands in several tests.
    Split,
}

/// Finds out which test of the old is which of the new. `renames` are files with their old and their new path.
pub fn same_tests(old: &[Test], new: &[Test], renames: &[(String, String)]) -> Matching {
    let mut matcher = Matcher::new(old, new);
    let moved = |path: &str| renames.iter().find(|(from, _)| from == path).map(|(_, to)| to.clone());
    matcher.pair(SameTest::Id, |test, is_old| {
        let path = if is_old { moved(&test.path) } else { None };
        Some((path.unwrap_or_else(|| test.path.to_string()), test.id()))
    });
    matcher.pair(SameTest::Moved, |test, _| Some((test.name.clone(), test.normal.clone())));
    matcher.pair(SameTest::Renamed, |test, _| Some(test.normal.clone()));
    matcher.find_contained();
    matcher.find_split();
    matcher.matching()
}

struct Matcher<'t> {
    old: &'t [Test],
    new: &'t [Test],
    kept: Vec<Option<(Vec<usize>, SameTest)>>,
    is_taken: Vec<bool>,
    /// The new tests that demand something, those that are no old one first.
    demanding: HashMap<&'t str, Vec<usize>>,
}

impl<'t> Matcher<'t> {
    fn new(old: &'t [Test], new: &'t [Test]) -> Self {
        let kept = vec![None; old.len()];
        Self { old, new, kept, is_taken: vec![false; new.len()], demanding: HashMap::new() }
    }

    fn left(&self) -> Vec<usize> {
        (0..self.old.len()).filter(|old| self.kept[*old].is_none()).collect()
    }

    /// Pairs those that have the same key, in their order.
    fn pair<K: Hash + Eq>(&mut self, how: SameTest, key: impl Fn(&Test, bool) -> Option<K>) {
        let left = self.left();
        if left.is_empty() {
            return;
        }
        let mut free: HashMap<K, VecDeque<usize>> = HashMap::new();
        for new in (0..self.new.len()).filter(|new| !self.is_taken[*new]) {
            if let Some(key) = key(&self.new[new], false) {
                free.entry(key).or_default().push_back(new);
            }
        }
        for old in left {
            let key = key(&self.old[old], true);
            let new = key.and_then(|key| free.get_mut(&key)).and_then(VecDeque::pop_front);
            if let Some(new) = new {
                self.keep(old, vec![new], how);
            }
        }
    }

    fn keep(&mut self, old: usize, new: Vec<usize>, how: SameTest) {
        for new in &new {
            self.is_taken[*new] = true;
        }
        self.kept[old] = Some((new, how));
    }

    /// A test under another name that demands all that the old one did, in its order, and uses all that it used.
    fn find_contained(&mut self) {
        let mut order: Vec<usize> = (0..self.new.len()).collect();
        order.sort_by_key(|new| self.is_taken[*new]);
        for index in order {
            for demand in self.new[index].demands.iter().collect::<BTreeSet<_>>() {
                self.demanding.entry(demand.as_str()).or_default().push(index);
            }
        }
        for index in self.left() {
            let old = &self.old[index];
            let having = |demand: &String| self.demanding.get(demand.as_str()).map_or(&[][..], Vec::as_slice);
            let Some(candidates) = old.demands.iter().map(having).min_by_key(|tests| tests.len()) else {
                continue;
            };
            let same = candidates.iter().copied().take(MOST_CANDIDATES).find(|candidate| {
                let new = &self.new[*candidate];
                is_in_order(&old.demands, &new.demands) && words(&[old]).is_subset(&words(&[new]))
            });
            if let Some(new) = same {
                let is_moved = old.name == self.new[new].name;
                self.keep(index, vec![new], if is_moved { SameTest::Moved } else { SameTest::Renamed });
            }
        }
    }

    /// Tests whose asserts stand in several new tests. One that kept its name may have given some of them away.
    fn find_split(&mut self) {
        let was_taken = self.is_taken.clone();
        for index in 0..self.old.len() {
            let old = &self.old[index];
            let mut new = match &self.kept[index] {
                Some((new, SameTest::Id)) if self.new[new[0]].demands != old.demands => new.clone(),
                Some(_) => continue,
                None => Vec::new(),
            };
            let has = |new: &[usize], demand: &String| {
                new.iter().any(|new| self.new[*new].demands.contains(demand))
            };
            let kept = new.len();
            for demand in &old.demands {
                let others = self.demanding.get(demand.as_str()).into_iter().flatten();
                if !has(&new, demand)
                    && let Some(other) = others.copied().find(|other| !was_taken[*other])
                {
                    new.push(other);
                }
            }
            let tests: Vec<&Test> = new.iter().map(|new| &self.new[*new]).collect();
            let is_whole = !old.demands.is_empty()
                && old.demands.iter().all(|demand| has(&new, demand))
                && (kept > 0 || words(&[old]).is_subset(&words(&tests)));
            if new.len() > kept.max(1) && is_whole {
                self.keep(index, new, SameTest::Split);
            }
        }
    }

    fn matching(self) -> Matching {
        let lost = self.left();
        let added = (0..self.new.len()).filter(|new| !self.is_taken[*new]).collect();
        let kept = self.kept.into_iter().enumerate();
        let kept = kept.filter_map(|(old, kept)| kept.map(|(new, how)| Kept { old, new, how })).collect();
        Matching { kept, lost, added }
    }
}

fn is_in_order(demands: &[String], others: &[String]) -> bool {
    let mut others = others.iter();
    demands.iter().all(|demand| others.any(|other| other == demand))
}

fn words<'t>(tests: &[&'t Test]) -> BTreeSet<&'t str> {
    tests.iter().flat_map(|test| test.normal.split(' ')).collect()
}

#[cfg(test)]
mod tests;
