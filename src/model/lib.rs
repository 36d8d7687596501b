//! The words and facts of a run: phase, issue, finding, verdict, change, policy, the list of facts, masked text.
#![warn(missing_docs)]

pub mod call;
pub mod change;
pub mod data_file;
pub mod event;
pub mod finding;
pub mod issue;
pub mod object_id;
pub mod phase;
pub mod policy;
pub mod redact;
pub mod remote_check;
pub mod text;
pub mod verdict;
