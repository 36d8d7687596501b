//! Compares the tests of before with those of now: which is gone, and which demands less. A test that moved, was renamed, became
//! one of many parameters, or went with the code it was about is none of these.

use std::cell::LazyCell;
use std::collections::{BTreeSet, HashMap, HashSet};

use super::cases::Case;
use super::strength::{Strength, is_of_absence, is_trivial, strength, words};
use super::tolerance::{is_wider, skeleton};
use super::weakening::{Counted, marks};
use super::{Loss, circular, hollow, implied, tables, unreached};
use crate::outcome::{at, file};
use crate::side_by_side;
use crate::tampering::removal::Removal;
use model::event::Place;

/// More comparisons of names than this are not made: then a test that is gone counts as gone.
const MOST_PAIRS: usize = 200_000;
/// The part of its words that a renamed test has to keep, in percent.
const KEPT: usize = 50;

const ALWAYS_HOLDS: &str = "an assert that always holds stands";

/// What is weaker now.
#[derive(Debug, Default)]
pub(super) struct Weaker {
    /// What no reason excuses.
    pub(super) places: Vec<Place>,
    /// Tests that are gone or demand less.
    pub(super) losses: Vec<Loss>,
}

impl Weaker {
    fn add(&mut self, more: Self) {
        self.places.extend(more.places);
        self.losses.extend(more.losses);
    }
}

/// Returns what is weaker now.
pub(super) fn weaker(old: &[Case], new: &[Case], removal: &Removal<'_>) -> Weaker {
    if old.is_empty() {
        return Weaker::default();
    }
    let (pairs, missing) = by_name(old, new);
    let mut taken: BTreeSet<usize> = pairs.iter().map(|(_, new)| *new).collect();
    let elsewhere = gained_anywhere(old, new);
    let of_pair =
        |(before, after): &(usize, usize)| weakened(&old[*before], &new[*after], removal, &elsewhere);
    let mut weaker = Weaker::default();
    for found in side_by_side::each(&pairs, of_pair) {
        weaker.add(found);
    }
    let few = missing.len().saturating_mul(new.len()) <= MOST_PAIRS;
    for case in missing.iter().map(|index| &old[*index]) {
        match few.then(|| successor(case, new, &taken)).flatten() {
            Some(found) if is_many(&new[found]) => {}
            Some(found) => {
                taken.insert(found);
                weaker.add(weakened(case, &new[found], removal, &elsewhere));
            }
            None if stands_elsewhere(case, &elsewhere) => {}
            None if removal.excuses_test(&case.path, &case.name, &case.text) => {}
            None => {
                let place = file(&case.path, format!("the test `{}` is gone", case.name));
                weaker.losses.push(Loss::of(case, case, place));
            }
        }
    }
    weaker
}

/// Returns the tests that a runner counts less often now: those whose name is gone, whatever took their place, and those that
/// run for fewer rows.
pub(super) fn fewer(old: &[Case], new: &[Case]) -> Vec<Loss> {
    let (pairs, missing) = by_name(old, new);
    let kept = pairs.iter().filter(|(before, after)| old[*before].text != new[*after].text);
    let kept = kept.map(|(before, after)| (&old[*before], tables::runs(&new[*after].text)));
    let all = kept.chain(missing.iter().map(|index| (&old[*index], 0)));
    let counted = all.filter_map(|(case, now)| {
        let fewer = tables::runs(&case.text).saturating_sub(now);
        let what = format!("the test `{}` runs less often or has another name", case.name);
        (fewer > 0).then(|| Loss { fewer, ..Loss::of(case, case, file(&case.path, what)) })
    });
    counted.collect()
}

/// Pairs tests of the same name, those of the same class or group first, then those of the same file; returns the old ones that are left as well.
fn by_name(old: &[Case], new: &[Case]) -> (Vec<(usize, usize)>, Vec<usize>) {
    let mut pairs = Vec::new();
    let mut used = vec![false; new.len()];
    let mut left: Vec<usize> = (0..old.len()).collect();
    for (same_group, same_file) in [(true, true), (false, true), (false, false)] {
        let key = |case| named_in(case, same_group, same_file);
        let mut named: HashMap<(&str, &[String], &str), Vec<usize>> = HashMap::new();
        for index in (0..new.len()).rev().filter(|index| !used[*index]) {
            named.entry(key(&new[index])).or_default().push(index);
        }
        left.retain(|index| match named.get_mut(&key(&old[*index])).and_then(Vec::pop) {
            Some(found) => {
                used[found] = true;
                pairs.push((*index, found));
                false
            }
            None => true,
        });
    }
    (pairs, left)
}

fn named_in(case: &Case, same_group: bool, same_file: bool) -> (&str, &[String], &str) {
    let groups = if same_group { case.groups.as_slice() } else { &[] };
    (if same_file { &case.path } else { "" }, groups, &case.name)
}

/// Returns the test that took the place of one: about the same words, and at least as many asserts.
fn successor(case: &Case, new: &[Case], taken: &BTreeSet<usize>) -> Option<usize> {
    let wanted = words(&case.text);
    let own = words(&case.name);
    let apart: BTreeSet<&str> = wanted.difference(&own).copied().collect();
    let wanted = if apart.is_empty() { wanted } else { apart };
    let fits = |index: &usize| {
        let found = &new[*index];
        let free = !taken.contains(index) || is_many(found) && found.path == case.path;
        let (has, listed) = (words(&found.text), words(&found.table));
        let kept = wanted.iter().filter(|word| has.contains(*word) || listed.contains(*word)).count();
        (free && !wanted.is_empty()).then_some(kept * 100 / wanted.len().max(1)).filter(|kept| *kept >= KEPT)
    };
    let scored =
        (0..new.len()).filter_map(|index| Some((fits(&index)?, new[index].path == case.path, index)));
    scored
        .max_by_key(|(kept, same_file, index)| (*kept, *same_file, usize::MAX - index))
        .map(|(.., index)| index)
}

/// Tells a test that runs for many values.
fn is_many(case: &Case) -> bool {
    [
        "parametrize",
        ".each",
        "rstest",
        "test_case",
        "#[case",
        "subTest",
        "t.Run(",
        "for ",
        "forEach",
        "@ValueSource",
        "@CsvSource",
        "@MethodSource",
        "@EnumSource",
        "InlineData",
        "MemberData",
    ]
    .iter()
    .any(|mark| case.text.contains(mark) || case.table.contains(mark))
        && !case.asserts.is_empty()
}

/// Counts the asserts that a test has now and had nowhere in this test before.
fn gained_anywhere<'a>(old: &'a [Case], new: &'a [Case]) -> HashMap<&'a str, i64> {
    let mut counts = HashMap::new();
    for (_, assert) in new.iter().flat_map(|case| &case.asserts) {
        *counts.entry(assert.as_str()).or_insert(0) += 1;
    }
    for (_, assert) in old.iter().flat_map(|case| &case.asserts) {
        *counts.entry(assert.as_str()).or_insert(0) -= 1;
    }
    counts
}

/// Returns the helpers that kept their name and lost asserts to no test.
pub(super) fn weaker_helpers(
    old: &[Case],
    new: &[Case],
    tests: &[Case],
    removal: &Removal<'_>,
) -> Vec<Place> {
    let standing: LazyCell<HashSet<&str>, _> = LazyCell::new(|| {
        let all = new.iter().chain(tests).flat_map(|case| &case.asserts);
        all.map(|(_, assert)| assert.as_str()).collect()
    });
    let mut places = Vec::new();
    for (before, after) in by_name(old, new).0 {
        let (before, after) = (&old[before], &new[after]);
        if before.text == after.text || after.asserts.len() >= before.asserts.len() {
            continue;
        }
        let gained = !without(&after.asserts, &before.asserts).is_empty();
        let mut lost = without(&before.asserts, &after.asserts).into_iter();
        if !gained && lost.any(|(_, assert)| !standing.contains(assert.as_str()) && !removal.is_about(assert))
        {
            places.push(at(&after.path, after.line, format!("asserts are gone in `{}`", after.name)));
        }
    }
    places
}

/// Tells whether every assert of a test that is gone came to stand in another test.
fn stands_elsewhere(case: &Case, balance: &HashMap<&str, i64>) -> bool {
    let real = case.asserts.iter().any(|(_, assert)| strength(assert) > Strength::Property);
    let kept = |assert: &str| assert.contains('(') && balance.get(assert).is_some_and(|count| *count >= 0);
    real && case.asserts.iter().all(|(_, assert)| kept(assert) && !is_bare_failure(assert))
}

/// Tells an assert that does not say what it is about: Go's `t.Errorf` stands below its condition.
fn is_bare_failure(assert: &str) -> bool {
    assert.starts_with("t.")
}

fn weakened(old: &Case, new: &Case, removal: &Removal<'_>, balance: &HashMap<&str, i64>) -> Weaker {
    if old.text == new.text {
        return Weaker::default();
    }
    let place = |line: usize, what: &str| at(&new.path, line, format!("{what} in the test `{}`", new.name));
    let mut places = Vec::new();
    for Counted { what, line } in marks(old, new).into_iter().chain(hollow::marks(old, new)) {
        places.push(place(line, what));
    }
    if let (Some(line), None) = (new.early_return, old.early_return) {
        places.push(place(line, "a return stands in front of asserts"));
    }
    places.extend(unreached::asserts(old, new).map(|line| place(line, "nobody reaches asserts")));
    places.extend(circular::condition(old, new).map(|line| place(line, "a thing is compared with itself")));
    let gained = without(&new.asserts, &old.asserts);
    let mut lost = without(&old.asserts, &new.asserts);
    // An assert that moved into another test is not lost, nor is one about what is gone, or that another one implies.
    lost.retain(|(_, assert)| {
        balance.get(assert.as_str()).is_none_or(|count| *count < 0)
            && !removal.is_about(assert)
            && !implied::by_another(assert, &new.asserts)
    });
    let mut weaker = Weaker { places, losses: Vec::new() };
    match loss(&lost, &gained, new) {
        // Whatever the reason, a test needs no assert that always holds.
        Some((line, what)) if what == ALWAYS_HOLDS => weaker.places.push(place(line, what)),
        Some((line, what)) => weaker.losses.push(Loss::of(old, new, place(line, what))),
        None => {}
    }
    weaker
}

type Assert = (usize, String);

/// Returns those of some asserts that are not among others, each as often as it is missing.
fn without<'a>(some: &'a [Assert], others: &[Assert]) -> Vec<&'a Assert> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for (_, assert) in others {
        *counts.entry(assert).or_default() += 1;
    }
    let missing = some.iter().filter(|(_, assert)| match counts.get_mut(assert.as_str()) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    });
    missing.collect()
}

/// Says how the asserts that came are less than those that went, and where.
fn loss(lost: &[&Assert], gained: &[&Assert], new: &Case) -> Option<(usize, &'static str)> {
    if lost.is_empty() {
        return None;
    }
    if new.asserts.is_empty() || gained.is_empty() {
        return Some((new.line, "asserts are gone"));
    }
    let holds = |assert: &str| is_trivial(assert) || circular::is_circular(assert, new);
    if let Some((line, _)) = gained.iter().find(|(_, assert)| holds(assert)) {
        return Some((*line, ALWAYS_HOLDS));
    }
    let known: HashMap<String, &str> =
        lost.iter().map(|(_, assert)| (skeleton(assert), assert.as_str())).collect();
    let wider =
        |(_, assert): &&&Assert| known.get(&skeleton(assert)).is_some_and(|before| is_wider(before, assert));
    if let Some((line, _)) = gained.iter().find(wider) {
        return Some((*line, "a tolerance is wider"));
    }
    milder(lost, gained).map(|line| (line, "an assert demands less"))
}

/// Returns the line of an assert that took the place of a stricter one about the same.
fn milder(lost: &[&Assert], gained: &[&Assert]) -> Option<usize> {
    let strict: Vec<&str> = lost.iter().map(|(_, assert)| assert.as_str()).filter(|a| is_strict(a)).collect();
    let mild: Vec<&&Assert> = gained.iter().filter(|(_, assert)| !is_as_strict(assert, &strict)).collect();
    if strict.len() <= gained.len() - mild.len() {
        return None;
    }
    let subjects: BTreeSet<&str> = strict.iter().flat_map(|assert| words(assert)).collect();
    let mut about = mild.iter().filter(|(_, assert)| {
        subjects.is_empty() || words(assert).iter().any(|word| subjects.contains(word))
    });
    about.next().map(|(line, _)| *line)
}

/// Tells an assert that demands one value. Where there was none, any demand for one is another outcome.
fn is_strict(assert: &str) -> bool {
    strength(assert) == Strength::Exact && !is_of_absence(assert)
}

/// Tells an assert that demands one value, or that there is none where there was one.
fn is_as_strict(assert: &str, strict: &[&str]) -> bool {
    let error = |assert: &&str| ["Err(", "unwrap_err", "expect_err"].iter().any(|part| assert.contains(part));
    let absence = is_of_absence(assert) && !(assert.contains(".is_err()") && strict.iter().any(error));
    strength(assert) == Strength::Exact || absence || implied::denies(assert, strict)
}
