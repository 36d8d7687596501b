//! Evidence that we gather ourselves, before anybody is asked for an opinion. One check, one file.
//! Looks at the disk, the diff and the commands we run; at an agent's words only for what they must not say.
#![warn(missing_docs)]
#![allow(clippy::disallowed_methods, reason = "this crate touches the world")]

#[macro_use]
mod constant;

mod added;
mod announced;
mod answer_code;
mod answer_format;
mod changed_file;
mod changed_tests;
mod code_changed;
mod command;
mod defined;
mod deliverable;
pub mod detected;
mod documents;
mod doubtful_code;
mod doubtful_settings;
mod doubtful_tests;
mod early_termination;
mod files;
mod goal_drift;
mod integration;
mod isolation;
mod known_answers;
mod language_family;
mod lowered_gates;
mod modes;
mod mutants;
mod omission;
mod outcome;
mod pass_to_pass;
mod patch_size;
mod paths;
mod protected;
mod red_green;
mod register;
mod runner_settings;
#[cfg(test)]
#[path = "scene/tests.rs"]
mod scene;
mod scope;
mod secrets;
mod side_by_side;
mod site;
mod snapshots;
mod staged;
mod suite;
mod suspect;
mod syntax;
mod tampering;
mod task_list;
mod tautology;
mod template;
mod test_runs;
mod test_trees;
mod todo;
mod traceability;
mod trivial_diff;
mod uncharged;
mod unfinished;
mod unwanted;

pub use answer_format::{find_pattern, json_block, satisfies};
pub use code_changed::depends_on_the_run;
pub use command::{Memory, Published, environment as command_environment};
pub use deliverable::{content_lack, is_blank};
pub use detected::INTEGRATION;
pub use documents::add_put_back_documents;
pub use outcome::shown_by;
pub use register::{
    cheap_first, command_checks, ids, runs_a_command, twice_named, unknown, unknown_template,
};
pub use secrets::ID as SECRETS;
pub use site::{Read, Site, Untaken, World};
pub use suite::{ReportedTest, reported_tests};
pub use task_list::{only_ticks, task_lists};
pub use test_trees::TestTrees;

// What most checks use, in one place.
use answer_code::AnswerCode;
use changed_file::ChangedFile;
use changed_tests::ChangedTests;
use constant::{any_of, pattern};
use content_parser::own_lines;
use language_family::{LanguageFamily, is_code};
use model::change::Change;
use model::event::{CheckResult, CheckStatus, Place};
use model::text::one_line;
use outcome::{
    MOST_PLACES, MOST_SHOWN, MOST_TOLD, and_more, asking, at, failure, file, gathered, if_failed,
    judge_places, judged, of_answer, passed, question_to_reviewer, result, shown, skipped,
};
use paths::{Patterns, ending, name};
use views::summary::counted;

use model::policy::{CheckMode, OnFail};
use process::Stop;
use register::{Check, find};

/// Runs the checks of a phase in their order; in mode `first_failure` up to the first one that demands something.
pub async fn run(site: &Site<'_>, stop: &mut Stop) -> Vec<CheckResult> {
    let mut results = Vec::new();
    for rule in &site.phase.policy.checks {
        let result = examine(&rule.id, site, stop).await;
        let failed = matches!(result.status, CheckStatus::Fail | CheckStatus::Unavailable)
            && rule.on_fail != OnFail::Note
            && !result.asks;
        results.push(result);
        if failed && site.phase.policy.check_mode == CheckMode::FirstFailure {
            break;
        }
    }
    early_termination::contradicted(&mut results, site);
    results
}

/// Runs checks by name, whatever the phase lists, and all of them.
pub async fn run_only(ids: &[String], site: &Site<'_>, stop: &mut Stop) -> Vec<CheckResult> {
    let mut results = Vec::new();
    for id in ids {
        results.push(examine(id, site, stop).await);
    }
    results
}

async fn examine(id: &str, site: &Site<'_>, stop: &mut Stop) -> CheckResult {
    if let Some(check) = site.defined.get(id) {
        return defined::examine(id, check, site, stop).await;
    }
    match find(id) {
        Some(Check::Look(look)) => look(site),
        Some(Check::Places(places)) => judge_places(id, places(site)),
        Some(Check::Template(template)) => template.examine(site),
        Some(Check::Command(key)) => {
            let result = command::examine(id, key, site, stop).await;
            uncharged::uncharged(result, site, stop).await
        }
        Some(Check::Run(run)) => run(site, stop).await.unwrap_or_else(|why| why.result(id)),
        None => result(id, CheckStatus::Unavailable, "there is no check of this name"),
    }
}
