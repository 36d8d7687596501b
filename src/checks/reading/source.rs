//! Tells code, texts in quotes and comments apart, roughly and in one pass, by the ending of a file's name.
//! Knows no grammar: what it mistakes for code is looked at once more than needed, and nothing is decided here.

pub(crate) use crate::paths::{ending, name};

/// What a stretch of a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Code,
    Quoted,
    Comment,
}

/// How a language writes its comments.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Family {
    /// `//` and `/* */`.
    Slashes,
    /// The same; a quote is a lifetime as well, and quotations have several lines.
    Rust,
    /// `#`.
    Hash,
    /// `#`, and three quotes at the start of a line.
    Python,
    /// `--`.
    Dashes,
    /// Nothing is a comment.
    Prose,
}

fn family(path: &str) -> Family {
    match ending(path) {
        "rs" => Family::Rust,
        "c" | "h" | "cc" | "cpp" | "hpp" | "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts"
        | "go" | "java" | "kt" | "kts" | "cs" | "swift" | "scala" | "dart" | "php" | "css" | "scss"
        | "less" | "proto" | "groovy" | "gradle" => Family::Slashes,
        "py" | "pyi" => Family::Python,
        "rb" | "sh" | "bash" | "zsh" | "yml" | "yaml" | "toml" | "cfg" | "mk" | "ex" | "exs" | "pl" | "r"
        | "tf" => Family::Hash,
        "sql" | "lua" | "hs" | "elm" => Family::Dashes,
        _ => Family::Prose,
    }
}

/// Returns the text with its comments blanked; the lines stay where they are.
pub(crate) fn without_comments(path: &str, text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    each(family(path), text, |kind, part| match kind {
        Kind::Comment => code.extend(part.chars().filter(|c| *c == '\n')),
        Kind::Code | Kind::Quoted => code.push_str(part),
    });
    code
}

/// Hands every stretch of a text on, in order.
fn each(family: Family, text: &str, mut take: impl FnMut(Kind, &str)) {
    if family == Family::Prose {
        return take(Kind::Code, text);
    }
    let bytes = text.as_bytes();
    let (mut from, mut at) = (0, 0);
    while at < bytes.len() {
        let Some((kind, end)) = opens(family, bytes, at) else {
            at += 1;
            continue;
        };
        take(Kind::Code, &text[from..at]);
        take(kind, &text[at..end]);
        (from, at) = (end, end);
    }
    take(Kind::Code, &text[from..]);
}

/// Returns what begins at a byte, and where it ends; always between two characters, since every mark is ASCII.
fn opens(family: Family, bytes: &[u8], at: usize) -> Option<(Kind, usize)> {
    let rest = &bytes[at..];
    let line = || at + rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    let closed = |mark: &[u8], skip: usize| at + find(rest, mark, skip).unwrap_or(rest.len());
    let slashes = matches!(family, Family::Slashes | Family::Rust);
    match rest[0] {
        b'/' if slashes && rest.starts_with(b"//") && !rest.starts_with(b"//go:") => {
            Some((Kind::Comment, line()))
        }
        b'/' if slashes && rest.starts_with(b"/*") => Some((Kind::Comment, closed(b"*/", 2))),
        b'#' if matches!(family, Family::Hash | Family::Python)
            && !rest.starts_with(b"#!")
            && is_apart(bytes, at) =>
        {
            Some((Kind::Comment, line()))
        }
        b'-' if family == Family::Dashes && rest.starts_with(b"--") => Some((Kind::Comment, line())),
        b'r' if family == Family::Rust => raw(bytes, at),
        b'\'' if family == Family::Rust => character(rest).map(|length| (Kind::Quoted, at + length)),
        b'"' | b'\'' if family == Family::Python && is_triple(rest) => {
            let kind = if begins_line(bytes, at) { Kind::Comment } else { Kind::Quoted };
            Some((kind, closed(&rest[..3], 3)))
        }
        b'"' => Some((Kind::Quoted, at + quoted(rest, family == Family::Rust))),
        b'\'' => Some((Kind::Quoted, at + quoted(rest, false))),
        b'`' if slashes => Some((Kind::Quoted, at + quoted(rest, true))),
        _ => None,
    }
}

fn is_triple(rest: &[u8]) -> bool {
    rest.starts_with(b"\"\"\"") || rest.starts_with(b"'''")
}

/// A `#` inside a word is no comment: `$#`, `a#b`.
fn is_apart(bytes: &[u8], at: usize) -> bool {
    at == 0
        || bytes[at - 1].is_ascii_whitespace()
        || matches!(bytes[at - 1], b';' | b')' | b'{' | b']' | b',')
}

fn begins_line(bytes: &[u8], at: usize) -> bool {
    bytes[..at].iter().rev().take_while(|byte| **byte != b'\n').all(u8::is_ascii_whitespace)
}

/// Returns where a mark ends, looked for behind the first bytes.
fn find(rest: &[u8], mark: &[u8], skip: usize) -> Option<usize> {
    let found = rest.get(skip..)?.windows(mark.len()).position(|window| window == mark)?;
    Some(skip + found + mark.len())
}

/// Returns the length of a quotation; one that is not closed on its line is none, unless lines may be in it.
fn quoted(rest: &[u8], has_lines: bool) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 1,
            b'\n' if !has_lines => return at,
            byte if byte == rest[0] => return at + 1,
            _ => {}
        }
        at += 1;
    }
    rest.len()
}

/// Finds `r"…"`, `r#"…"#`.
fn raw(bytes: &[u8], at: usize) -> Option<(Kind, usize)> {
    let in_word =
        at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_') && bytes[at - 1] != b'b';
    let hashes = bytes[at + 1..].iter().take_while(|byte| **byte == b'#').count();
    if in_word || bytes.get(at + 1 + hashes) != Some(&b'"') {
        return None;
    }
    let mark = [b"\"".as_slice(), &b"#".repeat(hashes)].concat();
    let end = find(&bytes[at..], &mark, hashes + 2).map_or(bytes.len(), |end| at + end);
    Some((Kind::Quoted, end))
}

/// Returns the length of a character of Rust in its quotes; nothing for a lifetime.
fn character(rest: &[u8]) -> Option<usize> {
    let inside = if rest.get(1) == Some(&b'\\') { 3..12 } else { 2..6 };
    let end = inside.clone().find(|end| rest.get(*end) == Some(&b'\''))?;
    // Between `'a` and the next quote of another lifetime lies more than one character.
    let one =
        rest[1] == b'\\' || std::str::from_utf8(&rest[1..end]).is_ok_and(|text| text.chars().count() == 1);
    one.then_some(end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_go_and_lines_stay() {
        for (path, text, code) in [
            (
                "a.rs",
                "a // b\n/* c\nd */ e 'x' \"// f\" r#\"\"/*\"# 'g",
                "a \n\n e 'x' \"// f\" r#\"\"/*\"# 'g",
            ),
            (
                "a.rs",
                "let q = '\"'; // x\nlet l: &'a str = '\\''; // y",
                "let q = '\"'; \nlet l: &'a str = '\\''; ",
            ),
            ("a.py", "x = 1 # one\n\"\"\"doc\n# a\n\"\"\"\ny = \"# no\"", "x = 1 \n\n\n\ny = \"# no\""),
            ("a.ts", "let a = `//${b}\n//`; // c", "let a = `//${b}\n//`; "),
            ("a.go", "//go:build x\n// y", "//go:build x\n"),
            ("a.sh", "#!/bin/sh\necho $# # n", "#!/bin/sh\necho $# "),
            ("a.md", "# title // x", "# title // x"),
            ("a.js", "it's // x", "it's // x"),
            ("ü.rs", "ü // ü\n'ü' \"ü", "ü \n'ü' \"ü"),
        ] {
            assert_eq!(without_comments(path, text), code, "{path}");
        }
    }
}
