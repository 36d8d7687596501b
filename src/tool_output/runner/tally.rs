//! Numbers with their words, as in `3 passed; 1 failed`. Knows no runner.

use crate::Counts;

/// Returns each number with the word behind it.
fn tally(text: &str) -> impl Iterator<Item = (u64, &str)> {
    let mut number = None;
    text.split([' ', ',', ';', '|', '(', ')', ':', '\t', '=']).filter(|word| !word.is_empty()).filter_map(
        move |word| match word.parse() {
            Ok(read) => {
                number = Some(read);
                None
            }
            Err(_) => number.take().map(|number| (number, word)),
        },
    )
}

/// Returns how many passed, failed and were skipped, in the words that runners have for that.
pub(super) fn counts(text: &str) -> Counts {
    tally(text).fold(Counts::default(), |counts, (number, word)| counts.plus(of_word(number, word)))
}

fn of_word(number: u64, word: &str) -> Counts {
    let none = Counts::default();
    match word {
        "passed" | "xpassed" => Counts { passed: number, ..none },
        "failed" | "error" | "errors" | "timed" | "exec" => Counts { failed: number, ..none },
        "skipped" | "ignored" | "todo" | "expected" | "xfailed" => Counts { ignored: number, ..none },
        _ => none,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_with_their_words() {
        let text = "4 tests run: 2 passed (1 slow), 1 failed | 1 timed out; 5; 99999999999999999999999 more";
        assert_eq!(
            tally(text).collect::<Vec<_>>(),
            [
                (4, "tests"),
                (2, "passed"),
                (1, "slow"),
                (1, "failed"),
                (1, "timed"),
                (5, "99999999999999999999999")
            ]
        );
        assert_eq!(counts("1 failed, 2 errors, 3 error").failed, 6);
    }
}
