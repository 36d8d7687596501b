//! Where the retry text of a failure is looked for, in which order. Names paths; whether there is a text, others know.
//!
//! The repository's own `retry/<pattern>.md` comes first, then its C3L path `{c1}/{c2}/{c3}/f_{edition}[_{adaptation}].md`,
//! then the same path below the base that a registry names, then ours. A pattern without any text falls back on the
//! pattern whose keywords fit best, and at last on `f_failed.md`.

use std::collections::BTreeMap;

use super::keywords;
use super::templates::Templates;
use model::event::CheckResult;
use model::policy::{C3l, Pattern};

/// The edition of patterns that no registry defines, and of the text for all others.
const EDITION: &str = "failed";
/// Where texts lie when no registry says so, and where ours do.
const USUAL: &str = "steps/retry/issue";

/// Where texts lie, and which patterns there are.
#[derive(Clone, Copy)]
pub(super) struct Library<'a> {
    pub(super) templates: &'a Templates<'a>,
    pub(super) patterns: &'a BTreeMap<String, Pattern>,
    pub(super) c3l: Option<&'a C3l>,
}

impl Library<'_> {
    /// Returns the path of the text for a failed check.
    pub(super) fn of_failure(&self, result: &CheckResult) -> String {
        let exact = result.pattern.as_deref().and_then(|pattern| self.of_pattern(pattern));
        let similar = || self.of_pattern(keywords::best(result, self.patterns)?);
        exact.or_else(similar).unwrap_or_else(|| self.of_all_others())
    }

    fn of_pattern(&self, pattern: &str) -> Option<String> {
        let adapted = Pattern {
            edition: EDITION.to_owned(),
            adaptation: Some(pattern.to_owned()),
            ..Pattern::default()
        };
        let file = file_name(self.patterns.get(pattern).unwrap_or(&adapted));
        self.first(&format!("retry/{pattern}.md"), &file, &file_name(&adapted))
    }

    fn of_all_others(&self) -> String {
        let file = format!("f_{EDITION}.md");
        self.first("retry/generic.md", &file, &file).unwrap_or_else(|| ours(&file))
    }

    /// Returns the first path at which there is a text.
    fn first(&self, short: &str, file: &str, usual: &str) -> Option<String> {
        let below = match self.c3l {
            Some(c3l) => format!("{}/{}/{}/{file}", c3l.c1, c3l.c2, c3l.c3),
            None => format!("{USUAL}/{file}"),
        };
        let base = self.c3l.map_or("", |c3l| &c3l.base);
        let own = [short.to_owned(), below.clone(), based(base, &below)];
        let own = own.into_iter().find(|path| self.templates.is_own(path));
        own.or_else(|| [short.to_owned(), ours(usual)].into_iter().find(|path| self.templates.has(path)))
    }
}

/// Returns the folder in which the texts of a step of a registry lie, seen from the top of the repository.
pub fn retry_folder(c3l: &C3l) -> String {
    based(&c3l.base, &format!("{}/{}/{}", c3l.c1, c3l.c2, c3l.c3))
}

fn file_name(pattern: &Pattern) -> String {
    match pattern.adaptation.as_deref().filter(|adaptation| !adaptation.is_empty()) {
        Some(adaptation) => format!("f_{}_{adaptation}.md", pattern.edition),
        None => format!("f_{}.md", pattern.edition),
    }
}

fn based(base: &str, path: &str) -> String {
    let base = base.trim_end_matches('/');
    if base.is_empty() { path.to_owned() } else { format!("{base}/{path}") }
}

fn ours(file: &str) -> String {
    format!("{USUAL}/{file}")
}

/// Tells whether a path is that of a retry text.
pub fn is_retry(path: &str) -> bool {
    let file = path.rsplit('/').next().unwrap_or(path);
    path.starts_with("retry/") || file.strip_prefix("f_").and_then(|name| name.strip_suffix(".md")).is_some()
}

/// Returns the patterns whose text a path would be: those of a registry, and else the one its name says.
pub(super) fn patterns_of<'a>(path: &'a str, patterns: &'a BTreeMap<String, Pattern>) -> Vec<&'a str> {
    let file = path.rsplit('/').next().unwrap_or(path);
    let short = path.strip_prefix("retry/").and_then(|name| name.strip_suffix(".md"));
    let usual = || file.strip_prefix("f_")?.strip_prefix(EDITION)?.strip_prefix('_')?.strip_suffix(".md");
    let defined = patterns.iter().filter(|(_, pattern)| short.is_none() && file_name(pattern) == file);
    let mut found: Vec<&str> = defined.map(|(name, _)| name.as_str()).collect();
    if found.is_empty() {
        found.extend(short.or_else(usual));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::event::CheckStatus;

    fn result(pattern: Option<&str>, evidence: &str) -> CheckResult {
        CheckResult {
            check: "x".into(),
            status: CheckStatus::Fail,
            pattern: pattern.map(str::to_owned),
            summary: String::new(),
            evidence: evidence.into(),
            params: BTreeMap::new(),
            places: Vec::new(),
        }
    }

    fn usual() -> C3l {
        C3l { base: String::new(), c1: "steps".into(), c2: "retry".into(), c3: "issue".into() }
    }

    fn chosen(own: &[&str], patterns: &[(&str, Pattern)], c3l: &C3l, result: &CheckResult) -> String {
        let own = own.iter().map(|path| ((*path).to_owned(), "text".to_owned())).collect();
        let templates = Templates::new(&own).expect("short templates");
        let patterns = patterns.iter().map(|(name, it)| ((*name).to_owned(), it.clone())).collect();
        Library { templates: &templates, patterns: &patterns, c3l: Some(c3l) }.of_failure(result)
    }

    fn red() -> Pattern {
        Pattern {
            edition: "red".into(),
            adaptation: Some("tests".into()),
            keywords: vec!["assertion".into()],
            ..Pattern::default()
        }
    }

    #[test]
    fn c_12_the_path_is_made_of_place_edition_and_adaptation() {
        let c3l = C3l { base: "mine/".into(), c1: "steps".into(), c2: "again".into(), c3: "bug".into() };
        let of = |own: &[&str]| chosen(own, &[("t", red())], &c3l, &result(Some("t"), ""));
        let all = ["retry/t.md", "steps/again/bug/f_red_tests.md", "mine/steps/again/bug/f_red_tests.md"];
        assert_eq!(of(&all), all[0]);
        assert_eq!(of(&all[1..]), all[1]);
        assert_eq!(of(&all[2..]), all[2]);
        assert_eq!(of(&[]), "steps/retry/issue/f_failed.md");
        let plain = Pattern { adaptation: None, ..red() };
        let path = "steps/again/bug/f_red.md";
        assert_eq!(chosen(&[path], &[("t", plain)], &c3l, &result(Some("t"), "")), path);
    }

    #[test]
    fn c_25_the_exact_pattern_then_keywords_then_the_text_for_all_others() {
        let c3l = usual();
        let own = ["steps/retry/issue/f_red_tests.md"];
        let of = |pattern, evidence| chosen(&own, &[("t", red())], &c3l, &result(pattern, evidence));
        assert_eq!(of(Some("t"), ""), own[0]);
        assert_eq!(of(Some("unheard-of"), "an ASSERTION failed"), own[0]);
        assert_eq!(of(None, "an assertion failed"), own[0]);
        assert_eq!(of(Some("unheard-of"), "network down"), "steps/retry/issue/f_failed.md");
        assert_eq!(of(Some("git-dirty"), "an assertion failed"), "steps/retry/issue/f_failed_git-dirty.md");
        let generic = ["retry/generic.md", "steps/retry/issue/f_failed.md"];
        assert_eq!(chosen(&generic, &[], &c3l, &result(None, "")), generic[0]);
        assert_eq!(chosen(&generic[1..], &[], &c3l, &result(None, "")), generic[1]);
    }

    #[test]
    fn a_pattern_of_a_registry_without_a_text_of_its_own_gets_ours_of_that_name() {
        let pattern = Pattern { edition: "odd".into(), ..Pattern::default() };
        let elsewhere = C3l { c1: "steps-v2".into(), ..usual() };
        let path = chosen(&[], &[("test-failed", pattern)], &elsewhere, &result(Some("test-failed"), ""));
        assert_eq!(path, "steps/retry/issue/f_failed_test-failed.md");
    }

    #[test]
    fn a_path_says_whose_text_it_is() {
        let patterns = [("t".to_owned(), red())].into();
        let of = |path| patterns_of(path, &patterns);
        assert_eq!(of("a/b/c/f_red_tests.md"), ["t"]);
        assert_eq!(of("retry/mine.md"), ["mine"]);
        assert_eq!(of("steps/retry/issue/f_failed_mine.md"), ["mine"]);
        assert!(of("steps/retry/issue/f_failed.md").is_empty());
        assert!(is_retry("a/f_x.md") && is_retry("retry/x.md") && !is_retry("shared/x.md"));
    }
}
