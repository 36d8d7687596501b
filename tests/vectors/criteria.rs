//! Vectors of the quality-criteria loop: the criteria of the quality gate and of the goal drift guard.

use std::collections::BTreeSet;

use checks::{self, Site};
use model::change::Change;
use model::event::{CheckResult, CheckStatus, Claim, ClaimStatus};
use model::issue::{Issue, IssueNumber};
use model::policy::{Agreement, CheckRule, CheckSettings, OnFail, OnUnavailable, check_id};
use model::redact::Masker;
use process::Stop;
use serde_json::Value;
use settings::{ConfigTexts, Settings, load};
use tempfile::TempDir;

use super::{assert_differences, cases};

const CHAT: &str = "the diff and the disk are judged, not what is said in the chat";
const EXCERPT: &str = "only whole files are judged in the chat; a file on disk is parsed";
const GATE: [(&str, &str); 11] = [
    ("Q2 Created file. TODO: add error ", CHAT),
    ("Q2 Function created. FIXME: optim", CHAT),
    ("Q2 Interface defined. TBD: implem", CHAT),
    ("Q3 function process() { // 残り省略 }", CHAT),
    ("Q3 const items = [a, b, // etc.]", CHAT),
    ("Q3 case 1: return \"one\"; // 以下同様", CHAT),
    ("Q4 brace", EXCERPT),
    ("Q4 bracket", EXCERPT),
    ("Q4 paren", EXCERPT),
    ("Q5 executed+files", "an author's word is no evidence"),
    ("Q10 private helper", CHAT),
];

/// What a case shows to a check.
struct Case {
    answer: Option<String>,
    changes: Vec<Change>,
    expected: Vec<String>,
    claim: Option<Claim>,
    prompt: String,
    strict: bool,
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(|text| Some(text.as_str()?.to_owned())).collect()
}

impl Case {
    fn of(input: &Value) -> Self {
        let text = |key: &str| input[key].as_str().map(str::to_owned);
        let mut changes: Vec<Change> = Vec::new();
        for file in input["verified_files"].as_array().into_iter().flatten() {
            let content = file["content_preview"].as_str().unwrap_or("x");
            changes.push(Change::of_texts(file["path"].as_str().expect("a path"), None, Some(content)));
        }
        // In isolation mode the answer is the test.
        if input["criterion"] == "Q12" {
            changes.extend(text("output").map(|test| Change::of_texts("tests/a.test.ts", None, Some(&test))));
        }
        let claim = input.get("files_modified").map(|files| Claim {
            status: ClaimStatus::Completed,
            next_action: None,
            summary: String::new(),
            notices: Vec::new(),
            files: texts(files),
        });
        Self {
            answer: text("output"),
            expected: changes
                .iter()
                .map(|change| change.path.clone())
                .chain(texts(&input["unverified_files"]))
                .collect(),
            changes,
            claim,
            prompt: text("prompt").unwrap_or_default(),
            strict: false,
        }
    }

    fn judged(&self, criterion: &str) -> CheckResult {
        let folder = TempDir::new().expect("a folder");
        for change in &self.changes {
            let path = folder.path().join(&change.path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, change.new_text().unwrap_or_default()).expect("a file");
        }
        let agreement = agreed(&ConfigTexts::default());
        let name = "implementation";
        let mut phase =
            agreement.phases.iter().find(|phase| phase.name.as_str() == name).expect(name).clone();
        let id = check_id(criterion).to_owned();
        phase.policy.checks =
            vec![CheckRule { id, on_fail: OnFail::Revise, on_unavailable: OnUnavailable::Block }];
        let settings = CheckSettings { strict: self.strict, ..agreement.check_settings.clone() };
        let masker = Masker::new([]);
        let site = Site {
            changed: &self.changes.iter().map(|change| change.path.clone()).collect(),
            changes: &self.changes,
            answer: self.answer.as_deref(),
            claim: self.claim.as_ref(),
            issue: &issue(&self.prompt),
            expected: &self.expected,
            ..Site::outside_a_run(folder.path(), &phase, &settings, &agreement.time, &masker)
        };
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(checks::run(&site, &mut Stop::new().1)).remove(0)
    }
}

fn agreed(layers: &ConfigTexts) -> Agreement {
    load(layers).and_then(|found: Settings| found.agreement(None)).expect("a good configuration")
}

fn issue(body: &str) -> Issue {
    Issue {
        number: IssueNumber::try_from(1).expect("a number"),
        title: String::new(),
        body: body.to_owned(),
        labels: Vec::new(),
        author: String::new(),
        open: true,
        url: String::new(),
        discussion: model::issue::Discussion::default(),
    }
}

fn passes(result: &CheckResult) -> bool {
    matches!(result.status, CheckStatus::Pass | CheckStatus::Skipped)
}

#[test]
fn quality_criteria_match_the_vectors() {
    let cases = cases("000_quality_criteria.json");
    let mut differing = BTreeSet::new();
    for case in &cases {
        let criterion = case["input"]["criterion"].as_str().expect("a criterion");
        let result = Case::of(&case["input"]).judged(criterion);
        let told = format!("{}\n{}", result.summary, result.evidence);
        let details = &case["expected"]["details_contains"];
        let wanted = details.as_str().map_or_else(|| texts(details), |text| vec![text.to_owned()]);
        let same =
            passes(&result) == case["expected"]["passed"] && wanted.iter().all(|text| told.contains(text));
        if !same {
            differing.insert(format!("{criterion} {}", case["name"].as_str().expect("a name")));
        }
    }
    assert_differences(&differing, &GATE, cases.len());
}

/// Returns the violations of a result: of one criterion, or of all five.
fn violations(result: &CheckResult) -> Vec<Value> {
    let of_one = result.params.get("violations").and_then(Value::as_array).cloned();
    let of_all = || {
        let criteria =
            result.params.get("criteriaResults").and_then(Value::as_array).cloned().unwrap_or_default();
        criteria.iter().flat_map(|one| one["violations"].as_array().cloned().unwrap_or_default()).collect()
    };
    of_one.unwrap_or_else(of_all)
}

/// Tells whether a result is what a case expects, key by key.
fn fits(result: &CheckResult, expected: &Value) -> bool {
    let found = violations(result);
    let phrases: Vec<&str> = found.iter().filter_map(|violation| violation["phrase"].as_str()).collect();
    let failed = || texts(result.params.get("failed_criteria").unwrap_or(&Value::Null));
    expected.as_object().expect("an object").iter().all(|(key, wanted)| match key.as_str() {
        "passed" => passes(result) == *wanted,
        "violations" => found.len() as u64 == wanted.as_u64().expect("a number"),
        "min_violations" => found.len() as u64 >= wanted.as_u64().expect("a number"),
        "first_phrase" => phrases.first().copied() == wanted.as_str(),
        "has_phrase" => phrases.contains(&wanted.as_str().expect("a text")),
        "phrase_contains" => phrases.iter().any(|phrase| phrase.contains(wanted.as_str().expect("a text"))),
        "first_line" => found.first().map(|violation| &violation["line"]) == Some(wanted),
        "criteria" => {
            let results = result.params["criteriaResults"].as_array().expect("a list");
            let ids: Vec<&str> = results.iter().filter_map(|one| one["criteria_id"].as_str()).collect();
            ids == texts(wanted)
        }
        "failed" => failed() == texts(wanted),
        "failed_includes" => texts(wanted).iter().all(|id| failed().contains(id)),
        other => panic!("no adapter for `{other}`"),
    })
}

fn goal_drift(strict: bool) -> (BTreeSet<String>, usize) {
    let cases = cases("000_goal_drift.json");
    let differs = |case: &&Value| {
        let criterion = case["input"]["criterion"].as_str().expect("a criterion");
        let criterion = if criterion == "ALL" { "goal_drift_guard" } else { criterion };
        let result = Case { strict, ..Case::of(&case["input"]) }.judged(criterion);
        !fits(&result, &case["expected"])
    };
    let names = cases.iter().filter(differs).filter_map(|case| Some(case["name"].as_str()?.to_owned()));
    (names.collect(), cases.len())
}

#[test]
fn goal_drift_matches_the_vectors() {
    for strict in [false, true] {
        let (differing, cases) = goal_drift(strict);
        assert_differences(&differing, &[], cases);
    }
}

#[test]
fn quality_gate_matches_the_vectors() {
    let cases = cases("000_goal_drift_gate.json");
    let mut differing = BTreeSet::new();
    for case in &cases {
        let same = if let Some(template) = case["input"].get("template_id") {
            runs(template.as_str().unwrap_or_default()) == case["expected"]
        } else {
            let result = Case::of(&case["input"]["safe_evaluate"]).judged("goal_drift_guard");
            let wants_text = case["expected"]["error_is_string"] == true;
            passes(&result) == case["expected"]["passed"] && (!wants_text || result.param("error").is_some())
        };
        if !same {
            differing.insert(case["name"].as_str().expect("a name").to_owned());
        }
    }
    assert_differences(&differing, &[], cases.len());
}

fn with_template(template: &str) -> Agreement {
    let text = format!("[checks]\ntemplate = \"{template}\"\n");
    agreed(&ConfigTexts { repository: Some(("config.toml".into(), text)), ..ConfigTexts::default() })
}

/// Tells whether a template is run when it is configured.
fn runs(template: &str) -> bool {
    let agreement = with_template(template);
    let listed =
        agreement.phases.iter().flat_map(|phase| &phase.policy.checks).any(|rule| rule.id == template);
    listed && checks::unknown_template(&agreement).is_none()
}

#[test]
fn template_evaluators_are_listed_in_phases_that_change_code() {
    let phases_of = |template: &str| -> Vec<String> {
        let listed = with_template(template).phases.into_iter().filter(|phase| {
            phase
                .policy
                .checks
                .iter()
                .any(|rule| rule.id == "goal_drift_guard" || rule.id == "escape_phrases")
        });
        listed.map(|phase| phase.name.as_str().to_owned()).collect()
    };
    assert_eq!(phases_of(""), [""; 0]);
    assert_eq!(phases_of("goal_drift_guard"), ["implementation", "test_implementation"]);
}

#[test]
fn an_unknown_template_is_reported_with_the_known_ones() {
    let agreement = with_template("goal_drift_gard");
    assert_eq!(checks::unknown_template(&agreement), Some(("goal_drift_gard", vec!["goal_drift_guard"])));
    assert_eq!(checks::unknown_template(&with_template("goal_drift_guard")), None);
}

#[test]
fn a_template_changes_no_criterion_and_a_round_needs_all_to_pass() {
    let judge = |answer: &str, criterion: &str| {
        let file = serde_json::json!({"output": answer, "verified_files": [{"path": "a.rs", "content_preview": "fn a() {}"}]});
        passes(&Case::of(&file).judged(criterion))
    };
    let drifting = "Done, tests are optional.";
    let good = "- [x] a\n\nCOMPLETE: All 1 requirements fulfilled";
    for criterion in ["Q1", "Q2", "Q3", "Q4", "Q5", "Q6"] {
        assert!(
            judge(drifting, criterion) && judge(good, criterion),
            "{criterion} is not altered by the template"
        );
    }
    assert!(!judge(drifting, "goal_drift_guard") && judge(good, "goal_drift_guard"));
}
