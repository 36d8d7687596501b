//! Asserts that another one of the same test implies: that there is something, beside what it is; how long it is, beside what
//! is in it. Looks at asserts as text; what it does not know is implied by nothing.

use std::sync::LazyLock;

use regex::Regex;

use super::strength::{Strength, is_of_absence, strength};

/// There is something, it is true, it is of a kind.
static PRESENT: LazyLock<Regex> = LazyLock::new(|| {
    about(
        r"(?x) ^assert\x20isinstance\(<it>,\x20[\w.]+\)$ | ^assert\x20<it>(?:\x20is\x20not\x20None)?$
          | \bassert(?:IsNotNone|NotNull|True)\(<it>\)$ | ^assert!\(<it>\.is_(?:some|ok)\(\)\)$
          | ^expect\(<it>\)\.(?:toBe(?:Defined|Truthy)|not\.toBe(?:Null|Undefined))\(\)$
          | ^assertThat\(<it>\)\.isNotNull\(\)$ | \bNotNil\(t,<it>\)$",
    )
});
static LENGTH: LazyLock<Regex> = LazyLock::new(|| {
    about(
        r"(?x) ^assert\x20len\(<it>\)\x20==\x20\d+$ | \bassertEqual\(len\(<it>\),\x20?\d+\)$ | ^assert_eq!\(<it>\.len\(\),\d+\)$
          | ^expect\(<it>\)\.toHaveLength\(\d+\)$ | ^expect\(<it>\.length\)\.to(?:Be|Equal)\(\d+\)$ | \bLen\(t,<it>,\d+\)$
          | \bassertEquals\(\d+,<it>\.(?:size\(\)|length)\)$ | ^assertThat\(<it>\)\.hasSize\(\d+\)$",
    )
});

/// Returns a pattern whose group is what an assert is about.
fn about(text: &str) -> Regex {
    let it = r"([\w.:]+?(?:\([^()]*\))?(?:\[[^\[\]]*\])?)";
    Regex::new(&text.replace("<it>", it)).expect("a constant")
}

/// Tells whether one of some asserts implies an assert that went.
pub(super) fn by_another(gone: &str, asserts: &[(usize, String)]) -> bool {
    let mut others = asserts.iter().map(|(_, other)| other.as_str()).filter(|other| *other != gone);
    if let Some(subject) = subject(&PRESENT, gone) {
        return others.any(|other| {
            strength(other) == Strength::Exact && !is_of_absence(other) && mentions(other, subject)
        });
    }
    subject(&LENGTH, gone).is_some_and(|subject| others.any(|other| says_all(other, subject)))
}

fn subject<'a>(pattern: &Regex, assert: &'a str) -> Option<&'a str> {
    Some(pattern.captures(assert)?.iter().skip(1).flatten().next()?.as_str())
}

fn mentions(assert: &str, subject: &str) -> bool {
    let joins = |c: char| c.is_alphanumeric() || c == '_';
    assert.match_indices(subject).any(|(at, _)| {
        !assert[..at].ends_with(|c| joins(c) || c == '.') && !assert[at + subject.len()..].starts_with(joins)
    })
}

/// Tells whether an assert compares the whole of a thing.
fn says_all(assert: &str, subject: &str) -> bool {
    let left = [
        format!("assert {subject} =="),
        format!("assert_eq!({subject},"),
        format!("Equal({subject},"),
        format!("Equals({subject},"),
        format!("expect({subject}).toEqual("),
        format!("expect({subject}).toStrictEqual("),
        format!("assertThat({subject}).isEqualTo("),
        format!("assertThat({subject}).containsExactly("),
    ];
    let right = assert.contains("qual") && assert.ends_with(&format!(",{subject})"));
    right || left.iter().any(|start| assert.contains(start))
}

/// Tells `assert not it` where one of some asserts said what it is, and that was something.
pub(super) fn denies(assert: &str, strict: &[&str]) -> bool {
    const NOTHING: [&str; 8] = ["0", "[]", "{}", "()", "''", "\"\"", "False", "set()"];
    let Some(subject) = assert.strip_prefix("assert not ") else { return false };
    let was = format!("assert {subject} == ");
    strict.iter().any(|before| before.strip_prefix(&was).is_some_and(|value| !NOTHING.contains(&value)))
}
