//! The scripted world of the engine's own tests, for the vectors that go through the whole program's types.
#![allow(dead_code, reason = "the engine's own tests use the rest")]

#[path = "../../src/engine/tests/flow/fast_path.rs"]
pub mod fast_path;
#[path = "../../src/engine/tests/flow/llm_judge.rs"]
pub mod llm_judge;
#[path = "../../src/engine/tests/flow/policies.rs"]
pub mod policies;
#[path = "../../src/engine/tests/flow/world.rs"]
pub mod world;
