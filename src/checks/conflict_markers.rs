//! A merge that was never finished: the three marks of a conflict at the start of added lines. A document that shows them in
//! a fence explains them.

use super::{Change, Place, Site, at};
use content_parser::{CodeBlock, code_blocks};

pub(super) fn places(site: &Site<'_>) -> Vec<Place> {
    site.changes.iter().filter_map(conflict).collect()
}

/// Returns where the first conflict of a file begins.
fn conflict(change: &Change) -> Option<Place> {
    pattern!(MARK, r"^(?:<{7} |={7}\s*$|>{7} )");
    let mut marks = change.added_lines().filter(|(_, line)| MARK.is_match(line));
    let (begin, _) = marks.find(|(_, line)| line.starts_with('<'))?;
    marks.find(|(_, line)| line.starts_with('='))?;
    marks.find(|(_, line)| line.starts_with('>'))?;
    let blocks = code_blocks(change.new_text().unwrap_or_default());
    let is_in =
        |block: &CodeBlock<'_>| (0..block.text.lines().count()).contains(&begin.wrapping_sub(block.line));
    (!blocks.iter().any(is_in)).then(|| at(&change.path, begin, "a conflict begins here"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge_places;
    use crate::scene::Scene;
    use model::event::{CheckResult, CheckStatus};

    fn examine(site: &Site<'_>) -> CheckResult {
        judge_places("conflict_markers", places(site))
    }

    fn judge(before: Option<&str>, after: &str) -> CheckResult {
        examine(&Scene::of([Change::of_texts("src/a.rs", before, Some(after))]).site())
    }

    #[test]
    fn conflict_markers_are_found_with_their_line() {
        let result = judge(Some("a\n"), "a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> other\n");
        assert_eq!((result.status, result.places[0].line), (CheckStatus::Fail, Some(2)));
    }

    #[test]
    fn headings_of_equals_signs_explanations_and_old_conflicts_are_none() {
        for (before, after) in [
            (None, "Title\n=======\ntext\n"),
            (None, "    <<<<<<< HEAD\n    =======\n    >>>>>>> x\n"),
            (None, "```\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n```\n"),
            (None, "<<<<<<< only\n"),
            (Some("<<<<<<< a\n=======\n>>>>>>> b\n"), "<<<<<<< a\n=======\n>>>>>>> b\nmore\n"),
        ] {
            assert_eq!(judge(before, after).status, CheckStatus::Pass, "{after}");
        }
    }
}
