//! GD3: the answer goes through the requirements one by one.

use std::sync::LazyLock;

use regex::Regex;

use super::phrases::Violation;
use super::{Criterion, Words};
use crate::Site;
use content_parser::own_lines;
use model::event::CheckResult;

pub(crate) const ID: &str = "requirement_checklist";

pub(super) static CRITERION: Criterion = Criterion {
    check: ID,
    name: "requirement checklist",
    violation: "missing_checklist",
    description: "the requirements are not gone through",
    fix: "list every requirement as `- [x] …` or `- [ ] …` under `### Requirement Checklist`",
    find,
};

static ITEM: LazyLock<Regex> = LazyLock::new(|| {
    let boxed = r"^\s*[-*+]\s*\[[xX ✓✔]?\]";
    let named = r"(?i)^\s*(?:[-*+]|\d+[.)])\s*\**requirement\s+\d+\**\s*:";
    let heading = r"(?i)^\s*#{1,6}\s*requirements? checklist\b";
    let status = r"(?i)^\s*\d+[.)]\s.*:\s*\**(?:done|complete|implemented|finished)\b";
    Regex::new(&format!("{boxed}|{named}|{heading}|{status}")).expect("a good pattern")
});

fn find(words: &Words<'_>) -> Vec<Violation> {
    let found = if words.strict {
        words.answer.lines().any(|line| ITEM.is_match(line))
    } else {
        own_lines(words.answer).iter().any(|(_, line)| ITEM.is_match(line))
    };
    if found { Vec::new() } else { vec![Violation::of_whole("there is no requirement checklist")] }
}

pub(crate) fn examine(site: &Site<'_>) -> CheckResult {
    super::examine(&CRITERION, site)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Scene, gist};

    #[test]
    fn any_form_of_a_checklist_will_do() {
        for (answer, expected) in [
            ("### Requirements\n- [x] Feature A", "pass"),
            ("* [ ] Feature A", "pass"),
            ("- [✓] Feature A", "pass"),
            ("- Requirement 1: sign in", "pass"),
            ("### Requirement Checklist", "pass"),
            ("1. Feature A: done\n2. Feature B: complete", "pass"),
            ("I implemented all the features. Everything is done.", "answer"),
            ("As asked:\n```\n- [x] Feature A\n```", "answer"),
            ("1. Feature A", "answer"),
        ] {
            assert_eq!(gist(&Scene::answering(answer).shown_to(examine)), expected, "{answer}");
        }
    }
}
