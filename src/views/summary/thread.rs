//! The one answer to a review thread: which commit changed its place, or why nothing did.

use super::quoted;
use engine::Run;
use model::event::TakenThread;
use model::phase::PhaseName;

/// What became of the place of a thread.
pub enum Place<'a> {
    Changed { commit: &'a str },
    Elsewhere { commit: &'a str },
    Untouched,
}

/// Returns the answer to a thread, with the mark by which it is found again.
pub fn thread_answer(run: &Run, phase: &PhaseName, marker: &str, place: &Place<'_>) -> String {
    let summary = run.phase(phase).and_then(|phase| phase.work.as_ref()?.claim.as_ref());
    let summary = summary.map(|claim| quoted(&claim.summary)).filter(|words| !words.is_empty());
    let why = summary.map_or(String::new(), |words| format!("\n\nThe author of the change says: {words}"));
    let told = match place {
        Place::Changed { commit } => format!("Addressed in {commit}."),
        Place::Elsewhere { commit } => {
            format!("The file changed in {commit}; these lines stay as they are.{why}")
        }
        Place::Untouched => format!("This stays as it is; the change was reviewed again with it.{why}"),
    };
    format!("{told}\n\n{marker}\n")
}

/// Returns the mark of the answer to what was said in a thread up to a comment.
pub fn thread_marker(run: &Run, taken: &TakenThread) -> String {
    mark(&run.started.run_id, taken.up_to)
}

/// Returns the last comment that an answer with a mark of this run is about.
pub fn answered_up_to(run: &Run, body: &str) -> Option<u64> {
    let begin = mark(&run.started.run_id, 0);
    let (begin, _) = begin.split_once("up-to=0")?;
    let (_, rest) = body.split_once(begin)?;
    rest.strip_prefix("up-to=")?.split(' ').next()?.parse().ok()
}

fn mark(run: &str, up_to: u64) -> String {
    format!("<!-- ai-workflow:thread v1 run={run} up-to={up_to} -->")
}
