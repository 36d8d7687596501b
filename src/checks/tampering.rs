//! Sure signs that somebody keeps tests from failing: a test that was there never runs any more, or runs alone; what the test
//! runner does is replaced; a file that Python runs before every test. A person makes exceptions with `[checks] allowed`.

mod runner_replaced;
pub(crate) mod switched_off;

use super::Site;
use super::changed_tests::ChangedTests;
use super::outcome::judged;
use model::event::CheckResult;

pub(super) const ID: &str = "tampering";

pub(super) fn examine(site: &Site<'_>) -> CheckResult {
    let mut places = switched_off::places(ChangedTests::of_phase(site), site);
    places.extend(runner_replaced::places(site));
    judged(
        ID,
        "tests-weakened",
        places,
        "tests are kept from failing",
        "no test that was there was switched off",
    )
}

#[cfg(test)]
mod tests;
