//! What a person or a script sees of the commands: words, exit codes, JSON, and what is left behind.

mod answers;
mod demo;
mod ending;
mod looking;
mod refusals;
mod secrets;
mod words;
