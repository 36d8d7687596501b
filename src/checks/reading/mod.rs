//! How checks read what an author wrote: which language a file is in, what in it is code, comment or text, which lines came.
//! Judges nothing.

pub(crate) mod added;
pub(crate) mod language;
pub(crate) mod source;
pub(crate) mod spelled;

pub(crate) use crate::paths as pattern;
