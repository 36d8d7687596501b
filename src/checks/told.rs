//! The code that an author shows in the answer instead of writing it into files. An excerpt of what stands on disk is none:
//! there the file itself is judged.

use std::collections::{BTreeSet, HashSet};

use super::Site;
use super::language_family::LanguageFamily;
use content_parser::{CodeBlock, code_blocks};

/// So many files that an answer names are opened.
const MOST_FILES: usize = 20;

pattern!(PATH, r"[\w.-]+(?:/[\w.-]+)*\.\w{1,8}");

/// Returns the code blocks that are more than an excerpt. `ignored` lines may be missing on disk: they stand for something
/// else.
pub(super) fn blocks<'s>(site: &'s Site<'_>, ignored: impl Fn(&str) -> bool) -> Vec<CodeBlock<'s>> {
    let Some(answer) = site.answer.filter(|_| site.phase.changes_code) else { return Vec::new() };
    let mut blocks = code_blocks(answer);
    blocks.retain(|block| family(block).is_some());
    if blocks.is_empty() {
        return blocks;
    }
    let texts = site.changes.iter().flat_map(|change| [change.old_text(), change.new_text()]).flatten();
    let named = named_files(site, answer);
    let texts = texts.chain([site.issue.body.as_str()]).chain(named.iter().map(String::as_str));
    let known: HashSet<&str> = texts.flat_map(str::lines).map(str::trim).collect();
    let is_excerpt = |text: &str| {
        let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty() && !ignored(line));
        lines().filter(|line| !known.contains(line)).count() * 5 <= lines().count()
    };
    blocks.retain(|block| !is_excerpt(block.text));
    blocks
}

/// Returns the language of a block: the one that it names, or that of braces where it looks like code.
pub(super) fn family(block: &CodeBlock<'_>) -> Option<&'static LanguageFamily> {
    let ends = |line: &str| line.trim_end().ends_with(['{', ';']);
    let looks_like_code = block.text.lines().any(ends) && !block.text.trim_start().starts_with(['$', '>']);
    let language = if block.language.is_empty() && looks_like_code { "c" } else { block.language };
    LanguageFamily::of_block(language)
}

/// Returns a path that tells the language of a block.
pub(super) fn path(block: &CodeBlock<'_>) -> String {
    let ending = match block.language.to_lowercase().as_str() {
        "rust" => "rs".to_owned(),
        "python" | "python3" => "py".to_owned(),
        "javascript" => "js".to_owned(),
        "typescript" => "ts".to_owned(),
        "golang" => "go".to_owned(),
        other => other.to_owned(),
    };
    format!("block.{ending}")
}

fn named_files(site: &Site<'_>, answer: &str) -> Vec<String> {
    let paths: BTreeSet<&str> = PATH.find_iter(answer).map(|found| found.as_str()).take(200).collect();
    let inside = paths.into_iter().filter(|path| !path.split('/').any(|part| part == ".."));
    let texts = inside.filter_map(|path| git::regular_file::read_text(&site.worktree.join(path)).ok());
    texts.take(MOST_FILES).collect()
}
