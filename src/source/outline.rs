//! The items of a file (groups, functions, tests), each with what stands in it, as the queries of its language find them.

use std::cmp::Reverse;
use std::ops::Range;

use crate::query::{Capture, Query, place};
use tree_sitter::Tree;

/// A group, a function, a test, or whatever else attributes belong to.
#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) name: String,
    pub(crate) name_range: Range<usize>,
    /// The type that a method is of, where it does not stand inside it.
    pub(crate) of_type: Option<String>,
    pub(crate) body: Option<Range<usize>>,
    /// Without its attributes.
    pub(crate) node: Range<usize>,
    /// With its attributes, decorators and documentation.
    pub(crate) range: Range<usize>,
    /// The item around it.
    pub(crate) parent: Option<usize>,
    /// What it is, and what stands in it or in front of it.
    captures: u64,
}

impl Item {
    pub(crate) fn is(&self, capture: Capture) -> bool {
        self.captures & bit(capture) != 0
    }
}

/// They only say something of what else their match found.
const DETAILS: [Capture; 5] = [Capture::Name, Capture::Body, Capture::Type, Capture::Of, Capture::StandsFor];

fn bit(capture: Capture) -> u64 {
    1 << capture as u32
}

/// Something that stands in an item, or in no item but the file.
#[derive(Debug)]
pub(crate) struct Mark {
    pub(crate) capture: Capture,
    pub(crate) range: Range<usize>,
    pub(crate) of: Option<Range<usize>>,
    pub(crate) stands_for: Option<Range<usize>>,
    pub(crate) owner: Option<usize>,
}

/// Items and marks in the order of the text.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    pub(crate) items: Vec<Item>,
    pub(crate) marks: Vec<Mark>,
}

impl Outline {
    pub(crate) fn read(query: &Query, tree: &Tree, text: &str) -> Self {
        let mut outline = Self::default();
        query.matches(tree, text, |found| outline.see(found, text));
        outline.merge();
        outline.take_attributes(text);
        outline.find_owners();
        outline.find_tests();
        outline
    }

    fn see(&mut self, found: &[(Capture, Range<usize>)], text: &str) {
        let part = |wanted| place(found, wanted);
        for (capture, range) in found.iter().cloned() {
            if capture.is_item() {
                let name_range = part(Capture::Name).unwrap_or(range.start..range.start);
                let of_type = part(Capture::Type).map(|range| text[range].to_owned());
                self.items.push(Item {
                    name: unquoted(&text[name_range.clone()]),
                    name_range,
                    of_type,
                    body: part(Capture::Body),
                    node: range.clone(),
                    range,
                    parent: None,
                    captures: bit(capture),
                });
            } else if !DETAILS.contains(&capture) {
                let (of, stands_for) = (part(Capture::Of), part(Capture::StandsFor));
                self.marks.push(Mark { capture, range, of, stands_for, owner: None });
            }
        }
    }

    /// Makes one item of what several patterns found at one place.
    fn merge(&mut self) {
        self.items.sort_by_key(|item| (item.node.start, Reverse(item.node.end)));
        self.items.dedup_by(|other, item| {
            if item.node != other.node {
                return false;
            }
            item.captures |= other.captures;
            if item.name.is_empty() {
                (item.name, item.name_range) = (std::mem::take(&mut other.name), other.name_range.clone());
            }
            item.body = item.body.take().or(other.body.take());
            item.of_type = item.of_type.take().or(other.of_type.take());
            true
        });
        let size = |mark: &Mark| mark.of.as_ref().map_or(0, Range::len);
        self.marks
            .sort_by_key(|mark| (mark.range.start, Reverse(mark.range.end), mark.capture as u32, size(mark)));
    }

    /// Lets each item begin where its first attribute does.
    fn take_attributes(&mut self, text: &str) {
        let mut attributes = self.marks.iter().filter(|mark| mark.capture == Capture::Attribute).peekable();
        let mut lead: Option<Range<usize>> = None;
        for item in &mut self.items {
            while let Some(next) = attributes.next_if(|next| next.range.end <= item.node.start) {
                let gap = |lead: &Range<usize>| &text[lead.end..next.range.start.max(lead.end)];
                let before = lead.filter(|lead| is_blank(gap(lead))).map(|lead| lead.start);
                lead = Some(before.unwrap_or(next.range.start)..next.range.end);
            }
            if let Some(lead) = lead.as_ref().filter(|lead| is_blank(&text[lead.end..item.node.start])) {
                item.range.start = lead.start;
            }
        }
    }

    fn find_owners(&mut self) {
        self.items.sort_by_key(|item| (item.range.start, Reverse(item.range.end)));
        for index in 1..self.items.len() {
            let start = self.items[index].range.start;
            let parent = self.around(Some(index - 1)).find(|outer| self.items[*outer].range.end > start);
            self.items[index].parent = parent;
        }
        let mut attribute = 0..0;
        let mut marks = std::mem::take(&mut self.marks);
        for mark in &mut marks {
            let begun = self.items.partition_point(|item| item.range.start <= mark.range.start);
            let owner =
                self.around(begun.checked_sub(1)).find(|item| self.items[*item].range.end >= mark.range.end);
            mark.owner = owner;
            if mark.capture == Capture::Attribute {
                attribute = mark.range.clone();
            }
            let in_attribute = attribute.start <= mark.range.start && mark.range.end <= attribute.end;
            let Some(owner) = mark.owner.map(|owner| &mut self.items[owner]) else { continue };
            if in_attribute && owner.node.start < mark.range.end && mark.capture < Capture::Comment {
                // It belongs to something that is no item here: a field, a statement.
                mark.capture = Capture::Attribute;
            } else {
                owner.captures |= bit(mark.capture);
            }
        }
        self.marks = marks;
    }

    /// Returns an item and the items around it, the innermost first.
    pub(crate) fn around(&self, item: Option<usize>) -> impl Iterator<Item = usize> {
        std::iter::successors(item, |item| self.items[*item].parent)
    }

    /// A function that is marked as a test is one, unless it stands in another function.
    fn find_tests(&mut self) {
        for index in 0..self.items.len() {
            let item = &self.items[index];
            let is_function = |item: &Item| item.is(Capture::Function) || item.is(Capture::Macro);
            if item.is(Capture::TestAttribute)
                && !item.is(Capture::NotATest)
                && item.is(Capture::Function)
                && !self.around(item.parent).any(|outer| is_function(&self.items[outer]))
            {
                self.items[index].captures |= bit(Capture::Test);
            }
        }
    }

    /// Tells whether a function is declared in another one that does not name it again.
    pub(crate) fn is_never_called(&self, index: usize, text: &str) -> bool {
        let item = &self.items[index];
        let Some(outer) = item.parent.map(|outer| &self.items[outer]) else { return false };
        let is_code = [Capture::Function, Capture::Macro, Capture::Test].iter().any(|kind| outer.is(*kind));
        let front = &text[item.range.start..item.name_range.start.max(item.range.start)];
        let is_declared = matches!(front.trim_start_matches("async "), "def " | "fn " | "function ");
        is_code && is_declared && text[outer.node.clone()].matches(&item.name).count() == 1
    }

    /// Returns the names of the groups around an item, and its own.
    pub(crate) fn path(&self, index: usize) -> Vec<String> {
        let mut path = self.groups(index, |outer| self.items[outer].is(Capture::Group));
        path.push(self.items[index].name.clone());
        path
    }

    /// Returns the names of the groups around an item, the outermost first.
    pub(crate) fn groups(&self, index: usize, is_group: impl Fn(usize) -> bool) -> Vec<String> {
        let item = &self.items[index];
        let outer = self.around(item.parent).filter(|outer| is_group(*outer));
        let mut groups: Vec<String> = item.of_type.iter().cloned().collect();
        groups.extend(outer.map(|outer| self.items[outer].name.clone()));
        groups.reverse();
        groups
    }
}

/// Tells whether there is nothing but white space and comments between an attribute and what it belongs to.
fn is_blank(between: &str) -> bool {
    between
        .lines()
        .map(str::trim)
        .all(|line| line.is_empty() || line.starts_with("//") || line.starts_with('#'))
}

/// Returns a name as its runner prints it: a literal without its quotation marks.
fn unquoted(name: &str) -> String {
    let inside = ['"', '\'', '`'].iter().find_map(|mark| name.strip_prefix(*mark)?.strip_suffix(*mark));
    match inside {
        Some(inside) => {
            inside.replace("\\'", "'").replace("\\\"", "\"").replace("\\`", "`").replace("\\\\", "\\")
        }
        None => name.split_whitespace().collect::<Vec<_>>().join(" "),
    }
}
