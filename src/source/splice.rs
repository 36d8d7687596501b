//! The tests of one version of a file put into the product code of another version, for files that hold both.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::SourceFile;
use crate::function::edited;
use crate::query::Capture;

/// Returns the product code of `now` with the tests of `base`: old tests on new code, or, the other way round, new tests on
/// old code. Tests of a module or type that `now` does not have are left out.
#[must_use]
pub fn splice_tests(now: &SourceFile, base: &SourceFile) -> String {
    let (there, wanted) = (test_code(now), test_code(base));
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    for (group, ranges) in &there {
        let wanted = wanted.get(group).map_or(&[][..], Vec::as_slice);
        for (at, range) in ranges.iter().enumerate() {
            let end = if at + 1 < ranges.len() { at + 1 } else { wanted.len() };
            let new = wanted.get(at..end.min(wanted.len())).unwrap_or_default();
            edits.push((range.clone(), joined(base, new)));
        }
    }
    for (group, ranges) in wanted.iter().filter(|(group, _)| !there.contains_key(*group)) {
        if let Some(end) = end_of(now, group) {
            edits.push((end..end, format!("\n{}\n", joined(base, ranges))));
        }
    }
    edited(&now.text, edits)
}

/// Returns the outermost items that are built or run for tests only, by the groups that they stand in.
fn test_code(file: &SourceFile) -> BTreeMap<Vec<String>, Vec<Range<usize>>> {
    let outline = file.outline();
    let is_group = |item: usize| outline.items[item].is(Capture::Group);
    let mut found: BTreeMap<Vec<String>, Vec<Range<usize>>> = BTreeMap::new();
    let mut end = 0;
    for (index, item) in outline.items.iter().enumerate() {
        if !item.is(Capture::TestCode) || item.range.end <= end {
            continue;
        }
        // A function in a macro goes with the macro.
        let whole = outline.around(Some(index)).filter(|outer| *outer == index || !is_group(*outer)).last();
        let whole = whole.unwrap_or(index);
        let range = outline.items[whole].range.clone();
        end = range.end;
        found.entry(outline.groups(whole, is_group)).or_default().push(range);
    }
    found
}

fn joined(file: &SourceFile, ranges: &[Range<usize>]) -> String {
    let texts: Vec<&str> = ranges.iter().map(|range| &file.text[range.clone()]).collect();
    texts.join("\n\n")
}

/// Returns where an item can be put at the end of a group: in front of its brace.
fn end_of(file: &SourceFile, group: &[String]) -> Option<usize> {
    if group.is_empty() {
        return Some(file.text.len());
    }
    let outline = file.outline();
    let is_group = |item: usize| outline.items[item].is(Capture::Group);
    let index = (0..outline.items.len()).find(|index| is_group(*index) && outline.path(*index) == group)?;
    let end = outline.items[index].range.end;
    Some(if file.text[..end].ends_with('}') { end - 1 } else { end })
}

#[cfg(test)]
mod tests;
