//! `event`: the one door for what happens on GitHub, from a job or a webhook. Reads the event, looks who is behind it, and
//! has the same commands do the work that a person types. What is not obeyed is told in one line and is no failure.

mod commented;
mod dispatched;
mod labeled;
mod perform;
mod reply;

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::Answer;
use super::admission::admit;
use super::apply::publish;
use super::arguments::{Apply, Event as Arguments, EventSource, Execute, SettingFlags};
use super::bundle::{self, Asked, Ending, Told};
use super::door::{Door, log_to, runtime, variable};
use super::execute;
use super::failure::{Failure, Kind};
use super::find::{brought, look};
use super::refusal::{Refusal, TEXT_NOT_TRUSTED};
use super::{forge_connection, job};
use app::report::Terminal;
use app::runner::JobRole;
use content_parser::SlashCommand;
use engine::Run;
use forge::github::{Event, IssueState, LARGEST_EVENT, Person, Reaction, ReactionTarget, read_event};
use forge::{ForgeError, GithubForge};
use model::event::Outcome;
use model::issue::IssueNumber;
use views::summary::is_request_closed;

/// What became of an event.
pub(super) enum Done {
    /// A command ended with this exit code.
    Ran(u8),
    /// What was asked about the run stands in a comment.
    Told,
    /// Nothing was to be done, and why.
    Nothing(String),
}

/// Why an event was not obeyed.
pub(super) enum Undone {
    Refused(Refusal),
    Failed(Failure),
}

impl From<Refusal> for Undone {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<Failure> for Undone {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<ForgeError> for Undone {
    fn from(error: ForgeError) -> Self {
        Self::Failed(error.into())
    }
}

pub(super) type Obeyed = Result<Done, Undone>;

pub(super) fn run(arguments: &Arguments) -> Answer {
    let role = if arguments.bundle.is_some() { JobRole::Work } else { JobRole::Both };
    take(&arguments.source, &arguments.settings, role, arguments.bundle.clone())
}

/// `apply`: the same for what another process has worked on.
pub(super) fn apply(arguments: &Apply) -> Answer {
    take(&arguments.source, &arguments.settings, JobRole::Publish, Some(arguments.bundle.clone()))
}

fn take(source: &EventSource, flags: &SettingFlags, role: JobRole, bundle: Option<PathBuf>) -> Answer {
    let terminal = Terminal::new();
    log_to(&terminal);
    let door = Door { role, ..crate::project::open(flags)? };
    door.warn_of_short_secrets();
    if let (JobRole::Work, Some(folder)) = (role, &bundle) {
        forge_connection::only_read();
        bundle::prepare(folder)?;
    }
    let event = read(source)?;
    let asked = Asked::of(&event);
    let mut desk = Desk { door, terminal, flags: flags.clone(), about: None, bundle, asked, command: None };
    let obeyed = obey(&mut desk, &event);
    desk.hand_over(&obeyed)?;
    desk.tell(obeyed)
}

fn obey(desk: &mut Desk, event: &Event) -> Obeyed {
    match event {
        Event::Labeled(event) => labeled::obey(desk, event),
        Event::Commented(event) => commented::obey(desk, event),
        Event::Dispatched(event) => dispatched::obey(desk, event),
        Event::Upstream { by } => desk.admit(by).map(|()| nothing("nothing follows from another workflow")),
        Event::Other => Ok(nothing("nothing follows from this event")),
    }
}

fn nothing(why: &str) -> Done {
    Done::Nothing(why.to_owned())
}

/// Reads the event from the file that is named, or that the job names.
fn read(source: &EventSource) -> Result<Event, Failure> {
    let path = source.path.clone().or_else(|| variable("GITHUB_EVENT_PATH").map(PathBuf::from));
    let name = source.name.clone().or_else(|| variable("GITHUB_EVENT_NAME"));
    let (Some(path), Some(name)) = (path, name) else {
        return Err(Failure::usage("there is no event: it comes with a job of GitHub Actions")
            .hint("outside of one give `--path FILE` and `--name issues`"));
    };
    let shown = path.display();
    let unreadable = |error: std::io::Error| Failure::usage(format!("failed to read {shown}: {error}"));
    let mut text = Vec::new();
    let file = File::open(&path).map_err(unreadable)?;
    file.take(LARGEST_EVENT + 1).read_to_end(&mut text).map_err(unreadable)?;
    if text.len() as u64 > LARGEST_EVENT {
        return Err(Failure::usage(format!("{shown} is larger than any event of GitHub")));
    }
    read_event(&name, &text).map_err(|error| Failure::usage(format!("{shown} is no event `{name}`: {error}")))
}

/// What an event is worked on with.
struct Desk {
    door: Door,
    terminal: Terminal,
    flags: SettingFlags,
    /// The issue that is worked on, as soon as that is known.
    about: Option<IssueNumber>,
    /// Where what was worked on lies, or is to lie, for another process.
    bundle: Option<PathBuf>,
    asked: Option<Asked>,
    /// What a comment asks for.
    command: Option<SlashCommand>,
}

impl Desk {
    /// Asks GitHub. Each time anew: a run in between may last for hours.
    fn ask<T>(&self, asking: impl AsyncFnOnce(&GithubForge) -> T) -> Result<T, Failure> {
        let github = forge_connection::github(&self.door)?;
        Ok(runtime()?.block_on(asking(&github)))
    }

    /// Refuses whoever may not start and steer runs.
    fn admit(&self, who: &Person) -> Result<(), Undone> {
        let keys = &self.door.settings.github;
        Ok(self.ask(async |github| admit(github, keys, who).await)??)
    }

    /// Returns the run of an issue, also one that only origin has.
    fn known(&self, number: IssueNumber) -> Result<Option<Run>, Failure> {
        if !brought(&self.door, number)?.has_log() {
            return Ok(None);
        }
        Ok(look(&self.door, number)?.state.run)
    }

    /// Gives a reaction; one that cannot be given stops nothing.
    fn react(&self, on: ReactionTarget, reaction: Reaction) -> Result<(), Failure> {
        if self.door.role == JobRole::Work {
            return Ok(());
        }
        if let Err(error) = self.ask(async |github| github.react(on, reaction).await)? {
            tracing::warn!("There is no reaction to what was asked: {error}");
        }
        Ok(())
    }

    /// Does what `execute` does.
    fn execute(&self, number: IssueNumber, retry_failed: bool) -> Obeyed {
        if self.door.role == JobRole::Publish {
            return self.publish(number);
        }
        let arguments = Execute {
            issue: number,
            phase: "all".to_owned(),
            retry_failed,
            skip_dependency_check: false,
            ignore_dependencies: false,
            dry_run: false,
            json: false,
            settings: self.flags.clone(),
        };
        done(execute::go_on(&self.door, &self.terminal, &arguments), number)
    }

    /// Does what `execute` does, and refuses where that left the run as it was.
    fn go_on(&self, number: IssueNumber, before: Option<&Run>, retry_failed: bool) -> Obeyed {
        let obeyed = self.execute(number, retry_failed)?;
        // Whether something was done, who worked has said.
        let before = before.filter(|_| self.door.role != JobRole::Publish);
        match (before, self.known(number)?) {
            (Some(before), Some(after)) if is_as_it_was(before, &after) => {
                Err(Refusal::Impossible(why_it_rests(&after)).into())
            }
            _ => Ok(obeyed),
        }
    }

    /// Publishes what another process worked on.
    fn publish(&self, number: IssueNumber) -> Obeyed {
        let (Some(folder), Some(asked)) = (&self.bundle, self.asked) else {
            return Ok(nothing("nothing was handed over for this event"));
        };
        publish(&self.door, &self.terminal, folder, number, asked, self.command.as_ref())
    }

    /// Leaves what was worked on to another process, if there is to be one.
    fn hand_over(&self, obeyed: &Obeyed) -> Result<(), Failure> {
        let (JobRole::Work, Some(folder), Some(number), Some(asked)) =
            (self.door.role, &self.bundle, self.about, self.asked)
        else {
            return Ok(());
        };
        let told = |ending| Told::new(number, asked, ending);
        let told = match obeyed {
            Ok(Done::Ran(code)) => Told { exit_code: *code, ..told(Ending::Ran) },
            Ok(Done::Told) => told(Ending::Skipped),
            Ok(Done::Nothing(why)) => Told { why: why.clone(), ..told(Ending::Skipped) },
            Err(Undone::Refused(refusal)) => {
                Told { code: refusal.code().to_owned(), why: refusal.to_string(), ..told(Ending::Skipped) }
            }
            Err(Undone::Failed(failure)) => {
                let (code, why) = (failure.code().to_owned(), failure.message.clone());
                Told {
                    code,
                    why,
                    exit_code: crate::exit_code::of_failure(failure.kind),
                    ..told(Ending::Failed)
                }
            }
        };
        bundle::hand_over(&self.door, Path::new(folder), told)
    }

    /// Tells what became of the event, in one line where nothing was done.
    fn tell(&self, obeyed: Obeyed) -> Answer {
        let (line, code) = match obeyed {
            Ok(Done::Ran(code)) => return Ok(code),
            Ok(Done::Told) => {
                job::output(&self.door, "conclusion", "success");
                return Ok(0);
            }
            Err(Undone::Failed(failure)) => {
                if self.door.role == JobRole::Publish || failure.passes() {
                    job::say(&self.door, &with_hint(&failure.message, &failure));
                }
                return Err(failure);
            }
            Ok(Done::Nothing(why)) => {
                tracing::info!("{why}");
                (why, "")
            }
            Err(Undone::Refused(refusal)) => {
                tracing::warn!("{}", refusal.line());
                (refusal.line(), refusal.code())
            }
        };
        job::say(&self.door, &line);
        job::output(&self.door, "conclusion", "skipped");
        job::output(&self.door, "code", code);
        Ok(0)
    }
}

/// Takes a command's end.
pub(super) fn done(answer: Answer, number: IssueNumber) -> Obeyed {
    answer.map(Done::Ran).map_err(|failure| undone(failure, number))
}

/// That another process holds the run, or that nobody's words count, is no failure of ours.
fn undone(failure: Failure, number: IssueNumber) -> Undone {
    if failure.kind == Kind::Busy {
        return Refusal::Busy(number).into();
    }
    match failure.message.strip_prefix(TEXT_NOT_TRUSTED) {
        Some(why) => Refusal::Untrusted(with_hint(why.trim_start_matches([':', ' ']), &failure)).into(),
        None => failure.into(),
    }
}

/// Returns what is told of a failure that is answered with a refusal: why, and what to do next.
fn with_hint(why: &str, failure: &Failure) -> String {
    let hint = failure.hints.first().map_or(String::new(), |hint| format!(" ({hint})"));
    format!("{why}{hint}")
}

/// Refuses an issue on which nothing is to be done.
fn refuse_at_rest(number: IssueNumber, state: Option<&IssueState>) -> Result<(), Refusal> {
    match state {
        None => Err(Refusal::Gone(number)),
        Some(state) if state.locked => Err(Refusal::Locked(number)),
        Some(state) if !state.is_open() => Err(Refusal::Closed(number)),
        Some(_) => Ok(()),
    }
}

/// Tells whether a run stands where it stood: nothing was asked of agents, and nothing became visible.
fn is_as_it_was(before: &Run, after: &Run) -> bool {
    let phases = |run: &Run| run.phases.iter().map(|phase| phase.status).collect::<Vec<_>>();
    let request = |run: &Run| (run.publication.pull_request.clone(), is_request_closed(run));
    let shown = |run: &Run| {
        (
            run.publication.is_up_to_date,
            run.publication.is_ready,
            request(run),
            run.publication.follow_up.clone(),
        )
    };
    before.outcome == after.outcome
        && before.spending.total.calls == after.spending.total.calls
        && phases(before) == phases(after)
        && shown(before) == shown(after)
}

fn why_it_rests(run: &Run) -> String {
    match &run.paused {
        Some(pause) => format!("the run still waits ({}): {}", pause.reason.as_str(), pause.question),
        None => format!("the run is {}: nothing is left to do", run.outcome.as_str()),
    }
}

/// Tells whether a run failed, so that only a person's word opens it again.
fn has_failed(run: &Run) -> bool {
    matches!(run.outcome, Outcome::Failed | Outcome::Incomplete)
}
