//! `apply`: publishes what the process with the agents handed over. It reads the event anew, asks anew who is behind it, and
//! judges everything that was handed over before any of it leaves this machine. No agent is asked, no phase begins.

mod commits;
mod history;
mod messages;
mod named;
mod spoken;
mod vetted;

use std::path::Path;

use super::bundle::{self, Asked, Ending, Handed, refused};
use super::door::Door;
use super::drive;
use super::event::{Done, Obeyed, done};
use super::failure::{Failure, LOST};
use super::fetched::REMOTE;
use super::find::{brought, look};
use super::forge_connection;
use super::hold::take_existing;
use super::put_right::put_right_now;
use super::refusal::Refusal;
use app::report::{LogLines, Terminal};
use content_parser::SlashCommand;
use model::event::{Fact, Outcome, branch_of};
use model::issue::IssueNumber;
use views::summary::quoted;

use spoken::Spoken;
pub(super) use spoken::{asked_again, skipped_by};
pub(super) use vetted::Vetted;

/// The kind of the note that says what was found good.
const APPLIED: &str = "applied";

/// Publishes what was handed over for an event that somebody who may has caused.
pub(super) fn publish(
    door: &Door,
    terminal: &Terminal,
    folder: &Path,
    issue: IssueNumber,
    asked: Asked,
    command: Option<&SlashCommand>,
) -> Obeyed {
    let Handed { told, branch } = bundle::read(folder, &door.masker)?;
    if told.issue != issue || told.asked != asked {
        return Err(refused("E_BUNDLE_EVENT", "it was made for another event").into());
    }
    match (told.ending, branch, told.head) {
        (Ending::Skipped, ..) if told.code.is_empty() => Ok(Done::Nothing(quoted(&told.why))),
        (Ending::Skipped, ..) => {
            put_right_known(door, issue);
            let said = format!("the job of the agents did nothing: {} {}", told.code, told.why);
            Err(Refusal::Impossible(said).into())
        }
        (_, Some(file), Some(head)) => {
            let event = Spoken { asked, command, person: &door.person };
            let vetted = vetted::vet(door, issue, (&file, &head), &event)?;
            let asks_for_more = vetted.asks_for_more && told.ending == Ending::Ran;
            let vetted = Vetted { asks_for_more, ..vetted };
            done(go_on(door, terminal, issue, &vetted), issue)
        }
        (Ending::Ran, _, None) => {
            Ok(Done::Nothing("the job of the agents has nothing to publish".to_owned()))
        }
        _ => {
            let why = format!("the job of the agents has no run to publish: {} {}", told.code, told.why);
            Err(refused(LOST, &why).into())
        }
    }
}

/// The other process could write nothing, and asked nobody to.
fn put_right_known(door: &Door, issue: IssueNumber) {
    if brought(door, issue).is_ok_and(|found| found.has_log())
        && let Ok(seen) = look(door, issue)
        && let Some(run) = seen.state.run.filter(|run| run.outcome != Outcome::Running)
    {
        put_right_now(door, &run);
    }
}

/// Takes the branch over and does what is left to do.
fn go_on(door: &Door, terminal: &Terminal, issue: IssueNumber, vetted: &Vetted) -> Result<u8, Failure> {
    door.workspace.branches().fast_forward(&branch_of(issue), &vetted.tip)?;
    let mut hold = take_existing(door, issue, &|_| Ok(()))?;
    hold.journal.add_reporter(Box::new(LogLines::default()));
    let text = format!("What was handed over was judged and found good, up to {}", vetted.handed);
    if !hold.run()?.notes.iter().any(|(_, known)| *known == text) {
        hold.journal.record(Fact::Noted { kind: APPLIED.to_owned(), text })?;
    }
    drive::publish(door, hold, terminal, vetted)
}
