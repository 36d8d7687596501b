//! `status`: where a run stands, also while another process works on it.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::Answer;
use super::arguments::{Look, SettingFlags};
use super::door::Door;
use super::failure::Failure;
use super::find::{Seen, look};
use super::show::show;
use crate::flow::Run;
use crate::issue::IssueNumber;
use crate::metadata::metadata;
use crate::store::lock::holder;
use crate::store::pointer;
use crate::summary;

pub(super) fn run(arguments: &Look) -> Answer {
    let door = Door::open(&SettingFlags::default())?;
    let Some(issue) = arguments.issue else { return all(&door, arguments.json) };
    let seen = look(&door, issue)?;
    let held_by = held_by(&door, issue);
    let mut value = view(&seen);
    value["held_by"] = json!(held_by);
    value["worktree"] = json!(seen.root);
    if let Some(run) = &seen.state.run {
        value["next"] = json!(summary::next_command(run));
        show(arguments.json, &value, &lines(run, held_by.as_deref()));
    }
    Ok(0)
}

fn view(seen: &Seen) -> Value {
    metadata(&seen.state, &seen.chain).and_then(|view| serde_json::to_value(view).ok()).unwrap_or_default()
}

fn held_by(door: &Door, issue: IssueNumber) -> Option<String> {
    holder(&pointer::private_folder(door.workspace.common(), issue)).map(|holder| holder.to_string())
}

fn lines(run: &Run, held_by: Option<&str>) -> String {
    let issue = &run.started.issue;
    let mut text = format!("#{} {}: {}\n\n", issue.number, issue.title, run.outcome.as_str());
    for phase in &run.phases {
        let place = format!(
            "{:<20} {:<24} {:<28} {}",
            phase.name().as_str(),
            summary::status_word(phase),
            summary::verdict_word(phase),
            summary::note(phase)
        );
        let _ = writeln!(text, "  {}", place.trim_end());
        if let Some(standstill) = phase.rounds.last().and_then(|round| round.standstill.as_ref()) {
            let _ = writeln!(text, "  {:<20} standstill: {standstill}", "");
        }
    }
    let _ = writeln!(text, "\n  {}", summary::cost_line(run));
    if let Some(holder) = held_by {
        let _ = writeln!(text, "  held by {holder}");
    }
    if let Some(escalation) = &run.paused {
        let _ = write!(text, "\n{}", summary::question(run, escalation).replace("**", ""));
    }
    let _ = writeln!(text, "\nnext: {}", summary::next_command(run));
    text
}

/// Shows every run of the repository in a line.
fn all(door: &Door, json: bool) -> Answer {
    let runs = pointer::list(door.workspace.common())?;
    let mut values = Vec::new();
    let mut text = String::new();
    for (issue, _) in runs {
        match look(door, issue) {
            Ok(seen) => {
                let run = seen.state.run.as_ref();
                let title = run.map_or("", |run| run.started.issue.title.as_str());
                let _ = writeln!(text, "#{issue} {}: {title}", seen.state.outcome().as_str());
                values.push(view(&seen));
            }
            Err(Failure { message, .. }) => {
                let _ = writeln!(text, "#{issue} {message}");
                values.push(json!({"issue_number": issue, "error": message}));
            }
        }
    }
    if values.is_empty() {
        text.push_str("no runs in this repository\n");
    }
    show(json, &Value::Array(values), &text);
    Ok(0)
}
