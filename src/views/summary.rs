//! A run in the words of people and of the programs around it: the progress comment, the pull request, the question of a
//! pause, the page of a job, problems as SARIF. Plain Markdown, text and JSON from the state; says nothing that is not in
//! the facts, and writes nothing anywhere.

mod changed_verdicts;
mod commands;
mod criteria;
mod ending;
mod evidence;
pub mod job;
mod lines;
mod problems;
mod progress;
mod pull_request;
mod question;
pub mod review_loop;
mod review_questions;
mod sarif;
mod suggestions;
mod unknown;

pub use crate::text::{
    columns, counted, duration, format_title, neutralize, neutralize_json, pad, plain, quoted,
};
pub use changed_verdicts::{VerdictExchange, withdrawn_line};
pub use commands::{answer_comments, next_command};
pub use ending::RunEnding;
pub use evidence::{FAILED_BEFORE, reason_without_tests};
pub use job::annotations;
pub use lines::{
    agent_lines, cost_line, deliverable_path, exchange_line, finding_line, finding_lines, note,
    opinion_lines, refusal_lines, reused_approval_line, status_word, table_line, used_line, verdict_word,
};
pub use problems::{Problem, history, problems};
pub use progress::{marker, progress_comment, stopped_comment, unshared_marker};
pub use pull_request::{
    Documents, NO_CI, REQUEST_CLOSED, REQUEST_OPEN, STARTS_CI, ThreadLineStatus, UnreviewedFiles,
    answered_up_to, follow_up, follow_up_marker, is_request_closed, pull_request, starts_no_ci,
    thread_answer, thread_marker, wants_follow_up,
};
pub use question::question_lines;
pub use review_questions::review_question_lines;
pub use sarif::{sarif, sarif_of_checks};
pub use suggestions::{Suggestions, suggestions};
pub use unknown::{ContinuedElsewhere, StateElsewhere, Unknown, find_unknown};
