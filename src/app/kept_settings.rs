//! What a run that has begun takes of the settings of now, and what stays as it was when it began. Writes nothing.

use crate::agreement::{ProjectCommand, pin_commands};
use crate::failure::{Failure, Result};
use crate::project::{CONFIG, Project, REVIEW_LOOP, STEPS, second_reviewers};
use engine::Run;
use git::regular_file;
use journal::store::folders::HOME;
use model::policy::{Agreement, Budget, BudgetScopes, PanelReviewer, PhaseDef, Policy};
use model::text::sha256_hex;
use serde::Serialize;
use serde_json::Value;
use settings::Origin;

/// Refuses overrides that contradict what the run was begun with.
pub(crate) fn refuse_contradiction(project: &Project, run: &Run) -> Result<()> {
    let (started, overrides) = (&run.started, &project.overrides);
    let preset = started.agreement.preset.as_deref().unwrap_or("full");
    let pinned = [
        ("preset", &overrides.preset, preset),
        ("base-branch", &overrides.base_branch, started.base_branch.as_str()),
        ("language", &overrides.language, started.language.as_str()),
    ];
    for (name, wanted, pinned) in pinned {
        if let Some(wanted) = wanted.as_deref().filter(|wanted| *wanted != pinned) {
            return Err(contradiction_failure(run, &format!("{name} `{pinned}`, not `{wanted}`"), name));
        }
    }
    if overrides.fresh_sessions && !started.agreement.fresh_sessions {
        return Err(contradiction_failure(run, "sessions that are continued", "fresh-sessions"));
    }
    if !are_second_reviewers_pinned(project, run)? {
        return Err(contradiction_failure(run, "other second reviewers", "second-reviewer"));
    }
    let skipped = |name: &str| {
        run.phases.iter().any(|phase| phase.name().as_str() == name && phase.is_left_out_by_choice())
    };
    let wanted = overrides.skip_phases.as_deref().unwrap_or_default().split(',').map(str::trim);
    match wanted.filter(|name| !name.is_empty()).find(|name| !skipped(name)) {
        Some(name) => Err(contradiction_failure(run, &format!("the phase `{name}` in it"), "skip-phases")),
        None => refuse_kept_flags(project, run),
    }
}

fn contradiction_failure(run: &Run, what: &str, flag: &str) -> Failure {
    let number = run.started.issue.number;
    Failure::usage(format!("the run of issue {number} was begun with {what}")).hint(format!(
        "go on without `--{flag}`, or remove the run with `ai-workflow cleanup --issue {number}` and begin anew"
    ))
}

/// Tells whether the second reviewers that are asked for now are those of the run, or none are.
fn are_second_reviewers_pinned(project: &Project, run: &Run) -> Result<bool> {
    let mut asked = second_reviewers(&project.overrides, &project.here)?;
    asked.iter_mut().flat_map(|seat| &mut seat.agents).for_each(|spec| *spec = project.relative_spec(spec));
    let is_auto = |seat: &PanelReviewer| seat.agents.iter().any(|agent| agent == "auto");
    let same = |seat: &PanelReviewer, agreed: &PanelReviewer| {
        *seat == *agreed || (is_auto(seat) && seat.name == agreed.name)
    };
    let agreed = |def: &PhaseDef| asked.iter().all(|seat| def.panel.iter().any(|agreed| same(seat, agreed)));
    Ok(asked.is_empty() || run.phases.iter().any(|phase| agreed(&phase.def)))
}

/// Returns the SHA-256 of the repository's own configuration, files of other systems that count as such, and prompts.
pub(crate) fn repository_settings_digest(project: &Project) -> String {
    let config = regular_file::read(&project.root().join(HOME).join(CONFIG)).unwrap_or_default();
    let mut text = format!("{}\0", String::from_utf8_lossy(&config));
    for (path, prompt) in project.prompts() {
        text.extend([path.as_str(), "\0", prompt.as_str(), "\0"]);
    }
    // A repository without them has the digest that it had before they were known.
    let files = [STEPS, REVIEW_LOOP].into_iter().filter_map(|path| {
        let bytes = regular_file::read(&project.root().join(path)).ok()?;
        Some((path.to_owned(), String::from_utf8_lossy(&bytes).into_owned()))
    });
    // Those of a registry that keeps its prompts among ours are counted already.
    let ours = format!("{HOME}/prompts/");
    let steps = project.step_prompts().into_iter().filter(|(path, _)| !path.starts_with(&ours));
    for (path, content) in files.chain(steps) {
        text.extend([path.as_str(), "\0", content.as_str(), "\0"]);
    }
    sha256_hex(&[text.as_bytes()])
}

/// Refuses settings that changed since the run was last asked to go on, and warns of those that this run does not take.
pub(crate) fn refuse_untrusted_settings(project: &Project, run: &Run) -> Result<()> {
    let is_named = project.overrides.config.is_some();
    let known = run.asked.settings.as_ref();
    if is_named || known.is_none_or(|known| *known == repository_settings_digest(project)) {
        return warn_of_kept_settings(project, run);
    }
    let changed = format!(
        "{HOME}/{CONFIG}, {HOME}/prompts, {STEPS} or {REVIEW_LOOP} changed since the run was last asked to go on"
    );
    Err(Failure::usage(changed)
        .hint("an agent may have done it: look at `git log -p` and `git diff` of these files")
        .hint(format!("if the change is yours, confirm it with `--config {HOME}/{CONFIG}`")))
}

/// Returns the spending limits of the run and those of its parts; nothing where nothing changes.
pub(crate) fn changed_limits(project: &Project, run: &Run) -> (Option<Budget>, Option<BudgetScopes>) {
    let over = |scope: &str, wanted: &Budget, pinned: &Budget| merge_budget(project, scope, wanted, pinned);
    let (wanted, pinned) = (&project.settings.budget.scopes, &run.spending.scopes);
    let budget = over("budget", &project.settings.budget(true), &run.spending.budget);
    let scopes = BudgetScopes {
        step: over("budget.step", &wanted.step, &pinned.step),
        phase: over("budget.phase", &wanted.phase, &pinned.phase),
        day: over("budget.day", &wanted.day, &pinned.day),
    };
    ((budget != run.spending.budget).then_some(budget), (scopes != *pinned).then_some(scopes))
}

/// Returns the pinned limits of one scope, replaced by those that are given now.
fn merge_budget(project: &Project, scope: &str, wanted: &Budget, pinned: &Budget) -> Budget {
    let is_given = |key: &str| match project.settings.origin(&format!("{scope}.{key}")) {
        Origin::Flag(_) | Origin::Variable(_) => true,
        // A file that is named on the command line is all meant.
        Origin::File { .. } => project.overrides.config.is_some(),
        Origin::Default => false,
    };
    Budget {
        usd: merge_limit(is_given("usd"), wanted.usd, pinned.usd),
        tokens: merge_limit(is_given("tokens"), wanted.tokens, pinned.tokens),
        calls: merge_limit(is_given("calls"), wanted.calls, pinned.calls),
        minutes: merge_limit(is_given("minutes"), wanted.minutes, pinned.minutes),
        turns: merge_limit(is_given("turns"), wanted.turns, pinned.turns),
    }
}

fn merge_limit<T>(is_given: bool, wanted: Option<T>, pinned: Option<T>) -> Option<T> {
    if is_given { wanted.or(pinned) } else { pinned }
}

/// Refuses flags that set what stays as it is.
fn refuse_kept_flags(project: &Project, run: &Run) -> Result<()> {
    let kept = kept_keys(project, run)?;
    match kept.iter().find(|(_, origin)| matches!(origin, Origin::Flag(_))) {
        Some((key, _)) => Err(contradiction_failure(run, &format!("another `{key}`"), &format!("set {key}"))),
        None => Ok(()),
    }
}

/// Warns of what was set in files and variables and stays as it is.
fn warn_of_kept_settings(project: &Project, run: &Run) -> Result<()> {
    let kept = kept_keys(project, run)?;
    if kept.is_empty() {
        return Ok(());
    }
    let places: Vec<String> = kept.iter().map(|(key, origin)| format!("`{key}` ({origin})")).collect();
    tracing::warn!(
        "These settings count for new runs only, because this run keeps what it was begun with: {}. To use them, remove this \
         run with `ai-workflow cleanup --issue {}` and begin anew",
        places.join(", "),
        run.started.issue.number
    );
    Ok(())
}

/// Returns the keys that are written somewhere, would make another agreement than that of the run, and do not count; with
/// their places.
fn kept_keys<'a>(project: &'a Project, run: &Run) -> Result<Vec<(&'a str, &'a Origin)>> {
    // The defaults of another version are nobody's wish.
    if run.started.version != env!("CARGO_PKG_VERSION") {
        return Ok(Vec::new());
    }
    let pinned = &run.started.agreement;
    let now = agreement_with_commands_of(project, pinned)?;
    let set = project.settings.commands.by_id();
    let is_kept = |key: &str| match key.split_once('.').unwrap_or((key, "")) {
        ("commands", "detect") => false,
        ("commands", id) => set.get(id) != pinned.commands.get(id),
        ("language", _) => project.settings.language != run.started.language,
        (table, rest) => differs(&now, pinned, table, rest.split('.').next().unwrap_or_default()),
    };
    Ok(project.settings.origins().into_iter().filter(|(key, _)| is_kept(key)).collect())
}

/// Tells whether two agreements differ in what a table of the settings makes of them; its first key says in which part.
fn differs(now: &Agreement, pinned: &Agreement, table: &str, key: &str) -> bool {
    match (table, key) {
        ("checks", "define") => now.defined != pinned.defined,
        ("checks", _) => field(&now.check_settings, key) != field(&pinned.check_settings, key),
        ("limits", "max_cycles") => now.max_cycles != pinned.max_cycles,
        ("limits", "outage_seconds") => false,
        ("limits", "steps") => now.time.by_step != pinned.time.by_step,
        ("limits", _) => field(&now.time, key) != field(&pinned.time, key),
        ("verdict", _) => now.require_review_id != pinned.require_review_id,
        ("models", _) => now.models != pinned.models,
        ("phases", _) => shape(now, key) != shape(pinned, key),
        ("policies", _) => now.phases.iter().any(|phase| {
            phase.policy_name == key && shape(now, phase.name.as_str()) != shape(pinned, phase.name.as_str())
        }),
        _ => false,
    }
}

/// Returns one field of settings as it is written; nothing where it is not set.
fn field(settings: &impl Serialize, key: &str) -> Option<Value> {
    serde_json::to_value(settings).ok()?.get(key).cloned()
}

/// Returns what settings say about a phase, without its agents, which can be chosen anew.
fn shape<'a>(agreement: &'a Agreement, name: &str) -> Option<(&'a Policy, bool, &'a str)> {
    let phase = agreement.phases.iter().find(|phase| phase.name.as_str() == name)?;
    Some((&phase.policy, phase.changes_code, &phase.output))
}

/// Returns what the settings of now come to, with the commands of the run, so that only what was set differs.
fn agreement_with_commands_of(project: &Project, pinned: &Agreement) -> Result<Agreement> {
    let mut now = project.settings.agreement(pinned.preset.as_deref())?;
    let command = |(key, line): (&String, &String)| {
        let is_detected = pinned.detected_commands.contains(key);
        let detected_by = if is_detected { Some(String::new()) } else { None };
        ProjectCommand { key: key.clone(), line: line.clone(), detected_by }
    };
    let commands: Vec<ProjectCommand> = pinned.commands.iter().map(command).collect();
    pin_commands(&mut now, &commands);
    Ok(now)
}
