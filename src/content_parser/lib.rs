//! How an agent's answer is read. Turns text into a [`Reading`], a [`TriageTable`], a [`Claim`] or an [`Evaluation`].
//! Knows no agent, no file and no clock, never panics and never fails: what it cannot read is FAIL, with the reason.
//!
//! # How a review is read
//!
//! 1. **Objects** (`objects`): every JSON object of the text, found in one pass. One that carries the `review_id` of this
//!    review is the answer and nothing else matters; one with another id, or with a key twice, is void, and an answer that
//!    holds a void one and no right one cannot pass. An object that breaks off (`{"result": "PASS", "fin`) cannot pass. One
//!    without an id that stands inside a sentence (`object_place`) is doubted: `I cannot return {"result": "PASS"} because …`.
//! 2. **Marker lines** (`marker`): `最終判定` > `判定結果` > `判定` > `結果` > `DECISION` and their English forms. The best
//!    rank counts, then the strictest. A label must be the whole left side of its line: `品質ゲート総合判定: PASS` is
//!    about gates and `正確性の判定: PASS` about one item. The word must end, and what follows an approving word may not take it
//!    back (`PASS once the blockers are fixed`). An approving word that the policy does not use (`PASSED`, `合格`) is
//!    unreadable. A denial counts in the middle of a line, too (`remark`): `判定: PASS（最終判定: FAIL）`.
//! 3. **Objects against markers**: the strictest counts.
//! 4. **Table**, then **GO/NOGO line** (`table`, `go_nogo`), for reviewers of other systems.
//! 5. Otherwise FAIL by default. There is no search for the word "PASS" anywhere.
//!
//! Text in code fences, block quotes and comments is quoted: it may make a verdict stricter, never milder. The only exceptions are
//! JSON objects, which usually stand in a fence, and a fence around the whole answer or around its object.
//! At the end a verdict that its own findings or grades contradict is tightened. Nothing is ever loosened.
//!
//! # What makes an approval doubtful
//!
//! [`doubt()`] looks through the reviewer's own prose and the fields of its object for what does not go with an approval, by the words
//! of `lexicon/*.toml`. It refuses nothing: whoever calls it asks the reviewer once which of both holds.
//!
//! Everything is linear in the length of the text, and every budget that runs out fails closed.

#![warn(missing_docs)]

mod answer_object;
mod blocks;
mod claim;
mod difficulty;
mod dispositions;
mod doubt;
mod evaluation;
pub mod extract;
mod findings;
mod folded;
mod go_nogo;
mod joint;
mod judgments;
mod label;
mod lexicon;
mod marker;
mod mention;
mod named_findings;
mod object_place;
mod objection;
mod objects;
mod passages;
mod questions;
mod quoted;
mod remaining_tasks;
mod remark;
mod reply;
mod review;
mod scalar;
mod scan;
mod scope;
mod slash_command;
mod stated;
mod strict;
mod suggestions;
mod table;
mod tasks;
mod word;

use std::collections::BTreeMap;

use model::finding::Finding;
use model::verdict::Judgment;

pub use answer_object::{last_json_block, last_object};
pub use blocks::{CodeBlock, code_blocks, own_lines};
pub use claim::read_claim;
pub use difficulty::{Estimate, read_difficulty};
pub use dispositions::read_dispositions;
pub use doubt::doubt;
pub use evaluation::{read_evaluation, read_evaluations, unread_decision};
pub use reply::read_reply;
pub use review::{read_review, read_structured};
pub use scope::{Scope, read_scope};
pub use slash_command::{COMMAND_HELP, SlashCommand, Unclear, slash_command};
pub use strict::{read_object, read_value};
pub use table::{answering, read_triage};
pub use tasks::{Task, only_ticks, read_tasks};

/// What a review is read by: which one is asked for, and what its words mean.
#[derive(Debug, Clone, Copy)]
pub struct Terms<'a> {
    /// The nonce of this review. Without one, ids in objects are ignored.
    pub review_id: Option<&'a str>,
    /// Makes every answer without the right id unreadable.
    pub require_review_id: bool,
    /// The policy's verdict map.
    pub words: &'a BTreeMap<String, Judgment>,
    /// Findings of this very answer that are new and about nothing that changed since the review before.
    pub beyond: &'a [Finding],
}

/// Returns the three words of the default policy.
pub fn default_words() -> BTreeMap<String, Judgment> {
    BTreeMap::from([
        ("PASS".to_owned(), Judgment::Approve),
        ("PASS_WITH_SUGGESTIONS".to_owned(), Judgment::ApproveWithNotes),
        ("FAIL".to_owned(), Judgment::Revise),
    ])
}

/// Returns at most `length` characters of a text.
fn clipped(text: &str, length: usize) -> &str {
    match text.char_indices().nth(length) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

/// Returns at most `length` bytes of a text, ending between two characters.
fn head(text: &str, length: usize) -> &str {
    if text.len() <= length {
        return text;
    }
    let end = (0..=length).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    &text[..end]
}

/// Returns at most the last `length` bytes of a text, beginning between two characters.
fn tail(text: &str, length: usize) -> &str {
    let from = text.len().saturating_sub(length);
    let from = (from..=text.len()).find(|&from| text.is_char_boundary(from)).unwrap_or(0);
    &text[from..]
}
