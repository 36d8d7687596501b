//! What a later call may change of the settings that a run was begun with. The agreement stays: an override that wants
//! something else is refused, never ignored. The repository's settings lie where agents work, so that a change needs a person
//! who names the file. A spending limit is lifted only by giving another one.

use std::fs;

use crate::failure::{Failure, Result};
use crate::project::Project;
use crate::setting_overrides::{CONFIG, REVIEW_LOOP, STEPS, second_reviewers};
use engine::Run;
use journal::store::folders::HOME;
use model::policy::{Budget, BudgetScopes, PhaseDef, Seat};
use runner::digest;
use settings::Origin;

/// Refuses overrides that contradict what the run was begun with.
pub fn refuse_contradiction(project: &Project, run: &Run) -> Result<()> {
    let (started, overrides) = (&run.started, &project.overrides);
    let preset = started.agreement.preset.as_deref().unwrap_or("full");
    let pinned = [
        ("preset", &overrides.preset, preset),
        ("base-branch", &overrides.base_branch, started.base_branch.as_str()),
        ("language", &overrides.language, started.language.as_str()),
    ];
    for (name, wanted, pinned) in pinned {
        if let Some(wanted) = wanted.as_deref().filter(|wanted| *wanted != pinned) {
            return Err(another(run, &format!("{name} `{pinned}`, not `{wanted}`"), name));
        }
    }
    if overrides.fresh_sessions && !started.agreement.fresh_sessions {
        return Err(another(run, "sessions that are continued", "fresh-sessions"));
    }
    if !are_second_reviewers_pinned(project, run)? {
        return Err(another(run, "other second reviewers", "second-reviewer"));
    }
    let skipped = |name: &str| {
        run.phases.iter().any(|phase| phase.name().as_str() == name && phase.left_out_by_choice())
    };
    let wanted = overrides.skip_phases.as_deref().unwrap_or_default().split(',').map(str::trim);
    match wanted.filter(|name| !name.is_empty()).find(|name| !skipped(name)) {
        Some(name) => Err(another(run, &format!("the phase `{name}` in it"), "skip-phases")),
        None => Ok(()),
    }
}

fn another(run: &Run, what: &str, flag: &str) -> Failure {
    let number = run.started.issue.number;
    Failure::usage(format!("the run of issue {number} was begun with {what}")).hint(format!(
        "go on without `--{flag}`, or remove the run with `ai-workflow cleanup --issue {number}` and begin anew"
    ))
}

/// Tells whether the second reviewers that are asked for now are those of the run, or none are.
fn are_second_reviewers_pinned(project: &Project, run: &Run) -> Result<bool> {
    let mut asked = second_reviewers(&project.overrides, &project.here)?;
    asked.iter_mut().flat_map(|seat| &mut seat.agents).for_each(|spec| *spec = project.relative_spec(spec));
    let is_auto = |seat: &Seat| seat.agents.iter().any(|agent| agent == "auto");
    let same = |seat: &Seat, agreed: &Seat| *seat == *agreed || (is_auto(seat) && seat.name == agreed.name);
    let agreed = |def: &PhaseDef| asked.iter().all(|seat| def.panel.iter().any(|agreed| same(seat, agreed)));
    Ok(asked.is_empty() || run.phases.iter().any(|phase| agreed(&phase.def)))
}

/// Returns the SHA-256 of the repository's own configuration, files of other systems that count as such, and prompts.
pub fn repository_settings_digest(project: &Project) -> String {
    let config = fs::read(project.root().join(HOME).join(CONFIG)).unwrap_or_default();
    let mut text = format!("{}\0", String::from_utf8_lossy(&config));
    for (path, prompt) in project.prompts() {
        text.extend([path.as_str(), "\0", prompt.as_str(), "\0"]);
    }
    // A repository without them has the digest that it had before they were known.
    let files = [STEPS, REVIEW_LOOP].into_iter().filter_map(|path| {
        let bytes = fs::read(project.root().join(path)).ok()?;
        Some((path.to_owned(), String::from_utf8_lossy(&bytes).into_owned()))
    });
    // Those of a registry that keeps its prompts among ours are counted already.
    let ours = format!("{HOME}/prompts/");
    let steps = project.step_prompts().into_iter().filter(|(path, _)| !path.starts_with(&ours));
    for (path, content) in files.chain(steps) {
        text.extend([path.as_str(), "\0", content.as_str(), "\0"]);
    }
    digest(&text)
}

/// Refuses settings that changed since the run was last asked to go on.
pub fn refuse_untrusted_settings(project: &Project, run: &Run) -> Result<()> {
    let is_named = project.overrides.config.is_some();
    let known = run.asked.settings.as_ref();
    if is_named || known.is_none_or(|known| *known == repository_settings_digest(project)) {
        return Ok(());
    }
    let changed = format!(
        "{HOME}/{CONFIG}, {HOME}/prompts, {STEPS} or {REVIEW_LOOP} changed since the run was last asked to go on"
    );
    Err(Failure::usage(changed)
        .hint("an agent may have done it: look at `git log -p` and `git diff` of these files")
        .hint(format!("if the change is yours, vouch for it with `--config {HOME}/{CONFIG}`")))
}

/// Returns the spending limits of the run and those of its parts; nothing where nothing changes.
pub fn changed_limits(project: &Project, run: &Run) -> (Option<Budget>, Option<BudgetScopes>) {
    let given = |scope| GivenLimits { project, scope };
    let (wanted, pinned) = (&project.settings.budget.scopes, &run.spending.scopes);
    let budget = given("budget").over(&project.settings.budget(true), &run.spending.budget);
    let scopes = BudgetScopes {
        step: given("budget.step").over(&wanted.step, &pinned.step),
        phase: given("budget.phase").over(&wanted.phase, &pinned.phase),
        day: given("budget.day").over(&wanted.day, &pinned.day),
    };
    ((budget != run.spending.budget).then_some(budget), (scopes != *pinned).then_some(scopes))
}

/// What is said now about the limits of one scope.
struct GivenLimits<'a> {
    project: &'a Project,
    scope: &'static str,
}

impl GivenLimits<'_> {
    /// Puts the limits that are given now over the pinned ones.
    fn over(&self, wanted: &Budget, pinned: &Budget) -> Budget {
        Budget {
            usd: self.one("usd", wanted.usd, pinned.usd),
            tokens: self.one("tokens", wanted.tokens, pinned.tokens),
            calls: self.one("calls", wanted.calls, pinned.calls),
            minutes: self.one("minutes", wanted.minutes, pinned.minutes),
            turns: self.one("turns", wanted.turns, pinned.turns),
        }
    }

    fn one<T>(&self, key: &str, wanted: Option<T>, pinned: Option<T>) -> Option<T> {
        let place = self.project.settings.origin(&format!("{}.{key}", self.scope));
        let given = match place {
            Origin::Flag(_) | Origin::Variable(_) => true,
            // A file that is named on the command line is all meant.
            Origin::File { .. } => self.project.overrides.config.is_some(),
            Origin::Default => false,
        };
        if given { wanted.or(pinned) } else { pinned }
    }
}
