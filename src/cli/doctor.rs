//! `doctor`: what a run would need on this machine, and whether it is there. Changes nothing.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::Answer;
use super::arguments::SettingsView;
use super::begin_run::all_agents;
use super::chosen;
use super::commands::{self, Used};
use super::door::Door;
use super::failure::Failure;
use super::show::show;
use agents::{AgentSpec, AgentStatus, ensure_usable};
use model::policy::{Agreement, PhaseDef};
use views::prompt;

/// One thing that was looked at.
struct Finding {
    name: &'static str,
    ok: bool,
    told: String,
    hint: Option<String>,
    /// What is known of an agent.
    agent: Option<Value>,
}

impl Finding {
    /// Makes a finding that is fine, with nothing to tell yet.
    fn fine(name: &'static str) -> Self {
        Self { name, ok: true, told: String::new(), hint: None, agent: None }
    }
}

pub(super) fn run(arguments: &SettingsView) -> Answer {
    let findings = match crate::project::open(&arguments.settings) {
        Ok(door) => look(&door)?,
        Err(failure) => vec![Finding {
            name: "repository",
            ok: false,
            told: failure.message,
            hint: failure.hints.first().cloned(),
            agent: None,
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
        |finding| json!({"name": finding.name, "ok": finding.ok, "told": finding.told, "hint": finding.hint, "agent": finding.agent}),
    );
    show(arguments.json, &json!({"ok": ok, "findings": value.collect::<Vec<_>>()}), &text);
    Ok(u8::from(!ok) * 2)
}

fn look(door: &Door) -> Result<Vec<Finding>, Failure> {
    let fine = |name, told: String| Finding { told, ..Finding::fine(name) };
    let mut findings = vec![fine("repository", door.root().display().to_string())];
    findings.push(match door.workspace.history().check_identity() {
        Ok(()) => fine("identity", "git knows who commits".into()),
        Err(error) => {
            Finding { ok: false, hint: error.hint(), told: error.to_string(), ..Finding::fine("identity") }
        }
    });
    let survey = door.workspace.worktree().survey()?;
    let clean = survey.is_clean();
    let told =
        if clean { "clean".into() } else { format!("{} files of yours are changed", survey.changed.len()) };
    findings.push(Finding {
        name: "checkout",
        ok: clean,
        told,
        hint: (!clean).then(|| "commit or stash them, or use `--worktree`".into()),
        agent: None,
    });
    findings.extend(agents(door)?);
    findings.extend(commands(door));
    findings.extend(prompts(door));
    Ok(findings)
}

/// A prompt of the repository that no step uses is a slip of the pen more often than not; it stops nothing.
fn prompts(door: &Door) -> Option<Finding> {
    let (own, phases) = (door.prompts(), door.settings.phase_names());
    let idle = prompt::unknown_overrides(&own, &phases);
    let first = idle.first()?;
    let more = if idle.len() == 1 { String::new() } else { format!(" and {} more", idle.len() - 1) };
    let hint =
        "name it `<phase>/<step>.md` with a phase of `list-presets`, or `retry/<pattern>.md`, or remove it";
    Some(Finding {
        told: format!("prompts/{first}{more} is used by nothing"),
        hint: Some(hint.to_owned()),
        ..Finding::fine("prompts")
    })
}

/// Examines the agents of a run, and those that could be used besides.
fn agents(door: &Door) -> Result<Vec<Finding>, Failure> {
    let mut agreement = door.settings.agreement(None)?;
    let chosen = chosen::choose(door, &mut agreement);
    let needed: Vec<&String> = all_agents(&agreement).into_iter().filter(|spec| *spec != "auto").collect();
    let mut findings: Vec<Finding> = needed.iter().map(|spec| agent(door, spec, true)).collect();
    let others = ["claude", "codex"].map(str::to_owned);
    let seconds = app::agent_choice::optional_reviewers(&agreement).filter(|spec| *spec != "auto");
    let others = others.iter().chain(door.settings.agents.keys()).chain(seconds);
    let others: BTreeSet<&String> = others.filter(|name| !needed.contains(name)).collect();
    findings.extend(others.into_iter().map(|name| agent(door, name, false)));
    findings.push(auto(door, chosen.is_err()));
    findings.extend(own_reviewers(&agreement));
    Ok(findings)
}

/// Tells who would review the own work, as the first reviewer or on a seat of the panel.
fn own_reviewers(agreement: &Agreement) -> Vec<Finding> {
    let of_phase = |phase: &PhaseDef| {
        let author = phase.agents.first().cloned();
        let first = (phase.policy.review.is_some() && phase.reviewers.first() == author.as_ref())
            .then(|| "reviews".to_owned());
        let seats = phase.panel.iter().filter(|seat| {
            let agents = if seat.agents.is_empty() { &phase.reviewers } else { &seat.agents };
            agents.first() == author.as_ref()
        });
        let seats = seats.map(|seat| format!("gives the second opinion {} on", seat.name));
        let told: Vec<String> = first.into_iter().chain(seats).collect();
        let author = author.unwrap_or_default();
        told.into_iter().map(move |does| format!("{author} {does} its own work, in a fresh process"))
    };
    let told: BTreeSet<String> = agreement.phases.iter().flat_map(of_phase).collect();
    let hint = || Some("name another one: `reviewer`, `panel`, or `--reviewer`".to_owned());
    told.into_iter().map(|told| Finding { told, hint: hint(), ..Finding::fine("reviewer") }).collect()
}

/// Tells what `auto` stands for here; that it stands for nothing matters only where it is asked for.
fn auto(door: &Door, needed: bool) -> Finding {
    match chosen::auto(door) {
        Ok(why) => Finding { told: why, ..Finding::fine("auto") },
        Err(Failure { message, hints, .. }) => {
            Finding { ok: !needed, told: message, hint: hints.into_iter().next(), ..Finding::fine("auto") }
        }
    }
}

fn agent(door: &Door, spec: &str, needed: bool) -> Finding {
    let parsed = match spec.parse::<AgentSpec>() {
        Ok(parsed) => parsed,
        Err(error) => {
            return Finding { ok: !needed, told: format!("{spec}: {error}"), ..Finding::fine("agent") };
        }
    };
    let profiles = door.profiles();
    let examined = chosen::examined(door, &parsed, &profiles);
    let hint = match ensure_usable(&parsed.seen_from(door.root()), &profiles) {
        Err(error) => Some(error.hint()),
        Ok(()) => (examined.signed_in == Some(false))
            .then(|| format!("sign in with the program of `{spec}` itself, or give it a key")),
    };
    Finding {
        ok: examined.is_usable() || !needed,
        told: format!("{spec}: {}", told(&examined)),
        hint,
        agent: Some(value(spec, &examined)),
        ..Finding::fine("agent")
    }
}

fn told(examined: &AgentStatus) -> String {
    let Some(found) = &examined.found else { return examined.remark.clone().unwrap_or_default() };
    let version = examined.version.clone().unwrap_or_else(|| "version unknown".into());
    let signed_in = match examined.signed_in {
        Some(true) => "signed in",
        Some(false) => "not signed in",
        None => "cannot tell whether it is signed in",
    };
    let reviews = if examined.read_only { "can be kept read-only" } else { "cannot be kept read-only" };
    let answers = if examined.schema { "answers by schema" } else { "answers in free text" };
    let facts = [version, signed_in.into(), reviews.into(), answers.into()];
    let all: Vec<String> = facts.into_iter().chain(examined.remark.clone()).collect();
    format!("{} ({})", found.display(), all.join(", "))
}

fn value(spec: &str, examined: &AgentStatus) -> Value {
    json!({
        "agent": spec, "found": examined.found, "version": examined.version, "signed_in": examined.signed_in,
        "read_only": examined.read_only, "schema": examined.schema, "remark": examined.remark,
    })
}

/// A missing command is told, not refused: the phase is then judged on documents alone. One that was only detected may
/// be missing, unless it is the tests.
fn commands(door: &Door) -> Vec<Finding> {
    let commands = commands::used(door);
    if commands.is_empty() {
        let hint = Some("set `[commands] test`, so that the testing phase runs your tests".into());
        return vec![Finding { told: "none are set or detected".into(), hint, ..Finding::fine("commands") }];
    }
    let finding = |used: Used| {
        let is_here = used.is_here(door);
        Finding {
            name: "command",
            ok: is_here || (used.because.is_some() && used.key != "test"),
            told: format!("{}: {} ({})", used.key, used.line, used.why()),
            hint: (!is_here).then(|| "the program was not found".into()),
            agent: None,
        }
    };
    commands.into_iter().map(finding).collect()
}
