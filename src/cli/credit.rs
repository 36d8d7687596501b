//! The last lines of the one commit of a finalized run: which run made it, and who else has a share in it. Agents and the
//! author of the issue are none of those; whoever asked for the run is, where GitHub says who that was.

use std::fmt::Write as _;

use super::arguments::SettingFlags;
use super::door::runtime;
use super::failure::Failure;
use super::forge_connection;
use super::hold::Hold;
use engine::Run;
use forge::Forge;
use git::{Author, CommitId};

/// Returns the trailers of the commit.
pub(super) fn trailers(hold: &Hold, run: &Run, base: &CommitId, forge: &Forge) -> Result<String, Failure> {
    let mut people = hold.space.workspace().history().other_authors(base)?;
    let known = |author: &Author| people.iter().any(|one| one.mail.eq_ignore_ascii_case(&author.mail));
    let requester = requester(run, forge)?.filter(|author| !known(author));
    people.extend(requester);
    let mut lines = format!("AI-Workflow-Run: {}\n", run.started.run_id);
    for Author { name, mail } in people {
        let _ = writeln!(lines, "Co-authored-by: {name} <{mail}>");
    }
    Ok(lines)
}

/// Whoever put the label on that started the run; nobody when that is not known for sure, or was a program.
fn requester(run: &Run, forge: &Forge) -> Result<Option<Author>, Failure> {
    let Forge::Github(github) = forge else { return Ok(None) };
    // Settings that cannot be read are no reason to stop here: nobody is named then.
    let Ok(door) = crate::project::open(&SettingFlags::default()) else { return Ok(None) };
    let label = &door.settings.github.trigger_label;
    let labelled = runtime()?.block_on(github.last_labelling(run.started.issue.number, label));
    let Ok(Some(labelled)) = labelled else { return Ok(None) };
    let before = labelled.created_at <= run.created_at;
    let person = labelled.actor.filter(|actor| before && actor.kind == "User");
    Ok(person.map(|actor| {
        let mail = format!("{}+{}@{}", actor.id, actor.login, forge_connection::no_reply_domain());
        Author { name: actor.login, mail }
    }))
}
