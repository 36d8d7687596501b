//! Reads a CODEOWNERS file and says who owns a path: the last pattern that fits counts, as GitHub documents it. Patterns
//! that GitHub does not take are passed over. Pure.

use std::collections::BTreeSet;
use std::fmt;

use regex::Regex;

/// Where GitHub looks for the file, the first that is there counts.
pub const PLACES: [&str; 3] = [".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"];
/// A larger file is not read, by GitHub neither.
const LARGEST: usize = 3 << 20;

/// Who owns what.
#[derive(Debug, Default)]
pub struct CodeOwners {
    rules: Vec<(Regex, Vec<Owner>)>,
}

/// Somebody who can be asked for a review. Addresses of mail are nobody that can be asked.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Owner {
    /// A login, without `@`.
    Person(String),
    /// A team of an organisation.
    Team {
        /// The login of the organisation.
        organisation: String,
        /// The short name of the team.
        name: String,
    },
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Person(login) => f.write_str(login),
            Self::Team { organisation, name } => write!(f, "{organisation}/{name}"),
        }
    }
}

impl CodeOwners {
    /// Reads the text of a file.
    pub fn read(text: &str) -> Self {
        if text.len() > LARGEST {
            return Self::default();
        }
        Self { rules: text.lines().filter_map(rule).collect() }
    }

    /// Returns the owners of these paths, each once.
    pub fn of<'a>(&self, paths: impl IntoIterator<Item = &'a str>) -> BTreeSet<Owner> {
        let owners = |path: &str| self.rules.iter().rev().find(|(pattern, _)| pattern.is_match(path));
        paths.into_iter().filter_map(owners).flat_map(|(_, owners)| owners.iter().cloned()).collect()
    }
}

/// Reads `pattern owner owner # comment`; a pattern without owners takes them away.
fn rule(line: &str) -> Option<(Regex, Vec<Owner>)> {
    let line = line.trim();
    if line.is_empty() || line.starts_with(['#', '!']) {
        return None;
    }
    let (pattern, rest) = split(line);
    let owners = rest.split_whitespace().take_while(|word| !word.starts_with('#')).filter_map(owner);
    Some((regex(&pattern)?, owners.collect()))
}

/// Splits at the first space that is not escaped.
fn split(line: &str) -> (String, &str) {
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

fn owner(word: &str) -> Option<Owner> {
    let name = word.strip_prefix('@')?;
    let plain =
        |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    match name.split_once('/') {
        Some((organisation, name)) if plain(organisation) && plain(name) => {
            Some(Owner::Team { organisation: organisation.to_owned(), name: name.to_owned() })
        }
        None if plain(name) => Some(Owner::Person(name.to_owned())),
        Some(_) | None => None,
    }
}

/// A pattern is what git ignores files by, but for ranges, and `docs/*` stays in its folder.
fn regex(pattern: &str) -> Option<Regex> {
    let body = pattern.trim_matches('/');
    if pattern.contains(['[', ']']) || body.is_empty() {
        return None;
    }
    let is_anchored = pattern.trim_end_matches('/').contains('/');
    let parts: Vec<&str> = body.split('/').collect();
    let mut text = String::from(if is_anchored { "^" } else { "^(?:.*/)?" });
    for (index, part) in parts.iter().enumerate() {
        let is_last = index + 1 == parts.len();
        match (*part, is_last) {
            ("**", true) => text.push_str(".*"),
            ("**", false) => text.push_str("(?:.*/)?"),
            (part, is_last) => {
                part.chars().for_each(|c| push(&mut text, c));
                text.push_str(if is_last { "" } else { "/" });
            }
        }
    }
    let stays = is_anchored && parts.last() == Some(&"*");
    text.push_str(match (pattern.ends_with('/'), stays) {
        (true, _) => "/.*$",
        (false, true) => "$",
        (false, false) => "(?:/.*)?$",
    });
    Regex::new(&text).ok()
}

fn push(text: &mut String, c: char) {
    match c {
        '*' => text.push_str("[^/]*"),
        '?' => text.push_str("[^/]"),
        c => text.push_str(&regex::escape(c.encode_utf8(&mut [0; 4]))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owners(file: &str, path: &str) -> Vec<String> {
        CodeOwners::read(file).of([path]).iter().map(ToString::to_string).collect()
    }

    /// The examples of docs.github.com, "About code owners".
    const EXAMPLE: &str = "\
# a comment
*       @global-owner1 @global-owner2
*.js    @js-owner #This is an inline comment.
*.go    docs@example.com
*.txt   @octo-org/octocats
/build/logs/ @doctocat
docs/*  mail@example.com @docs-owner
apps/   @octocat
/docs/  @doctocat
/scripts/ @doctocat @octocat
**/logs @logs-owner
/apps/  @octocat
/apps/github
";

    #[test]
    fn the_last_pattern_that_fits_counts() {
        for (path, expected) in [
            ("README.md", vec!["global-owner1", "global-owner2"]),
            ("src/deep/a.js", vec!["js-owner"]),
            ("a.go", vec![]),
            ("x/notes.txt", vec!["octo-org/octocats"]),
            ("build/logs/1", vec!["logs-owner"]),
            ("x/build/logs/1", vec!["logs-owner"]),
            ("docs/a.md", vec!["doctocat"]),
            ("docs/deep/a.md", vec!["doctocat"]),
            ("x/apps/y", vec!["octocat"]),
            ("apps/github/z", vec![]),
            ("scripts/run", vec!["doctocat", "octocat"]),
        ] {
            assert_eq!(owners(EXAMPLE, path), expected, "{path}");
        }
    }

    #[test]
    fn a_star_stays_in_its_folder_and_what_github_does_not_take_is_passed_over() {
        assert_eq!(owners("docs/* @a", "docs/x.md"), ["a"]);
        assert!(owners("docs/* @a", "docs/deep/x.md").is_empty());
        assert!(owners("docs/* @a", "x/docs/x.md").is_empty());
        assert_eq!(owners("docs/**/x.md @a", "docs/x.md"), ["a"]);
        assert_eq!(owners(r"/with\ space @a", "with space/x"), ["a"]);
        assert!(owners("!docs @a\n[ab]c @b\n\\", "docs").is_empty());
        assert_eq!(owners("src/lib.rs @a", "src/lib.rs"), ["a"]);
        assert!(owners("src/lib.rs @a", "src/libxrs").is_empty());
        assert!(owners("* @", "x").is_empty() && owners("* @a/b/c", "x").is_empty());
    }
}
