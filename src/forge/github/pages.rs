//! Lists, page by page. Pages are counted; the addresses that GitHub links to are not followed.

use serde_json::Value;

use super::super::ForgeError;
use super::GithubForge;

/// The most that GitHub gives on one page.
const PER_PAGE: usize = 100;
/// More pages than this are not read: 10,000 entries.
const MOST_PAGES: usize = 100;

/// A list that stands on pages.
pub(super) struct List<'a> {
    /// In the words of a person, after "cannot".
    pub action: &'static str,
    pub path: &'a str,
    /// Empty, or it ends with `&`.
    pub query: &'a str,
    /// Where the entries stand in the answer; nothing when they are all of it.
    pub key: Option<&'a str>,
}

impl GithubForge {
    /// Returns every entry of a list; `query` is empty or ends with `&`.
    pub(super) async fn all(
        &self,
        action: &'static str,
        path: &str,
        query: &str,
    ) -> Result<Vec<Value>, ForgeError> {
        let mut all = Vec::new();
        let list = List { action, path, query, key: None };
        let more = |entries| {
            all.extend(entries);
            Ok(true)
        };
        self.pages(&list, MOST_PAGES, more).await?;
        Ok(all)
    }

    /// Hands over page after page until there is none left or `take` wants no more; tells whether the last one was reached.
    pub(super) async fn pages(
        &self,
        list: &List<'_>,
        most: usize,
        mut take: impl FnMut(Vec<Value>) -> Result<bool, ForgeError>,
    ) -> Result<bool, ForgeError> {
        let List { action, path, query, key } = list;
        for page in 1..=most {
            let rest = format!("{path}?{query}per_page={PER_PAGE}&page={page}");
            let mut answer = self.line.get(action, &rest).await?;
            let found = match key {
                None => answer,
                Some(key) => answer.get_mut(*key).map(Value::take).unwrap_or_default(),
            };
            let Value::Array(entries) = found else {
                return Err(ForgeError::Unexpected { action, why: "it is no list".into() });
            };
            let is_last = entries.len() < PER_PAGE;
            let goes_on = take(entries)?;
            if is_last || !goes_on {
                return Ok(is_last);
            }
        }
        Ok(false)
    }
}

/// Reads the part of an answer that we use.
pub(super) fn read<T: serde::de::DeserializeOwned>(
    action: &'static str,
    value: Value,
) -> Result<T, ForgeError> {
    serde_json::from_value(value).map_err(|error| ForgeError::Unexpected { action, why: error.to_string() })
}
