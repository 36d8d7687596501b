//! The code that an author shows in the answer instead of writing it into files. An excerpt of what stands on disk is none:
//! there the file itself is judged.

use std::collections::HashSet;
use std::fs;
use std::sync::LazyLock;

use regex::Regex;

use super::language::Language;
use crate::Site;
use content_parser::code_blocks;

/// A longer file is not searched for what an answer quotes, in bytes.
const LONGEST: u64 = 1024 * 1024;
/// So many files that an answer names are opened.
const MOST_FILES: usize = 20;

/// A code block that is more than an excerpt.
pub(crate) struct Told<'s> {
    pub language: Language,
    pub text: &'s str,
}

/// Returns the code that is only told. `ignored` lines may be missing on disk: they stand for something else.
pub(crate) fn code<'s>(site: &'s Site<'_>, ignored: impl Fn(&str) -> bool) -> Vec<Told<'s>> {
    let Some(answer) = site.answer.filter(|_| site.phase.changes_code) else { return Vec::new() };
    let blocks = code_blocks(answer).into_iter().filter_map(|block| {
        let known = Language::of_block(block.language);
        let language =
            known.or((block.language.is_empty() && looks_like_code(block.text)).then_some(Language::Braces));
        language.map(|language| Told { language, text: block.text })
    });
    let blocks: Vec<Told<'s>> = blocks.collect();
    if blocks.is_empty() {
        return blocks;
    }
    let there = KnownLines::new(site, answer);
    blocks.into_iter().filter(|told| !there.hold(told.text, &ignored)).collect()
}

fn looks_like_code(text: &str) -> bool {
    let ends = |line: &str| line.trim_end().ends_with(['{', ';']);
    text.lines().any(ends) && !text.trim_start().starts_with(['$', '>'])
}

/// What stands in the changed files and in those that the answer names, line by line.
struct KnownLines {
    known: HashSet<String>,
}

impl KnownLines {
    fn new(site: &Site<'_>, answer: &str) -> Self {
        let changed = site.changes.iter().flat_map(|change| [change.old_text(), change.new_text()]).flatten();
        let mut known: HashSet<String> =
            changed.flat_map(str::lines).map(|line| line.trim().to_owned()).collect();
        known.extend(site.issue.body.lines().map(|line| line.trim().to_owned()));
        for text in named_files(site, answer) {
            known.extend(text.lines().map(|line| line.trim().to_owned()));
        }
        Self { known }
    }

    /// Tells whether nearly all lines of a text are known.
    fn hold(&self, text: &str, ignored: &impl Fn(&str) -> bool) -> bool {
        let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty() && !ignored(line));
        let unknown = lines().filter(|line| !self.known.contains(*line)).count();
        unknown * 5 <= lines().count()
    }
}

fn named_files(site: &Site<'_>, answer: &str) -> Vec<String> {
    static PATH: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"[\w.-]+(?:/[\w.-]+)*\.\w{1,8}").expect("a good pattern"));
    let mut seen = HashSet::new();
    let paths =
        PATH.find_iter(answer).map(|found| found.as_str()).filter(|path| seen.insert(*path)).take(200);
    let texts = paths.filter(|path| !path.split('/').any(|part| part == "..")).filter_map(|path| {
        let path = site.worktree.join(path);
        let found =
            fs::symlink_metadata(&path).ok().filter(|found| found.is_file() && found.len() <= LONGEST);
        found.and_then(|_| fs::read_to_string(path).ok())
    });
    texts.take(MOST_FILES).collect()
}
