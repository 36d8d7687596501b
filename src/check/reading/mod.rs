//! How checks read what an author wrote: which language a file is in, what in it is code, comment or text, which lines came,
//! what part a path plays. Judges nothing.

#[macro_use]
pub(in crate::check) mod constant;

pub(in crate::check) mod absent;
pub(in crate::check) mod added;
pub(in crate::check) mod data_format;
pub(in crate::check) mod filled;
pub(in crate::check) mod grammar;
pub(in crate::check) mod language;
pub(in crate::check) mod pattern;
pub(in crate::check) mod role;
pub(in crate::check) mod source;
pub(in crate::check) mod spelled;
pub(in crate::check) mod told;
