//! The scripted world of the engine's own tests, for the vectors that go through the whole program's types.
#![allow(dead_code, reason = "the engine's own tests use the rest")]

#[path = "../../src/engine/tests/flow/approved_phase.rs"]
pub mod approved_phase;
#[path = "../../src/engine/tests/flow/judge.rs"]
pub mod judge;
#[path = "../../src/engine/tests/flow/policies.rs"]
pub mod policies;
#[path = "../../src/engine/tests/flow/world.rs"]
pub mod world;
