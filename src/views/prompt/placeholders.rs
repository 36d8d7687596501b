//! Which names a template uses, and how: found in its text, before anything is filled in.
//! Knows of blocks only that `each` and `with` bring names of their own.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value};

/// The values of placeholders by their names.
pub(super) type Values = Map<String, Value>;

/// One tag: a comment, or what stands between two or three braces.
static TAG: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?s)\{\{!--.*?--~?\}\}|\{\{!.*?\}\}|\{\{\{?~?\s*(?P<inside>[^{}]*?)\s*~?\}\}\}?")
        .expect("a good expression")
});

/// Names that are no placeholders.
const KEYWORDS: [&str; 8] = ["this", "else", "if", "true", "false", "null", "undefined", "as"];

/// The names of a template.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Names that the prompt has to give, with their lines from 1.
    pub(super) asked: Vec<(String, usize)>,
    lists: BTreeSet<String>,
    objects: BTreeSet<String>,
    fenced: BTreeSet<String>,
    open: BTreeSet<String>,
}

impl Names {
    /// Finds the names of a template.
    pub(super) fn of(template: &str) -> Self {
        let mut names = Self::default();
        let mut blocks: Vec<&str> = Vec::new();
        let (mut line, mut from, mut fence) = (1, 0, Fence::default());
        for tag in TAG.captures_iter(template) {
            let whole = tag.get(0).expect("a match has itself");
            let between = &template[from..whole.start()];
            line += between.matches('\n').count();
            fence.pass(between);
            if let Some(inside) = tag.name("inside") {
                names.take(inside.as_str(), line, &mut blocks, fence.is_open());
            }
            line += whole.as_str().matches('\n').count();
            from = whole.end();
        }
        names
    }

    /// Tells whether a name is gone through one by one.
    pub(super) fn is_list(&self, name: &str) -> bool {
        self.lists.contains(name)
    }

    /// Tells whether fields of a name are asked for.
    pub(super) fn is_object(&self, name: &str) -> bool {
        self.objects.contains(name)
    }

    /// Tells whether a name, or a field of one, stands inside fences of the template and nowhere else.
    pub(super) fn is_fenced(&self, name: &str) -> bool {
        self.fenced.contains(name) && !self.open.contains(name)
    }

    fn take<'t>(&mut self, inside: &'t str, line: usize, blocks: &mut Vec<&'t str>, fenced: bool) {
        if inside.starts_with('/') {
            blocks.pop();
            return;
        }
        if inside.starts_with('>') {
            return;
        }
        let mut words = inside.trim_start_matches(['#', '^', '&']).split_whitespace();
        let block = inside.starts_with('#').then(|| words.next().unwrap_or_default());
        let scopes = blocks.iter().filter(|block| matches!(**block, "each" | "with")).count();
        let words: Vec<&str> = words.take_while(|word| *word != "as").collect();
        // The first of several words is a helper.
        let helper = usize::from(block.is_none() && words.len() > 1);
        for word in &words[helper..] {
            let value = word.rsplit('=').next().unwrap_or(word).trim_end_matches(')');
            self.name(value, line, scopes, block, fenced);
        }
        blocks.extend(block);
    }

    fn name(&mut self, word: &str, line: usize, scopes: usize, block: Option<&str>, fenced: bool) {
        let climbs = word.matches("../").count();
        let path = word.trim_start_matches("../").trim_start_matches("this.");
        let is_other = path.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '@' | '('));
        let is_quoted = path.contains(['"', '\'']);
        let mut parts = path.split('.');
        let first = parts.next().unwrap_or_default();
        if path.is_empty() || is_other || is_quoted || KEYWORDS.contains(&first) {
            return;
        }
        let leaf = parts.next_back().unwrap_or(first).to_owned();
        if block == Some("each") {
            self.lists.insert(first.to_owned());
        } else if block.is_none() {
            let places = if fenced { &mut self.fenced } else { &mut self.open };
            places.insert(leaf.clone());
        }
        if leaf != first || block == Some("with") {
            self.objects.insert(first.to_owned());
        }
        if climbs >= scopes {
            self.asked.push((first.to_owned(), line));
        }
    }
}

/// A fence of the template itself, as far as it was read.
#[derive(Default)]
struct Fence {
    open: Option<char>,
    /// The line under way began in text that was read before.
    within_line: bool,
}

impl Fence {
    fn is_open(&self) -> bool {
        self.open.is_some()
    }

    fn pass(&mut self, text: &str) {
        for (index, line) in text.split('\n').enumerate() {
            if index > 0 || !self.within_line {
                self.line(line.trim_start());
            }
        }
        self.within_line = !text.ends_with('\n');
    }

    fn line(&mut self, line: &str) {
        let kind = ["```", "~~~"].iter().find(|kind| line.starts_with(**kind)).and_then(|k| k.chars().next());
        match (self.open, kind) {
            (None, Some(kind)) => self.open = Some(kind),
            (Some(open), Some(kind)) if open == kind => self.open = None,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
