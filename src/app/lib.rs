//! The use cases of the program: typed input, typed outcome. Prints nothing and knows no command line.

#![allow(clippy::disallowed_methods, reason = "this crate touches the world")]

pub mod report;
pub mod review;
pub mod runner;
