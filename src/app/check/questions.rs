//! What a failed check asks whoever reviews the change, where no run has said what was to be done and only a person can judge it.

use super::AskedFor;
use crate::agreement::RED_GREEN;
use model::event::{CheckResult, CheckStatus, Place};

/// The check that runs the tests.
pub(super) const TESTS: &str = "tests";
/// How that is told where they fail as they do at the base.
const FAILED_BEFORE: &str = "failed-before";
/// How `red_green` fails where the new tests pass without the change.
const PROVE_NOTHING: &str = "tests-prove-nothing";
/// How it fails where the test command runs none of them.
const NOT_RUN: &str = "new-tests-not-run";
/// How a change of comments or white space alone fails.
const TRIVIAL: &str = "trivial-diff";
/// What a person may do about it who changed no behaviour.
const UNSTATED: &str = "; if the behaviour stays as it is, say so in a commit message such as `refactor: …` or `test: …`, or by `--message` in place of `--issue`";

/// Makes a question of a failure that a person has to judge: tests fail as they do at the base, which may be why the change was
/// made; a command runs none of the new tests, as one of another language does; nothing fails without a change that leaves the
/// behaviour as it is, as it says itself, or of which nothing says that it does more; only comments changed, and no issue asks for
/// more.
pub(super) fn ask_instead(result: &mut CheckResult, asked_for: Option<&AskedFor>) {
    let summary = result.summary.clone();
    let stated = asked_for.and_then(AskedFor::type_without_new_behaviour);
    match (result.check.as_str(), result.pattern.as_deref(), stated) {
        (TESTS, _, _) if result.status == CheckStatus::FailedBefore => {
            (result.status, result.pattern) = (CheckStatus::Fail, Some(FAILED_BEFORE.to_owned()));
        }
        (RED_GREEN, Some(PROVE_NOTHING), _) if result.asks => return,
        (RED_GREEN, Some(NOT_RUN), _) => {}
        (_, Some(TRIVIAL), _) if !asked_for.is_some_and(AskedFor::is_of_an_issue) => {}
        (RED_GREEN, Some(PROVE_NOTHING), Some(stated)) => {
            result.summary =
                format!("{summary}; by its type `{stated}` the change leaves the behaviour as it is");
        }
        (RED_GREEN, Some(PROVE_NOTHING), None) if asked_for.is_some_and(AskedFor::leaves_behaviour_open) => {
            result.summary = format!("{summary}; no message says whether the behaviour changes");
        }
        (RED_GREEN, Some(PROVE_NOTHING), None) => {
            result.summary += UNSTATED;
            return;
        }
        _ => return,
    }
    if result.places.is_empty() {
        result.places.push(Place { what: summary, ..Place::default() });
    }
    result.asks = true;
}
