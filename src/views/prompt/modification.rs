//! The section that a quality gate puts before the task when work was refused: every problem with its type and place,
//! the standing demands with those in front that were not met, and then the original task, once.
//! The words stand in `prompts/shared/modification.md`, and in its neighbour with the headings in Japanese.

use serde_json::{Map, Value, json};

use super::lists::is_of_a_command;
use super::params::Marks;
use super::templates::Templates;
use model::event::{CheckResult, CheckStatus, Place};
use model::phase::Step;
use model::policy::{PhaseDef, issue_type};

/// More problems than this help no author; the rest is counted.
const MOST: usize = 60;

/// The standing demands in their order, each with the types of issues that break it.
const DEMANDS: [(&str, &[&str]); 4] = [
    ("whole", &["omission", "syntax_error"]),
    ("no_marks", &["todo_left"]),
    ("all_files", &["missing_file"]),
    ("no_early_end", &["early_termination"]),
];

/// The template of a step.
pub(super) struct Chosen {
    pub(super) path: String,
    /// The original task comes again, with the problems before it.
    pub(super) modifies: bool,
}

/// Tells whether a phase keeps to the rules of the quality gate.
pub(super) fn is_gate(phase: &PhaseDef) -> bool {
    phase.policy_name == "quality-gate"
}

/// Returns the template of a step. Behind a quality gate a revision is the original task again, unless the repository
/// has a text of its own for revisions or one for the task that has no room for the problems.
pub(super) fn template(templates: &Templates<'_>, phase: &PhaseDef, step: Step) -> Option<Chosen> {
    let path = templates.of_step(phase, step)?;
    let task = templates.of_step(phase, Step::Execute);
    let again = task.filter(|task| {
        let has_room = templates.with_included(vec![task.clone()]).contains_key("shared/modification.md");
        step == Step::Revise && is_gate(phase) && !templates.is_own(&path) && has_room
    });
    Some(match again {
        Some(path) => Chosen { path, modifies: true },
        None => Chosen { path, modifies: false },
    })
}

/// Returns what the section is made of.
pub(super) fn values(open: &[&CheckResult], marks: Marks<'_>) -> Map<String, Value> {
    let mut problems: Vec<Value> = open.iter().flat_map(|result| of_check(result, marks)).collect();
    let more = problems.len().saturating_sub(MOST);
    problems.truncate(MOST);
    let values = json!({"problems": problems, "more_problems": more, "demands": demands(open)});
    values.as_object().cloned().unwrap_or_default()
}

fn of_check(result: &CheckResult, marks: Marks<'_>) -> Vec<Value> {
    let kind = issue_type(&result.check);
    if result.places.is_empty() {
        let failed = result.status == CheckStatus::Fail;
        let summary = marks.line(&result.summary);
        let what = if failed { summary } else { format!("could not be checked: {summary}") };
        return vec![problem(kind, &format!("`{}`: {what}", marks.line(&result.check)), "", "")];
    }
    let each = result.places.iter().map(|place| {
        let suggestion = place.suggestion.as_deref().map(|text| marks.line(text)).unwrap_or_default();
        let at = if is_of_a_command(result, place) { String::new() } else { shown(place, marks) };
        problem(kind, &marks.line(&place.what), &at, &suggestion)
    });
    each.collect()
}

fn problem(kind: &str, description: &str, place: &str, suggestion: &str) -> Value {
    json!({"type": kind, "description": description, "place": place, "suggestion": suggestion})
}

/// Returns a place as an author finds it.
pub(super) fn shown(place: &Place, marks: Marks<'_>) -> String {
    match (&place.file, place.line) {
        (Some(file), Some(line)) => format!("`{}:{line}`", marks.line(file).replace('`', "'")),
        (Some(file), None) => format!("`{}`", marks.line(file).replace('`', "'")),
        (None, _) => "the answer".to_owned(),
    }
}

/// Returns the demands, those first that were not met.
fn demands(open: &[&CheckResult]) -> Vec<Value> {
    let broken = |types: &[&str]| open.iter().any(|result| types.contains(&issue_type(&result.check)));
    let mut demands: Vec<(bool, &str)> = DEMANDS.iter().map(|(name, types)| (broken(types), *name)).collect();
    demands.sort_by_key(|(broken, _)| !broken);
    let each = demands.into_iter().map(|(broken, name)| {
        let mut demand: Map<String, Value> =
            DEMANDS.iter().map(|(other, _)| ((*other).to_owned(), Value::Bool(*other == name))).collect();
        demand.insert("unmet".to_owned(), Value::Bool(broken));
        Value::Object(demand)
    });
    each.collect()
}
