//! The command line as a person types it. Names, defaults and help texts; no behaviour.

#![expect(clippy::struct_excessive_bools, reason = "each is a flag that a person gives or leaves out")]

mod check;

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use clap::{ArgMatches, Args, Parser, Subcommand, ValueEnum};

pub(crate) use check::CheckArgs;
use model::issue::IssueNumber;
use model::phase::Step;

/// GitHub issue in, reviewed pull request out, without ever taking the agent's word for it.
#[derive(Debug, Parser)]
#[command(name = "ai-workflow", bin_name = "ai-workflow", version, propagate_version = true)]
#[command(after_help = include_str!("arguments/help/ai-workflow.txt"))]
pub(crate) struct ProgramArgs {
    /// What is to be done.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// A command of the program with its arguments.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write `.ai-workflow/config.toml`, or a workflow of GitHub
    Init(InitArgs),
    /// Take an issue through its phases, from where it stands
    Execute(ExecuteArgs),
    /// Show where a run stands; works while it runs
    Status(StatusArgs),
    /// Review the documents of a run before code is written
    DocReview(DocReviewArgs),
    /// Answer the question of a paused run and go on
    Resume(ResumeArgs),
    /// End a run for good; asks the process that holds it to stop
    Cancel(OneIssueArgs),
    /// Open a phase again, with a reason for its next prompt
    Rollback(RollbackArgs),
    /// Take up what reviewers of the pull request asked for
    PrFeedback(PrFeedbackArgs),
    /// Remove the files of a completed run, squash, end the draft
    Finalize(FinalizeArgs),
    /// Do what a label, a comment or a dispatch on GitHub asks for
    Event(EventArgs),
    /// Publish what `event --bundle` handed over; asks no agent
    Apply(ApplyArgs),
    /// Remove a run: its branch, its worktree, its files
    Cleanup(CleanupArgs),
    /// List the presets and their phases
    ListPresets(CommonFlags),
    /// List the phases with their policy, limits and needs
    Phases(CommonFlags),
    /// Judge a change or an answer by the checks of a run
    Check(CheckArgs),
    /// Read a verdict out of a review, the way a run does
    ParseReview(ParseReviewArgs),
    /// Tell what reviewers and checks found and what is open
    Findings(FindingsArgs),
    /// Tell which rule led to each ruling, or how two runs differ
    Explain(ExplainArgs),
    /// Fold the log of a run again and show every fact
    Replay(ReplayArgs),
    /// Make a small project with a bug and resolve its issue
    Demo(DemoArgs),
    /// Show or check the configuration
    Config(ConfigArgs),
    /// Check what a run would need on this machine
    Doctor(CommonFlags),
    /// Run the conditions of a step of the registry of steps
    Validate(ValidateArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Print the manual page, or write those of all commands
    Man(ManArgs),
}

impl Command {
    /// Tells whether it takes a run further, so that a job wants to know how that ended.
    pub(crate) fn drives(&self) -> bool {
        matches!(
            self,
            Self::Execute(_) | Self::Resume(_) | Self::DocReview(_) | Self::Event(_) | Self::Apply(_)
        )
    }
}

/// Tells whether a JSON document is wanted on stdout.
pub(crate) fn wants_json(matches: &ArgMatches) -> bool {
    if let Some((_, of_command)) = matches.subcommand() {
        return wants_json(of_command);
    }
    let format = matches.try_get_one::<FindingsFormat>("format");
    matches!(matches.try_get_one("json"), Ok(Some(true)))
        || matches!(format, Ok(Some(FindingsFormat::Json | FindingsFormat::Sarif)))
}

/// Settings that can stand in a file, a variable or here; here they win.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct SettingFlags {
    /// Read this file instead of `.ai-workflow/config.toml`
    #[arg(long, value_name = "FILE", help_heading = "Settings")]
    pub(crate) config: Option<PathBuf>,
    /// The author: claude[:MODEL], codex[:MODEL], command:PATH, scripted:FILE, auto, ...; a comma list falls back
    #[arg(long, value_name = "SPEC", help_heading = "Settings")]
    pub(crate) agent: Option<String>,
    /// The reviewer, in the same words; without it one that fits the author
    #[arg(long, value_name = "SPEC", help_heading = "Settings")]
    pub(crate) reviewer: Vec<String>,
    /// A second reviewer, in the same words, whose opinion only tightens; may be given several times
    #[arg(long, value_name = "SPEC", help_heading = "Settings")]
    pub(crate) second_reviewer: Vec<String>,
    /// The language of documents and comments, such as en or ja
    #[arg(long, value_name = "CODE", help_heading = "Settings")]
    pub(crate) language: Option<String>,
    /// The branch to start from and to merge into
    #[arg(long, value_name = "BRANCH", help_heading = "Settings")]
    pub(crate) base_branch: Option<String>,
    /// Run a named list of phases only; `list-presets` shows them
    #[arg(long, value_name = "NAME", help_heading = "Settings")]
    pub(crate) preset: Option<String>,
    /// Leave these phases out
    #[arg(long, value_name = "A,B", help_heading = "Settings")]
    pub(crate) skip_phases: Option<String>,
    /// Where the issue lives: github or local
    #[arg(long, value_name = "FORGE", help_heading = "Settings")]
    pub(crate) forge: Option<String>,
    /// Work in a linked worktree and leave the checkout alone
    #[arg(long, help_heading = "Settings")]
    pub(crate) worktree: bool,
    /// When to push the branch: never, halt or phase
    #[arg(long, value_name = "WHEN", help_heading = "Settings")]
    pub(crate) push: Option<String>,
    /// Exit with 1 instead of 3 where a person would be asked
    #[arg(long, help_heading = "Settings")]
    pub(crate) no_wait: bool,
    /// Assess the difficulty first and let it choose the models of agents named without one
    #[arg(long, help_heading = "Settings")]
    pub(crate) auto_model: bool,
    /// Begin a session of its own with every call
    #[arg(long, help_heading = "Settings")]
    pub(crate) fresh_sessions: bool,
    /// Any other setting by its dotted key, such as budget.usd=5; may be given several times
    #[arg(long, value_name = "KEY=VALUE", help_heading = "Settings")]
    pub(crate) set: Vec<String>,
}

/// The arguments of `execute`.
#[derive(Debug, Args)]
#[command(after_help = include_str!("arguments/help/execute.txt"))]
pub(crate) struct ExecuteArgs {
    /// The number of the issue
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) issue: IssueNumber,
    /// One phase, or all that are left; `phases` lists them
    #[arg(long, value_name = "NAME", default_value = "all")]
    pub(crate) phase: String,
    /// Open a failed phase again, with fresh limits
    #[arg(long)]
    pub(crate) retry_failed: bool,
    /// Do not look at whether earlier phases are completed
    #[arg(long)]
    pub(crate) skip_dependency_check: bool,
    /// Warn about unmet needs and go on
    #[arg(long)]
    pub(crate) ignore_dependencies: bool,
    /// Show phases, calls and limits; call nobody, write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) common: CommonFlags,
}

/// The arguments of `doc-review`.
#[derive(Debug, Args)]
#[command(after_help = include_str!("arguments/help/doc-review.txt"))]
pub(crate) struct DocReviewArgs {
    /// The number of the issue
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) issue: IssueNumber,
    /// Review and fix in turn, as `execute` does, until the documents are approved or a person is needed
    #[arg(long, conflicts_with = "fix")]
    pub(crate) autofix: bool,
    /// Answer the latest review, which nobody has answered yet, and fix what is right in it
    #[arg(long)]
    pub(crate) fix: bool,
    #[command(flatten)]
    pub(crate) common: CommonFlags,
}

/// The arguments of `resume`.
#[derive(Debug, Clone, Args)]
#[command(after_help = include_str!("arguments/help/resume.txt"))]
pub(crate) struct ResumeArgs {
    /// The number of the issue
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) issue: IssueNumber,
    /// Go on with fresh limits
    #[arg(long = "continue", group = "choice")]
    pub(crate) go_on: bool,
    /// Go on with fresh limits, and tell the author this
    #[arg(long, value_name = "TEXT", group = "choice", conflicts_with = "text")]
    pub(crate) answer: Option<String>,
    /// You changed files by hand: check and review them, on the limits that are left
    #[arg(long, group = "choice")]
    pub(crate) edited: bool,
    /// Accept the work as it is, on your responsibility
    #[arg(long, group = "choice")]
    pub(crate) accept: bool,
    /// Let the phase fail
    #[arg(long, group = "choice")]
    pub(crate) give_up: bool,
    /// With `--continue`: so many revisions (rounds of a document review) instead of a fresh set
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) rounds: Option<u32>,
    /// With `--accept`: why
    #[arg(long, value_name = "TEXT", conflicts_with = "text")]
    pub(crate) reason: Option<String>,
    /// What the author should know
    #[arg(long, value_name = "TEXT")]
    pub(crate) text: Option<String>,
    #[command(flatten)]
    pub(crate) common: CommonFlags,
}

/// The arguments of `rollback`.
#[derive(Debug, Args)]
pub(crate) struct RollbackArgs {
    /// The number of the issue
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) issue: IssueNumber,
    /// The phase to open again; it and all later ones become pending
    #[arg(long, value_name = "PHASE")]
    pub(crate) to_phase: String,
    /// The step it goes on with
    #[arg(long, value_name = "STEP", default_value = "revise")]
    #[arg(value_parser = PossibleValuesParser::new(ROLLBACK_STEPS).try_map(|step| step.parse::<Step>()))]
    pub(crate) to_step: Step,
    /// Why; stands on top of the next prompt
    #[arg(
        long,
        value_name = "TEXT",
        required_unless_present = "reason_file",
        conflicts_with = "reason_file"
    )]
    pub(crate) reason: Option<String>,
    /// Why, from a file
    #[arg(long, value_name = "FILE")]
    pub(crate) reason_file: Option<PathBuf>,
    /// Also add commits that revert what the reopened phases committed
    #[arg(long)]
    pub(crate) revert: bool,
    /// Only show what would happen
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// The steps that a phase can go on with after a rollback.
const ROLLBACK_STEPS: [&str; 3] = ["execute", "review", "revise"];

/// The arguments of a command about one issue.
#[derive(Debug, Args)]
pub(crate) struct OneIssueArgs {
    /// The number of the issue
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) issue: IssueNumber,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// The arguments of `pr-feedback`.
#[derive(Debug, Args)]
#[command(after_help = include_str!("arguments/help/pr-feedback.txt"))]
pub(crate) struct PrFeedbackArgs {
    /// The number of the pull request
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) pr: u64,
    /// Show what would be taken up, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) common: CommonFlags,
}

/// The arguments of `finalize`.
#[derive(Debug, Args)]
pub(crate) struct FinalizeArgs {
    /// The number of the issue
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) issue: IssueNumber,
    /// Keep one commit per phase
    #[arg(long)]
    pub(crate) skip_squash: bool,
    /// Keep the run's folder on the branch: its log and its documents
    #[arg(long)]
    pub(crate) keep_files: bool,
    /// Publish also what no reviewer was shown; the pull request says so
    #[arg(long)]
    pub(crate) include_unreviewed: bool,
    /// Only show what would happen
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// The arguments of `cleanup`.
#[derive(Debug, Args)]
pub(crate) struct CleanupArgs {
    /// The number of the issue
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) issue: IssueNumber,
    /// Remove prompts, answers and raw streams only; keep branch, log and documents
    #[arg(long)]
    pub(crate) logs_only: bool,
    /// Remove the run although it is not over
    #[arg(long)]
    pub(crate) force: bool,
    /// Only show what would happen
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// The arguments of `event`.
#[derive(Debug, Args)]
#[command(after_help = include_str!("arguments/help/event.txt"))]
pub(crate) struct EventArgs {
    #[command(flatten)]
    pub(crate) source: EventSource,
    /// Write nothing to GitHub; put the run's branch and how it ended into this folder, for `apply`
    #[arg(long, value_name = "DIR")]
    pub(crate) bundle: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) settings: SettingFlags,
}

/// The arguments of `apply`.
#[derive(Debug, Args)]
#[command(after_help = include_str!("arguments/help/apply.txt"))]
pub(crate) struct ApplyArgs {
    /// The folder that `event --bundle` wrote
    #[arg(long, value_name = "DIR")]
    pub(crate) bundle: PathBuf,
    #[command(flatten)]
    pub(crate) source: EventSource,
    #[command(flatten)]
    pub(crate) settings: SettingFlags,
}

/// Where an event stands.
#[derive(Debug, Args)]
pub(crate) struct EventSource {
    /// The file with the event; without it the one that `GITHUB_EVENT_PATH` names
    #[arg(long, value_name = "FILE")]
    pub(crate) path: Option<PathBuf>,
    /// What kind of event it is, such as `issues` or `issue_comment`; without it what `GITHUB_EVENT_NAME` says
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
}

/// The arguments of `init`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct InitArgs {
    #[command(subcommand)]
    pub(crate) place: Option<InitPlace>,
    /// Write over an existing configuration
    #[arg(long)]
    pub(crate) force: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Where runs are to happen besides this machine.
#[derive(Debug, Subcommand)]
pub(crate) enum InitPlace {
    /// Write a workflow that runs ai-workflow on GitHub, and make its labels
    Github(InitGithubArgs),
}

/// The arguments of `init github`.
#[derive(Debug, Args)]
pub(crate) struct InitGithubArgs {
    /// The action that the workflow uses, pinned by its commit; without it the one that this program was built for
    #[arg(long, value_name = "OWNER/NAME@COMMIT")]
    pub(crate) action: Option<String>,
    /// Keep the agents in a job that can only read; another job judges and publishes what they made
    #[arg(long)]
    pub(crate) two_job: bool,
    /// Write over an existing workflow
    #[arg(long)]
    pub(crate) force: bool,
    /// Only show what would happen
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// The arguments of `status`.
#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    /// The number of the issue; all runs of the repository when missing
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) issue: Option<IssueNumber>,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// The arguments of `findings`.
#[derive(Debug, Args)]
pub(crate) struct FindingsArgs {
    /// The number of the issue
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) issue: IssueNumber,
    /// Open problems for people or for a code scanner, or all of them as JSON
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: FindingsFormat,
    /// Write to this file instead of stdout; `-` is stdout
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// What `findings` prints.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum FindingsFormat {
    #[default]
    Text,
    Json,
    Sarif,
}

/// The arguments of `explain`.
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// The number of the issue
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) issue: IssueNumber,
    /// Show what differs from the run of another issue: programs, models, prompts, limits
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) compare: Option<IssueNumber>,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// The arguments of `replay`.
#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// The number of the issue
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) issue: IssueNumber,
    /// Every fact, or the review loops that they are: one event a line, as JSON
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: ReplayFormat,
    /// Only the review loops of this phase
    #[arg(long, value_name = "NAME")]
    pub(crate) phase: Option<String>,
    /// Print the facts as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// What `replay` prints.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReplayFormat {
    #[default]
    Facts,
    ReviewLoop,
}

/// How a result is printed, and the settings that are given.
#[derive(Debug, Clone, Args)]
pub(crate) struct CommonFlags {
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) settings: SettingFlags,
}

/// The arguments of `config`.
#[derive(Debug, Args)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    pub(crate) command: ConfigCommand,
}

/// What `config` is asked for.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print the settings in force and where each comes from
    Show(CommonFlags),
    /// Check all layers and say what is wrong
    Validate(CommonFlags),
    /// Print the JSON Schema of the configuration (or of metadata.json)
    Schema {
        /// The schema of metadata.json instead
        #[arg(long)]
        metadata: bool,
    },
}

/// The arguments of `validate`.
#[derive(Debug, Args)]
#[command(after_help = include_str!("arguments/help/validate.txt"))]
pub(crate) struct ValidateArgs {
    /// The step by its name in the registry
    pub(crate) step: String,
    /// Read this registry instead of `.ai-workflow/steps_registry.json`
    #[arg(long, value_name = "FILE")]
    pub(crate) registry: Option<PathBuf>,
    /// The issue, for conditions that ask whether it is closed
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) issue: Option<IssueNumber>,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// The arguments of `parse-review`.
#[derive(Debug, Args)]
pub(crate) struct ParseReviewArgs {
    /// The review; `-` or nothing reads stdin
    pub(crate) file: Option<PathBuf>,
    /// The id that the answer has to carry
    #[arg(long, value_name = "ID")]
    pub(crate) review_id: Option<String>,
    /// Print the whole reading as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// The arguments of `demo`.
#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Where to make the project; a temporary folder when missing
    pub(crate) dir: Option<PathBuf>,
    /// Use a real agent on the same project
    #[arg(long, value_name = "SPEC")]
    pub(crate) agent: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// The arguments of `completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    pub(crate) shell: clap_complete::Shell,
}

/// The arguments of `man`.
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Write one page for the program and one for each command into this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
}
