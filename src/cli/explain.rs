//! `explain`: which rule led to each ruling of a run, with the limits used; with `--compare` what differs between two runs.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::CommandResult;
use super::arguments::ExplainArgs;
use super::output::show;
use app::explain::{Explanation, differences, explanations, round_of, text};
use app::project::Project;
use app::run_location::view;
use engine::Run;
use model::event::Entry;
use model::issue::IssueNumber;
use views::metadata::round_view;
use views::summary::{VerdictExchange, plain};

/// Runs `explain`.
pub(super) fn run(arguments: &ExplainArgs) -> CommandResult {
    let project = Project::open_without_settings()?;
    if let Some(other) = arguments.compare {
        return compare(&project, arguments.issue, other, arguments.json);
    }
    let view = view(&project, arguments.issue)?;
    show(
        arguments.json,
        &explanations(&view).map(|explained| value(view.run(), explained)).collect(),
        &text(&view),
    )
}

fn value(run: &Run, (entry, explanation): (&Entry, Explanation)) -> Value {
    match explanation {
        Explanation::Ruling(ruled) => {
            let round = round_of(run, ruled).map(round_view);
            json!({
                "seq": entry.seq, "at": entry.at.to_string(), "phase": ruled.phase, "round": ruled.round,
                "judgment": ruled.judgment, "ruling": ruled.ruling.word(), "rule": ruled.rule,
                "standstill": ruled.standstill, "summary": round.as_ref().and_then(|round| round.summary.as_ref()),
                "failure_type": round.as_ref().and_then(|round| round.failure_type.as_ref()),
                "failed_command": round.as_ref().and_then(|round| round.failed_command.as_ref()),
                "checks": round.as_ref().map_or(&[][..], |round| &round.checks),
            })
        }
        Explanation::Question(replied, exchange) => json!({
            "seq": entry.seq, "at": entry.at.to_string(), "phase": replied.phase, "round": replied.round,
            "asked_by": exchange.first.reviewer, "seat": exchange.first.seat,
            "questions": exchange.questions(), "answer": exchange.answer(),
        }),
        Explanation::ChangedVerdict(reviewed, changed) => json!({
            "seq": entry.seq, "at": entry.at.to_string(), "phase": reviewed.phase, "round": reviewed.round,
            "changed_verdict": VerdictExchange::of(changed), "withdrawn": changed.withdrawn,
        }),
        Explanation::ReusedApproval(phase, round) => json!({
            "seq": entry.seq, "at": entry.at.to_string(), "phase": phase, "reused_approval_of_round": round,
        }),
    }
}

/// Prints what differs between the runs of two issues.
fn compare(project: &Project, issue: IssueNumber, other: IssueNumber, json: bool) -> CommandResult {
    let differences = differences(view(project, issue)?.run(), view(project, other)?.run());
    let mut text = format!("#{issue} and #{other} differ in:\n");
    for row in &differences {
        let shown = |value: &Option<String>| value.as_deref().map_or_else(|| "-".to_owned(), plain);
        let (what, one, two) = (plain(&row.what), shown(&row.this), shown(&row.other));
        let _ = writeln!(text, "  {what}\n    #{issue}: {one}\n    #{other}: {two}");
    }
    if differences.is_empty() {
        text = format!("nothing differs between the runs of #{issue} and #{other}\n");
    }
    show(json, &json!({"issue": issue, "other": other, "differences": differences}), &text)
}
