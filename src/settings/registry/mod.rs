//! The files in which other systems keep what we are told in `config.toml`: the registry of steps and the review loop.
//! Text in, typed out; reads no file. Nothing configured is never valid: what would check nothing is an error.

pub mod command_line;
mod condition;
mod json;
mod lines;
mod review_loop;
mod steps;
mod validator;

pub(super) use condition::complete;
pub(super) use review_loop::{POLICY, ReviewLoop};
pub use steps::{FailureAction, RegistryStep, SchemaRef, StepsRegistry};
pub(super) use validator::leads_out;
