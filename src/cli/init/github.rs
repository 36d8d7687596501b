//! `init github`: writes the workflow and a configuration into a repository, and makes the labels.
//! What only a person may do there is told.

use serde_json::json;

use super::workflow::{PATH, workflow};
use super::{CONFIGURATION, configure, home};
use crate::CommandResult;
use crate::arguments::{InitGithub, SettingFlags};
use crate::output::{show, words};
use app::environment::runtime;
use app::failure::Failure;
use app::forge_connection;
use app::project::Project;
use forge::ForgeError;
use runner::report::state_labels;

/// The action that this program was built for, if the build named one.
const BUILT_FOR: Option<&str> = option_env!("AI_WORKFLOW_ACTION");

/// A label of the repository: its name, its colour, what it says.
type Label = (String, &'static str, &'static str);

pub(super) fn run(arguments: &InitGithub) -> CommandResult {
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
        [Some(PATH), (!has_settings).then_some(CONFIGURATION)].into_iter().flatten().collect::<Vec<_>>();
    if project.root().join(PATH).symlink_metadata().is_ok() && !arguments.force {
        return Err(Failure::usage(format!("{PATH} exists already")).hint("`--force` writes over it"));
    }
    let made = if arguments.dry_run {
        None
    } else {
        home(project.root())?.write(PATH, &project.masker.mask(&text))?;
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
    arguments: &InitGithub,
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
    let mut steps: Vec<String> = include_str!("next.txt").lines().map(str::to_owned).collect();
    let by_hand = labels.iter().map(|(name, color, says)| {
        format!("make a label: gh label create '{name}' --color {color} --description '{says}'")
    });
    steps.splice(1..1, by_hand);
    steps
}
