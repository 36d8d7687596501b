//! Knows which parts of an answer are quoted: code fences, block quotes and comments. What is quoted is somebody else's word.
//! A fence that is never closed reaches to the end: an answer that was cut off inside a quotation ends there.

use std::iter;
use std::ops::Range;

use memchr::memmem;
use regex::Regex;

use super::text::{head, next_of};

/// Beyond so many lines with fence marks everything counts as quoted.
const MOST: usize = 20_000;

/// A code block of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeBlock<'t> {
    /// The first word after the fence, as written; empty when there is none.
    pub language: &'t str,
    /// What stands inside, without the fences.
    pub text: &'t str,
    /// The number of its first line in the answer, from 1.
    pub line: usize,
}

/// Returns the code blocks of an answer; one that is never closed reaches to the end.
pub fn code_blocks(text: &str) -> Vec<CodeBlock<'_>> {
    let quoted = Quoted::new(text);
    let around = quoted.around.iter().filter(|fence| fence.info.is_empty());
    let mut line = 1;
    let mut counted = 0;
    let mut blocks = Vec::new();
    for fence in quoted.fences.iter().chain(around) {
        line += text[counted..fence.span.start].matches('\n').count();
        counted = fence.span.start;
        let language = fence.info.split([' ', ',', '{', '\t']).next().unwrap_or_default();
        blocks.push(CodeBlock { language, text: &text[fence.body.clone()], line: line + 1 });
    }
    blocks
}

/// Returns what stands in the last closed block with the language `json`.
pub fn last_json_block(text: &str) -> Option<&str> {
    let fences = fences(text);
    let last = fences.iter().rfind(|fence| fence.is_closed && fence.info.eq_ignore_ascii_case("json"))?;
    Some(&text[last.body.clone()])
}

/// Returns the lines of an answer that are neither code nor quotations nor comments, with their numbers from 1.
pub fn own_lines(text: &str) -> Vec<(usize, &str)> {
    Quoted::new(text)
        .numbered_lines()
        .map(|(number, line)| (number, line.trim_end_matches(['\r', '\n'])))
        .collect()
}

/// The quoted parts of a text.
#[derive(Debug)]
pub(super) struct Quoted<'t> {
    text: &'t str,
    fences: Vec<Fence<'t>>,
    /// A fence of prose around the whole text: it quotes nothing.
    around: Option<Fence<'t>>,
    comments: Vec<Range<usize>>,
}

/// One code fence.
#[derive(Debug, Clone)]
struct Fence<'t> {
    /// From its opening mark to the end of its closing line.
    span: Range<usize>,
    body: Range<usize>,
    /// What stands beside its opening mark.
    info: &'t str,
    is_closed: bool,
}

impl<'t> Quoted<'t> {
    /// Finds what is quoted in a text. A fence around the whole answer quotes nothing.
    pub(super) fn new(text: &'t str) -> Self {
        let mut quoted = Self { text, fences: fences(text), around: None, comments: comments(text) };
        if let [only] = &quoted.fences[..]
            && only.is_closed
            && is_prose(only.info)
            && text[..only.span.start].trim().is_empty()
            && text[only.span.end..].trim().is_empty()
        {
            quoted.around = quoted.fences.pop();
        }
        quoted
    }

    /// Tells whether a line that starts at `line` and has something at `at` is quoted.
    pub(super) fn is_quoted(&self, line: usize, at: usize) -> bool {
        self.fence_at(at).is_some() || self.is_aside(line, at)
    }

    /// Tells whether a position is inside a comment, or in a block quote that `line` begins.
    pub(super) fn is_aside(&self, line: usize, at: usize) -> bool {
        is_inside(&self.comments, at) || head(&self.text[line..at], 64).trim_start().starts_with('>')
    }

    /// Returns where the fence around a position begins and ends.
    pub(super) fn fence_around(&self, at: usize) -> Option<Range<usize>> {
        self.fence_at(at).map(|fence| fence.span.clone())
    }

    /// Tells whether a position is inside a fence of program code.
    pub(super) fn is_code(&self, at: usize) -> bool {
        self.fence_at(at).is_some_and(|fence| is_code(fence.info))
    }

    /// Returns the lines that are not quoted.
    pub(super) fn own_lines(&self) -> impl Iterator<Item = &'t str> {
        self.numbered_lines().map(|(_, line)| line)
    }

    /// Returns the lines that are not quoted, with their numbers from 1.
    pub(super) fn numbered_lines(&self) -> impl Iterator<Item = (usize, &'t str)> {
        let numbered = lines(self.text).enumerate().filter(|(_, (start, line))| self.is_own(*start, line));
        numbered.map(|(index, (_, line))| (index + 1, line))
    }

    /// Returns the lines that are not quoted and in which the pattern is found. The lines without it, which are most, cost one search.
    pub(super) fn own_lines_with(&self, pattern: &'static Regex) -> impl Iterator<Item = &'t str> {
        let mut next = 0;
        let found = iter::from_fn(move || {
            let at = pattern.find_at(self.text, next)?.start();
            let start = self.text[..at].rfind('\n').map_or(0, |end| end + 1);
            next = self.text[at..].find('\n').map_or(self.text.len(), |end| at + end + 1);
            Some((start, &self.text[start..next]))
        });
        found.filter(|(start, line)| self.is_own(*start, line)).map(|(_, line)| line)
    }

    /// Tells whether a line that starts at `start` is not quoted.
    pub(super) fn is_own(&self, start: usize, line: &str) -> bool {
        let begins = line.trim_start();
        !begins.starts_with('>') && !self.is_quoted(start, start + line.len() - begins.len())
    }

    /// Returns the text without what is quoted, with a mark in place of each object. What stands beside an object in its fence is its
    /// author's own.
    pub(super) fn own_text(&self, objects: &[Range<usize>], mark: &str) -> String {
        let mut gaps: Vec<(Range<usize>, &str)> = objects.iter().map(|span| (span.clone(), mark)).collect();
        let closed = |end: usize| if self.text[end..].starts_with("-->") { end + 3 } else { end };
        gaps.extend(self.comments.iter().map(|span| (span.start..closed(span.end), "\n")));
        for Fence { span, body, info, .. } in &self.fences {
            if !is_code(info) && objects.iter().any(|object| body.contains(&object.start)) {
                // Its own marks, and those of fences that its author meant to put inside.
                let marks = lines(&self.text[span.clone()]).filter(|(_, line)| is_mark(line.trim_start()));
                gaps.extend(marks.map(|(at, line)| (span.start + at..span.start + at + line.len(), "\n")));
            } else {
                gaps.push((span.clone(), "\n"));
            }
        }
        gaps.sort_by_key(|(span, _)| span.start);
        let whole = self.around.as_ref().map_or(0..self.text.len(), |around| around.body.clone());
        let mut own = String::with_capacity(whole.len());
        let mut from = whole.start;
        for (gap, instead) in gaps.into_iter().filter(|(gap, _)| gap.end <= whole.end) {
            if gap.start >= from {
                own.extend([&self.text[from..gap.start], instead]);
                from = gap.end;
            }
        }
        own.push_str(&self.text[from..whole.end.max(from)]);
        // Some agents print line breaks as the two characters `\n`.
        let lines = own.replace("\\n", "\n");
        let own = lines.split('\n').map(|line| if line.trim_start().starts_with('>') { "" } else { line });
        own.collect::<Vec<_>>().join("\n")
    }

    fn fence_at(&self, at: usize) -> Option<&Fence<'t>> {
        let after = self.fences.partition_point(|fence| fence.span.start <= at);
        self.fences[..after].last().filter(|fence| at < fence.span.end)
    }
}

/// Returns the lines of a text with the positions at which they start.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut next = 0;
    text.split_inclusive('\n').map(move |line| {
        next += line.len();
        (next - line.len(), line)
    })
}

/// Tells whether a position is inside one of these spans, which are sorted and do not overlap.
pub(super) fn is_inside(spans: &[Range<usize>], at: usize) -> bool {
    let after = spans.partition_point(|span| span.start <= at);
    spans[..after].last().is_some_and(|span| at < span.end)
}

/// Tells whether a line begins with so much space that Markdown takes it for code; an item of a nested list is none.
pub(super) fn is_indented(line: &str) -> bool {
    let item = ["- ", "* ", "+ "].iter().any(|bullet| line.trim_start().starts_with(bullet));
    if item {
        return false;
    }
    let spaces = line.bytes().take(4).take_while(|byte| *byte == b' ').count();
    spaces == 4 || line.as_bytes().get(spaces) == Some(&b'\t')
}

/// Returns what an item of a list says: `- text`, `・text`, `1. text`, `2) text`.
pub(super) fn item(line: &str) -> Option<&str> {
    let line = line.trim_start();
    if let Some(item) = ["- ", "* ", "+ ", "・"].iter().find_map(|bullet| line.strip_prefix(bullet)) {
        return Some(item.trim());
    }
    let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let item = numbered.strip_prefix(". ").or(numbered.strip_prefix(") "))?;
    if numbered.len() < line.len() { Some(item.trim()) } else { None }
}

fn fences(text: &str) -> Vec<Fence<'_>> {
    let mut fences = Vec::new();
    let mut open: Option<(usize, &str)> = None;
    let lines = fence_lines(text);
    for (start, line) in lines.iter().copied() {
        match open {
            None => open = Some((start, line)),
            Some((from, opener)) if mark(line).starts_with(mark(opener)) && info(line).is_empty() => {
                let end = text[..start].rfind('\n').map_or(start, |at| at + 1);
                fences.push(Fence {
                    span: from..start + line.len(),
                    body: body_start(text, from).min(end)..end,
                    info: info(opener),
                    is_closed: true,
                });
                open = None;
            }
            Some(_) => {}
        }
    }
    if open.is_none() && lines.len() >= MOST {
        open = lines.last().map(|(start, _)| (*start, ""));
    }
    if let Some((from, opener)) = open {
        let body = body_start(text, from)..text.len();
        fences.push(Fence { span: from..text.len(), body, info: info(opener), is_closed: false });
    }
    fences
}

fn body_start(text: &str, fence: usize) -> usize {
    text.len().min(next_of(text.as_bytes(), fence, *b"\n") + 1)
}

/// Returns the lines that begin with three backticks or tildes, with their positions; not all of a flood.
fn fence_lines(text: &str) -> Vec<(usize, &str)> {
    let bytes = text.as_bytes();
    let mut lines = Vec::new();
    let mut mark = next_of(bytes, 0, *b"`~");
    while mark < bytes.len() && lines.len() < MOST {
        if is_mark(&text[mark..]) && begins_line(bytes, mark) {
            lines.push((mark, head(&text[mark..], 200).lines().next().unwrap_or_default()));
        }
        // Whatever else is on this line does not begin it.
        let line_end = next_of(bytes, mark + 1, *b"\n");
        mark = next_of(bytes, line_end, *b"`~");
    }
    lines
}

/// Tells whether only blanks stand between the start of a line and a position.
fn begins_line(bytes: &[u8], at: usize) -> bool {
    bytes[..at].iter().rfind(|byte| !matches!(byte, b' ' | b'\t')).is_none_or(|byte| *byte == b'\n')
}

/// Returns the comments that begin a line; not all of a flood. One that is not closed reaches to the end of the text.
fn comments(text: &str) -> Vec<Range<usize>> {
    let (opening, closing) = (memmem::Finder::new("<!--"), memmem::Finder::new("-->"));
    let bytes = text.as_bytes();
    let mut comments = Vec::new();
    let mut from = 0;
    while let Some(distance) = opening.find(&bytes[from..]) {
        let start = from + distance;
        from = start + 4;
        if begins_line(bytes, start) {
            let end = if comments.len() < MOST { closing.find(&bytes[from..]) } else { None };
            from = end.map_or(text.len(), |end| from + end);
            comments.push(start..from);
        }
    }
    comments
}

fn is_mark(line: &str) -> bool {
    line.starts_with("```") || line.starts_with("~~~")
}

fn mark(line: &str) -> &str {
    let first = line.chars().next().unwrap_or('`');
    &line[..line.len() - line.trim_start_matches(first).len()]
}

fn info(opener: &str) -> &str {
    opener.trim_start_matches(['`', '~']).trim()
}

/// Tells by what stands beside its mark whether a fence holds program code: neither prose nor JSON.
fn is_code(info: &str) -> bool {
    !info.is_empty() && !info.to_ascii_lowercase().starts_with("json") && !is_prose(info)
}

fn is_prose(info: &str) -> bool {
    ["", "markdown", "md", "text", "txt", "plaintext"].contains(&info.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests;
