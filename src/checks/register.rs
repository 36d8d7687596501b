//! The register of checks: which there are, how each is made, and what the configuration may name.

use std::collections::BTreeMap;
use std::pin::Pin;

use super::template::Template;
use super::test_runs::Compared;
use super::{
    CheckResult, Place, Site, answer_format, code_changed, deliverable, documents, early_termination, files,
    goal_drift, integration, isolation, modes, mutants, omission, pass_to_pass, patch_size, protected,
    red_green, runner_settings, scope, secrets, snapshots, staged, suspect, syntax, tampering, task_list,
    tautology, todo, traceability, trivial_diff, unwanted,
};
use model::phase::PhaseName;
use model::policy::{Agreement, CheckKind, CheckMode, DefinedCheck, Policy, check_id};
use process::Stop;

/// A check that runs commands, under way.
type Running<'a> = Pin<Box<dyn Future<Output = Compared<CheckResult>> + 'a>>;

/// How a check is made.
#[derive(Clone, Copy)]
pub(super) enum Check {
    /// Looks at the site and touches nothing.
    Look(fn(&Site<'_>) -> CheckResult),
    /// Looks for places and touches nothing. What they mean stands in `data/rules.toml`.
    Places(fn(&Site<'_>) -> Vec<Place>),
    /// Runs the command of this key in `[commands]`.
    Command(&'static str),
    /// Runs commands of several keys, or one on several trees.
    Run(for<'a> fn(&'a Site<'_>, &'a mut Stop) -> Running<'a>),
    /// Asks an evaluator of answers.
    Template(&'static Template),
}

use Check::{Command, Look, Places, Run};

/// The register: a new check is one file and one line.
const ALL: &[(&str, Check)] = &[
    (deliverable::ID, Look(deliverable::examine)),
    (code_changed::ID, Look(code_changed::examine)),
    (deliverable::DECISION, Look(deliverable::examine_decision)),
    (documents::ID, Look(documents::examine)),
    (protected::ID, Look(protected::examine)),
    (answer_format::ID, Look(answer_format::examine)),
    ("todo", Places(todo::places)),
    ("omission", Places(omission::places)),
    (syntax::ID, Look(syntax::examine)),
    ("noted", Places(protected::noted)),
    (scope::ID, Look(scope::examine)),
    ("tampering", Places(tampering::places)),
    (suspect::ID, Look(suspect::examine)),
    ("staged", Places(|site| staged::places(site, true))),
    (snapshots::ID, Look(snapshots::examine)),
    ("links", Places(modes::links)),
    ("modes", Places(modes::modes)),
    ("submodules", Places(modes::submodules)),
    ("conflict_markers", Places(unwanted::conflict_markers)),
    ("hidden_characters", Places(unwanted::hidden_characters)),
    ("scratch_files", Places(unwanted::scratch_files)),
    ("binaries", Places(unwanted::binaries)),
    (patch_size::ID, Look(patch_size::examine)),
    (trivial_diff::ID, Look(trivial_diff::examine)),
    (secrets::ID, Places(secrets::places)),
    (files::ID, Look(files::examine)),
    (files::EVIDENCE, Look(files::examine_evidence)),
    ("early_termination", Places(early_termination::places)),
    ("tautology", Places(tautology::places)),
    (traceability::ID, Look(traceability::examine)),
    (isolation::ID, Look(isolation::examine)),
    (task_list::ID, Look(task_list::examine)),
    ("escape_phrases", Look(|site| goal_drift::examine("escape_phrases", site))),
    ("premature_completion", Look(|site| goal_drift::examine("premature_completion", site))),
    ("requirement_checklist", Look(|site| goal_drift::examine("requirement_checklist", site))),
    ("completion_statement", Look(|site| goal_drift::examine("completion_statement", site))),
    ("scope_reduction", Look(|site| goal_drift::examine("scope_reduction", site))),
    // Those that run a command, the cheap ones first.
    ("format", Command("format")),
    ("lint", Command("lint")),
    ("typecheck", Command("typecheck")),
    ("build", Command("build")),
    ("tests", Command("test")),
    (pass_to_pass::ID, Run(|site, stop| Box::pin(pass_to_pass::examine(site, stop)))),
    (pass_to_pass::EXPECTATIONS, Run(|site, stop| Box::pin(pass_to_pass::examine_expectations(site, stop)))),
    (runner_settings::ID, Run(|site, stop| Box::pin(runner_settings::examine(site, stop)))),
    (red_green::ID, Run(|site, stop| Box::pin(red_green::examine(site, stop)))),
    (mutants::ID, Run(|site, stop| Box::pin(mutants::examine(site, stop)))),
    (integration::ID, Run(|site, stop| Box::pin(async { Ok(integration::examine(site, stop).await) }))),
    (goal_drift::TEMPLATE.id, Check::Template(&goal_drift::TEMPLATE)),
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
    let is_template = |id: &&str| matches!(find(id), Some(Check::Template(_)));
    (!named.is_empty() && !is_template(&named)).then(|| (named, ids().filter(is_template).collect()))
}

/// Returns the ids of all checks.
pub fn ids() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|(id, _)| *id)
}

/// Returns the first check of the project's own that bears the name of one of ours.
pub fn twice_named(agreement: &Agreement) -> Option<&str> {
    let ours = |id: &&str| find(id).is_some() || check_id(id) != *id;
    agreement.defined.keys().map(String::as_str).find(ours)
}

/// Returns the checks that run a command of `[commands]`, each with the key of its command.
pub fn command_checks() -> impl Iterator<Item = (&'static str, &'static str)> {
    ALL.iter()
        .filter_map(|(id, check)| if let Check::Command(key) = check { Some((*id, *key)) } else { None })
}

/// Tells whether a check starts a command of the repository, which may leave files behind.
pub fn runs_a_command(id: &str, defined: &BTreeMap<String, DefinedCheck>) -> bool {
    match defined.get(id) {
        Some(check) => matches!(check.look, CheckKind::Command { .. }),
        None => matches!(find(id), Some(Check::Command(_) | Check::Run(_))),
    }
}

/// Puts the checks that run a command behind all others, the cheap ones first. Where only the first failure counts the
/// order was chosen and stays.
pub fn cheap_first(policy: &mut Policy) {
    let dear = |(_, check): &&(&str, Check)| matches!(check, Check::Command(_) | Check::Run(_));
    let rank = |id: &str| ALL.iter().filter(dear).position(|(known, _)| *known == id);
    if policy.check_mode == CheckMode::All {
        policy.checks.sort_by_key(|rule| rank(&rule.id));
    }
}

/// Returns how a check of this id is made.
pub(super) fn find(id: &str) -> Option<Check> {
    ALL.iter().find(|(known, _)| *known == id).map(|(_, check)| *check)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examine;
    use crate::scene::Scene;
    use model::event::CheckStatus;
    use process::Stop;

    #[test]
    fn a_template_is_found_by_its_id_and_listed_among_the_checks() {
        assert!(crate::ids().any(|id| id == "goal_drift_guard"));
        let scene = Scene::answering("Nothing said.");
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let result =
            scene.shown_to(|site| runtime.block_on(examine("goal_drift_guard", site, &mut Stop::new().1)));
        assert_eq!((result.check.as_str(), result.status), ("goal_drift_guard", CheckStatus::Fail));
    }

    #[test]
    fn goal_drift_template_is_found_by_its_exact_id_only() {
        for other in [
            "builtin-standard",
            "builtin-minimal",
            "builtin-strict",
            "custom-template",
            "",
            "GOAL_DRIFT_GUARD",
        ] {
            assert!(!matches!(find(other), Some(Check::Template(_))), "{other}");
        }
        assert!(matches!(find("goal_drift_guard"), Some(Check::Template(_))));
    }
}
