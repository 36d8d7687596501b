//! Reads which findings the heading of a triage names, such as `### [W1, W2] Two limits`: how many, their numbers, and what
//! is said besides. Knows no finding: which one is meant is `judgments`'.

use std::sync::LazyLock;

use regex::Regex;

/// More findings than this are not named by one heading.
const MOST_NAMED: u32 = 50;

/// What a heading names.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Named {
    /// How many; at least one.
    pub many: u32,
    /// The numbers in brackets, without letters: places in the list that was given.
    pub numbers: Vec<u32>,
    /// What stands behind the ids.
    pub title: String,
}

/// Reads a heading: `[1]`, `[1, 2]`, `[1–3]` by number; `[W1]`, `[W1, W2]`, `[W1][W2]`, `W1–W3` by letters of its own.
pub(super) fn named(heading: &str) -> Named {
    let bare = heading.trim().trim_start_matches('#').trim();
    numbered(bare).unwrap_or_else(|| lettered(bare))
}

fn numbered(heading: &str) -> Option<Named> {
    static LIST: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^\*{0,2}\[#?(?P<list>\d{1,3}(?:\s*[,、&–—~〜-]\s*#?\d{1,3})*)\]")
            .expect("the pattern is a constant")
    });
    let found = LIST.captures(heading)?;
    let mut numbers: Vec<u32> = Vec::new();
    for part in found["list"].split([',', '、', '&']) {
        let mut ends = part.split(['–', '—', '~', '〜', '-']).map(|end| end.trim().trim_start_matches('#'));
        let first: u32 = ends.next()?.parse().ok()?;
        let last: u32 = ends.next_back().map_or(Some(first), |end| end.parse().ok())?;
        numbers.extend((first..=last.max(first)).take(MOST_NAMED as usize));
    }
    numbers.truncate(MOST_NAMED as usize);
    let many = u32::try_from(numbers.len()).unwrap_or(MOST_NAMED).max(1);
    Some(Named { many, numbers, title: title(&heading[found[0].len()..]) })
}

fn lettered(heading: &str) -> Named {
    static NEXT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^(?P<join>[\s\]\)]*(?:[,、/&+\-–—~〜\[]|and\b)[\s\[\(]*)?(?P<id>[A-Za-z]{1,3}-?(?P<n>\d{1,3}))\b")
            .expect("the pattern is a constant")
    });
    let mut rest = heading.trim_start_matches(|c: char| c.is_whitespace() || "*[(".contains(c));
    let (mut many, mut last): (u32, Option<u32>) = (0, None);
    while let Some(found) = NEXT.captures(rest) {
        let join = found.name("join").map_or("", |join| join.as_str());
        let Some(number) = found["n"].parse().ok().filter(|_| last.is_some() != join.is_empty()) else {
            break;
        };
        let range = join.contains(['-', '–', '—', '~', '〜']);
        many += match last {
            Some(last) if range && number > last => number - last,
            _ => 1,
        };
        last = Some(number);
        rest = &rest[found[0].len()..];
    }
    Named { many: many.clamp(1, MOST_NAMED), numbers: Vec::new(), title: title(rest) }
}

fn title(rest: &str) -> String {
    rest.trim_matches(|c: char| c.is_whitespace() || "*`])(:：-–—.".contains(c)).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_names_as_many_findings_as_it_has_ids() {
        for (heading, many) in [
            ("### [W1] The limit is missing", 1),
            ("### W1: S3 upload fails", 1),
            ("### [W1] S3 upload fails", 1),
            ("### The limit of 30 is missing", 1),
            ("### [W1, W2] Two names", 2),
            ("### [W1][W2] Two names", 2),
            ("### W1 / I4 and I5: names", 3),
            ("### [I1–I3] Wording", 3),
            ("### [I1]-[I3] Wording", 3),
            ("### I1-3 Wording", 1),
            ("### W9-W1 Backwards", 2),
            ("### A1-A999 Flood", 50),
            ("### [1-999] Flood", 50),
            ("### [9-1] Backwards", 1),
            ("### 3 problems are left", 1),
        ] {
            assert_eq!(named(heading).many, many, "{heading}");
        }
    }

    #[test]
    fn numbers_in_brackets_are_places_and_the_rest_is_the_title() {
        for (heading, numbers, title) in [
            ("### [1] The limit is missing", vec![1], "The limit is missing"),
            ("### **[2]**: the limit", vec![2], "the limit"),
            ("### [#1, 3] Two limits", vec![1, 3], "Two limits"),
            ("### [2–4] Wording", vec![2, 3, 4], "Wording"),
            ("### [W1] The limit of [2] pages", vec![], "The limit of [2] pages"),
            ("### The limit", vec![], "The limit"),
        ] {
            let named = named(heading);
            assert_eq!((named.numbers, named.title.as_str()), (numbers, title), "{heading}");
        }
    }
}
