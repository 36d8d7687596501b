//! Whose words count: of those who may write to the repository, and of those whom the settings name. A program counts only
//! where it is named. Does not decide what follows from a word.

use std::collections::BTreeMap;

use super::ForgeError;
use super::github::GithubForge;

/// How the name of a program ends.
const PROGRAM: &str = "[bot]";

/// Tells whether the settings name an account.
pub fn is_named(allowed: &[String], login: &str) -> bool {
    allowed.iter().any(|named| named.eq_ignore_ascii_case(login))
}

/// Those who speak in one place, each asked about once.
pub struct Voices<'a> {
    github: &'a GithubForge,
    allowed: &'a [String],
    known: BTreeMap<String, bool>,
}

impl<'a> Voices<'a> {
    /// `allowed` are the accounts that the settings name.
    pub fn new(github: &'a GithubForge, allowed: &'a [String]) -> Self {
        Self { github, allowed, known: BTreeMap::new() }
    }

    /// Tells whether somebody's words count; an account that is gone has none.
    pub async fn count(&mut self, login: &str) -> Result<bool, ForgeError> {
        if is_named(self.allowed, login) {
            return Ok(true);
        }
        if login.is_empty() || login.ends_with(PROGRAM) {
            return Ok(false);
        }
        if let Some(known) = self.known.get(login) {
            return Ok(*known);
        }
        let may = self.github.may_write(login).await?;
        self.known.insert(login.to_owned(), may);
        Ok(may)
    }
}
