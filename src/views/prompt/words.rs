//! The words a reviewer may answer with under a policy, mildest first.
//! The three common ones are `result`; further ones of a policy are its `decision`. A policy without the common ones uses
//! its own as `result`.

use super::clean::line;
use model::policy::ReviewRule;
use model::verdict::{Judgment, Verdict};

/// The words of a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Words {
    pub(super) verdicts: Vec<String>,
    pub(super) decisions: Vec<String>,
    /// The words that a policy adds or changes, and what they lead to.
    own: Vec<(String, Judgment)>,
}

impl Words {
    /// Returns the words of a policy's review.
    pub(super) fn of(review: Option<&ReviewRule>) -> Self {
        let mut map: Vec<(String, Judgment)> = review
            .iter()
            .flat_map(|review| &review.verdict_map)
            .map(|(word, judgment)| (line(word), *judgment))
            .collect();
        map.sort_by_key(|(_, judgment)| *judgment);
        let has_common = common().iter().all(|(word, _)| map.iter().any(|(known, _)| known == word));
        let words = |own: bool| {
            let chosen = map.iter().filter(|(word, _)| is_common(word) != own);
            chosen.map(|(word, _)| word.clone()).collect::<Vec<_>>()
        };
        let own = map.iter().filter(|pair| !common().contains(pair)).cloned().collect();
        match (map.is_empty(), has_common) {
            (true, _) => Self {
                verdicts: common().map(|(word, _)| word).to_vec(),
                decisions: Vec::new(),
                own: Vec::new(),
            },
            (_, true) => Self { verdicts: words(false), decisions: words(true), own },
            (_, false) => {
                Self { verdicts: map.into_iter().map(|(word, _)| word).collect(), decisions: Vec::new(), own }
            }
        }
    }

    /// Says what the words mean that are not the common ones; nothing when there are none.
    pub(super) fn meanings(&self) -> String {
        let each = self.own.iter().map(|(word, judgment)| format!("{word}: {}", meaning(*judgment)));
        each.collect::<Vec<_>>().join("; ")
    }
}

fn common() -> [(String, Judgment); 3] {
    [
        (Verdict::Pass.as_str().to_owned(), Judgment::Approve),
        (Verdict::PassWithSuggestions.as_str().to_owned(), Judgment::ApproveWithNotes),
        (Verdict::Fail.as_str().to_owned(), Judgment::Revise),
    ]
}

fn is_common(word: &str) -> bool {
    common().iter().any(|(known, _)| known == word)
}

fn meaning(judgment: Judgment) -> &'static str {
    match judgment {
        Judgment::Approve => "approved",
        Judgment::ApproveWithNotes => "approved with suggestions",
        Judgment::Discuss => "a person has to decide",
        Judgment::Revise => "has to be revised",
        Judgment::Unverifiable => "cannot be judged",
        Judgment::Redo => "has to be done once more",
        Judgment::Block => "stop, a person has to look",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(map: &[(&str, Judgment)]) -> (String, String, String) {
        let verdict_map = map.iter().map(|(word, judgment)| ((*word).to_owned(), *judgment)).collect();
        let rule = ReviewRule::of_words(verdict_map);
        let words = Words::of(Some(&rule));
        (words.verdicts.join("|"), words.decisions.join("|"), words.meanings())
    }

    fn told(verdicts: &str, decisions: &str, meanings: &str) -> (String, String, String) {
        (verdicts.to_owned(), decisions.to_owned(), meanings.to_owned())
    }

    const COMMON: &str = "PASS|PASS_WITH_SUGGESTIONS|FAIL";

    #[test]
    fn common_words_need_no_meaning() {
        use Judgment::{Approve, ApproveWithNotes, Revise};
        let map = [("FAIL", Revise), ("PASS", Approve), ("PASS_WITH_SUGGESTIONS", ApproveWithNotes)];
        assert_eq!(words(&map), told(COMMON, "", ""));
        assert_eq!(words(&[]), told(COMMON, "", ""));
        assert_eq!(Words::of(None).verdicts.join("|"), COMMON);
    }

    #[test]
    fn further_words_are_the_decision_and_other_words_the_result() {
        use Judgment::{Approve, ApproveWithNotes, Block, Discuss, Redo, Revise, Unverifiable};
        let map = [
            ("FAIL", Revise),
            ("PASS", Approve),
            ("PASS_WITH_SUGGESTIONS", ApproveWithNotes),
            ("STOP", Block),
            ("GO", Approve),
        ];
        assert_eq!(words(&map), told(COMMON, "GO|STOP", "GO: approved; STOP: stop, a person has to look"));
        assert_eq!(
            words(&[("NO", Revise), ("OK", Approve)]),
            told("OK|NO", "", "OK: approved; NO: has to be revised")
        );
        let strict = [("FAIL", Revise), ("PASS", Approve), ("PASS_WITH_SUGGESTIONS", Revise)];
        assert_eq!(words(&strict).2, "PASS_WITH_SUGGESTIONS: has to be revised");
        let rare = [("A", ApproveWithNotes), ("B", Discuss), ("C", Unverifiable), ("D", Redo)];
        assert_eq!(
            words(&rare).2,
            "A: approved with suggestions; B: a person has to decide; C: cannot be judged; D: has to be done once more"
        );
    }
}
