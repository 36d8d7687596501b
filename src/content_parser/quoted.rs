//! Knows which parts of an answer are quoted: code fences, block quotes and comments. What is quoted is somebody else's word.
//! A fence that is never closed reaches to the end: an answer that was cut off inside a quotation ends there.

use std::ops::Range;

use memchr::memmem;

use super::{head, scan};

/// Beyond so many lines with fence marks everything counts as quoted.
const MOST: usize = 20_000;

/// The code fences of a text.
#[derive(Debug)]
pub(super) struct Quoted<'t> {
    text: &'t str,
    fences: Vec<Fence>,
    /// A fence without a language around the whole text: it quotes nothing, and may be all code.
    around: Option<Fence>,
    comments: Vec<Range<usize>>,
}

/// One code fence, from its opening line to the end of its closing one.
#[derive(Debug, PartialEq, Eq)]
struct Fence {
    span: Range<usize>,
    /// Its language is named and is not JSON: what is in it is code.
    code: bool,
}

impl<'t> Quoted<'t> {
    /// Finds the fences of a text. A fence around the whole answer quotes nothing.
    pub(super) fn new(text: &'t str) -> Self {
        let mut fences = fences(text);
        let wraps = |fence: &Fence| {
            text[..fence.span.start].trim().is_empty()
                && text[fence.span.end..].trim().is_empty()
                && is_prose(info(&text[fence.span.clone()]))
                && is_closed(&text[fence.span.clone()])
        };
        let mut around = None;
        if let [only] = &fences[..]
            && wraps(only)
        {
            around = fences.pop().filter(|fence| info(&text[fence.span.clone()]).is_empty());
        }
        Self { text, fences, around, comments: comments(text) }
    }

    /// Finds the fences of a text in which even a fence around the whole of it quotes.
    pub(super) fn in_full(text: &'t str) -> Self {
        Self { text, fences: fences(text), around: None, comments: comments(text) }
    }

    /// Tells whether a line that starts at `line` and has something at `at` is quoted.
    pub(super) fn is_quoted(&self, line: usize, at: usize) -> bool {
        self.fence_at(at).is_some() || self.is_aside(line, at)
    }

    /// Tells whether a position is inside a comment, or in a block quote that `line` begins.
    pub(super) fn is_aside(&self, line: usize, at: usize) -> bool {
        self.is_comment(at) || head(&self.text[line..at], 64).trim_start().starts_with('>')
    }

    /// Returns where the fence around a position begins and ends.
    pub(super) fn fence_around(&self, at: usize) -> Option<Range<usize>> {
        self.fence_at(at).map(|fence| fence.span.clone())
    }

    /// Tells whether a position is inside a fence of program code.
    pub(super) fn is_code(&self, at: usize) -> bool {
        self.fence_at(at).is_some_and(|fence| fence.code)
    }

    /// Returns the lines that are not quoted.
    pub(super) fn own_lines(&self) -> impl Iterator<Item = &'t str> {
        self.numbered_lines().map(|(_, line)| line)
    }

    /// Returns the lines that are not quoted, with their numbers from 1.
    pub(super) fn numbered_lines(&self) -> impl Iterator<Item = (usize, &'t str)> {
        let mut next = 0;
        let lines = self.text.split_inclusive('\n').enumerate().filter(move |(_, line)| {
            let start = next;
            next += line.len();
            self.is_own(start, line)
        });
        lines.map(|(index, line)| (index + 1, line))
    }

    /// Tells whether a line that starts at `start` is not quoted.
    pub(super) fn is_own(&self, start: usize, line: &str) -> bool {
        let begins = line.trim_start();
        !begins.starts_with('>') && !self.is_quoted(start, start + line.len() - begins.len())
    }

    /// Returns the code blocks: where each begins, what stands beside its opening mark, and what is in it.
    pub(super) fn code_blocks(&self) -> impl Iterator<Item = (usize, &'t str, &'t str)> {
        self.fences.iter().chain(&self.around).map(|fence| {
            let whole = &self.text[fence.span.clone()];
            let body = whole.split_once('\n').map_or("", |(_, body)| body);
            let body = if is_closed(whole) {
                &body[..body.trim_end_matches('\n').rfind('\n').map_or(0, |at| at + 1)]
            } else {
                body
            };
            (fence.span.start, info(whole), body)
        })
    }

    fn is_comment(&self, at: usize) -> bool {
        let after = self.comments.partition_point(|span| span.start <= at);
        self.comments[..after].last().is_some_and(|span| at < span.end)
    }

    fn fence_at(&self, at: usize) -> Option<&Fence> {
        let after = self.fences.partition_point(|fence| fence.span.start <= at);
        self.fences[..after].last().filter(|fence| at < fence.span.end)
    }
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

/// Returns what stands in the closed fences of a language.
pub(super) fn fenced<'t>(text: &'t str, language: &str) -> impl Iterator<Item = &'t str> {
    let wanted = move |fence: &Fence| info(&text[fence.span.clone()]).eq_ignore_ascii_case(language);
    let mut spans: Vec<Range<usize>> = Vec::new();
    spans.extend(fences(text).into_iter().filter(wanted).map(|fence| fence.span));
    spans.into_iter().map(|span| text[span].trim_end_matches('\n')).filter(|fence| is_closed(fence)).map(
        |fence| {
            let inside = fence.split_once('\n').map_or("", |(_, inside)| inside);
            &inside[..inside.rfind('\n').map_or(0, |end| end + 1)]
        },
    )
}

fn fences(text: &str) -> Vec<Fence> {
    let mut fences: Vec<Fence> = Vec::new();
    let mut open: Option<(usize, &str)> = None;
    let lines = fence_lines(text);
    for (start, line) in lines.iter().copied() {
        match open {
            None => open = Some((start, line)),
            Some((from, opener)) if mark_of(line).starts_with(mark_of(opener)) && info(line).is_empty() => {
                fences.push(Fence { span: from..start + line.len(), code: is_code(info(opener)) });
                open = None;
            }
            Some(_) => {}
        }
    }
    if let Some((from, opener)) = open {
        fences.push(Fence { span: from..text.len(), code: is_code(info(opener)) });
    } else if let Some((from, _)) = lines.last().filter(|_| lines.len() >= MOST) {
        fences.push(Fence { span: *from..text.len(), code: false });
    }
    fences
}

/// Returns the lines that begin with three backticks or tildes, with their positions; not all of a flood.
fn fence_lines(text: &str) -> Vec<(usize, &str)> {
    let bytes = text.as_bytes();
    let mut lines = Vec::new();
    let mut mark = scan::either(bytes, 0, *b"`~");
    while mark < bytes.len() && lines.len() < MOST {
        let marks = bytes[mark..].starts_with(b"```") || bytes[mark..].starts_with(b"~~~");
        if marks && begins_line(bytes, mark) {
            lines.push((mark, head(&text[mark..], 200).lines().next().unwrap_or_default()));
        }
        // Whatever else is on this line does not begin it.
        let line_end = scan::byte(bytes, mark + 1, b'\n');
        mark = scan::either(bytes, line_end, *b"`~");
    }
    lines
}

/// Tells whether only blanks stand between the start of a line and a position.
fn begins_line(bytes: &[u8], at: usize) -> bool {
    bytes[..at].iter().rfind(|byte| !matches!(byte, b' ' | b'\t')).is_none_or(|byte| *byte == b'\n')
}

/// Returns the comments that begin a line, to the end of the text when they are not closed; not all of a flood.
fn comments(text: &str) -> Vec<Range<usize>> {
    let (opening, closing) = (memmem::Finder::new("<!--"), memmem::Finder::new("-->"));
    let bytes = text.as_bytes();
    let mut comments = Vec::new();
    let mut from = 0;
    while let Some(distance) = opening.find(&bytes[from..]) {
        let start = from + distance;
        from = start + 4;
        if begins_line(bytes, start) {
            let end = closing.find(&bytes[from..]).filter(|_| comments.len() < MOST);
            from = end.map_or(text.len(), |end| from + end);
            comments.push(start..from);
        }
    }
    comments
}

fn mark_of(line: &str) -> &str {
    let line = line.trim_start();
    let first = line.chars().next().unwrap_or('`');
    &line[..line.len() - line.trim_start_matches(first).len()]
}

fn info(fence: &str) -> &str {
    let first = fence.lines().next().unwrap_or_default();
    first.trim_start().trim_start_matches(['`', '~']).trim()
}

/// Tells by what stands beside its mark whether a fence holds program code: neither prose nor JSON.
pub(super) fn is_code(info: &str) -> bool {
    !info.is_empty() && !info.to_ascii_lowercase().starts_with("json") && !is_prose(info)
}

fn is_prose(info: &str) -> bool {
    ["", "markdown", "md", "text", "txt", "plaintext"].contains(&info.to_ascii_lowercase().as_str())
}

fn is_closed(fence: &str) -> bool {
    let (_, inside) = fence.split_once('\n').unwrap_or_default();
    let last = inside.lines().next_back().unwrap_or_default();
    last.trim_start().starts_with(['`', '~']) && info(last).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(text: &str) -> Vec<&str> {
        Quoted::new(text).own_lines().map(str::trim).filter(|line| !line.is_empty()).collect()
    }

    #[test]
    fn fences_and_block_quotes_are_quoted() {
        assert_eq!(own("a\n```sh\nb\n```\n> c\n  > d\n~~~\ne\n```\nf\n~~~\ng"), ["a", "g"]);
    }

    #[test]
    fn a_fence_that_is_never_closed_reaches_to_the_end() {
        assert_eq!(own("a\n```\nb\n\n```rust\nc"), ["a"]);
    }

    #[test]
    fn comments_that_begin_a_line_are_quoted() {
        assert_eq!(own("a\n<!-- b\nc\n-->d\n`<!--` e\n  <!-- f\ng"), ["a", "-->d", "`<!--` e"]);
        assert_eq!(own(&format!("{}a", "<!---->\n".repeat(MOST + 1))), [""; 0]);
    }

    #[test]
    fn backticks_inside_a_line_open_nothing() {
        assert_eq!(own("a ```x``` b\nc"), ["a ```x``` b", "c"]);
    }

    #[test]
    fn a_fence_around_the_whole_answer_quotes_nothing() {
        assert_eq!(own("\n```markdown\na\n```\n"), ["```markdown", "a", "```"]);
        assert_eq!(own("```rust\na\n```"), [""; 0]);
        assert_eq!(own("```\na"), [""; 0]);
        assert_eq!(own("```\na\n```\nb\n```\nc\n```"), ["b"]);
    }

    #[test]
    fn only_a_named_language_is_code() {
        let text = "```py\na\n```\n```json\nb\n```\n```\nc\n```\n";
        let quoted = Quoted::new(text);
        let code = |what: &str| quoted.is_code(text.find(what).expect("it is there"));
        assert_eq!([code("a"), code("\nb"), code("c")], [true, false, false]);
    }

    #[test]
    fn too_many_fences_quote_the_rest() {
        let text = format!("{}a", "```\n```\n".repeat(MOST + 1));
        assert_eq!(own(&text), [""; 0]);
    }
}
