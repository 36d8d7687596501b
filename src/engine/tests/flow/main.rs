//! The engine, shown from outside: facts in, decisions out. Every older system's loop is one policy of it.
#![allow(
    clippy::disallowed_methods,
    clippy::return_self_not_must_use,
    reason = "tests measure time, and a scripted world is built step by step"
)]

mod answers;
mod approved_documents;
mod approved_phase;
mod budget;
mod claims;
mod continuations;
mod delta;
mod difficulty;
mod document_rounds;
mod doubt;
mod edges;
mod endings;
mod exchange;
mod fast_path;
mod fix_tasks;
mod gates;
mod judge;
mod ladder;
mod ledger;
mod llm_judge;
mod misfits;
mod notices;
mod outages;
mod panel;
mod pauses;
mod policies;
mod policy_completion;
mod policy_doc_review;
mod policy_phase_review;
mod policy_quality_gate;
mod policy_retake;
mod preconditions;
mod properties;
mod random;
mod recovery;
mod reopening;
mod review_loops;
mod review_questions;
mod scope;
mod sessions;
mod speed;
mod three_facts;
mod unknown;
mod views;
mod withdrawn;
mod world;
