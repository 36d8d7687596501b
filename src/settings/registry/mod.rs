//! The files in which other systems keep what we are told in `config.toml`: the registry of steps and the review loop.
//! Text in, typed out; reads no file. Nothing configured is never valid: what would check nothing is an error.

mod json;
mod review_loop;
mod steps;
mod validator;

pub(super) use review_loop::{QUALITY_GATE, ReviewLoop};
pub use steps::{FailureAction, RegistryStep, StepsRegistry};
