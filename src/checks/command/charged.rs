//! Which failures of a command are the author's: those that the base of the run did not have.
//! Compares two looks at the same command; runs nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::Place;
use tool_output::{Counts, LineHits, TestResult};

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum End {
    Green,
    /// It ended well and ran no test.
    NoTests,
    Red(String),
    /// It did not end by itself: it hung or was killed.
    Broken(String),
    /// It could not run, and why.
    Unavailable(String),
}

/// What a command said about one tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Look {
    pub end: End,
    /// Nothing where it did not end by itself.
    pub exit: Option<i32>,
    /// Its failures by what names them from one tree to the next: never a line.
    pub failures: BTreeMap<String, Place>,
    pub counts: Option<Counts>,
    /// Each test and how it ended; empty where the runner does not name all that it counts.
    pub results: Arc<[TestResult]>,
    /// How often lines ran; nothing where the tests left no report of that.
    pub hits: Arc<LineHits>,
    pub output: String,
    pub millis: u64,
    /// Dependency folders of other worktrees that it used, a line for each worktree.
    pub linked: Vec<String>,
}

impl Look {
    /// Returns a look at a command that could not run.
    pub(crate) fn unavailable(why: String) -> Self {
        let (failures, linked, output, hits) = Default::default();
        let (end, results) = (End::Unavailable(why), Arc::new([]));
        Self { end, exit: None, failures, counts: None, results, hits, output, millis: 0, linked }
    }
}

/// What of a red command is charged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Charge {
    All,
    /// Only these are new.
    New(BTreeMap<String, Place>),
    /// Nothing, and why.
    Nothing(String),
    /// It failed at the base as well, and what of it is new cannot be told.
    Unknown(String),
}

/// Compares a red command with what it said at the base. A message that the base has about one file, and that is not there
/// any more, is not new about another file that the run left alone: compilers stop at the first target that fails, and that
/// is not always the same.
pub(super) fn charge(now: &Look, base: &Look, is_untouched: &dyn Fn(&str) -> bool) -> Charge {
    match (&now.end, &base.end) {
        (End::NoTests, End::NoTests) => Charge::Unknown("the base has no tests either".into()),
        (End::Red(_), End::Red(_)) => compare(now, base, is_untouched),
        (End::Broken(now), End::Broken(base)) if now == base => {
            Charge::Unknown(format!("at the base it {base} as well"))
        }
        // A base that runs no test, that hangs or could not be tried excuses no failing test.
        _ => Charge::All,
    }
}

fn compare(now: &Look, base: &Look, is_untouched: &dyn Fn(&str) -> bool) -> Charge {
    let unknown = "it fails at the base as well; which failures are new cannot be told, because";
    match (now.failures.is_empty(), base.failures.is_empty()) {
        (true, true) => Charge::Unknown(format!("{unknown} its output names none")),
        (false, true) => Charge::Unknown(format!("{unknown} at the base its output names none")),
        // The base could name its failures: that it cannot any more is new.
        (true, false) => Charge::All,
        (false, false) => compare_names(now, base, is_untouched),
    }
}

fn compare_names(now: &Look, base: &Look, is_untouched: &dyn Fn(&str) -> bool) -> Charge {
    let mut moved = gone_messages(now, base);
    let mut new = now.failures.clone();
    new.retain(|key, _| !base.failures.contains_key(key) && !takes_place(key, &mut moved, is_untouched));
    let failed = |look: &Look| look.counts.map(|counts| counts.failed);
    match failed(now).zip(failed(base)) {
        _ if !new.is_empty() => Charge::New(new),
        // Beyond what names tell, numbers do: of tests of one name, and of more than are kept.
        Some((now, base)) if now > base => Charge::All,
        _ => {
            let count = failed(now).unwrap_or(0).max(now.failures.len() as u64);
            Charge::Nothing(format!("what fails ({count}) fails at the base as well"))
        }
    }
}

/// Counts how often the base has each message about a file about which it is not there any more. The name of a problem is its
/// file and what is said of it, on lines of their own; tests and unformatted files have names of one line.
fn gone_messages<'a>(now: &Look, base: &'a Look) -> BTreeMap<&'a str, usize> {
    let mut gone = BTreeMap::new();
    for key in base.failures.keys().filter(|key| !now.failures.contains_key(*key)) {
        if let Some((_, message)) = key.split_once('\n') {
            *gone.entry(message).or_default() += 1;
        }
    }
    gone
}

/// Tells whether a problem of a file that the run left alone is one of the base that only moved; each can move once.
fn takes_place(key: &str, moved: &mut BTreeMap<&str, usize>, is_untouched: &dyn Fn(&str) -> bool) -> bool {
    let Some((file, message)) = key.split_once('\n') else { return false };
    let Some(left) = moved.get_mut(message).filter(|left| **left > 0 && is_untouched(file)) else {
        return false;
    };
    *left -= 1;
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(end: End, failures: &[&str]) -> Look {
        let failures = failures.iter().map(|name| ((*name).to_owned(), Place::default())).collect();
        Look { end, failures, ..Look::unavailable(String::new()) }
    }

    fn red(failures: &[&str]) -> Look {
        look(End::Red("exit code 1".into()), failures)
    }

    fn charge(now: &Look, base: &Look) -> Charge {
        super::charge(now, base, &|file| file != "src/mine.rs")
    }

    #[test]
    fn a_message_of_the_base_is_new_only_in_a_file_of_the_run() {
        let base = red(&["benches/a.rs\nE0554\nno features", "src/old.rs\nE0308\nmismatched types"]);
        let elsewhere = red(&["benches/b.rs\nE0554\nno features"]);
        assert!(matches!(charge(&elsewhere, &base), Charge::Nothing(_)));
        let both = red(&["benches/a.rs\nE0554\nno features", "benches/b.rs\nE0554\nno features"]);
        let Charge::New(new) = charge(&both, &base) else { panic!("a caller that broke is new") };
        assert_eq!(new.into_keys().collect::<Vec<_>>(), ["benches/b.rs\nE0554\nno features"]);
        for key in ["src/mine.rs\nE0308\nmismatched types", "benches/b.rs\nE0554\nno extern crate"] {
            let Charge::New(new) = charge(&red(&["benches/a.rs\nE0554\nno features", key]), &base) else {
                panic!("{key} is new")
            };
            assert_eq!(new.into_keys().collect::<Vec<_>>(), [key]);
        }
    }

    #[test]
    fn only_new_failures_are_charged() {
        assert!(matches!(charge(&red(&["a"]), &red(&["a", "b"])), Charge::Nothing(_)));
        let Charge::New(new) = charge(&red(&["a", "c"]), &red(&["a", "b"])) else { panic!("c is new") };
        assert_eq!(new.into_keys().collect::<Vec<_>>(), ["c"]);
    }

    #[test]
    fn a_failure_that_no_name_tells_is_seen_by_its_number() {
        let counted =
            |failed: u64| Look { counts: Some(Counts { failed, ..Counts::default() }), ..red(&["a"]) };
        assert_eq!(charge(&counted(6001), &counted(6000)), Charge::All);
        let Charge::Nothing(why) = charge(&counted(6000), &counted(6000)) else { panic!("nothing is new") };
        assert_eq!(why, "what fails (6000) fails at the base as well");
    }

    #[test]
    fn what_the_base_did_well_is_charged() {
        assert_eq!(charge(&red(&["a"]), &look(End::Green, &[])), Charge::All);
        assert_eq!(charge(&red(&[]), &look(End::Green, &[])), Charge::All);
        assert_eq!(charge(&look(End::NoTests, &[]), &look(End::Green, &[])), Charge::All);
    }

    #[test]
    fn without_names_nothing_is_charged_unless_the_base_had_names() {
        assert!(matches!(charge(&red(&[]), &red(&[])), Charge::Unknown(_)));
        assert!(matches!(charge(&red(&["a"]), &red(&[])), Charge::Unknown(_)));
        assert_eq!(charge(&red(&[]), &red(&["a"])), Charge::All);
    }

    #[test]
    fn another_kind_of_end_is_charged() {
        let hung = look(End::Broken("did not end in time".into()), &[]);
        assert_eq!(charge(&hung, &red(&[])), Charge::All);
        assert!(matches!(charge(&hung, &hung), Charge::Unknown(_)));
        assert_eq!(charge(&red(&[]), &Look::unavailable("no tool".into())), Charge::All);
        assert_eq!(charge(&red(&["a"]), &look(End::NoTests, &[])), Charge::All);
    }
}
