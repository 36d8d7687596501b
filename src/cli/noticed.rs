//! What changed outside since the run began: the text of the issue, and where the base branch stands.
//! The pinned text and the pinned commit stay in force; what changed is told, and noted once.

use super::door::{Door, runtime};
use super::failure::Failure;
use super::forge_connection;
use super::hold::Hold;
use engine::Run;
use forge::digest;
use model::event::Fact;
use model::issue::Issue;

/// Refuses to go on with an issue that was closed meanwhile.
pub(super) fn refuse_closed(door: &Door, run: &Run) -> Result<(), Failure> {
    let number = run.started.issue.number;
    if issue(door, run)?.is_none_or(|issue| issue.open) {
        return Ok(());
    }
    Err(Failure::usage(format!("issue {number} was closed since the run began"))
        .hint(format!("open it again, or end the run with `ai-workflow cancel --issue {number}`")))
}

/// Looks at the issue and at the base branch, and tells what changed.
pub(super) fn look(door: &Door, hold: &mut Hold) -> Result<(), Failure> {
    let run = hold.run()?;
    let issue = issue(door, run)?;
    let edited = issue.as_ref().and_then(|issue| edited(run, issue));
    let moved = moved(door, run)?;
    for (kind, text) in edited.into_iter().chain(moved) {
        note(hold, kind, text)?;
    }
    Ok(())
}

/// Returns the issue as it is now; one that cannot be read is no reason to stop.
fn issue(door: &Door, run: &Run) -> Result<Option<Issue>, Failure> {
    let forge = forge_connection::of_run(door, run)?;
    Ok(runtime()?.block_on(forge.issue(run.started.issue.number)).ok())
}

fn edited(run: &Run, issue: &Issue) -> Option<(&'static str, String)> {
    let now = digest(issue);
    (now != run.started.issue_digest).then(|| {
        let short = now.get(..9).unwrap_or(&now);
        let text = format!(
            "The issue was edited since the run began (now {short}); the text of the beginning is used"
        );
        ("issue_edited", text)
    })
}

fn moved(door: &Door, run: &Run) -> Result<Option<(&'static str, String)>, Failure> {
    let base = &run.started.base_branch;
    let Some(branch) = door.workspace.branches().find(base)? else { return Ok(None) };
    let (now, then) = (branch.tip.as_str(), run.started.base_commit.as_str());
    Ok((now != then).then(|| {
        let text = format!(
            "The base branch {base} moved since the run began: from {} to {}; the run stays on what it began with",
            &then[..then.len().min(9)],
            &now[..now.len().min(9)]
        );
        ("base_moved", text)
    }))
}

/// Tells what changed each time, and writes it down the first time.
fn note(hold: &mut Hold, kind: &str, text: String) -> Result<(), Failure> {
    if hold.run()?.notes.iter().any(|(_, known)| *known == text) {
        tracing::warn!("{text}");
        return Ok(());
    }
    // The reporter of log lines tells it.
    Ok(hold.journal.record(Fact::Noted { kind: kind.to_owned(), text })?)
}
