//! Reads the evaluation's decision about the whole run: objects and `DECISION:` lines, of which the strictest counts.
//! Finds nothing where nothing is decided; there is no default.

mod reconsidered;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::LazyLock;

use regex::{Match, Regex};
use serde_json::{Map, Value};

use super::folded::{folded, is_picture};
use super::objects::joined;
use super::objects::{self, Broken};
use super::quoted::Quoted;
use super::strict::{self, Budget};
use super::word::{Said, Words};
use super::{clipped, findings, head, marker, remaining_tasks, tail};
use model::event::{Evaluation, EvaluationDecision, RemainingTask};
use model::verdict::Judgment;

const MOST_TASKS: usize = 200;
const MOST_LINES: usize = 20_000;

/// What one place says about the run.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Stated {
    /// Nothing, or the words to choose from.
    Nothing,
    Decided(EvaluationDecision),
    /// Something that is no decision of ours: it may be the strictest.
    Unknown,
}

/// Reads the decision of an evaluation and the tasks it leaves. An answer with a decision that cannot be read decides
/// nothing: that one may be the strictest.
pub fn read_evaluation(text: &str) -> Option<Evaluation> {
    read_evaluations(&[text])
}

/// Reads what the answer and the deliverable decide together. The strictest of both counts, and none of them makes up
/// for a decision of the other that cannot be read.
pub fn read_evaluations(texts: &[&str]) -> Option<Evaluation> {
    decide(texts).ok()
}

/// Returns the words of a decision for which [`read_evaluations`] finds none: they are none of ours, or contradict others.
pub fn unread_decision(texts: &[&str]) -> Option<String> {
    decide(texts).err().flatten()
}

fn decide(texts: &[&str]) -> Result<Evaluation, Option<String>> {
    let parts: Vec<Part> = texts.iter().map(|text| Part::read(text)).collect::<Result<_, _>>()?;
    let decisions = parts.iter().flat_map(|part| part.decisions.iter().cloned());
    let decision = decisions.reduce(|best, next| if next > best { next } else { best }).ok_or(None)?;
    let told = parts.iter().filter_map(|part| part.told.as_ref());
    if let Some((_, words)) =
        told.max_by_key(|(told, _)| *told).filter(|(told, _)| *told > hardness(&decision))
    {
        return Err(Some(words.clone()));
    }
    let mut remaining_tasks = each_once(parts.iter().flat_map(|part| part.objects.iter().flat_map(tasks)));
    if remaining_tasks.is_empty() && decision == EvaluationDecision::PassWithIssues {
        remaining_tasks = each_once(texts.iter().flat_map(|text| remaining_tasks::listed(text)));
    }
    Ok(Evaluation { decision, remaining_tasks })
}

/// How hard a decision is on the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Hardness {
    Passes,
    Fails,
    Aborts,
}

fn hardness(decision: &EvaluationDecision) -> Hardness {
    match decision {
        EvaluationDecision::Pass | EvaluationDecision::PassWithIssues => Hardness::Passes,
        EvaluationDecision::FailPhase(_) => Hardness::Fails,
        EvaluationDecision::Abort => Hardness::Aborts,
    }
}

/// The answer, or the deliverable.
struct Part {
    decisions: Vec<EvaluationDecision>,
    /// Those that decide something, or only list tasks.
    objects: Vec<Map<String, Value>>,
    /// The hardest that other lines tell, and their words.
    told: Option<(Hardness, String)>,
}

impl Part {
    /// Fails with the words of a decision that cannot be read, where there are any.
    fn read(text: &str) -> Result<Self, Option<String>> {
        let quoted = Quoted::new(text);
        let (objects, spans) = objects(text, &quoted).ok_or(None)?;
        let words = |fields| decisions(fields).next().map(findings::line).unwrap_or_default();
        let by_objects = objects.iter().map(|fields| (by_object(fields), words(fields)));
        let lines = decision_lines(text, &quoted).ok_or(None)?;
        let by_lines = lines.into_iter().map(|line| (vec![by_line(line)], line.trim().to_owned()));
        let mut decisions = Vec::new();
        for (all, words) in by_objects.chain(by_lines) {
            for stated in all {
                match stated {
                    Stated::Nothing => {}
                    Stated::Decided(decision) => decisions.push(decision),
                    Stated::Unknown => return Err(Some(clipped(&words, 80).to_owned())),
                }
            }
        }
        let objects = objects.into_iter().filter(|fields| !is_form(fields)).collect();
        Ok(Self { decisions, objects, told: told(text, &quoted, &spans)? })
    }
}

/// Returns the hardest that lines tell without stating it in our form: `最終判定: ABORT`, `The decision is ABORT.`, a heading
/// with the word below it, `On second thought: ABORT`. They only contradict: what they tell may be told of something else.
fn told(
    text: &str,
    quoted: &Quoted,
    objects: &[Range<usize>],
) -> Result<Option<(Hardness, String)>, Option<String>> {
    static PHASE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new("(?i-u:FAIL_PHASE_[a-z0-9_]{1,40})").expect("the pattern is a constant"));
    let phases: BTreeSet<String> =
        PHASE.find_iter(text).take(MOST_TASKS).map(|found| found.as_str().to_ascii_uppercase()).collect();
    let mut words = other_words();
    words.extend(phases.into_iter().map(|word| (word, Judgment::Revise)));
    let words = Words::new(&words);
    let marks = marker::read(text, quoted, &reconsidered::aside(text, objects), &words);
    if marks.crowded {
        return Err(None);
    }
    let told = marks.against().filter_map(|(label, word)| {
        let known = decision(&word.trim().to_ascii_uppercase()).as_ref().map(hardness);
        let is_final = label.starts_with("最終") || label.starts_with("final ");
        let fails = || is_final && words.denies(word) && !word.to_ascii_uppercase().starts_with("FAIL_PHASE");
        let told = known.or_else(|| fails().then_some(Hardness::Fails))?;
        Some((told, clipped(&format!("{label}: {word}"), 80).to_owned()))
    });
    let anew = reconsidered::words(text, quoted, objects).into_iter().map(|(word, line)| {
        let told = decision(&word.to_ascii_uppercase()).as_ref().map_or(Hardness::Fails, hardness);
        (told, clipped(&line, 80).to_owned())
    });
    Ok(told.chain(anew).reduce(|hardest, next| if next.0 > hardest.0 { next } else { hardest }))
}

/// The objects of a text, and where they stand.
type EvaluationObjects = (Vec<Map<String, Value>>, Vec<Range<usize>>);

/// Returns the objects of a text, and where they stand; nothing when one that decides cannot be read.
fn objects(text: &str, quoted: &Quoted) -> Option<EvaluationObjects> {
    let found = objects::find(text);
    let breaks = |broken: &Broken| {
        let word = broken.word.clone().map(|span| &text[span]).unwrap_or_default();
        let decides = decision(&word.to_ascii_uppercase()).is_some() || is_about_passing(word);
        (decides || broken.end == text.len()) && !quoted.is_code(broken.end.saturating_sub(1))
    };
    if found.crowded || found.broken.iter().any(breaks) {
        return None;
    }
    let budget = Budget::default();
    let mut objects = Vec::new();
    for span in &found.whole {
        match strict::object(&text[span.clone()], &budget) {
            Some(fields) => objects.push(fields),
            None if text[span.clone()].to_ascii_lowercase().contains("\"decision\"") => return None,
            None => {}
        }
    }
    Some((objects, joined(found.whole)))
}

/// Returns the lines that have the label near their start and are not quoted; nothing when there is a flood of them.
fn decision_lines<'t>(text: &'t str, quoted: &Quoted) -> Option<Vec<&'t str>> {
    static LABEL: LazyLock<Regex> =
        LazyLock::new(|| Regex::new("(?i-u:decision)").expect("the pattern is a constant"));
    let line_of = |label: Match| {
        let before = tail(&text[..label.start()], 60);
        let line = before
            .rfind('\n')
            .map_or(label.start() - before.len(), |at| label.start() - before.len() + at + 1);
        let begins = line == 0 || text[..line].ends_with('\n');
        (begins && !quoted.is_quoted(line, label.start()))
            .then(|| text[line..].lines().next().unwrap_or_default())
    };
    let lines: Vec<Option<&str>> = LABEL.find_iter(text).take(MOST_LINES).map(line_of).collect();
    (lines.len() < MOST_LINES).then(|| lines.into_iter().flatten().collect())
}

/// Reads what an object decides. What stands inside it may only make that stricter.
fn by_object(fields: &Map<String, Value>) -> Vec<Stated> {
    let own = decisions(fields).map(|value| match value {
        Value::String(word) => of_word(word),
        Value::Null => Stated::Nothing,
        _ => Stated::Unknown,
    });
    own.chain(stricter_inside(fields).map(Stated::Decided)).collect()
}

fn decisions(fields: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    fields.iter().filter(|(key, _)| key.eq_ignore_ascii_case("decision")).map(|(_, value)| value)
}

fn of_word(word: &str) -> Stated {
    let upper = folded(head(word.trim(), 400)).to_ascii_uppercase();
    match decision(&upper) {
        Some(decision) => Stated::Decided(decision),
        None if upper.is_empty() || is_choice(&upper) => Stated::Nothing,
        None if upper.contains(char::is_whitespace) && !is_about_passing(&upper) => Stated::Nothing,
        None => Stated::Unknown,
    }
}

fn stricter_inside(fields: &Map<String, Value>) -> Option<EvaluationDecision> {
    let mut strictest = None;
    let mut left: Vec<&Value> = fields.values().collect();
    while let Some(value) = left.pop() {
        match value {
            Value::Array(items) => left.extend(items),
            Value::Object(inner) => {
                let words = decisions(inner).filter_map(Value::as_str);
                let said = words.filter_map(|word| decision(&word.trim().to_ascii_uppercase()));
                strictest =
                    said.filter(|said| *said > EvaluationDecision::PassWithIssues).max().max(strictest);
                left.extend(inner.values());
            }
            _ => {}
        }
    }
    strictest
}

/// Tells whether an object only shows the form of the answer; its tasks are examples.
fn is_form(fields: &Map<String, Value>) -> bool {
    decisions(fields).filter_map(Value::as_str).any(|word| is_choice(&word.to_ascii_uppercase()))
}

fn decision(word: &str) -> Option<EvaluationDecision> {
    match word {
        "PASS" => Some(EvaluationDecision::Pass),
        "PASS_WITH_ISSUES" => Some(EvaluationDecision::PassWithIssues),
        "ABORT" => Some(EvaluationDecision::Abort),
        _ => {
            let phase = word.strip_prefix("FAIL_PHASE_")?.to_ascii_lowercase();
            let plain = phase.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            (plain && !phase.is_empty() && phase.len() <= 40).then_some(EvaluationDecision::FailPhase(phase))
        }
    }
}

/// Reads a line such as `**DECISION: PASS_WITH_ISSUES**`. Words to choose from say nothing; a pass that is taken back and
/// a word about passing that is none of ours cannot be read.
fn by_line(line: &str) -> Stated {
    value_of(line).map_or(Stated::Nothing, |(written, loud)| of_value(&written, loud))
}

/// Returns what stands behind the label, and whether the label can be about nothing but the run.
fn value_of(line: &str) -> Option<(String, bool)> {
    let line = folded(head(line.trim(), 400));
    let bare = line.trim_start_matches(|c: char| c.is_whitespace() || "*_`#-+".contains(c) || is_picture(c));
    let whole = ["final ", "overall "].iter().find_map(|word| without(bare, word));
    let label = whole.unwrap_or(bare);
    let after = without(label, "decision")?;
    let loud = whole.is_some() || label.starts_with("DECISION");
    let value = after.trim_start_matches(['*', '_', '`', ' ']).strip_prefix([':', '='])?;
    let value =
        value.trim_start_matches(|c: char| c.is_whitespace() || "*_`\"'「『[".contains(c) || is_picture(c));
    Some((value.to_owned(), loud))
}

fn of_value(written: &str, loud: bool) -> Stated {
    let value = written.to_ascii_uppercase();
    let end = value.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(value.len());
    let (token, rest) = value.split_at(end);
    if value.is_empty() || is_choice(&value) {
        return Stated::Nothing;
    }
    match (decision(token.trim_end_matches('_')), Words::new(&other_words()).read(&value)) {
        (Some(EvaluationDecision::FailPhase(_) | EvaluationDecision::Abort), _)
            if reconsidered::is_conditional(rest) =>
        {
            Stated::Nothing
        }
        (Some(decision @ EvaluationDecision::FailPhase(_)), _)
        | (Some(decision), Said::Word { clean: true, .. }) => Stated::Decided(decision),
        (Some(_), _) => Stated::Unknown,
        // `Decision: fail fast on a bad header` is about the code.
        (None, Said::Unknown(_)) if loud || stands_alone(&written[..end], rest) => Stated::Unknown,
        (None, _) if loud => Stated::Unknown,
        (None, _) => Stated::Nothing,
    }
}

/// Tells whether a word is a verdict by how it is written: `REJECTED`, `Rejected because …`, `failed.`
fn stands_alone(token: &str, rest: &str) -> bool {
    let shouted = token.len() > 1 && !token.contains(|c: char| c.is_ascii_lowercase());
    let ends = !rest.trim_start().starts_with(char::is_alphanumeric);
    shouted || ends || token.to_ascii_lowercase().ends_with("ed")
}

fn is_about_passing(word: &str) -> bool {
    matches!(Words::new(&other_words()).read(word), Said::Unknown(_) | Said::Word { .. })
}

/// Tells whether words to choose from are offered: `PASS / ABORT`, `FAIL_PHASE_<phase>`.
fn is_choice(value: &str) -> bool {
    let value = value.trim_matches(|c: char| c.is_whitespace() || "[](){}<>*`\"'".contains(c));
    let blank = |part: &str| part.starts_with("FAIL_PHASE_<") || part.starts_with("FAIL_PHASE_{");
    let known = |part: &str| {
        let part = part.trim_matches(|c: char| c.is_whitespace() || "*`\"'".contains(c));
        let end = part.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(part.len());
        decision(&part[..end]).is_some() || blank(part)
    };
    blank(value) || (value.contains(['|', '/']) && value.split(['|', '/']).all(known))
}

/// Returns what follows a beginning, whatever its case.
fn without<'t>(text: &'t str, beginning: &str) -> Option<&'t str> {
    let start = text.get(..beginning.len())?;
    start.eq_ignore_ascii_case(beginning).then(|| &text[beginning.len()..])
}

fn other_words() -> BTreeMap<String, Judgment> {
    let words = [
        ("PASS", Judgment::Approve),
        ("PASS_WITH_ISSUES", Judgment::ApproveWithNotes),
        ("ABORT", Judgment::Block),
    ];
    words.into_iter().map(|(word, judgment)| (word.to_owned(), judgment)).collect()
}

fn tasks(fields: &Map<String, Value>) -> Vec<RemainingTask> {
    let task = |value: &Value| match value {
        Value::Object(fields) => {
            let text = |name: &str| fields.get(name).map(findings::line).unwrap_or_default();
            RemainingTask { task: text("task"), phase: text("phase"), priority: text("priority") }
        }
        other => RemainingTask { task: findings::line(other), phase: String::new(), priority: String::new() },
    };
    let items = fields.get("remaining_tasks").and_then(Value::as_array);
    items.into_iter().flatten().map(task).filter(|task| !task.task.is_empty()).take(MOST_TASKS).collect()
}

fn each_once(tasks: impl Iterator<Item = RemainingTask>) -> Vec<RemainingTask> {
    let mut once: Vec<RemainingTask> = Vec::new();
    for task in tasks {
        if once.len() < MOST_TASKS && !once.contains(&task) {
            once.push(task);
        }
    }
    once
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decided(text: &str) -> Option<EvaluationDecision> {
        read_evaluation(text).map(|evaluation| evaluation.decision)
    }

    fn fail(phase: &str) -> EvaluationDecision {
        EvaluationDecision::FailPhase(phase.to_owned())
    }

    #[test]
    fn an_object_decides_and_leaves_tasks() {
        let text = r#"{"decision": "pass_with_issues", "remaining_tasks": [{"task": "t", "phase": "report", "priority": "low"}, "u", {}]}"#;
        let task = |task: &str, phase: &str, priority: &str| RemainingTask {
            task: task.into(),
            phase: phase.into(),
            priority: priority.into(),
        };
        let remaining_tasks = vec![task("t", "report", "low"), task("u", "", "")];
        let expected = Evaluation { decision: EvaluationDecision::PassWithIssues, remaining_tasks };
        assert_eq!(read_evaluation(text), Some(expected.clone()));
        assert_eq!(read_evaluation(&format!("{text}\n{text}")), Some(expected));
    }

    #[test]
    fn lines_decide_too() {
        assert_eq!(decided("all fine\n**DECISION: PASS**\n"), Some(EvaluationDecision::Pass));
        assert_eq!(decided("## Decision： `FAIL_PHASE_4` – bugs"), Some(fail("4")));
        assert_eq!(
            decided("Final decision: FAIL_PHASE_test_implementation"),
            Some(fail("test_implementation"))
        );
        assert_eq!(decided("- DECISION = abort."), Some(EvaluationDecision::Abort));
    }

    #[test]
    fn the_strictest_counts() {
        assert_eq!(decided("DECISION: PASS\nDECISION: FAIL_PHASE_2"), Some(fail("2")));
        assert_eq!(
            decided("DECISION: PASS\n{\"decision\": \"ABORT\"}\nDECISION: FAIL_PHASE_2"),
            Some(EvaluationDecision::Abort)
        );
        assert_eq!(
            decided("DECISION: PASS_WITH_ISSUES\n{\"decision\": \"PASS\"}"),
            Some(EvaluationDecision::PassWithIssues)
        );
    }

    #[test]
    fn a_decision_that_cannot_be_read_may_be_the_strictest() {
        for text in [
            r#"{"decision": "ABORT", "decision": "PASS"}"#,
            r#"{"decision": "ABORT", "remaining_tasks": ["#,
            r#"{"decision": "ABORT" oops}"#,
            r#"{"decision": "AB"#,
            &"DECISION\n".repeat(MOST_LINES),
        ] {
            assert_eq!(decided(&format!("DECISION: PASS\n{text}")), None, "{}", &text[..20]);
        }
        let code = "DECISION: PASS\n```py\nreturn {\"decision\": \"ABORT\", \"why\": why}\n```\n";
        assert_eq!(decided(code), Some(EvaluationDecision::Pass));
    }

    #[test]
    fn what_is_no_decision_of_ours_is_not_replaced_by_a_milder_one() {
        for text in [
            "DECISION: REJECTED",
            "DECISION: ABORTED",
            "DECISION: FAIL",
            "DECISION: unclear",
            "Decision: Rejected because data is lost",
            "**Decision**: failed.",
            "Final decision: redo the plan",
            "DECISION: PASS once the blockers are fixed",
            "DECISION: PASS → ABORT",
            r#"{"decision": "FAIL"}"#,
            r#"{"Decision": "retry"}"#,
            r#"{"decision": ["PASS", "ABORT"]}"#,
            r#"{"decision": "rejected for now"}"#,
            r#"{"decision": "REJECTED", "remaining_tasks": [oops]}"#,
        ] {
            assert_eq!(decided(&format!("{text}\n\nDECISION: PASS")), None, "{text}");
            assert_eq!(read_evaluations(&[text, "DECISION: PASS"]), None, "{text}");
            assert_eq!(read_evaluations(&["DECISION: PASS", text]), None, "{text}");
        }
    }

    #[test]
    fn what_is_said_of_the_code_and_the_form_of_the_answer_say_nothing() {
        for text in [
            "Decision: fail fast on a bad header",
            "- Decision: accept the header in both cases",
            "**Decision**: JWT",
            "Decision: use SQLite",
            "## Decision:",
            "DECISION: [PASS|PASS_WITH_ISSUES|FAIL_PHASE_<phase>|ABORT]",
            r#"{"decision": "PASS|PASS_WITH_ISSUES|FAIL_PHASE_<phase>|ABORT", "remaining_tasks": [{"task": "…"}]}"#,
            r#"{"decision": "keep the old interface"}"#,
            r#"{"decision": null}"#,
        ] {
            let expected = Evaluation { decision: EvaluationDecision::Pass, remaining_tasks: Vec::new() };
            assert_eq!(read_evaluations(&["DECISION: PASS", text]), Some(expected), "{text}");
        }
    }

    #[test]
    fn the_answer_and_the_deliverable_count_together() {
        let both = |answer: &str, document: &str| {
            read_evaluations(&[answer, document]).map(|evaluation| evaluation.decision)
        };
        assert_eq!(both("DECISION: PASS", "DECISION: ABORT"), Some(EvaluationDecision::Abort));
        assert_eq!(both(r#"{"decision": "PASS"}"#, "DECISION: FAIL_PHASE_planning"), Some(fail("planning")));
        assert_eq!(
            both("DECISION: PASS", r#"{"run": {"decision": "ABORT"}}"#),
            Some(EvaluationDecision::Abort)
        );
        assert_eq!(both("done", "DECISION: PASS"), Some(EvaluationDecision::Pass));
        assert_eq!(both("done", r#"{"run": {"decision": "PASS"}}"#), None);
        let twice = r#"{"decision": "ABORT", "decision": "PASS"}"#;
        assert_eq!(both(twice, "DECISION: PASS"), None);
    }

    #[test]
    fn a_document_that_tells_a_harder_decision_in_other_words_leaves_none() {
        for document in [
            "## Decision\n\nABORT\n",
            "**Decision**\n\n**ABORT**\n",
            "最終判定: ABORT",
            "## 最終判定\n\nABORT",
            "判定: FAIL_PHASE_planning",
            "| Decision | ABORT |",
            "The decision is ABORT.",
            "The final decision is FAIL_PHASE_2.",
            "最終判定は ABORT です。",
            "最終判定: 不合格",
            "Final verdict: FAIL",
        ] {
            for answer in ["DECISION: PASS", r#"{"decision": "PASS_WITH_ISSUES"}"#] {
                assert_eq!(read_evaluations(&[answer, document]), None, "{document}");
                assert_eq!(decided(&format!("{answer}\n\n{document}\n")), None, "{document}");
            }
            let aborts = read_evaluations(&["DECISION: ABORT", document]).map(|read| read.decision);
            assert_eq!(aborts, Some(EvaluationDecision::Abort), "{document}");
        }
        let unread = |texts: &[&str]| unread_decision(texts);
        assert_eq!(unread(&["DECISION: PASS", "## 最終判定\n\nABORT"]), Some("最終判定: ABORT".into()));
        assert_eq!(unread(&["DECISION: REJECTED"]), Some("DECISION: REJECTED".into()));
        assert_eq!(unread(&[r#"{"decision": "RETRY"}"#]), Some("RETRY".into()));
        assert_eq!((unread(&["done"]), unread(&["DECISION: PASS"])), (None, None));
    }

    #[test]
    fn a_document_that_tells_of_other_decisions_leaves_a_pass_standing() {
        for document in [
            "The options were PASS, FAIL_PHASE_x and ABORT.\n\n## Decision\n\nPASS\n",
            "| Phase | Decision |\n|---|---|\n| planning | PASS |\n\nNo reason for ABORT was found.",
            "## 判定\n\nDECISION: PASS\n\nABORT に該当する問題はない。",
            "If the tests had failed, the decision would be ABORT.",
            "When the tests fail, the decision is ABORT.",
            "| Decision | Meaning |\n|---|---|\n| ABORT | the run ends |",
            "Decision: PASS / PASS_WITH_ISSUES / FAIL_PHASE_x / ABORT",
            "## Decision\n\n[PASS|PASS_WITH_ISSUES|FAIL_PHASE_<phase>|ABORT]",
            "> 最終判定: ABORT",
            "```\n最終判定: ABORT\n```\nx",
            "最終判定: PASS",
            "最終判定: 全ての品質ゲートを満たす",
            "総合判定: 合格",
            "The decision is to keep the old interface.",
            "## Decision\n\nWe keep SQLite; ABORT is sent to the client as before.",
        ] {
            let read = read_evaluations(&["DECISION: PASS", document]).map(|read| read.decision);
            assert_eq!(read, Some(EvaluationDecision::Pass), "{document}");
        }
    }

    #[test]
    fn a_decision_that_is_taken_back_in_a_sentence_leaves_none() {
        for sentence in [
            "On second thought: ABORT",
            "On second thought, this must be ABORT.",
            "**Correction:** FAIL_PHASE_testing",
            "Actually, the decision is ABORT: the data is lost.",
            "Wait, no: scratch that. ABORT",
            "訂正: ABORT",
            "やはり FAIL_PHASE_planning とする。",
        ] {
            for pass in ["DECISION: PASS", r#"{"decision": "PASS", "remaining_tasks": []}"#] {
                assert_eq!(decided(&format!("{pass}\n\n{sentence}\n")), None, "{sentence}");
                assert_eq!(decided(&format!("{sentence}\n\n{pass}\n")), None, "{sentence}");
            }
            assert_eq!(decided(&format!("DECISION: ABORT\n\n{sentence}\n")), Some(EvaluationDecision::Abort));
        }
        for sentence in [
            "On second thought, the ABORT path is covered, too.",
            "Correction of round 1: it said ABORT, which is no longer right.",
            "> On second thought: ABORT",
            "```\nOn second thought: ABORT\n```\nx",
            "Actually, ABORT would have been right if the backup were missing.",
        ] {
            let text = format!("DECISION: PASS\n\n{sentence}\n");
            assert_eq!(decided(&text), Some(EvaluationDecision::Pass), "{sentence}");
        }
    }

    #[test]
    fn what_would_have_been_decided_decides_nothing() {
        for sentence in [
            "`DECISION: FAIL_PHASE_testing` would have been given if the tests had failed.",
            "DECISION: FAIL_PHASE_planning would have been given if the plan had a hole.",
            "DECISION: ABORT would only be right if data were lost.",
            "`DECISION: FAIL_PHASE_testing` となるのはテストが失敗した場合となる。",
        ] {
            let text = format!("{sentence}\n\nDECISION: PASS\n");
            assert_eq!(decided(&text), Some(EvaluationDecision::Pass), "{sentence}");
            assert_eq!(decided(sentence), None, "{sentence}");
        }
        for sentence in [
            "DECISION: FAIL_PHASE_testing, because the tests would fail on another machine",
            "`DECISION: FAIL_PHASE_testing`",
            "DECISION: FAIL_PHASE_testing (two tests fail)",
            "DECISION: FAIL_PHASE_testing. It would have been PASS if the tests were there.",
        ] {
            assert_eq!(decided(sentence), Some(fail("testing")), "{sentence}");
        }
        let pass = "DECISION: PASS would have been given if the tests were there.";
        assert_eq!(decided(&format!("DECISION: PASS\n\n{pass}\n")), None);
    }

    #[test]
    fn tasks_of_the_deliverable_are_kept() {
        let tasks = |document: &str| {
            let read = read_evaluations(&["DECISION: PASS_WITH_ISSUES", document]).expect("a decision");
            read.remaining_tasks.into_iter().map(|task| task.task).collect::<Vec<_>>()
        };
        assert_eq!(
            tasks(r#"{"decision": "PASS_WITH_ISSUES", "remaining_tasks": [{"task": "one"}]}"#),
            ["one"]
        );
        assert_eq!(tasks(r#"{"remaining_tasks": ["two"]}"#), ["two"]);
        assert_eq!(tasks("## Remaining tasks\n\n- [ ] three\n- four\n\n## Else\n- five"), ["three", "four"]);
    }

    #[test]
    fn what_decides_nothing_is_none() {
        for text in [
            "",
            "The run passed.",
            "DECISION: PASSED",
            "DECISION: [PASS|PASS_WITH_ISSUES|ABORT]",
            "DECISION: FAIL_PHASE_<name>",
            "DECISION: PASS / FAIL_PHASE_X / ABORT",
            "DECISION: FAIL_PHASE_4 | ABORT",
            "> DECISION: PASS",
            "```\nDECISION: PASS\n```\nx",
            "DECISION: PASS once the blockers are fixed",
            "My DECISION: PASS",
            "DECISION: PASS → ABORT",
            "{\"decision\": 1}",
            "{\"decision\": \"APPROVE\"}",
            "DECISION:",
            "the decision is PASS",
        ] {
            assert_eq!(decided(text), None, "{text}");
        }
    }
}
