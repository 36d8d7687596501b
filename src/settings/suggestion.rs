//! "Did you mean …": the nearest of some known words, if one is near.

/// Returns the candidate that the word was probably meant to be.
pub fn suggestion<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let bound = (word.chars().count() / 3).clamp(1, 3);
    candidates
        .into_iter()
        .map(|candidate| (distance(&word, &candidate.to_lowercase()), candidate))
        .filter(|(steps, _)| *steps <= bound)
        .min()
        .map(|(_, candidate)| candidate)
}

/// Counts the letters to insert, delete, replace or swap with their neighbour; `-` and `_` are the same letter.
fn distance(left: &str, right: &str) -> usize {
    let left: Vec<char> = left.replace('-', "_").chars().collect();
    let right: Vec<char> = right.replace('-', "_").chars().collect();
    let mut before_last = Vec::new();
    let mut last: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in right.iter().enumerate() {
            let replaced = last[j] + usize::from(a != b);
            let mut best = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == right[j - 1] && left[i - 1] == *b {
                best = best.min(before_last_cost(&before_last, j));
            }
            row.push(best);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[right.len()]
}

fn before_last_cost(row: &[usize], j: usize) -> usize {
    row[j - 1] + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_word_is_suggested_and_a_far_one_is_not() {
        let phases = ["planning", "requirements", "design", "testing", "test_scenario"];
        for (word, meant) in [
            ("planing", Some("planning")),
            ("Plannign", Some("planning")),
            ("test-scenario", Some("test_scenario")),
            ("requirement", Some("requirements")),
            ("desing", Some("design")),
            ("frobnicate", None),
            ("", None),
        ] {
            assert_eq!(suggestion(word, phases), meant, "{word}");
        }
    }

    #[test]
    fn the_nearest_of_several_wins() {
        assert_eq!(suggestion("text", ["test", "texts", "next"]), Some("next"));
        assert_eq!(suggestion("texts", ["test", "texts", "next"]), Some("texts"));
    }
}
