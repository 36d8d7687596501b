//! What the commits that were handed over say: the words that we write, by whoever commits for us, and nothing else. A
//! message closes issues and names people when it is merged.

use crate::bundle::refused;
use crate::door::Door;
use crate::failure::Failure;
use app::runner::{phase_message, record_message};
use engine::Run;
use git::{CommitId, CommitText, NO_PHASE, Trailers};
use model::event::Outcome;

const CODE: &str = "E_BUNDLE_COMMIT";
const OUTCOMES: [Outcome; 6] = [
    Outcome::Running,
    Outcome::Completed,
    Outcome::Failed,
    Outcome::Incomplete,
    Outcome::Paused,
    Outcome::Cancelled,
];

/// Judges all commits after one up to another; the log has so many entries.
pub(super) fn judge(
    door: &Door,
    run: &Run,
    entries: usize,
    (after, to): (&CommitId, &CommitId),
) -> Result<(), Failure> {
    let (author, committer) = door.workspace.history().identities()?;
    let said = door.workspace.history().commit_texts(after, to)?;
    let said = said.ok_or_else(|| refused(CODE, "a commit of it is no text of ours"))?;
    for said in &said {
        let refuse = |what: &str| Err(refused(CODE, &format!("commit {} {what}", said.commit)));
        if (&said.author, &said.committer) != (&author, &committer) {
            return refuse("is by somebody else than who commits here");
        }
        if !is_of_ours(door, run, entries, said) {
            return refuse("does not say what we would say");
        }
    }
    Ok(())
}

fn is_of_ours(door: &Door, run: &Run, entries: usize, said: &CommitText) -> bool {
    let Some(trailers) = Trailers::read(&said.message) else { return false };
    let is_hash = trailers.chain.len() == 64 && trailers.chain.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_known = trailers.run == run.started.run_id
        && usize::try_from(trailers.seq).is_ok_and(|seq| (1..=entries).contains(&seq));
    if !(is_hash && is_known) || door.masker.mask(&said.whole).as_str() != said.whole {
        return false;
    }
    let is = |message: &str| {
        let expected = door.masker.mask(message);
        same_lines(expected.as_str(), &said.message)
    };
    if trailers.phase == NO_PHASE {
        return OUTCOMES.iter().any(|outcome| is(&record_message(run, *outcome, &trailers)));
    }
    run.phases.iter().any(|phase| phase.name().as_str() == trailers.phase)
        && is(&phase_message(run, &trailers))
}

/// Git takes space at the ends of lines away.
fn same_lines(one: &str, other: &str) -> bool {
    let lines =
        |text: &str| text.trim_end().lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
    lines(one) == lines(other)
}
