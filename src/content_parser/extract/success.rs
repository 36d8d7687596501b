//! When a command counts as successful: `empty`, `exitCode:N`, `contains:S`, `matches:R`. What cannot be understood
//! is an error where it is read, and never a success.

use regex::Regex;
use thiserror::Error;

use super::Printed;

/// A condition on what a command left.
#[derive(Debug, Clone)]
pub struct SuccessWhen(Condition);

#[derive(Debug, Clone)]
enum Condition {
    Empty,
    Exit(i32),
    Contains(String),
    Matches(Regex),
}

/// Why a condition is none; the name of its key stands before.
#[derive(Debug, Error)]
pub enum SuccessWhenError {
    #[error("has to be `empty`, `exitCode:N`, `contains:TEXT` or `matches:PATTERN`")]
    Unknown,
    #[error("`{0}` is no exit code")]
    NoNumber(String),
    #[error("`{0}` is no regular expression")]
    BadPattern(String),
}

impl SuccessWhen {
    pub fn parse(written: &str) -> Result<Self, SuccessWhenError> {
        let condition = match written.split_once(':') {
            None if written == "empty" => Condition::Empty,
            Some(("exitCode", code)) => {
                Condition::Exit(code.trim().parse().map_err(|_| SuccessWhenError::NoNumber(code.to_owned()))?)
            }
            Some(("contains" | "matches", "")) => return Err(SuccessWhenError::Unknown),
            Some(("contains", text)) => Condition::Contains(text.to_owned()),
            Some(("matches", pattern)) => Condition::Matches(
                Regex::new(pattern).map_err(|_| SuccessWhenError::BadPattern(pattern.to_owned()))?,
            ),
            _ => return Err(SuccessWhenError::Unknown),
        };
        Ok(Self(condition))
    }

    /// Tells whether the command was successful. One that did not end by itself never was; and where nothing printed
    /// is the sign, one that failed printed nothing for another reason.
    pub fn judge(&self, printed: &Printed) -> bool {
        let Some(exit) = printed.exit else { return false };
        match &self.0 {
            Condition::Empty => exit == 0 && printed.stdout.trim().is_empty(),
            Condition::Exit(code) => exit == *code,
            Condition::Contains(text) => printed.stdout.contains(text.as_str()),
            Condition::Matches(pattern) => pattern.is_match(printed.stdout),
        }
    }

    /// Says what is not so of a command that was not successful.
    pub fn missed(&self, printed: &Printed) -> String {
        let code = printed.exit.map_or_else(|| "no exit code".to_owned(), |code| format!("exit code {code}"));
        match &self.0 {
            Condition::Empty if printed.exit == Some(0) => "it printed something".to_owned(),
            Condition::Empty | Condition::Exit(0) => code,
            Condition::Exit(wanted) => format!("{code}, not {wanted}"),
            Condition::Contains(text) => format!("it did not print `{text}`"),
            Condition::Matches(pattern) => format!("nothing that it printed matches `{}`", pattern.as_str()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(condition: &str, stdout: &str, exit: Option<i32>) -> bool {
        SuccessWhen::parse(condition).expect("a condition").judge(&Printed { stdout, stderr: "", exit })
    }

    #[test]
    fn c_10_the_four_conditions_are_judged() {
        assert!(judged("empty", " \n", Some(0)) && !judged("empty", "M a", Some(0)));
        assert!(judged("exitCode:0", "x", Some(0)) && !judged("exitCode:0", "", Some(1)));
        assert!(judged("exitCode:3", "", Some(3)));
        assert!(judged("contains:a:b", "x a:b y", Some(0)) && !judged("contains:a", "b", Some(0)));
        assert!(judged("matches:^v\\d+$", "v12", Some(0)) && !judged("matches:^v\\d+$", "v", Some(0)));
    }

    #[test]
    fn c_10_what_is_no_condition_is_an_error_and_what_broke_off_no_success() {
        for wrong in
            ["", "Empty", "exitCode:", "exitCode:x", "contains:", "matches:", "matches:(", "exit:0", "always"]
        {
            assert!(SuccessWhen::parse(wrong).is_err(), "{wrong}");
        }
        for condition in ["empty", "exitCode:0", "contains:a", "matches:a"] {
            assert!(!judged(condition, if condition == "empty" { "" } else { "a" }, None), "{condition}");
        }
        assert!(!judged("empty", "", Some(128)), "git status outside a repository prints nothing, too");
    }
}
