//! The register of checks: which there are, how each is made, and what the configuration may name.

use std::collections::BTreeMap;

use super::templates::{self, Template};
use super::{Site, command};
use super::{
    answer_format, binaries, code_changed, conflict_markers, decision, deliverable, documents,
    early_termination, evidence, files, goal_drift, hidden_characters, integration, isolation, modes,
    omission, pass_to_pass, patch_size, protected, red_green, runner_settings, scope, scratch_files, secrets,
    snapshots, staged, suspect, syntax, tampering, task_list, tautology, todo, traceability, trivial_diff,
};
use model::event::CheckResult;
use model::phase::PhaseName;
use model::policy::{Agreement, CheckKind, CheckMode, DefinedCheck, Policy, check_id};

/// How a check is made.
#[derive(Clone, Copy)]
pub(super) enum Check {
    /// Looks at the site and touches nothing.
    Look(fn(&Site<'_>) -> CheckResult),
    /// Runs the command of this key in `[commands]`.
    Command(&'static str),
    /// Compares the tests of the base with those of now.
    PassToPass,
    /// Runs the tests of the base on the code of now.
    ChangedExpectations,
    /// Runs the tests with the runner's settings of the base.
    RunnerSettings,
    /// Runs the tests without the code they are about.
    RedGreen,
    /// Runs what the project has to integrate it, up to the first failure.
    Integration,
    /// Asks an evaluator of answers.
    Template(&'static Template),
}

/// The register: a new check is one file and one line.
const ALL: &[(&str, Check)] = &[
    (deliverable::ID, Check::Look(deliverable::examine)),
    (code_changed::ID, Check::Look(code_changed::examine)),
    (decision::ID, Check::Look(decision::examine)),
    (documents::ID, Check::Look(documents::examine)),
    (protected::ID, Check::Look(protected::examine)),
    (answer_format::ID, Check::Look(answer_format::examine)),
    (todo::ID, Check::Look(todo::examine)),
    (omission::ID, Check::Look(omission::examine)),
    (syntax::ID, Check::Look(syntax::examine)),
    (protected::NOTED, Check::Look(protected::examine_noted)),
    (scope::ID, Check::Look(scope::examine)),
    (tampering::ID, Check::Look(tampering::examine)),
    (suspect::ID, Check::Look(suspect::examine)),
    (staged::ID, Check::Look(staged::examine)),
    (snapshots::ID, Check::Look(snapshots::examine)),
    (modes::LINKS, Check::Look(modes::examine_links)),
    (modes::MODES, Check::Look(modes::examine_modes)),
    (modes::SUBMODULES, Check::Look(modes::examine_submodules)),
    (conflict_markers::ID, Check::Look(conflict_markers::examine)),
    (hidden_characters::ID, Check::Look(hidden_characters::examine)),
    (scratch_files::ID, Check::Look(scratch_files::examine)),
    (binaries::ID, Check::Look(binaries::examine)),
    (patch_size::ID, Check::Look(patch_size::examine)),
    (trivial_diff::ID, Check::Look(trivial_diff::examine)),
    (secrets::ID, Check::Look(secrets::examine)),
    (files::ID, Check::Look(files::examine)),
    (evidence::ID, Check::Look(evidence::examine)),
    (early_termination::ID, Check::Look(early_termination::examine)),
    (tautology::ID, Check::Look(tautology::examine)),
    (traceability::ID, Check::Look(traceability::examine)),
    (isolation::ID, Check::Look(isolation::examine)),
    (task_list::ID, Check::Look(task_list::examine)),
    ("escape_phrases", Check::Look(|site| goal_drift::examine("escape_phrases", site))),
    ("premature_completion", Check::Look(|site| goal_drift::examine("premature_completion", site))),
    ("requirement_checklist", Check::Look(|site| goal_drift::examine("requirement_checklist", site))),
    ("completion_statement", Check::Look(|site| goal_drift::examine("completion_statement", site))),
    ("scope_reduction", Check::Look(|site| goal_drift::examine("scope_reduction", site))),
    ("tests", Check::Command("test")),
    ("build", Check::Command("build")),
    ("lint", Check::Command("lint")),
    ("typecheck", Check::Command("typecheck")),
    ("format", Check::Command("format")),
    (pass_to_pass::ID, Check::PassToPass),
    (pass_to_pass::EXPECTATIONS, Check::ChangedExpectations),
    (runner_settings::ID, Check::RunnerSettings),
    (red_green::ID, Check::RedGreen),
    (integration::ID, Check::Integration),
];

/// Names the checks of an agreement that do not exist, with their phase.
pub fn unknown(agreement: &Agreement) -> Vec<(PhaseName, String)> {
    let rules =
        agreement.phases.iter().flat_map(|phase| phase.policy.checks.iter().map(move |rule| (phase, rule)));
    rules
        .filter(|(_, rule)| find(&rule.id).is_none() && !agreement.defined.contains_key(&rule.id))
        .map(|(phase, rule)| (phase.name.clone(), rule.id.clone()))
        .collect()
}

/// Returns the template of an agreement when there is none of this name, with the names of those that there are.
pub fn unknown_template(agreement: &Agreement) -> Option<(&str, Vec<&'static str>)> {
    let named = agreement.check_settings.template.as_str();
    let unknown = !named.is_empty() && templates::find(named).is_none();
    unknown.then(|| (named, templates::ids().collect()))
}

/// Returns the ids of all checks.
pub fn ids() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|(id, _)| *id).chain(templates::ids())
}

/// Returns the first check of the project's own that bears the name of one of ours.
pub fn twice_named(agreement: &Agreement) -> Option<&str> {
    let ours = |id: &&str| find(id).is_some() || check_id(id) != *id;
    agreement.defined.keys().map(String::as_str).find(ours)
}

/// Returns the checks that run a command of `[commands]`, each with the key of its command.
pub fn command_checks() -> impl Iterator<Item = (&'static str, &'static str)> {
    ALL.iter().filter_map(|(id, check)| match check {
        Check::Command(key) => Some((*id, *key)),
        Check::Look(_)
        | Check::PassToPass
        | Check::ChangedExpectations
        | Check::RunnerSettings
        | Check::RedGreen
        | Check::Integration
        | Check::Template(_) => None,
    })
}

/// Tells whether a check starts a command of the repository, which may leave files behind.
pub fn runs_a_command(id: &str, defined: &BTreeMap<String, DefinedCheck>) -> bool {
    match defined.get(id) {
        Some(check) => matches!(check.look, CheckKind::Command { .. }),
        None => !matches!(find(id), None | Some(Check::Look(_) | Check::Template(_))),
    }
}

/// Puts the checks that run a command behind all others, the cheap ones first. Where only the first failure counts the
/// order was chosen and stays.
pub fn cheap_first(policy: &mut Policy) {
    let dear = |id: &str| command::CHEAP_FIRST.iter().position(|known| *known == id);
    if policy.check_mode == CheckMode::All {
        policy.checks.sort_by_key(|rule| dear(&rule.id));
    }
}

/// Returns how a check of this id is made.
pub(super) fn find(id: &str) -> Option<Check> {
    let known = ALL.iter().find(|(known, _)| *known == id).map(|(_, check)| *check);
    known.or_else(|| templates::find(id).map(Check::Template))
}
