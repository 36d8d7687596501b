//! What a check says of the places that it finds, where that depends on nothing else: `data/rules.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::{CheckResult, Place, judged};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    pattern: String,
    problem: String,
    clean: String,
}

static RULES: LazyLock<BTreeMap<String, Rule>> =
    LazyLock::new(|| toml::from_str(include_str!("data/rules.toml")).expect("the table of rules is sound"));

/// Fails where there are places, in the words of the check.
pub(super) fn judge(check: &str, places: Vec<Place>) -> CheckResult {
    let rule = &RULES[check];
    judged(check, &rule.pattern, places, &rule.problem, &rule.clean)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::register::{Check, find};
    use model::event::CheckStatus;

    #[test]
    fn each_check_that_looks_for_places_has_its_words_and_no_other_has_words_alone() {
        let looks = crate::ids().filter(|id| matches!(find(id), Some(Check::Places(_))));
        for id in looks {
            assert_eq!(judge(id, Vec::new()).status, CheckStatus::Pass, "{id}");
        }
        for id in RULES.keys() {
            assert!(matches!(find(id), Some(Check::Places(_) | Check::Look(_))), "{id}");
        }
    }
}
