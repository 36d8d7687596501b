//! What a run would need on this machine, and whether it is there: identity, checkout, agents, commands, prompts. Changes
//! nothing.

use std::collections::BTreeSet;

use crate::agent_choice::{auto_reason, choose, examine_agent, needed_agents, optional_reviewers};
use crate::agreement::project_commands;
use crate::failure::{Failure, Result};
use crate::project::Project;
use agents::{AgentSpec, AgentStatus, ensure_usable};
use model::policy::{Agreement, PhaseDef};
use views::prompt;

/// One thing that was looked at.
#[derive(serde::Serialize)]
pub struct Diagnosis {
    /// What it is about.
    pub name: &'static str,
    /// Nothing that a run needs is missing.
    pub ok: bool,
    /// How it stands.
    #[serde(rename = "told")]
    pub text: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// The agent that was examined.
    pub agent: Option<ExaminedAgent>,
}

/// An agent that was examined.
#[derive(serde::Serialize)]
pub struct ExaminedAgent {
    /// Its spec.
    agent: String,
    /// What is known of it.
    #[serde(flatten)]
    status: AgentStatus,
}

impl Diagnosis {
    fn good(name: &'static str, text: impl Into<String>) -> Self {
        Self { name, ok: true, text: text.into(), hint: None, agent: None }
    }

    /// Says what is wrong in the words of a failure.
    pub fn of_failure(name: &'static str, failure: Failure) -> Self {
        let Failure { message, hints, .. } = failure;
        Self { ok: false, hint: hints.into_iter().next(), ..Self::good(name, message) }
    }
}

/// Looks at everything that a run of this project would need.
pub fn examine(project: &Project) -> Result<Vec<Diagnosis>> {
    let mut all = vec![Diagnosis::good("repository", project.root().display().to_string())];
    all.push(identity(project));
    all.push(checkout(project)?);
    all.extend(agents(project)?);
    all.extend(commands(project));
    all.extend(prompts(project));
    Ok(all)
}

fn identity(project: &Project) -> Diagnosis {
    match project.workspace.history().check_identity() {
        Ok(()) => Diagnosis::good("identity", "git knows who commits"),
        Err(error) => {
            Diagnosis { ok: false, hint: error.hint(), ..Diagnosis::good("identity", error.to_string()) }
        }
    }
}

fn checkout(project: &Project) -> Result<Diagnosis> {
    let survey = project.workspace.read_state()?;
    if survey.is_clean() {
        return Ok(Diagnosis::good("checkout", "clean"));
    }
    let text = format!("{} files of yours are changed", survey.changed.len());
    let hint = Some("commit or stash them, or use `--worktree`".to_owned());
    Ok(Diagnosis { ok: false, hint, ..Diagnosis::good("checkout", text) })
}

/// A prompt of the repository that no step uses is a slip more often than not; it stops nothing.
fn prompts(project: &Project) -> Option<Diagnosis> {
    let own = project.prompts();
    let unused = prompt::unknown_overrides(&own, &project.settings.prompt_folders());
    let first = unused.first()?;
    let more = if unused.len() == 1 { String::new() } else { format!(" and {} more", unused.len() - 1) };
    let hint =
        "name it `<phase>/<step>.md` with a phase of `list-presets`, or `retry/<pattern>.md`, or remove it";
    let text = format!("prompts/{first}{more} is used by nothing");
    Some(Diagnosis { hint: Some(hint.to_owned()), ..Diagnosis::good("prompts", text) })
}

/// Examines the agents of a run, and those that could be used besides.
fn agents(project: &Project) -> Result<Vec<Diagnosis>> {
    let mut agreement = project.settings.agreement(None)?;
    let chosen = choose(project, &mut agreement);
    let needed: Vec<&String> = needed_agents(&agreement).into_iter().filter(|spec| *spec != "auto").collect();
    let mut all: Vec<Diagnosis> = needed.iter().map(|spec| agent(project, spec, true)).collect();
    let usual = ["claude", "codex"].map(str::to_owned);
    let optional = optional_reviewers(&agreement).filter(|spec| *spec != "auto");
    let others = usual.iter().chain(project.settings.agents.keys()).chain(optional);
    let others: BTreeSet<&String> = others.filter(|name| !needed.contains(name)).collect();
    all.extend(others.into_iter().map(|name| agent(project, name, false)));
    all.push(auto(project, chosen.is_err()));
    all.extend(own_reviewers(&agreement));
    Ok(all)
}

/// Says who would review the own work, as the first reviewer or on a seat of the panel.
fn own_reviewers(agreement: &Agreement) -> Vec<Diagnosis> {
    let texts: BTreeSet<String> = agreement.phases.iter().flat_map(own_reviews).collect();
    let hint = "name another one: `reviewer`, `panel`, or `--reviewer`";
    let diagnosis = |text| Diagnosis { hint: Some(hint.to_owned()), ..Diagnosis::good("reviewer", text) };
    texts.into_iter().map(diagnosis).collect()
}

fn own_reviews(phase: &PhaseDef) -> Vec<String> {
    let author = phase.agents.first();
    let mut reviews = Vec::new();
    if phase.policy.review.is_some() && phase.reviewers.first() == author {
        reviews.push("reviews".to_owned());
    }
    for seat in &phase.panel {
        let agents = if seat.agents.is_empty() { &phase.reviewers } else { &seat.agents };
        if agents.first() == author {
            reviews.push(format!("gives the second opinion {} on", seat.name));
        }
    }
    let author = author.cloned().unwrap_or_default();
    reviews.iter().map(|does| format!("{author} {does} its own work, in a fresh process")).collect()
}

/// Says what `auto` stands for here; that it stands for nothing matters only where it is asked for.
fn auto(project: &Project, needed: bool) -> Diagnosis {
    match auto_reason(project) {
        Ok(why) => Diagnosis::good("auto", why),
        Err(failure) => Diagnosis { ok: !needed, ..Diagnosis::of_failure("auto", failure) },
    }
}

fn agent(project: &Project, spec: &str, needed: bool) -> Diagnosis {
    let parsed: AgentSpec = match spec.parse() {
        Ok(parsed) => parsed,
        Err(error) => {
            return Diagnosis { ok: !needed, ..Diagnosis::good("agent", format!("{spec}: {error}")) };
        }
    };
    let examined = examine_agent(project, &parsed);
    let hint = match ensure_usable(&parsed.resolve_from(project.root()), &project.settings.agents) {
        Err(error) => Some(error.hint()),
        Ok(()) if examined.signed_in == Some(false) => {
            Some(format!("sign in with the program of `{spec}` itself, or give it a key"))
        }
        Ok(()) => None,
    };
    Diagnosis {
        ok: examined.is_usable() || !needed,
        hint,
        agent: Some(ExaminedAgent { agent: spec.to_owned(), status: examined.clone() }),
        ..Diagnosis::good("agent", format!("{spec}: {}", agent_text(&examined)))
    }
}

fn agent_text(examined: &AgentStatus) -> String {
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

/// A missing command is shown, not refused: the phase is then judged on documents alone. One that was only detected may
/// be missing, unless it is the tests.
fn commands(project: &Project) -> Vec<Diagnosis> {
    let commands = project_commands(project);
    if commands.is_empty() {
        let hint = Some("set `[commands] test`, so that the testing phase runs your tests".into());
        return vec![Diagnosis { hint, ..Diagnosis::good("commands", "none are set or detected") }];
    }
    let mut all = Vec::new();
    for command in commands {
        let is_here = command.is_here(project);
        let text = format!("{}: {} ({})", command.key, command.line, command.why());
        let hint = format!("this program is not installed; install it, or set `[commands] {}`", command.key);
        all.push(Diagnosis {
            ok: !command.is_missed(project),
            hint: if is_here { None } else { Some(hint) },
            ..Diagnosis::good("command", text)
        });
    }
    all
}
