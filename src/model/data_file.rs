//! Files in TOML that are part of the program: patterns, lists of words, prices, tables of tools. Files of users and of
//! repositories are read elsewhere, with the line of what is wrong in them. `source` needs nothing else of this crate and reads
//! its own.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// Returns what a data file says.
///
/// It becomes a value of JSON first: the code that serde makes for a type is made anew for every format, and that for TOML is
/// by far the largest.
///
/// # Panics
/// Where the text is no TOML, or not of the form that `T` wants. The file is part of the program, so that tests see it.
#[track_caller]
pub fn read<T: DeserializeOwned>(text: &str) -> T {
    T::deserialize(&parse(text)).expect("a data file has the form of what is read from it")
}

/// Stands apart from [`read`] because it knows no type: it is compiled once, not in each crate that reads a file.
#[track_caller]
fn parse(text: &str) -> Value {
    toml::from_str(text).expect("a data file is TOML")
}

#[cfg(test)]
mod tests;
