//! The one integration crate. Each module is a subject a user would recognise.
#![allow(clippy::disallowed_methods, reason = "tests touch the world")]

mod agents;
mod cli;
mod config;
mod flow;
mod forge;
mod house;
mod own_repository;
mod resume;
mod run;
mod store;
mod support;
mod tidy;
mod verdicts;
mod workspace;
