//! `doctor`: what a run would need on this machine, and whether it is there. Changes nothing.

use std::fmt::Write as _;

use serde_json::json;

use super::Answer;
use super::arguments::Report;
use super::begin_run::all_agents;
use super::door::Door;
use super::failure::Failure;
use super::show::show;
use crate::agent::{AgentSpec, find, split_words, usable};

/// One thing that was looked at.
struct Finding {
    name: &'static str,
    ok: bool,
    told: String,
    hint: Option<String>,
}

pub(super) fn run(arguments: &Report) -> Answer {
    let findings = match Door::open(&arguments.settings) {
        Ok(door) => look(&door)?,
        Err(failure) => vec![Finding {
            name: "repository",
            ok: false,
            told: failure.message,
            hint: failure.hints.first().cloned(),
        }],
    };
    let ok = findings.iter().all(|finding| finding.ok);
    let mut text = String::new();
    for finding in &findings {
        let _ =
            writeln!(text, "{} {:<12} {}", if finding.ok { "✓" } else { "✗" }, finding.name, finding.told);
        if let Some(hint) = &finding.hint {
            let _ = writeln!(text, "  {:<12} hint: {hint}", "");
        }
    }
    let value = findings.iter().map(
        |finding| json!({"name": finding.name, "ok": finding.ok, "told": finding.told, "hint": finding.hint}),
    );
    show(arguments.json, &json!({"ok": ok, "findings": value.collect::<Vec<_>>()}), &text);
    Ok(u8::from(!ok) * 2)
}

fn look(door: &Door) -> Result<Vec<Finding>, Failure> {
    let fine = |name, told: String| Finding { name, ok: true, told, hint: None };
    let mut findings = vec![fine("repository", door.root().display().to_string())];
    findings.push(match door.workspace.identity() {
        Ok(()) => fine("identity", "git knows who commits".into()),
        Err(error) => Finding { name: "identity", ok: false, hint: error.hint(), told: error.to_string() },
    });
    let survey = door.workspace.survey()?;
    let clean = survey.is_clean();
    let told =
        if clean { "clean".into() } else { format!("{} files of yours are changed", survey.changed.len()) };
    findings.push(Finding {
        name: "checkout",
        ok: clean,
        told,
        hint: (!clean).then(|| "commit or stash them, or use `--worktree`".into()),
    });
    findings.extend(agents(door)?);
    findings.extend(commands(door));
    Ok(findings)
}

fn agents(door: &Door) -> Result<Vec<Finding>, Failure> {
    let agreement = door.settings.agreement(None)?;
    Ok(all_agents(&agreement).into_iter().map(|spec| agent(door, spec)).collect())
}

fn agent(door: &Door, spec: &str) -> Finding {
    let bad =
        |told: String, hint| Finding { name: "agent", ok: false, told: format!("{spec}: {told}"), hint };
    match spec.parse::<AgentSpec>() {
        Err(error) => bad(error.to_string(), None),
        Ok(parsed) => match usable(&parsed.seen_from(door.root()), &door.profiles()) {
            Ok(()) => Finding { name: "agent", ok: true, told: spec.to_owned(), hint: None },
            Err(error) => bad(error.to_string(), Some(error.hint())),
        },
    }
}

/// A missing command is told, not refused: the phase is then judged on documents alone.
fn commands(door: &Door) -> Vec<Finding> {
    let commands = door.settings.commands.by_id();
    if commands.is_empty() {
        let hint = Some("set `[commands] test`, so that the testing phase runs your tests".into());
        return vec![Finding { name: "commands", ok: true, told: "none are configured".into(), hint }];
    }
    let found = |line: &str| split_words(line).ok().and_then(|words| find(words.first()?.as_ref()).ok());
    let finding = |(id, line): (String, String)| {
        let ok = found(&line).is_some();
        Finding {
            name: "command",
            ok,
            told: format!("{id}: {line}"),
            hint: (!ok).then(|| "the program was not found".into()),
        }
    };
    commands.into_iter().map(finding).collect()
}
