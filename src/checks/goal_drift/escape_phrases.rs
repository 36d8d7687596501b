//! GD1: no phrase that leaves a door open instead of doing the work.

use std::sync::LazyLock;

use regex::Regex;

use super::{Criterion, phrases};
use crate::Site;
use model::event::CheckResult;

pub(crate) const ID: &str = "escape_phrases";

pub(super) static CRITERION: Criterion = Criterion {
    check: ID,
    name: "no escape phrases",
    violation: "escape_phrase",
    description: "escape phrases leave work open",
    fix: "do what the phrase leaves open, or say plainly that a requirement does not ask for it; then drop the phrase",
    find: |words| {
        static PHRASES: LazyLock<Regex> = LazyLock::new(|| phrases::compiled(&LIST));
        phrases::find(words, &PHRASES)
    },
};

const LIST: [&str; 17] = [
    "if needed",
    "if required",
    "optional",
    "as needed",
    "when necessary",
    "could be added later",
    "might need",
    "consider adding",
    "you may want to",
    "left as an exercise",
    "beyond the scope",
    "out of scope",
    "future enhancement",
    "future work",
    "not implemented yet",
    "to be determined",
    "tbd",
];

pub(crate) fn examine(site: &Site<'_>) -> CheckResult {
    super::examine(&CRITERION, site)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;

    fn phrases_of(scene: &Scene) -> Vec<String> {
        let result = scene.shown_to(examine);
        let found =
            result.params.get("violations").and_then(|value| value.as_array().cloned()).unwrap_or_default();
        found.iter().filter_map(|it| Some(it["phrase"].as_str()?.to_owned())).collect()
    }

    #[test]
    fn each_phrase_is_found_with_its_line_and_context() {
        for phrase in LIST {
            let scene = Scene::answering(&format!("First.\nSome text {phrase} more text"));
            assert_eq!(phrases_of(&scene), [phrase]);
        }
        let result = Scene::answering("Line 1\nLine 2 is written by me If Needed and it goes on for long\n")
            .shown_to(examine);
        let first = &result.params["violations"][0];
        let shown = (first["line"].as_u64(), first["context"].as_str(), first["criteria_id"].as_str());
        assert_eq!(shown, (Some(2), Some("2 is written by me If Needed and it goes on for"), Some("GD1")));
    }

    #[test]
    fn code_quotations_and_parts_of_words_are_honest() {
        for answer in [
            "Uses std::optional here: `optional<T>`.",
            "```\nif needed\n```\n> out of scope\n",
            "The field is optionally typed; tbds is a name.",
            "- [x] Requirement 2: the nickname is optional for guests",
        ] {
            let mut scene = Scene::answering(&answer.replace("std::optional", "it"))
                .about("The nickname is *optional* for guests.");
            scene.settings.early_termination_strict = true;
            assert_eq!(phrases_of(&scene), [""; 0], "{answer}");
            let mut strict = Scene::answering(answer).about("The nickname is optional for guests.");
            strict.settings.template_strict = true;
            assert_ne!(phrases_of(&strict), [""; 0], "{answer}");
            (strict.settings.template_strict, strict.settings.strict) = (false, true);
            assert_ne!(phrases_of(&strict), [""; 0], "{answer}");
        }
        let other = Scene::answering("The tests are optional.").about("The nickname is optional for guests.");
        assert_eq!(phrases_of(&other), ["optional"]);
    }
}
