//! Shell scripts of tests that no longer end when something fails: `set -e` is gone, or a step that could fail is followed by
//! `|| true`. A script that counts its failures itself needs neither.

use std::sync::LazyLock;

use regex::Regex;

use crate::outcome::{at, file};
use crate::reading::source::{ending, name};
use crate::suspicion::Suspicion;
use model::change::Change;
use source::is_test;

pattern!(
    ENDS_EARLY,
    r"^\s*set\s+(?:-[a-zA-Z]*e[a-zA-Z]*|-o\s+errexit)\b|^#!.*\bsh\s+-[a-z]*e|^\s*set\s+-\w*o\s+pipefail"
);
pattern!(COUNTS, r"\|\|\s*(?:exit|return|fail|die|status|rc|failed|err)|exit\s+.?\$|\btrap\b|\$\?");
pattern!(NO_MATTER, r"\s*(?:\|\|\s*(?:true|:|exit\s+0)|;\s*(?:true|:))\s*$");
// A step that runs something of the project.
pattern!(
    STEP,
    r#"^\s*(?:\.|source|sh|bash|\.{1,2}/\S+|"?\$\w+"?|python3?|node|deno|make|cargo|npm|npx|pnpm|yarn|go|ruby|bundle|php|(?:run|check|assert|expect|test|verify)\w*)\s"#
);

pub(super) fn suspicions(change: &Change) -> Vec<Suspicion> {
    let (Some(old), Some(new)) = (change.old_text(), change.new_text()) else { return Vec::new() };
    if !is_script_of_tests(&change.path) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let ends = |text: &str| text.lines().any(|line| ENDS_EARLY.is_match(line));
    if ends(old) && !ends(new) {
        let counts = new.lines().any(|line| COUNTS.is_match(line));
        let place = file(&change.path, "no longer ends when a step fails");
        found.push(Suspicion { place, sure: !counts });
    }
    let gone: Vec<&str> = change.removed_lines().map(|(_, line)| line.trim()).collect();
    for (line, text) in change.added_lines() {
        let Some(tail) = NO_MATTER.find(text) else { continue };
        let step = text[..tail.start()].trim();
        if STEP.is_match(&format!("{step} ")) && gone.contains(&step) {
            found.push(Suspicion::sure(at(&change.path, line, "lets a failure pass")));
        }
    }
    found
}

fn is_script_of_tests(path: &str) -> bool {
    let stem = name(path).to_lowercase();
    let says = ["test", "check", "verify", "ci"]
        .iter()
        .any(|word| stem.split(['.', '_', '-']).any(|part| part.starts_with(word)));
    matches!(ending(path), "sh" | "bash" | "zsh" | "bats") && (is_test(path) || says)
}
