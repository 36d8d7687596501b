//! What is likely a cheat and may be honest: each of it is a question that the reviewer has to answer. Refuses nothing.

use super::{
    CheckResult, Place, Site, asking, doubtful_code, doubtful_settings, doubtful_tests, judge_places, shown,
    staged, todo, trivial_diff,
};

pub(super) const ID: &str = "suspect";

/// So many questions a check asks at most; the last one has all the places that are left.
const MOST_QUESTIONS: usize = 3;

pub(super) fn examine(site: &Site<'_>) -> CheckResult {
    let mut doubts = doubtful_tests::questions(site);
    doubts.extend(staged::questions(site));
    doubts.extend(doubtful_settings::questions(site));
    doubts.extend(doubtful_code::questions(site));
    doubts.extend(todo::questions(site));
    doubts.extend(trivial_diff::question(site));
    asking(judge_places(ID, gathered(doubts)))
}

/// Makes one question of all that is beyond the others: a reviewer answers a few well.
pub(super) fn gathered(mut doubts: Vec<Place>) -> Vec<Place> {
    if doubts.len() <= MOST_QUESTIONS {
        return doubts;
    }
    let others = doubts.split_off(MOST_QUESTIONS);
    if let Some(last) = doubts.last_mut() {
        for other in others {
            let other = if other.file.is_some() { shown(&other) } else { other.what };
            last.what = format!("{}\nAlso {other}", last.what);
        }
    }
    doubts
}
