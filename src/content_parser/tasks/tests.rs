//! Tasks that remain, and suggestions.

use super::*;

fn tasks(text: &str) -> Vec<String> {
    remaining(text).into_iter().map(|task| task.task).collect()
}

#[test]
fn items_below_the_title_are_tasks() {
    let text = "# e\n- no task\n## 5. Remaining Tasks (3)\n- [ ] one\n- [x] done\n* two\n1. three\n\nprose\n\n## Else\n- no\n";
    assert_eq!(tasks(text), ["one", "two", "three"]);
    assert_eq!(tasks("**残タスク**:\n- 一つ\n- なし\n"), ["一つ"]);
    assert_eq!(tasks("Remaining tasks:\n1) one\n"), ["one"]);
}

#[test]
fn other_lists_are_none() {
    for text in
        ["- one", "## Tasks\n- one", "The remaining tasks\n- one", "## Remaining tasks\n\nNone.\n- None"]
    {
        assert_eq!(tasks(text), [""; 0], "{text}");
    }
    assert_eq!(tasks("```\n## Remaining tasks\n- one\n```\nx"), [""; 0]);
}

#[test]
fn the_items_under_a_heading_about_suggestions_are_taken_once() {
    let text = "# Review\n- no\n## 改善提案（SUGGESTION）\n\n1. **a**: b\n  - c\ntext\n- [ ] d\n- c\n\n**判定: PASS**\n- no\n\
                **Suggestions:**\n* e\n2) f\n-\n2024年\n";
    assert_eq!(suggestions(text), ["**a**: b", "c", "d", "e", "f"]);
}

#[test]
fn suggestions_below_a_plain_line_end_with_the_next_one() {
    let text = "The design is sound.\n\nSuggestions:\n- draw a picture\n- say why\n\nFindings:\n- no\n\n改善点：\n- 名前\n";
    assert_eq!(suggestions(text), ["draw a picture", "say why", "名前"]);
    let below_heading = "## Suggestions\n- a\n\nFor example:\n- b\n\n## Findings\nOf these:\n- no\n";
    assert_eq!(suggestions(below_heading), ["a", "b"]);
}

#[test]
fn a_flood_is_cut() {
    let many: Vec<String> = (0..100).map(|n| format!("- {n}")).collect();
    assert_eq!(suggestions(&format!("## Suggestions\n{}", many.join("\n"))).len(), MOST_SUGGESTIONS);
}
