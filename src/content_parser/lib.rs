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
//!    unreadable. A denial counts in the middle of a line, too: `判定: PASS（最終判定: FAIL）`.
//! 3. **Objects against markers**: the strictest counts.
//! 4. **Table** (`triage`), then **GO/NOGO line**, for reviewers of other systems.
//! 5. Otherwise FAIL by default. There is no search for the word "PASS" anywhere.
//!
//! Text in code fences, block quotes and comments is quoted: it may make a verdict stricter, never milder. The only exceptions are
//! JSON objects, which usually stand in a fence, and a fence around the whole answer or around its object.
//! At the end a verdict that its own findings or grades contradict is tightened. Nothing is ever loosened.
//!
//! # How answers to questions are read
//!
//! `answers` of the review object and lines of the reviewer's own prose (`answers`). Which questions there are, and what an approval
//! without an answer means, is the caller's.
//!
//! # What makes an approval doubtful
//!
//! [`doubt()`] looks through the reviewer's own prose and the fields of its object for what does not go with an approval: by marks of
//! severity, by words that refuse (`lexicon/*.toml`), by the form of lines and fields (`lexicon/patterns.toml`), and by weights of
//! n-grams that were learned from sentences (`lexicon/weights.tsv`). It refuses nothing: whoever calls it asks the reviewer once which
//! of both holds.
//!
//! Everything is linear in the length of the text, and every budget that runs out fails closed.

#![warn(missing_docs)]

mod answers;
mod claim;
mod clause;
mod commit_message;
mod doubt;
mod evaluation;
mod json;
mod judgments;
mod label;
mod lexicon;
mod markdown;
mod marker;
mod object_place;
mod objects;
mod passages;
mod quotations;
mod review;
mod review_object;
mod severity;
mod stated_findings;
mod tasks;
mod text;
mod triage;
mod word;

use std::collections::BTreeMap;

use model::finding::Finding;
use model::verdict::Judgment;

pub use claim::read_claim;
pub use commit_message::{is_comparable, is_generic, keywords, names_something_of, without_prefix};
pub use doubt::{doubt, says_critical};
pub use evaluation::{read_evaluation, read_evaluations, unread_decision};
pub use json::{Fields, WrittenObject, last_object, read_object, read_value, split_objects};
pub use judgments::read_dispositions;
pub use markdown::{CodeBlock, code_blocks, last_json_block, own_lines};
pub use model::verdict::default_words;
pub use review::{read_review, read_structured};
pub use stated_findings::stated_findings;
pub use triage::{TriageRows, answering, counted_findings, read_triage, read_triage_rows, undefended};

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

impl Terms<'_> {
    /// Tells whether an answer without the right id is unreadable.
    fn needs_review_id(&self) -> bool {
        self.require_review_id && self.review_id.is_some()
    }
}
