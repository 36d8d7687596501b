//! The engine, shown from outside: facts in, decisions out. Every seed's loop is one policy of it.

mod budget;
mod difficulty;
mod edges;
mod gates;
mod misfits;
mod pauses;
mod policies;
mod preconditions;
mod properties;
mod random;
mod recovery;
mod reopening;
mod scope;
mod seed_completion;
mod seed_doc_review;
mod seed_phase_review;
mod seed_quality_gate;
mod seed_retake;
mod sessions;
mod speed;
mod three_facts;
mod views;
mod world;
