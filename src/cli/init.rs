//! `init`: writes `.ai-workflow/config.toml` and the `.gitignore` beside it; for GitHub a workflow, too. Existing files stay
//! unless forced. The workflow is a text of ours with a few values in it, each checked so that it can be nothing else; what only a
//! person may do is told.

use std::fs;
use std::path::Path;

use regex::Regex;
use serde_json::json;

use super::CommandResult;
use super::arguments::{InitArgs, InitGithubArgs, InitPlace, SettingFlags};
use super::output::{show, words};
use app::environment::{current_folder, runtime};
use app::failure::{Failure, FailureKind};
use app::forge_connection;
use app::project::Project;
use forge::ForgeError;
use git::Workspace;
use journal::store::folders::RunFolder;
use runner::report::state_labels;

/// Where the configuration stands.
const CONFIGURATION: &str = ".ai-workflow/config.toml";

/// The commented configuration: our own file is the example.
const EXAMPLE: &str = include_str!("init/example_config.toml");

/// Where a repository keeps the workflow.
const WORKFLOW: &str = ".github/workflows/ai-workflow.yml";

const ONE_JOB: &str = include_str!("init/ai-workflow.yml");
/// The agents in a job that can only read.
const TWO_JOBS: &str = include_str!("init/ai-workflow-two-job.yml");

/// `OWNER/NAME@COMMIT`.
const PINNED: &str = r"^[A-Za-z0-9][A-Za-z0-9_.-]*/[A-Za-z0-9][A-Za-z0-9_.-]*@[0-9a-f]{40}$";
/// A label without spaces around it; GitHub takes at most 50 characters.
const LABEL: &str =
    r"^[\p{Alphabetic}\p{N}_.:/-]([\p{Alphabetic}\p{N}_.:/ -]{0,48}[\p{Alphabetic}\p{N}_.:/-])?$";
/// The login of a person or of a program.
const LOGIN: &str = r"^[A-Za-z0-9_-]+(\[bot\])?$";

/// The action that this program was built for, if the build named one.
const BUILT_FOR: Option<&str> = option_env!("AI_WORKFLOW_ACTION");

/// A label of the repository: its name, its colour, what it says.
type Label = (String, &'static str, &'static str);

pub(super) fn run(arguments: &InitArgs) -> CommandResult {
    match &arguments.place {
        Some(InitPlace::Github(arguments)) => github(arguments),
        None => here_alone(arguments),
    }
}

fn here_alone(arguments: &InitArgs) -> CommandResult {
    let workspace = Workspace::open(&current_folder()?)?;
    let path = workspace.root().join(CONFIGURATION);
    if path.exists() && !arguments.force {
        return Err(Failure::usage(format!("{CONFIGURATION} exists already")).hint("`--force` overwrites it"));
    }
    configure(workspace.root())?;
    let next = "ai-workflow execute --phase all --issue N";
    show(
        arguments.json,
        &json!({"written": [CONFIGURATION], "next": next}),
        &format!("{CONFIGURATION} is written; look at `agent` and `[commands] test`\nnext: {next}\n"),
    )
}

/// Writes the commented configuration and what belongs to it.
fn configure(root: &Path) -> Result<(), Failure> {
    home(root)?.prepare_home()?;
    fs::write(root.join(CONFIGURATION), EXAMPLE).map_err(|error| {
        Failure::new(FailureKind::State, format!("failed to write {CONFIGURATION}: {error}"))
    })
}

/// Where files of the repository are written; of which issue makes no difference to that.
fn home(root: &Path) -> Result<RunFolder, Failure> {
    let first = 1_u64.try_into().map_err(|error| Failure::new(FailureKind::OurBug, error))?;
    Ok(RunFolder::new(root, first))
}

fn github(arguments: &InitGithubArgs) -> CommandResult {
    let project = crate::project::open(&SettingFlags::default())?;
    let action = arguments.action.as_deref().or(BUILT_FOR).ok_or_else(|| {
        Failure::usage("nobody says which action the workflow is to use")
            .hint("give it with its commit: `--action OWNER/ai-workflow@COMMIT`")
            .hint("a commit has 40 hexadecimal digits; `git ls-remote https://github.com/OWNER/ai-workflow HEAD` shows one")
    })?;
    let keys = &project.settings.github;
    let text = workflow(action, &keys.trigger_label, &keys.allowed_actors, arguments.two_job)?;
    let labels = labels(&project);
    let has_settings = project.root().join(CONFIGURATION).exists();
    let writes =
        [Some(WORKFLOW), (!has_settings).then_some(CONFIGURATION)].into_iter().flatten().collect::<Vec<_>>();
    if project.root().join(WORKFLOW).symlink_metadata().is_ok() && !arguments.force {
        return Err(Failure::usage(format!("{WORKFLOW} exists already")).hint("`--force` overwrites it"));
    }
    let made = if arguments.dry_run {
        None
    } else {
        home(project.root())?.write(WORKFLOW, &project.masker.mask(&text))?;
        if !has_settings {
            configure(project.root())?;
        }
        made(&project, &labels)?
    };
    show_result(arguments, &writes, &labels, made.as_deref())
}

/// Returns the label that starts runs, and those that tell where runs stand.
fn labels(project: &Project) -> Vec<Label> {
    let github = &project.settings.github;
    let starts = (github.trigger_label.clone(), "1d76db", "Takes this issue to a draft pull request");
    let mut labels = vec![starts];
    if github.state_labels {
        labels.extend(state_labels());
    }
    labels
}

/// Makes the labels that are missing where a token lets us; returns where.
fn made(project: &Project, labels: &[Label]) -> Result<Option<String>, Failure> {
    let Some(github) = forge_connection::within_reach(project)? else { return Ok(None) };
    let making = async {
        for (name, color, says) in labels {
            github.make_label(name, color, says).await?;
        }
        Ok::<_, ForgeError>(())
    };
    if let Err(error) = runtime()?.block_on(making) {
        words(&format!("warning: {} ({})\n", project.masker.mask(&error.to_string()), error.hint()));
        return Ok(None);
    }
    Ok(Some(github.repository()))
}

fn show_result(
    arguments: &InitGithubArgs,
    writes: &[&str],
    labels: &[Label],
    made: Option<&str>,
) -> CommandResult {
    let verb = if arguments.dry_run { "would be written" } else { "is written" };
    let written: String = writes.iter().map(|path| format!("{path} {verb}\n")).collect();
    let names: Vec<&str> = labels.iter().map(|(name, ..)| name.as_str()).collect();
    let labelled = made.map(|repository| format!("{repository} has the labels {}\n", names.join(", ")));
    let labelled = labelled.unwrap_or_default();
    let next = next(if made.is_none() { labels } else { &[] });
    let lines: String = next.iter().enumerate().map(|(n, step)| format!("  {}. {step}\n", n + 1)).collect();
    show(
        arguments.json,
        &json!({
            "written": if arguments.dry_run { Vec::new() } else { writes.to_vec() },
            "would_write": if arguments.dry_run { writes.to_vec() } else { Vec::new() },
            "labels": names,
            "labelled": made,
            "next": next,
        }),
        &format!("{written}{labelled}next:\n{lines}"),
    )
}

/// Returns what a person does then, in this order; labels that could not be made come after the first step.
fn next(labels: &[Label]) -> Vec<String> {
    let mut steps: Vec<String> = include_str!("init/next.txt").lines().map(str::to_owned).collect();
    let by_hand = labels.iter().map(|(name, color, says)| {
        format!("make a label: gh label create '{name}' --color {color} --description '{says}'")
    });
    steps.splice(1..1, by_hand);
    steps
}

/// Returns the workflow for an action, pinned by its commit, the label that starts runs, and those who are named.
fn workflow(action: &str, label: &str, named: &[String], two_jobs: bool) -> Result<String, Failure> {
    if !matches(PINNED, action) {
        return Err(Failure::usage(format!("`{action}` is not OWNER/NAME@COMMIT")).hint(
            "a commit has 40 hexadecimal digits; a tag or a branch could be moved to other code later",
        ));
    }
    if !matches(LABEL, label) {
        return Err(Failure::usage(format!("the label `{label}` cannot stand in a workflow"))
            .hint("use letters, digits, spaces and `-_.:/` in `[github] trigger_label`"));
    }
    if let Some(bad) = named.iter().find(|login| !matches(LOGIN, login)) {
        return Err(Failure::usage(format!("the account `{bad}` cannot stand in a workflow"))
            .hint("a login has letters, digits and hyphens, and a program's ends with `[bot]`")
            .hint("correct `[github] allowed_actors`"));
    }
    Ok(filled(if two_jobs { TWO_JOBS } else { ONE_JOB }, action, label, named))
}

fn filled(template: &str, action: &str, label: &str, named: &[String]) -> String {
    let named = serde_json::json!(named).to_string();
    template.replace("@ACTION@", action).replace("@LABEL@", label).replace("@NAMED@", &named)
}

fn matches(pattern: &str, text: &str) -> bool {
    Regex::new(pattern).expect("the pattern is a constant").is_match(text)
}

#[cfg(test)]
mod tests;
