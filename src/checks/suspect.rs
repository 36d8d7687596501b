//! What is likely a cheat and may be honest: each of it is a question that the reviewer has to answer. Refuses nothing.

use super::{
    CheckResult, Site, asking, doubtful_code, doubtful_settings, doubtful_tests, gathered, judge_places,
    staged, todo, trivial_diff, unwanted,
};

pub(super) const ID: &str = "suspect";

pub(super) fn examine(site: &Site<'_>) -> CheckResult {
    let mut doubts = doubtful_tests::questions(site);
    doubts.extend(staged::places(site, false));
    doubts.extend(todo::questions(site));
    doubts.extend(doubtful_settings::questions(site));
    doubts.extend(doubtful_code::questions(site));
    doubts.extend(trivial_diff::question(site));
    doubts.extend(unwanted::unread_code(site));
    asking(judge_places(ID, gathered(doubts)))
}
