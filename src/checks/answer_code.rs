//! The code that an author shows in the answer instead of writing it into files, as files that are new. An excerpt of what stands
//! on disk is none: there the file itself is judged.

use std::collections::{BTreeSet, HashSet};

use super::changed_file::ReadSides;
use super::{Change, ChangedFile, LanguageFamily, Site};
use content_parser::{CodeBlock, code_blocks};

/// So many files that an answer names are opened.
const MOST_FILES: usize = 20;

/// The names of languages that are no endings of files.
const ENDINGS: [(&str, &str); 6] = [
    ("rust", "rs"),
    ("python", "py"),
    ("python3", "py"),
    ("javascript", "js"),
    ("typescript", "ts"),
    ("golang", "go"),
];

pattern!(PATH, r"[\w.-]+(?:/[\w.-]+)*\.\w{1,8}");

/// The code of an answer.
pub(super) struct AnswerCode {
    changes: Vec<Change>,
    read: Vec<ReadSides>,
}

impl AnswerCode {
    /// Reads the code blocks that are more than an excerpt. `ignored` lines may be missing on disk: they stand for something
    /// else.
    pub(super) fn read(site: &Site<'_>, ignored: impl Fn(&str) -> bool) -> Self {
        let answer = site.answer.filter(|_| site.phase.changes_code).unwrap_or_default();
        let blocks = code_blocks(answer).into_iter();
        let block = |block: CodeBlock<'_>| Some(Change::of_texts(&path(&block)?, None, Some(block.text)));
        let mut changes: Vec<Change> = blocks.filter_map(block).collect();
        if !changes.is_empty() {
            retain_written(&mut changes, site, answer, ignored);
        }
        Self { read: ReadSides::of(&changes, &[]), changes }
    }

    pub(super) fn files(&self) -> impl Iterator<Item = ChangedFile<'_>> {
        ChangedFile::each(&self.changes, &self.read)
    }
}

fn retain_written(blocks: &mut Vec<Change>, site: &Site<'_>, answer: &str, ignored: impl Fn(&str) -> bool) {
    let texts = site.changes.iter().flat_map(|change| [change.old_text(), change.new_text()]).flatten();
    let named = named_files(site, answer);
    let texts = texts.chain([site.issue.body.as_str()]).chain(named.iter().map(String::as_str));
    let known: HashSet<&str> = texts.flat_map(str::lines).map(str::trim).collect();
    blocks.retain(|block| {
        let lines = || block.added_lines().map(|(_, line)| line.trim());
        let lines = || lines().filter(|line| !line.is_empty() && !ignored(line));
        lines().filter(|line| !known.contains(line)).count() * 5 > lines().count()
    });
}

/// Returns a path that tells the language of a block: the one that it names, or that of braces where it looks like code; none
/// where it is no code and no data.
fn path(block: &CodeBlock<'_>) -> Option<String> {
    let ends = |line: &str| line.trim_end().ends_with(['{', ';']);
    let looks_like_code = block.text.lines().any(ends) && !block.text.trim_start().starts_with(['$', '>']);
    let named = block.language.to_lowercase();
    let language = if named.is_empty() && looks_like_code { "c" } else { &named };
    let ending = ENDINGS.iter().find(|(name, _)| *name == language).map_or(language, |(_, ending)| ending);
    let path = format!("block.{ending}");
    LanguageFamily::of(&path).is_code_or_data().then_some(path)
}

fn named_files(site: &Site<'_>, answer: &str) -> Vec<String> {
    let paths: BTreeSet<&str> = PATH.find_iter(answer).map(|found| found.as_str()).take(200).collect();
    let inside = paths.into_iter().filter(|path| !path.split('/').any(|part| part == ".."));
    let texts = inside.filter_map(|path| git::regular_file::read_text(&site.worktree.join(path)).ok());
    texts.take(MOST_FILES).collect()
}
