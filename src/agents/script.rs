//! The script of a `scripted:` agent: its turns, and which of them is played. Plays nothing: `scripted` does.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::usage::Stated;
use settings::split_words;

/// The word for "any".
const ANY: &str = "*";
/// The steps in which an agent is called.
const STEPS: [&str; 5] = ["execute", "review", "triage", "revise", "answer"];

/// The keys of a turn, for hints.
pub(super) const KEYS: [&str; 12] = [
    "phase", "step", "seat", "round", "attempt", "sleep_ms", "write", "delete", "run", "say", "exit", "usage",
];

/// Says what is wrong with a script.
#[derive(Debug, thiserror::Error)]
pub enum BadScript {
    #[error("the script `{0}` cannot be read: {1}")]
    Unreadable(PathBuf, std::io::Error),
    #[error("the script `{file}`, line {line}: {message}")]
    Wrong { file: PathBuf, line: usize, message: String },
    #[error("the script `{file}`, turn {turn}: {message}")]
    WrongTurn { file: PathBuf, turn: usize, message: String },
}

/// A whole script.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Script {
    #[serde(default, rename = "turn")]
    turns: Vec<Turn>,
}

/// What is done in a call, and for which calls.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Turn {
    phase: Option<String>,
    step: Option<String>,
    seat: Option<String>,
    round: Option<u32>,
    attempt: Option<u32>,
    pub sleep_ms: u64,
    pub write: Vec<Write>,
    pub delete: Vec<String>,
    pub run: Option<String>,
    pub say: String,
    pub exit: u8,
    pub usage: Stated,
}

/// One file to write.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Write {
    pub path: String,
    pub text: String,
}

/// Where in the run a call stands.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Place {
    pub phase: String,
    pub step: String,
    /// Empty for the first reviewer and all other steps.
    pub seat: String,
    pub round: u32,
    pub attempt: u32,
    pub output: String,
    pub review_id: String,
}

/// Reads a script and checks all of it.
pub(super) fn read(file: &Path) -> Result<Script, BadScript> {
    let text = fs::read_to_string(file).map_err(|error| BadScript::Unreadable(file.to_owned(), error))?;
    parse(&text, file)
}

fn parse(text: &str, file: &Path) -> Result<Script, BadScript> {
    let script: Script = toml::from_str(text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        let line = text.bytes().take(start).filter(|byte| *byte == b'\n').count() + 1;
        BadScript::Wrong { file: file.to_owned(), line, message: error.message().replace('\n', ", ") }
    })?;
    for (index, turn) in script.turns.iter().enumerate() {
        turn.check().map_err(|message| BadScript::WrongTurn {
            file: file.to_owned(),
            turn: index + 1,
            message,
        })?;
    }
    Ok(script)
}

impl Script {
    /// Returns the most specific turn: phase counts more than step, step more than seat, then round, then attempt,
    /// and of two alike the later one.
    pub(super) fn choose(&self, place: &Place) -> Option<&Turn> {
        self.turns.iter().filter(|turn| turn.fits(place)).max_by_key(|turn| turn.specificity())
    }
}

impl Turn {
    fn check(&self) -> Result<(), String> {
        match self.step.as_deref() {
            Some(step) if step != ANY && !STEPS.contains(&step) => {
                return Err(format!("`{step}` is no step of an agent: {}", STEPS.join(", ")));
            }
            _ => {}
        }
        match &self.run {
            Some(command) => split_words(command).map(drop).map_err(|why| format!("run = `{command}` {why}")),
            None => Ok(()),
        }
    }

    fn fits(&self, place: &Place) -> bool {
        wanted(self.phase.as_ref()).is_none_or(|phase| *phase == place.phase)
            && wanted(self.step.as_ref()).is_none_or(|step| *step == place.step)
            && wanted(self.seat.as_ref()).is_none_or(|seat| *seat == place.seat)
            && self.round.is_none_or(|round| round == place.round)
            && self.attempt.is_none_or(|attempt| attempt == place.attempt)
    }

    fn specificity(&self) -> (bool, bool, bool, bool, bool) {
        (
            wanted(self.phase.as_ref()).is_some(),
            wanted(self.step.as_ref()).is_some(),
            wanted(self.seat.as_ref()).is_some(),
            self.round.is_some(),
            self.attempt.is_some(),
        )
    }
}

fn wanted(word: Option<&String>) -> Option<&String> {
    word.filter(|word| *word != ANY)
}

impl Place {
    /// Replaces the four placeholders in one pass, so that what was put in is never looked at again.
    pub(super) fn fill(&self, text: &str) -> String {
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find("{{") {
            filled.push_str(&rest[..start]);
            rest = &rest[start..];
            let (value, length) = self.placeholder(rest).unwrap_or_else(|| ("{".to_owned(), 1));
            filled.push_str(&value);
            rest = &rest[length..];
        }
        filled + rest
    }

    /// Returns the value of the placeholder at the beginning of a text and how long its name is there.
    fn placeholder(&self, text: &str) -> Option<(String, usize)> {
        let name = text.strip_prefix("{{")?.split_once("}}")?.0;
        let value = match name {
            "review_id" => self.review_id.clone(),
            "output" => self.output.clone(),
            "phase" => self.phase.clone(),
            "round" => self.round.to_string(),
            _ => return None,
        };
        Some((value, name.len() + 4))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_can_be_for_one_seat_and_any_other_turn_is_for_all() {
        let text = "[[turn]]\nstep = 'review'\nsay = 'all'\n\n[[turn]]\nseat = 'security'\nstep = 'review'\nsay = 'one'";
        let script = parse(text, Path::new("x.toml")).expect("a good script");
        let said = |seat: &str| {
            let place = Place { step: "review".into(), seat: seat.into(), ..Place::default() };
            script.choose(&place).map(|turn| turn.say.clone())
        };
        assert_eq!(said(""), Some("all".into()));
        assert_eq!(said("security"), Some("one".into()));
        assert_eq!(said("quality"), Some("all".into()));
    }

    fn said(script: &str, place: (&str, &str, u32, u32)) -> Option<String> {
        let (phase, step, round, attempt) = place;
        let place = Place { phase: phase.into(), step: step.into(), round, attempt, ..Place::default() };
        let script = parse(script, Path::new("s.toml")).expect("a good script");
        script.choose(&place).map(|turn| turn.say.clone())
    }

    fn wrong(script: &str) -> String {
        parse(script, Path::new("s.toml")).expect_err(script).to_string()
    }

    #[test]
    fn the_most_specific_turn_is_played_and_of_two_alike_the_later() {
        let script = r#"
            turn = [
                { step = "execute", round = 1, attempt = 1, say = "step round attempt" },
                { phase = "planning", say = "phase" },
                { phase = "planning", round = 2, say = "phase round" },
                { phase = "planning", step = "review", say = "phase step" },
                { phase = "planning", step = "review", round = 2, attempt = 2, say = "all" },
                { round = 3, say = "round" },
                { attempt = 3, say = "attempt, first" },
                { attempt = 3, phase = "*", step = "*", say = "attempt, later" },
            ]"#;
        for (place, expected) in [
            (("planning", "execute", 1, 1), Some("phase")),
            (("planning", "execute", 2, 1), Some("phase round")),
            (("planning", "review", 2, 1), Some("phase step")),
            (("planning", "review", 2, 2), Some("all")),
            (("design", "execute", 1, 1), Some("step round attempt")),
            (("design", "execute", 3, 3), Some("round")),
            (("design", "execute", 2, 3), Some("attempt, later")),
            (("design", "execute", 2, 2), None),
        ] {
            assert_eq!(said(script, place).as_deref(), expected, "{place:?}");
        }
    }

    #[test]
    fn whatever_the_script_does_not_know_is_an_error_with_its_line() {
        let keys = KEYS.map(|key| format!("`{key}`")).join(", ");
        assert_eq!(
            wrong("[[turn]]\nsay = 'x'\nsya = 'y'\n"),
            format!("the script `s.toml`, line 3: unknown field `sya`, expected one of {keys}")
        );
        assert!(wrong("[[turns]]\n").contains("line 1: unknown field `turns`"));
        assert!(wrong("[[turn]]\nusage = { cost = 1 }").contains("unknown field `cost`"));
        assert!(wrong("[[turn]]\nwrite = [{ path = 'a', txt = '' }]").contains("unknown field `txt`"));
        assert!(wrong("[[turn]]\nround = 'one'").contains("line 2: "));
    }

    #[test]
    fn a_turn_that_can_never_be_played_is_an_error() {
        assert_eq!(
            wrong("[[turn]]\n[[turn]]\nstep = 'check'"),
            "the script `s.toml`, turn 2: `check` is no step of an agent: execute, review, triage, revise, answer"
        );
        assert!(wrong("[[turn]]\nrun = 'a \"b'").ends_with("run = `a \"b` has a quote that is not closed"));
        assert!(wrong("[[turn]]\nrun = ''").ends_with("names no program"));
    }

    #[test]
    fn a_missing_script_is_named() {
        let error = read(Path::new("/no/such/script.toml")).expect_err("not there").to_string();
        assert!(error.starts_with("the script `/no/such/script.toml` cannot be read: "), "{error}");
    }

    #[test]
    fn placeholders_are_replaced_once() {
        let place = Place {
            phase: "planning".into(),
            output: "{{round}}.md".into(),
            review_id: "r1".into(),
            round: 2,
            ..Place::default()
        };
        assert_eq!(
            place.fill("{{phase}} {{round}} {{output}} {{review_id}} {{{round}}} {{step}} {{ open"),
            "planning 2 {{round}}.md r1 {2} {{step}} {{ open"
        );
    }
}
