//! The real agent programs, end to end, against model servers of our own on loopback: no account, no network, every tool
//! call and every fault as a script says. Run by `.ci/full agents`, which installs the programs.

mod anthropic;
mod openai;
#[allow(dead_code, reason = "the fault table needs the rest")]
mod play;
mod programs;
mod server;
mod smoke;
