//! Reports of coverage: how often each line ran. Read are the forms of lcov and of Cobertura, which most runners can write.

use std::collections::BTreeMap;

use roxmltree::{Document, Node, ParsingOptions};

/// How often the lines of each file ran, by the path that the report gives and the number of the line, from 1. A line without a
/// statement is not there.
pub type LineHits = BTreeMap<String, BTreeMap<usize, u64>>;

/// Returns how often lines ran; nothing where a report has neither form.
#[must_use]
pub fn line_hits(report: &str) -> LineHits {
    let mut hits = LineHits::new();
    let mut see = |(file, line, count): (&str, usize, u64)| {
        let known = hits.entry(file.to_owned()).or_default().entry(line).or_default();
        *known = count.max(*known);
    };
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    match Document::parse_with_options(report.trim(), options) {
        Ok(document) => document.descendants().filter_map(cobertura_line).for_each(&mut see),
        Err(_) => lcov_lines(report).for_each(&mut see),
    }
    hits
}

fn cobertura_line<'r>(node: Node<'r, '_>) -> Option<(&'r str, usize, u64)> {
    let file = node.ancestors().find_map(|outer| outer.attribute("filename"))?;
    Some((file, node.attribute("number")?.parse().ok()?, node.attribute("hits")?.parse().ok()?))
}

fn lcov_lines(report: &str) -> impl Iterator<Item = (&str, usize, u64)> {
    let mut file = "";
    report.lines().filter_map(move |line| {
        file = line.strip_prefix("SF:").unwrap_or(file);
        let mut numbers = line.strip_prefix("DA:")?.split(',');
        Some((file.trim(), numbers.next()?.parse().ok()?, numbers.next()?.trim().parse().ok()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lcov_and_cobertura_are_read_and_the_higher_of_two_counts_holds() {
        let lcov =
            "TN:\nSF:src/a.js\nFN:1,a\nDA:1,2\nDA:2,0\nend_of_record\nSF:src/a.js\nDA:2,3,x\nend_of_record\n";
        let expected = LineHits::from([("src/a.js".to_owned(), BTreeMap::from([(1, 2), (2, 3)]))]);
        assert_eq!(line_hits(lcov), expected);
        let cobertura = "<?xml version=\"1.0\" ?>\n<!DOCTYPE coverage SYSTEM \"http://x/coverage-04.dtd\">\n<coverage>\
            <packages><package><classes><class filename=\"src/a.js\"><methods><method name=\"a\"><lines>\
            <line number=\"2\" hits=\"0\"/></lines></method></methods><lines><line number=\"1\" hits=\"2\"/>\
            <line number=\"2\" hits=\"3\"/></lines></class></classes></package></packages></coverage>";
        assert_eq!(line_hits(cobertura), expected);
        assert_eq!(line_hits("no report\nDA:x,1\n"), LineHits::new());
    }
}
