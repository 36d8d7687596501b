//! Reads a CODEOWNERS file and says who owns a path: the last pattern that fits counts, as GitHub documents it. Patterns
//! that GitHub does not take are passed over. Pure.

use std::collections::BTreeSet;

use regex::Regex;

/// Where GitHub looks for the file, the first that is there counts.
pub const CODE_OWNERS_PATHS: [&str; 3] = [".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"];
/// A larger file is not read, by GitHub neither.
const LARGEST: usize = 3 << 20;

/// Who owns what.
#[derive(Debug, Default)]
pub struct CodeOwners {
    rules: Vec<(Regex, Vec<CodeOwner>)>,
}

/// A person or a team that can be asked for a review. An owner by mail address cannot be asked.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, derive_more::Display)]
pub enum CodeOwner {
    /// A login, without `@`.
    Person(String),
    /// A team of an organisation.
    #[display("{organisation}/{name}")]
    Team {
        /// The login of the organisation.
        organisation: String,
        /// The short name of the team.
        name: String,
    },
}

impl CodeOwners {
    /// Reads the text of a file.
    pub fn read(text: &str) -> Self {
        if text.len() > LARGEST {
            return Self::default();
        }
        Self { rules: text.lines().filter_map(parse_rule).collect() }
    }

    /// Returns the owners of these paths, each once.
    pub fn of<'a>(&self, paths: impl IntoIterator<Item = &'a str>) -> BTreeSet<CodeOwner> {
        let owners = |path: &str| self.rules.iter().rev().find(|(pattern, _)| pattern.is_match(path));
        paths.into_iter().filter_map(owners).flat_map(|(_, owners)| owners.iter().cloned()).collect()
    }
}

/// Reads `pattern owner owner # comment`; a pattern without owners takes them away.
fn parse_rule(line: &str) -> Option<(Regex, Vec<CodeOwner>)> {
    let line = line.trim();
    if line.is_empty() || line.starts_with(['#', '!']) {
        return None;
    }
    let (pattern, rest) = split_pattern(line);
    let owners = rest.split_whitespace().take_while(|word| !word.starts_with('#')).filter_map(parse_owner);
    Some((compile_pattern(&pattern)?, owners.collect()))
}

/// Splits at the first space that is not escaped.
fn split_pattern(line: &str) -> (String, &str) {
    let (mut pattern, mut escaped) = (String::new(), false);
    for (at, c) in line.char_indices() {
        match c {
            '\\' if !escaped => escaped = true,
            c if c.is_whitespace() && !escaped => return (pattern, &line[at..]),
            c => {
                escaped = false;
                pattern.push(c);
            }
        }
    }
    (pattern, "")
}

fn parse_owner(word: &str) -> Option<CodeOwner> {
    let name = word.strip_prefix('@')?;
    let plain =
        |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    match name.split_once('/') {
        Some((organisation, name)) if plain(organisation) && plain(name) => {
            Some(CodeOwner::Team { organisation: organisation.to_owned(), name: name.to_owned() })
        }
        None if plain(name) => Some(CodeOwner::Person(name.to_owned())),
        Some(_) | None => None,
    }
}

/// Returns the expression of a pattern. Patterns are those of `.gitignore` without ranges; `docs/*` stays in its folder.
fn compile_pattern(pattern: &str) -> Option<Regex> {
    let body = pattern.trim_matches('/');
    if pattern.contains(['[', ']']) || body.is_empty() {
        return None;
    }
    let is_anchored = pattern.trim_end_matches('/').contains('/');
    let (folders, last) = body.rsplit_once('/').map_or((None, body), |(folders, last)| (Some(folders), last));
    let mut text = String::from(if is_anchored { "^" } else { "^(?:.*/)?" });
    for folder in folders.into_iter().flat_map(|folders| folders.split('/')) {
        text += &if folder == "**" { "(?:.*/)?".to_owned() } else { translate_glob(folder) + "/" };
    }
    text += &if last == "**" { ".*".to_owned() } else { translate_glob(last) };
    text += match last {
        _ if pattern.ends_with('/') => "/.*$",
        "*" if is_anchored => "$",
        _ => "(?:/.*)?$",
    };
    Regex::new(&text).ok()
}

/// Returns the expression of one part of a path.
fn translate_glob(part: &str) -> String {
    regex::escape(part).replace(r"\*", "[^/]*").replace(r"\?", "[^/]")
}

#[cfg(test)]
mod tests;
