//! How many tests ran, held against the base of the run, where the command does not name each of them in both: a green exit says
//! nothing of tests that nobody ran. Where each is named, `pass_to_pass` compares them; runs nothing but the base.

use super::charged::Look;
use super::{Asked, look_at_base};
use crate::announced::Announced;
use crate::changed_tests::{ChangedTest, ChangedTests};
use crate::{Published, Site};
use model::event::CheckResult;
use process::Stop;
use views::summary::counted;

/// What is said of a green test command that does not count.
pub(super) const UNCOUNTED: &str = "its output does not say how many tests ran";

/// Returns the failure of a green command that ran fewer tests than at the base, or no longer says how many.
pub(super) async fn missing(
    asked: Asked<'_>,
    now: &Look,
    site: &Site<'_>,
    stop: &mut Stop,
) -> Option<CheckResult> {
    let published = site.published.filter(|_| asked.id == "tests")?;
    let base = look_at_base(asked, site, stop).await?;
    if !base.results.is_empty() && !now.results.is_empty() {
        return None;
    }
    let (pattern, said) = compare(now, &base, |lost| are_explained(lost, site, published))?;
    Some(asked.failed(pattern, &format!("`{}` {said}", asked.line)))
}

/// Tells whether the tests that are missed went with what they are about, or are named by the issue or with a reason in a
/// document of the run.
fn are_explained(lost: u64, site: &Site<'_>, published: &Published<'_>) -> bool {
    let Ok(tests) = ChangedTests::of_run(site, published) else { return false };
    let announced = Announced::read(site);
    let is_named = |read: &&ChangedTest| {
        let name = &read.test.name;
        announced.entry(name).is_some() || site.issue.names(name)
    };
    tests.removed_as_asked(site.issue) || tests.lost().filter(is_named).count() as u64 >= lost
}

/// Says what is wrong with the number of tests, by the name of its prompt.
fn compare(now: &Look, base: &Look, are_explained: impl Fn(u64) -> bool) -> Option<(&'static str, String)> {
    let before = base.counts.map_or(0, |counts| counts.collected());
    match now.counts.map(|counts| counts.collected()) {
        Some(now) if now < before && !are_explained(before - now) => {
            let ran = counted(now, "test");
            Some(("fewer-tests", format!("ran {ran}; at the base of the run there are {before}")))
        }
        None if before > 0 => {
            let there = counted(before, "test");
            Some(("fewer-tests", format!("no longer says how many tests ran; at the base it counts {there}")))
        }
        None if now.output.is_empty() && !base.output.is_empty() => {
            Some(("no-tests-run", format!("ended well and printed nothing: {UNCOUNTED}")))
        }
        Some(_) | None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::charged::End;
    use super::*;
    use tool_output::Counts;

    fn look(counts: Option<u64>, output: &str) -> Look {
        let counts = counts.map(|passed| Counts { passed, ..Counts::default() });
        Look { end: End::Green, counts, output: output.into(), ..Look::unavailable(String::new()) }
    }

    fn pattern(now: &Look, base: &Look) -> Option<&'static str> {
        compare(now, base, |_| false).map(|(pattern, _)| pattern)
    }

    #[test]
    fn counts_that_shrink_or_go_are_missed() {
        let base = look(Some(3), "1..3");
        assert_eq!(pattern(&look(Some(2), "1..2"), &base), Some("fewer-tests"));
        assert_eq!(pattern(&look(None, "all is well"), &base), Some("fewer-tests"));
        assert_eq!(pattern(&look(None, ""), &base), Some("fewer-tests"));
        assert_eq!(pattern(&look(Some(3), "1..3"), &base), None);
        assert_eq!(compare(&look(Some(2), "1..2"), &base, |lost| lost == 1), None, "somebody wants fewer");
    }

    #[test]
    fn silence_is_suspicious_where_the_base_spoke() {
        assert_eq!(pattern(&look(None, ""), &look(None, "3 pages checked")), Some("no-tests-run"));
        assert_eq!(pattern(&look(None, ""), &look(None, "")), None);
        assert_eq!(pattern(&look(None, "4 pages checked"), &look(None, "3 pages checked")), None);
    }
}
