//! Collects the suggestions of a review that is written as prose: the list under its "改善提案" or "Suggestions" heading.
//! Best effort: they are shown and handed on, nothing is decided by them.

use super::{clipped, head};

const MOST: usize = 30;

/// Returns the items under headings about suggestions, each once.
pub(super) fn read(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut inside = false;
    // Reviews are short; a flood is not worth reading for something nothing depends on.
    for line in head(text, 1 << 20).lines().filter(|line| !line.is_empty()) {
        let line = line.trim();
        if let Some(title) = heading(line) {
            inside = is_about_suggestions(title);
        } else if inside
            && let Some(item) = item(line)
            && !found.iter().any(|known| known == item)
        {
            found.push(item.to_owned());
        }
        if found.len() == MOST {
            break;
        }
    }
    found
}

/// A heading, or a line that is bold as a whole.
fn heading(line: &str) -> Option<&str> {
    let bold = || line.strip_prefix("**").filter(|rest| rest.trim_end_matches([':', '：']).ends_with("**"));
    line.starts_with('#').then(|| line.trim_start_matches('#')).or_else(bold)
}

fn is_about_suggestions(title: &str) -> bool {
    let title = title.to_lowercase();
    ["改善提案", "提案", "suggestion", "recommendation", "改善点"].iter().any(|word| title.contains(word))
}

fn item(line: &str) -> Option<&str> {
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = (number.len() < line.len())
        .then(|| number.strip_prefix(". ").or(number.strip_prefix(") ")))
        .flatten();
    let bullet = ["- ", "* ", "+ ", "・"].iter().find_map(|mark| line.strip_prefix(mark));
    let item = numbered.or(bullet)?.trim().trim_start_matches("[ ] ").trim_start_matches("[x] ");
    (!item.is_empty()).then(|| clipped(item, 500))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_items_under_a_heading_about_suggestions_are_taken_once() {
        let text = "# Review\n- no\n## 改善提案（SUGGESTION）\n\n1. **a**: b\n  - c\ntext\n- [ ] d\n- c\n\n**判定: PASS**\n- no\n\
                    **Suggestions:**\n* e\n2) f\n-\n2024年\n";
        assert_eq!(read(text), ["**a**: b", "c", "d", "e", "f"]);
    }

    #[test]
    fn a_flood_is_cut() {
        let many: Vec<String> = (0..100).map(|n| format!("- {n}")).collect();
        assert_eq!(read(&format!("## Suggestions\n{}", many.join("\n"))).len(), MOST);
    }
}
