//! The classes, modules and groups that a test stands in, by the lines above it and their indentation. Knows no grammar.

use std::sync::LazyLock;

use regex::Regex;

use super::cases::quoted;

pattern!(
    GROUP,
    r#"^\s*(?:(?:[\w()]+\s+)*(?:class|module|mod|namespace|object)\s+(?P<name>[\w.:\\]+)|(?:\w+\.)?[xf]?(?:describe|context|suite)(?:\.\w+)*\s*\(?\s*(?:(?P<quote>['"`])|(?P<subject>[\w.:]+)))"#
);

/// Goes through a file from above, and knows what is open.
#[derive(Default)]
pub(super) struct Groups {
    /// What is open: how far it is indented, and its name if it is a group.
    open: Vec<(usize, Option<String>)>,
    next: usize,
}

impl Groups {
    /// Returns the groups around a line, the outermost first; no line may be asked for behind a later one.
    pub(super) fn around(&mut self, lines: &[&str], at: usize) -> Vec<String> {
        for line in lines.iter().take(at).skip(self.next) {
            let name = name(line);
            if name.is_some() || opens(line) {
                self.close(indent(line));
                self.open.push((indent(line), name));
            }
        }
        self.next = self.next.max(at);
        self.close(indent(lines[at]));
        self.open.iter().filter_map(|(_, name)| name.clone()).collect()
    }

    /// Forgets what is not around a line that is so far indented.
    fn close(&mut self, indent: usize) {
        self.open.retain(|(depth, _)| *depth < indent);
    }
}

/// Returns the name of the group that a line begins.
fn name(line: &str) -> Option<String> {
    let may = ["class", "mod", "namespace", "object", "describe", "context", "suite"];
    let found = may.iter().any(|word| line.contains(word)).then(|| GROUP.captures(line)).flatten()?;
    let quote = found.name("quote").and_then(|quote| quoted(&line[quote.start()..]));
    let name = quote.or_else(|| found.name("name").or(found.name("subject")).map(|name| name.as_str()));
    name.map(|name| name.trim_end_matches([':', '.']).to_owned())
}

/// Tells whether lines below may stand inside of what a line begins.
fn opens(line: &str) -> bool {
    let bare = line.trim();
    let goes_on = bare.starts_with([')', ']', '}', '{']);
    !goes_on && (bare.ends_with(['{', ':', '(', '|', '>']) || bare.ends_with(" do"))
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_groups_around_a_line_are_found() {
        for (text, groups) in [
            ("class A(\n    B,\n):\n    x = 1\n\n    def test_a(self):", vec!["A"]),
            ("class A:\n    pass\n\ndef test_a():", vec![]),
            ("class A:\n    pass\n\nif x:\n    def test_a():", vec![]),
            ("class A:\n    class B:\n        x = 1\n    def test_a(self):", vec!["A"]),
            (
                "describe('a', () => {\n  x();\n});\nxdescribe(\"b's\", () => {\n  it('c', () => {",
                vec!["b's"],
            ),
            ("describe('a', () => {\n  test.describe('b', () => {\n    it('c', () => {", vec!["a", "b"]),
            ("#[cfg(test)]\nmod tests {\n    fn help() {\n    }\n\n    fn test_a() {", vec!["tests"]),
            ("public class A extends B\n{\n    @Test\n    void a() {", vec!["A"]),
            ("RSpec.describe Pages::Count do\n  context 'b' do\n    it 'c' do", vec!["Pages::Count", "b"]),
        ] {
            let lines: Vec<&str> = text.lines().collect();
            assert_eq!(Groups::default().around(&lines, lines.len() - 1), groups, "{text}");
        }
    }
}
