//! The answer of a phase has the form that was agreed on: its last object satisfies the schema, whoever held the agent to
//! it before; or it has a JSON block; or a pattern finds something in it.

use super::format::{Format, satisfies, validate};
use super::{Site, failure, passed, skipped};
use content_parser::last_object;
use model::event::CheckResult;
use model::policy::AnswerForm;

pub(super) const ID: &str = "answer_format";

pub(super) fn examine(site: &Site<'_>) -> CheckResult {
    match (&site.phase.output_schema, &site.phase.answer_form, site.answer) {
        (None, None, _) => skipped(ID, "no form of the answer was agreed on"),
        (_, _, None) => missed("answer-format", "the answer is not here"),
        (Some(schema), _, Some(answer)) => held_to(answer, schema),
        (None, Some(form), Some(answer)) => formed(answer, form),
    }
}

fn held_to(answer: &str, schema: &serde_json::Value) -> CheckResult {
    let Some(object) = last_object(answer) else {
        return missed("answer-format", "no JSON object that can be read ends the answer");
    };
    match satisfies(&object.into(), schema) {
        Ok(()) => passed(ID, "the answer's last object satisfies its schema"),
        Err(error) => missed("answer-format", &error),
    }
}

/// An answer that is JSON and nothing else needs no block.
fn formed(answer: &str, form: &AnswerForm) -> CheckResult {
    let (format, met) = match form {
        AnswerForm::Json if serde_json::from_str::<serde_json::Value>(answer.trim()).is_ok() => {
            return passed(ID, "the answer is JSON");
        }
        AnswerForm::Json => {
            (Format { kind: "json".into(), ..Format::default() }, "the answer has a JSON block")
        }
        AnswerForm::Pattern(pattern) => {
            let format = Format { kind: "text-pattern".into(), pattern: Some(pattern.clone()), schema: None };
            (format, "the answer has what the pattern asks for")
        }
    };
    match validate(answer, &format).error {
        None => passed(ID, met),
        Some(error) => missed("answer-form", &error),
    }
}

fn missed(pattern: &str, error: &str) -> CheckResult {
    failure(ID, pattern, error, &[("code", "answer_format"), ("error", error)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Scene, gist};
    use model::event::CheckStatus;

    fn judged(form: Option<AnswerForm>, answer: &str) -> CheckResult {
        let mut scene = Scene::answering(answer);
        scene.phase.answer_form = form;
        examine(&scene.site())
    }

    #[test]
    fn a_phase_may_ask_for_json_without_a_schema() {
        let json = |answer: &str| judged(Some(AnswerForm::Json), answer);
        for honest in ["done\n\n```json\n{\"a\": 1}\n```\n", "```json\n[1, 2]\n```", " {\"a\": 1}\n"] {
            assert_eq!(gist(&json(honest)), "pass", "{honest}");
        }
        for (cheat, why) in [
            ("done", "No JSON block found in response"),
            ("", "No JSON block found in response"),
            ("```json\n{\"a\": \n```", "Invalid JSON in the block: "),
        ] {
            let result = json(cheat);
            assert_eq!((result.status, result.pattern.as_deref()), (CheckStatus::Fail, Some("answer-form")));
            assert!(result.summary.starts_with(why), "{}", result.summary);
        }
    }

    #[test]
    fn a_phase_may_ask_for_a_text() {
        let form = || Some(AnswerForm::Pattern("(?m)^COMPLETE: .+".into()));
        assert_eq!(gist(&judged(form(), "x\nCOMPLETE: all pages\n")), "pass");
        let result = judged(form(), "it is COMPLETE: all pages");
        assert_eq!(result.summary, "Pattern \"(?m)^COMPLETE: .+\" not found in response");
        assert_eq!(gist(&judged(None, "x")), "skipped");
        let mut silent = Scene::new();
        silent.phase.answer_form = form();
        assert_eq!(examine(&silent.site()).status, CheckStatus::Fail, "no answer has no form");
    }
}
