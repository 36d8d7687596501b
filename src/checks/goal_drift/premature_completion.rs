//! GD2: no phrase that calls a beginning complete or hands the verification over.

use std::sync::LazyLock;

use regex::Regex;

use super::{Criterion, phrases};
use crate::Site;
use model::event::CheckResult;

pub(crate) const ID: &str = "premature_completion";

pub(super) static CRITERION: Criterion = Criterion {
    check: ID,
    name: "no premature completion",
    violation: "premature_completion",
    description: "the work is called done before it is",
    fix: "finish the work and verify it yourself; say what you ran and what it showed",
    find: |words| {
        static PHRASES: LazyLock<Regex> = LazyLock::new(|| phrases::compiled(&LIST));
        phrases::find(words, &PHRASES)
    },
};

const LIST: [&str; 14] = [
    "basic implementation complete",
    "basic implementation",
    "skeleton",
    "scaffold",
    "starter",
    "please verify",
    "please check",
    "you should verify",
    "you should check",
    "verify yourself",
    "check yourself",
    "left for you to",
    "up to you to",
    "i'll leave it to you",
];

pub(crate) fn examine(site: &Site<'_>) -> CheckResult {
    super::examine(&CRITERION, site)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Scene, gist};

    #[test]
    fn each_premature_completion_phrase_is_found() {
        for phrase in LIST {
            assert_eq!(
                gist(&Scene::answering(&format!("Some text {phrase} more")).shown_to(examine)),
                "answer"
            );
        }
        for honest in [
            "All requirements implemented and verified.",
            "The kickstarter page; `scaffold`.",
            "> please verify",
        ] {
            assert_eq!(gist(&Scene::answering(honest).shown_to(examine)), "pass", "{honest}");
        }
    }
}
