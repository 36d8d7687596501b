//! GD4: the answer ends with a statement of a form that can be held against it, and does not contradict its own checklist.

use std::sync::LazyLock;

use regex::Regex;

use super::phrases::Violation;
use super::{Criterion, Words};
use crate::Site;
use crate::constant::pattern;
use content_parser::own_lines;
use model::event::CheckResult;

pub(crate) const ID: &str = "completion_statement";

pub(super) static CRITERION: Criterion = Criterion {
    check: ID,
    name: "completion statement",
    violation: "invalid_completion_statement",
    description: "the completion statement is missing or invalid",
    fix: "end with `COMPLETE: All N requirements fulfilled` or `INCOMPLETE: Requirements X, Y remain`, whichever is true",
    find,
};

static COMPLETE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)\bCOMPLETE:\s*(?:All\s+\d+\s+requirements?\s+fulfilled|all\s+requirements\s+met)\b")
});
static INCOMPLETE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)\bINCOMPLETE:\s*(?:Requirements?\s+.+\s+remains?|\d+\s+requirements?\s+remains?)\b")
});

fn find(words: &Words<'_>) -> Vec<Violation> {
    let lines: Vec<&str> = if words.strict {
        words.answer.lines().collect()
    } else {
        own_lines(words.answer).into_iter().map(|(_, line)| line).collect()
    };
    let says = |statement: &Regex| lines.iter().any(|line| statement.is_match(line));
    let (complete, incomplete) = (says(&COMPLETE), says(&INCOMPLETE));
    let problem = match (complete, incomplete) {
        (false, false) => Some(without_statement(&lines)),
        (true, true) if !words.strict => Some("contradicting completion statements"),
        (true, false) if !words.strict && leaves_a_box_open(&lines) => {
            Some("invalid completion statement: the checklist has an open item")
        }
        _ => None,
    };
    problem.map(Violation::of_whole).into_iter().collect()
}

fn without_statement(lines: &[&str]) -> &'static str {
    static INFORMAL: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"(?i)\b(?:done|that['’]s all|finished|completed|all set)\b"));
    let informal = lines.iter().any(|line| INFORMAL.is_match(line));
    if informal { "invalid completion statement" } else { "missing completion statement" }
}

fn leaves_a_box_open(lines: &[&str]) -> bool {
    static OPEN: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\s*[-*+]\s*\[ ?\]"));
    lines.iter().any(|line| OPEN.is_match(line))
}

pub(crate) fn examine(site: &Site<'_>) -> CheckResult {
    super::examine(&CRITERION, site)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Scene, gist};

    #[test]
    fn a_statement_has_one_of_four_forms() {
        let said = |answer: &str| Scene::answering(answer).shown_to(examine);
        for good in [
            "All done.\n\nCOMPLETE: All 5 requirements fulfilled",
            "**COMPLETE: all requirements met**",
            "complete: all 1 requirement fulfilled",
            "INCOMPLETE: Requirements 3, 4 remain",
            "- [ ] b\nINCOMPLETE: 2 requirements remain",
        ] {
            assert_eq!(gist(&said(good)), "pass", "{good}");
        }
        for (bad, why) in [
            ("Done! That should be everything.", "invalid completion statement"),
            ("Here are the changes I made.", "missing completion statement"),
            ("This should work.", "missing completion statement"),
            ("INCOMPLETE: All 5 requirements fulfilled", "missing completion statement"),
            ("As asked:\n```\nCOMPLETE: all requirements met\n```", "missing completion statement"),
            ("COMPLETE: all requirements met\nINCOMPLETE: 1 requirement remains", "contradicting"),
            ("- [ ] a\nCOMPLETE: all requirements met", "open item"),
        ] {
            assert!(said(bad).places.first().is_some_and(|place| place.what.contains(why)), "{bad}");
        }
    }
}
