//! Forms of answers that contradict each other, and patterns that no answer or every answer meets.

use regex::Regex;

use super::{Wrong, wrong};
use crate::keys::{Keys, PhaseKeys};

/// Returns the first form that cannot be asked for.
pub(super) fn find(keys: &Keys) -> Option<Wrong> {
    keys.phases.iter().find_map(|(name, phase)| {
        let key = |key: &str| format!("phases.{name}.{key}");
        if let [first, second, ..] = asked(phase).collect::<Vec<_>>()[..] {
            return wrong(
                key(second),
                format!("is one form of the answer, and `{first}` is another; name one"),
            );
        }
        let what = objection(phase.answer_pattern.as_ref()?)?;
        wrong(key("answer_pattern"), what)
    })
}

/// Returns the keys that say something about the form of a phase's answer.
pub(super) fn asked(phase: &PhaseKeys) -> impl Iterator<Item = &'static str> {
    let all = [
        ("schema", phase.schema.is_some()),
        ("answer_format", phase.answer_format.is_some()),
        ("answer_pattern", phase.answer_pattern.is_some()),
    ];
    all.into_iter().filter(|(_, is_set)| *is_set).map(|(key, _)| key)
}

fn objection(pattern: &str) -> Option<String> {
    match Regex::new(pattern) {
        Ok(regex) if regex.is_match("") => Some(
            "is met by an empty answer: it would let everything pass; name a text that has to be there"
                .into(),
        ),
        Ok(_) => None,
        Err(error) => {
            let told = error.to_string();
            let why = told.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
            Some(format!(
                "is no regular expression: {why}; a sign that is meant as written needs `\\` before it"
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::objection;

    #[test]
    fn a_pattern_has_to_be_one_and_to_ask_for_something() {
        assert_eq!(objection("^COMPLETE: "), None);
        assert_eq!(
            objection("[a").as_deref(),
            Some(
                "is no regular expression: unclosed character class; a sign that is meant as written needs `\\` before it"
            )
        );
        for every in ["", "x*", "(?:a|)"] {
            assert!(objection(every).is_some_and(|what| what.contains("everything")), "{every}");
        }
    }
}
