//! GD5: no phrase that quietly makes the task smaller.

use std::sync::LazyLock;

use regex::Regex;

use super::{Criterion, phrases};
use crate::Site;
use model::event::CheckResult;

pub(crate) const ID: &str = "scope_reduction";

pub(super) static CRITERION: Criterion = Criterion {
    check: ID,
    name: "no scope reduction",
    violation: "scope_reduction",
    description: "the scope is reduced",
    fix: "deliver what was asked for in full, or declare INCOMPLETE and name what remains",
    find: |words| {
        static PHRASES: LazyLock<Regex> = LazyLock::new(|| phrases::compiled(&LIST));
        phrases::find(words, &PHRASES)
    },
};

const LIST: [&str; 13] = [
    "simplified version",
    "reduced scope",
    "minimal implementation",
    "basic version",
    "for now",
    "for the time being",
    "temporarily",
    "as a first step",
    "initial version",
    "partial implementation",
    "subset of",
    "instead of",
    "rather than",
];

pub(crate) fn examine(site: &Site<'_>) -> CheckResult {
    super::examine(&CRITERION, site)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Scene, gist};

    #[test]
    fn each_scope_reduction_phrase_is_found() {
        for phrase in LIST {
            assert_eq!(
                gist(&Scene::answering(&format!("Some text {phrase} more")).shown_to(examine)),
                "answer"
            );
        }
        let asked = Scene::answering("The cache is flushed instead of rebuilt.")
            .about("It is flushed instead of rebuilt.");
        assert_eq!(gist(&asked.shown_to(examine)), "pass");
        for honest in ["Full implementation with all features.", "It waits for nowhere."] {
            assert_eq!(gist(&Scene::answering(honest).shown_to(examine)), "pass", "{honest}");
        }
    }
}
