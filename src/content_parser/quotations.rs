//! What a line quotes: words of somebody else and code, between marks of the same kind. Found by a search of its own, because
//! a regular expression that counts to 300 characters takes megabytes and long to build.

use std::borrow::Cow;
use std::ops::Range;

/// The marks that open a quotation, each with those that close it.
const MARKS: [(char, &[char]); 7] = [
    ('`', &['`']),
    ('"', &['"']),
    ('“', &['”']),
    ('「', &['」']),
    ('『', &['』']),
    ('«', &['»']),
    ('„', &['“', '”']),
];
/// Longer words are no quotation: their second mark more likely opens one. In characters.
const LONGEST_WORDS: usize = 300;
/// So many characters of code stand at most before a space or colon, and so many behind it.
const LONGEST_SIDE: usize = 200;
/// No closing mark is looked for farther than this, in characters.
const FARTHEST: usize = 2 * LONGEST_SIDE + 1;

/// What is made of two marks and what stands between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quotation {
    /// It is one, and something else stands in its place.
    Replaced,
    /// It is one and stays.
    Kept,
    /// It is none: its second mark may open another one.
    None,
}

/// Returns the text with something else in place of each quotation. `judge` gets the opening mark and what stands between
/// both. None goes beyond its line.
pub(super) fn replace_quotations(
    text: &str,
    judge: impl Fn(char, &str) -> Quotation,
    replace: impl Fn(&str) -> String,
) -> Cow<'_, str> {
    let (mut replaced, mut taken, mut from) = (String::new(), 0, 0);
    let mut search = EndSearch { text, known: [None; MARKS.len()] };
    let opening = |(at, mark)| Some((at, MARKS.iter().position(|(opening, _)| *opening == mark)?));
    while let Some((at, kind)) = text[from..].char_indices().find_map(opening) {
        let (at, mark) = (from + at, MARKS[kind].0);
        let inside = at + mark.len_utf8();
        let Some(end) = search.find(kind, inside) else {
            from = inside;
            continue;
        };
        from = match judge(mark, &text[inside..end.start]) {
            Quotation::Replaced => {
                replaced.extend([&text[taken..at], &replace(&text[at..end.end])]);
                taken = end.end;
                taken
            }
            Quotation::Kept => end.end,
            Quotation::None => inside,
        };
    }
    if taken == 0 {
        return Cow::Borrowed(text);
    }
    replaced.push_str(&text[taken..]);
    Cow::Owned(replaced)
}

/// Tells whether this is no longer than words that somebody quotes, in characters.
pub(super) fn is_short(inside: &str) -> bool {
    inside.chars().nth(LONGEST_WORDS).is_none()
}

/// Tells whether code is more than one word, and no longer than a command.
pub(super) fn is_phrase(inside: &str) -> bool {
    let length = inside.chars().count();
    let is_near = |at: usize| at <= LONGEST_SIDE && length - at - 1 <= LONGEST_SIDE;
    let is_middle = |(at, c): (usize, char)| matches!(c, ' ' | ':') && is_near(at);
    inside.chars().enumerate().any(is_middle)
}

/// Finds closing marks. Where the next one is stays known, so that many open marks cost no more than one.
struct EndSearch<'t> {
    text: &'t str,
    /// By kind of mark: where the line or the quotation ends next.
    known: [Option<usize>; MARKS.len()],
}

impl EndSearch<'_> {
    /// Returns where the closing mark is of a quotation whose opening mark ends at `inside`.
    fn find(&mut self, kind: usize, inside: usize) -> Option<Range<usize>> {
        let closing = MARKS[kind].1;
        let search = || {
            let end = self.text[inside..].find(|c| c == '\n' || closing.contains(&c));
            end.map_or(self.text.len(), |length| inside + length)
        };
        let at = self.known[kind].filter(|at| *at >= inside).unwrap_or_else(search);
        self.known[kind] = Some(at);
        let mark = self.text[at..].chars().next().filter(|mark| *mark != '\n')?;
        let between = &self.text[inside..at];
        let is_near = between.len() <= 4 * FARTHEST && between.chars().nth(FARTHEST).is_none();
        if is_near { Some(at..at + mark.len_utf8()) } else { None }
    }
}

#[cfg(test)]
mod tests;
