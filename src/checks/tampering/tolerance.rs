//! Tolerances of numbers: whether one line allows more than another that is the same but for its numbers.

use std::sync::LazyLock;

use regex::Regex;

pattern!(NUMBER, r"\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?");
// What stands right before a number that allows more the larger it is.
pattern!(
    LARGER_ALLOWS,
    r"(?xi) (?: abs\(\)\s*<=?\s* | \)\s*<=?\s* | \b(?:abs|rel|abs_tol|rel_tol|atol|rtol|epsilon|delta|tolerance|margin|max_relative|threshold)\b[^=<\d]{0,12}[=<:]+\s*
      | timeout\w*['\x22]?\s*[(:=]\s* | \b\w*(?:epsilon|tolerance|margin)\w*\W{1,6}(?:f\d\d\W+)? )$"
);
// The same where it allows more the smaller it is: digits that have to be right.
pattern!(
    SMALLER_ALLOWS,
    r"(?xi) (?: toBeCloseTo\([^,]+,\s* | \b(?:places|decimal|digits|precision|significant)\s*=\s* | assertAlmostEqual\([^,]+,[^,]+,\s* )$"
);
pattern!(CLOSE, r"(?i)abs\(\)|approx|almost|close|epsilon|delta|tol\b|\bisclose");

/// Returns a line with its numbers taken out, to find its other version.
pub(super) fn skeleton(line: &str) -> String {
    NUMBER.replace_all(line, "0").into_owned()
}

/// Tells whether the second line allows more. Both have the same skeleton.
pub(super) fn is_wider(before: &str, after: &str) -> bool {
    let pairs = NUMBER.find_iter(before).zip(NUMBER.find_iter(after));
    let mut differing = pairs.filter(|(old, new)| old.as_str() != new.as_str());
    differing.any(|(old, new)| {
        let (Some(was), Some(is)) = (value(old.as_str()), value(new.as_str())) else { return false };
        let lead = &before[..old.start()];
        is > was && LARGER_ALLOWS.is_match(lead) || is < was && SMALLER_ALLOWS.is_match(lead)
    })
}

/// Tells an assert about numbers that are equal but for rounding.
pub(super) fn is_tight(assert: &str) -> bool {
    let allows = NUMBER.find_iter(assert).filter(|number| LARGER_ALLOWS.is_match(&assert[..number.start()]));
    let mut allowed = allows.filter_map(|number| value(number.as_str()));
    CLOSE.is_match(assert) && allowed.all(|allowed| allowed <= 1e-6)
}

/// Tells an assert that names a tolerance within which nearly everything is right.
pub(super) fn is_loose(assert: &str) -> bool {
    static NAMED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\b(?:abs|delta|atol|abs_tol|rel|rtol|rel_tol)\s*=\s*(?P<allowed>\d+(?:\.\d+)?)\b")
            .expect("a constant")
    });
    let mut allowed = NAMED.captures_iter(assert).filter_map(|found| value(&found["allowed"]));
    allowed.any(|allowed| allowed >= 1.0)
}

fn value(number: &str) -> Option<f64> {
    number.replace('_', "").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tolerance_is_wider_when_it_allows_more() {
        for (before, after, wider) in [
            ("assert!((x-3.14).abs()<0.001)", "assert!((x-3.14).abs()<0.5)", true),
            ("assert!((x-3.14).abs()<0.5)", "assert!((x-3.14).abs()<0.001)", false),
            ("assert x == approx(3.14, abs=0.01)", "assert x == approx(3.14, abs=1)", true),
            ("math.isclose(a, b, rel_tol=1e-9)", "math.isclose(a, b, rel_tol=1e-2)", true),
            ("expect(x).toBeCloseTo(3.14, 5)", "expect(x).toBeCloseTo(3.14, 1)", true),
            ("self.assertAlmostEqual(a, b, places=7)", "self.assertAlmostEqual(a, b, places=2)", true),
            ("assertEquals(1.0, x, delta=0.1)", "assertEquals(1.0, x, delta=5)", true),
            ("const EPSILON: f64 = 1e-9;", "const EPSILON: f64 = 1e-1;", true),
            ("assert_eq!(f(),2)", "assert_eq!(f(),3)", false),
            ("assert!((x-3.14).abs()<0.001)", "assert!((x-2.72).abs()<0.001)", false),
        ] {
            assert_eq!(skeleton(before), skeleton(after));
            assert_eq!(is_wider(before, after), wider, "{after}");
        }
    }

    #[test]
    fn rounding_is_as_good_as_equal() {
        assert!(is_tight("assert!((x-0.3).abs()<1e-9)") && is_tight("assert x == pytest.approx(0.3)"));
        assert!(!is_tight("assert!((x-0.3).abs()<0.5)") && !is_tight("assert!(x<1)"));
    }
}
