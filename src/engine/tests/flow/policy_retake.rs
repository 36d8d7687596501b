//! The policy retake: build and tests first, then an independent reviewer; three retakes, then a person.

use engine::Status;
use model::event::{CheckStatus, ExecOutcome, Fact, PauseChoice, PauseReason, RunOutcome};
use model::finding::Severity;
use model::policy::OnFail;
use model::verdict::{Grade, Judgment, Verdict};

use super::policies::{phase, retake};
use super::world::{Review, Script, World, states};

fn approve() -> Review {
    states("APPROVE", Verdict::Pass, Judgment::Approve)
}

fn request_changes() -> Review {
    states("REQUEST_CHANGES", Verdict::Fail, Judgment::Revise)
}

fn stop(word: &str) -> Review {
    states(word, Verdict::Fail, Judgment::Block)
}

fn play(reviews: &[Review]) -> World {
    let script = Script { reviews: reviews.to_vec(), ..Script::default() };
    World::play(phase("implementation", retake()), script)
}

fn checked(check: &str, status: CheckStatus) -> World {
    let checks = vec![vec![(check.into(), status)], vec![]];
    let script = Script { checks, reviews: vec![approve()], ..Script::default() };
    World::play(phase("implementation", retake()), script)
}

#[test]
fn each_retake_verdict_has_its_ruling() {
    for (review, history) in [
        (approve(), vec!["advance"]),
        (request_changes(), vec!["revise", "advance"]),
        (stop("REJECT"), vec!["pause"]),
        (stop("STOP"), vec!["pause"]),
    ] {
        assert_eq!(play(&[review.clone(), approve()]).history(), history, "{review:?}");
    }
}

#[test]
fn reject_and_stop_pause_for_manual_repair() {
    for (word, heading) in [("REJECT", "Manual Intervention Required"), ("STOP", "Verification Failed")] {
        let world = play(&[stop(word)]);
        let asked = world.run().paused.as_ref().expect("a question");
        assert_eq!(asked.reason, PauseReason::Blocked);
        assert_eq!(
            asked.question,
            format!(
                "{heading}. implementation is blocked: the reviewer states {word}. \
                 Repair the cause and go on, accept it, or give up?"
            )
        );
        assert_eq!((world.first().status, world.first().counters.revisions), (Status::Paused, 0));
    }
}

#[test]
fn continue_after_a_reject_reviews_in_a_new_round() {
    let mut world = play(&[stop("REJECT"), approve()]);
    assert_eq!(world.answer(PauseChoice::Continue, "repaired by hand"), RunOutcome::Completed);
    assert_eq!(world.history(), ["pause", "advance"]);
    assert_eq!(world.first().history.rounds.iter().map(|round| round.n).collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn approval_with_a_blocking_finding_does_not_advance() {
    for (severity, ruling) in [
        (Severity::Info, "advance"),
        (Severity::Minor, "advance"),
        (Severity::Major, "revise"),
        (Severity::Critical, "pause"),
    ] {
        let world = play(&[approve().with(severity, "a problem"), approve()]);
        assert_eq!(world.history()[0], ruling, "{severity:?}");
    }
}

#[test]
fn approval_requires_passing_build_and_tests() {
    for check in ["build", "tests"] {
        assert_eq!(checked(check, CheckStatus::Pass).history(), ["advance"]);
        assert_eq!(checked(check, CheckStatus::Fail).history(), ["revise", "advance"]);
    }
}

#[test]
fn major_finding_leads_to_one_revision() {
    let world = play(&[request_changes().with(Severity::Major, "a problem"), approve()]);
    assert_eq!(world.history(), ["revise", "advance"]);
    assert_eq!(world.first().counters.revisions, 1);
}

#[test]
fn critical_finding_pauses_under_any_verdict() {
    for review in [approve(), request_changes(), stop("REJECT")] {
        let world = play(&[review.with(Severity::Critical, "a hole")]);
        assert_eq!(world.history(), ["pause"]);
        assert_eq!(world.first().history.rounds[0].verdict, Some(Verdict::Fail));
        assert_eq!(world.first().reason.as_deref(), Some("blocked"));
    }
}

#[test]
fn all_failed_checks_are_named_in_the_ruling() {
    let mut policy = retake();
    policy.checks[1].on_fail = OnFail::Stop;
    let failed = ["build", "tests"].map(|check| (check.to_owned(), CheckStatus::Fail)).to_vec();
    let script = Script { checks: vec![failed, vec![]], reviews: vec![approve()], ..Script::default() };
    let world = World::play(phase("implementation", policy), script.clone());
    let rule = "check tests: tests was looked at; check build: build was looked at; on blocked: pause";
    assert_eq!((world.history(), world.last_rule()), (vec!["pause"], rule), "the strictest comes first");
    let world = World::play(phase("implementation", retake()), script);
    let rule = &world.rulings("implementation")[0].rule;
    assert_eq!(rule, "check build: build was looked at; check tests: tests was looked at; revision 1/3");
}

#[test]
fn what_failed_before_is_neither_a_pass_nor_charged() {
    let world = checked("tests", CheckStatus::FailedBefore);
    assert_eq!(world.history(), ["advance"]);
    assert_eq!(world.first().failed_checks().count(), 0);
    let alone = super::policies::policy(
        "checks = [{ id = 'tests' }]\n[limits]\nmax_revisions = 1\n[outcomes]\nexhausted = 'fail'",
    );
    let checks = vec![vec![("tests".into(), CheckStatus::FailedBefore)]];
    let world = World::play(phase("implementation", alone), Script { checks, ..Script::default() });
    assert_ne!(world.history(), ["advance"], "without a review some check has to pass");
}

#[test]
fn a_word_that_stops_or_refuses_is_recorded_with_the_reviewers_summary() {
    for review in
        [stop("REJECT"), stop("STOP"), request_changes(), states("FAIL", Verdict::Fail, Judgment::Revise)]
    {
        let stated = review.reading.as_ref().expect("a reading").stated.clone();
        let world = play(&[review, approve()]);
        let round = &world.first().history.rounds[0];
        assert_eq!(round.summary, Some(format!("feedback of {stated}")));
        assert_eq!(
            views::summary::refusal_lines(round),
            [format!("the reviewer says: feedback of {stated}")]
        );
        assert!(round.rule.starts_with(&format!("the reviewer states {stated}")), "{}", round.rule);
        let written = views::metadata::round_view(round);
        assert_eq!((written.summary.as_ref(), &written.rule), (round.summary.as_ref(), &round.rule));
    }
    assert_eq!(play(&[approve()]).first().history.rounds[0].summary, None);
}

#[test]
fn a_failure_that_a_reviewer_states_is_recorded_with_its_kind_and_command() {
    let mut review = stop("STOP").with(Severity::Major, "`npm ci` ends with EACCES");
    review.reading.as_mut().expect("a reading").findings[0].category = "environment_error".into();
    let world = play(&[review]);
    let round = &world.first().history.rounds[0];
    let lines = ["the reviewer says: feedback of STOP", "failure: environment_error, `npm ci`"];
    assert_eq!(views::summary::refusal_lines(round), lines);
    let written = views::metadata::round_view(round);
    assert_eq!(written.failure_type.as_deref(), Some("environment_error"));
    assert_eq!(written.failed_command.as_deref(), Some("npm ci"));
}

#[test]
fn a_failure_that_a_reviewer_states_in_labelled_lines_is_recorded_and_told() {
    let kinds = |answer: &str, mut review: Review| {
        let reading = review.reading.as_mut().expect("a reading");
        (reading.feedback, reading.findings) = (answer.to_owned(), Vec::new());
        let world = play(&[review, approve()]);
        let written = views::metadata::round_view(&world.first().history.rounds[0]);
        let report = world.run().paused.as_ref().map(|asked| asked.report[2..4].join(", "));
        (written.failure_type, written.failed_command, report)
    };
    let named = |kind: &str, command: &str| {
        let report = format!("Failure type: {kind}, Failed command: {command}");
        (Some(kind.to_owned()), Some(command.to_owned()), Some(report))
    };
    for answer in [
        "It ends with exit code 2.\nDecision: STOP\nFailure type: build_failure\nCommand: make build\n",
        "- **Failure type**: build failure (exit code 2)\n- **Failed command:** `make build` in the root\n",
        "失敗種別：build_failure\n失敗コマンド：make build",
        "判定: STOP\n失敗の種類: ビルド失敗（終了コード 2）\n失敗したコマンド: `make build`\n",
        "| Decision | STOP |\n|---|---|\n| Failure type | build_failure |\n| Failed command | `make build` |\n",
    ] {
        assert_eq!(kinds(answer, stop("STOP")), named("build_failure", "make build"), "{answer}");
        let (kind, command, _) = kinds(answer, request_changes());
        assert_eq!((kind, command), (Some("build_failure".to_owned()), Some("make build".to_owned())));
    }
    let (kind, command, report) = kinds("The failure type: unclear\nCommand: none", stop("STOP"));
    let unnamed = "Failure type: none was found in the review, Failed command: none was found in the review";
    assert_eq!((kind, command, report.as_deref()), (None, None, Some(unnamed)));
}

#[test]
fn every_question_about_a_refusal_says_why_and_what_failed() {
    let words = "The code cannot be read.\nFailure type: lint_failure\nCommand: npm run lint\n";
    for (policy, word, judgment) in [
        (retake(), "REQUEST_CHANGES", Judgment::Revise),
        (super::policies::phase_review(), "FAIL", Judgment::Revise),
        (retake(), "REJECT", Judgment::Block),
        (retake(), "STOP", Judgment::Block),
    ] {
        let mut policy = policy;
        policy.outcomes.exhausted = model::policy::UnapprovedEnd::Pause;
        let mut review = states(word, Verdict::Fail, judgment);
        review.reading.as_mut().expect("a reading").feedback = words.into();
        let script = Script { reviews: vec![review], ..Script::default() };
        let world = World::play(phase("implementation", policy), script);
        let asked = world.run().paused.as_ref().expect("a question");
        let lines = views::summary::question_lines(world.run(), asked);
        for said in ["The code cannot be read.", "lint_failure", "npm run lint"] {
            assert!(asked.report.iter().any(|line| line.contains(said)), "{word}: {:?}", asked.report);
            assert!(lines.contains(said), "{word}: {lines}");
        }
        assert_eq!(
            world.first().history.rounds[0].summary.as_deref(),
            Some("The code cannot be read."),
            "what failed is on record by itself"
        );
    }
}

#[test]
fn the_category_of_an_ordinary_finding_is_no_failure() {
    let mut review = request_changes().with(Severity::Major, "a case of `pages` has no test");
    review.reading.as_mut().expect("a reading").findings[0].category = "tests".into();
    assert_eq!(play(&[review, approve()]).first().history.rounds[0].stated_failure, None);
}

#[test]
fn a_failed_check_is_recorded_with_its_kind_and_command() {
    let world = checked("tests", CheckStatus::Fail);
    let round = &world.first().history.rounds[0];
    assert_eq!(views::summary::refusal_lines(round), ["check tests: test_failure"]);
    assert_eq!(views::metadata::round_view(round).checks[0].failure_type, "test_failure");
}

#[test]
fn unavailable_check_pauses_at_once_and_is_named() {
    for check in ["build", "tests"] {
        let world = checked(check, CheckStatus::Unavailable);
        assert_eq!(world.history(), ["pause"]);
        assert_eq!(world.last_rule(), format!("check {check}: {check} was looked at; on blocked: pause"));
        assert_eq!(world.first().counters.revisions, 0);
    }
}

#[test]
fn failed_tests_prevent_the_review_call() {
    let world = checked("tests", CheckStatus::Fail);
    assert_eq!(world.first().history.rounds[0].verdict, None);
    assert_eq!(world.first().history.rounds[0].attempts, 1);
}

/// What a person is told whom a pause asks.
fn told(world: &World) -> (&str, &[String]) {
    let asked = world.run().paused.as_ref().expect("a question");
    (asked.question.split('.').next().unwrap_or_default(), &asked.report)
}

#[test]
fn reject_report_has_decision_grade_reason_and_critical_places() {
    let mut review =
        stop("REJECT").with(Severity::Critical, "passwords in the log").with(Severity::Minor, "a typo");
    let reading = review.reading.as_mut().expect("a reading");
    reading.grade = Some(Grade::D);
    (reading.findings[0].line, reading.findings[0].suggestion) = (Some(7), Some("mask them".into()));
    let world = play(&[review]);
    let (heading, report) = told(&world);
    assert_eq!(heading, "Manual Intervention Required");
    let expected = [
        "Decision: REJECT",
        "Grade: D",
        "Reason: the reviewer states REJECT: feedback of REJECT",
        "Critical issues:",
        "1. src/lib.rs:7: passwords in the log → mask them",
    ];
    assert_eq!(report[..5], expected);
    assert!(!report.iter().any(|line| line.starts_with("2.")), "{report:?}");
}

#[test]
fn approval_with_a_critical_finding_is_reported_as_reject() {
    let world = play(&[approve().with(Severity::Critical, "a hole")]);
    let (_, report) = told(&world);
    let reason = "Reason: a critical finding: feedback of APPROVE";
    assert_eq!(report[..3], ["Decision: REJECT", "Grade: D", reason]);
}

#[test]
fn reject_report_counts_the_critical_issues_that_it_does_not_list() {
    let holes =
        (0..13).fold(stop("REJECT"), |review, n| review.with(Severity::Critical, &format!("hole {n:b}")));
    let world = play(&[holes]);
    let (_, report) = told(&world);
    assert_eq!(report[3..5], ["Critical issues:", "1. src/lib.rs: hole 0"]);
    assert_eq!(report[13..15], ["10. src/lib.rs: hole 1001", "… and 3 more"]);
}

#[test]
fn reject_report_has_the_worst_grade_of_the_viewpoints() {
    let mut review = approve();
    let grades =
        [("security", Grade::D), ("quality", Grade::A)].map(|(name, grade)| (name.to_owned(), grade));
    review.reading.as_mut().expect("a reading").viewpoints = grades.into();
    let world = play(&[review]);
    let (_, report) = told(&world);
    assert_eq!(report[..2], ["Decision: REJECT", "Grade: D"]);
    assert_eq!(world.first().history.rounds[0].grade, Some(Grade::D));
}

#[test]
fn stop_of_a_reviewer_is_reported_as_a_failed_verification() {
    let mut review = stop("Stop").with(Severity::Major, "`npm ci` ends with EACCES");
    let finding = &mut review.reading.as_mut().expect("a reading").findings[0];
    (finding.category, finding.suggestion) =
        ("environment_error".into(), Some("give the job its token".into()));
    let world = play(&[review]);
    let (heading, report) = told(&world);
    assert_eq!(heading, "Verification Failed");
    let expected = [
        "Decision: STOP",
        "Grade: N/A",
        "Failure type: environment_error",
        "Failed command: npm ci",
        "Required fixes: the reviewer states Stop: feedback of Stop",
        "1. src/lib.rs: `npm ci` ends with EACCES → give the job its token",
    ];
    assert_eq!(report[..6], expected);
    let world = play(&[stop("STOP")]);
    let unnamed =
        ["Failure type: none was found in the review", "Failed command: none was found in the review"];
    assert_eq!(told(&world).1[2..4], unnamed);
}

#[test]
fn every_question_has_the_decision_in_the_words_of_the_policy() {
    let major = || request_changes().with(Severity::Major, "a problem");
    let mut asked = Vec::new();
    for (reviews, decision) in [
        (vec![major(), states("FAIL", Verdict::Fail, Judgment::Revise), major()], "REQUEST_CHANGES"),
        (vec![stop("REJECT")], "REJECT"),
        (vec![stop("STOP")], "STOP"),
        (vec![super::world::unreadable()], "REQUEST_CHANGES"),
    ] {
        let world = play(&reviews);
        let paused = world.run().paused.as_ref().expect("a question");
        assert_eq!(paused.report[0], format!("Decision: {decision}"));
        let lines = views::summary::question_lines(world.run(), paused);
        assert_eq!(lines.to_lowercase().matches("decision: ").count(), 1, "{lines}");
        asked.push(lines);
    }
    insta::assert_snapshot!(asked[0]);
    let mut policy = retake();
    policy.limits.max_revisions = 0;
    let checks = vec![vec![("build".into(), CheckStatus::Fail)]];
    let world = World::play(phase("implementation", policy), Script { checks, ..Script::default() });
    let paused = world.run().paused.as_ref().expect("a question");
    assert_eq!(paused.report[0], "Decision: REQUEST_CHANGES", "whoever judged");
    let world = World::play(
        phase("planning", super::policies::phase_review()),
        Script { reviews: vec![stop("FAIL")], ..Script::default() },
    );
    assert_eq!(told(&world).1[0], "Decision: FAIL", "a policy without further words uses the common ones");
}

#[test]
fn stop_report_names_failure_kind_command_and_fixes() {
    let mut questions = Vec::new();
    for (check, status, kind) in [
        ("build", CheckStatus::Fail, "build_failure"),
        ("tests", CheckStatus::Fail, "test_failure"),
        ("tests", CheckStatus::Unavailable, "environment_error"),
    ] {
        let mut policy = retake();
        policy.checks.iter_mut().for_each(|rule| rule.on_fail = OnFail::Stop);
        let script = Script { checks: vec![vec![(check.into(), status)]], ..Script::default() };
        let world = World::play(phase("implementation", policy), script);
        assert_eq!(
            (world.history(), world.first().history.rounds[0].attempts),
            (vec!["pause"], 1),
            "{check}"
        );
        let (heading, report) = told(&world);
        assert_eq!(heading, "Verification Failed");
        let expected = [
            "Decision: STOP".to_owned(),
            "Grade: N/A".to_owned(),
            format!("Failure type: {kind}"),
            format!("Failed command: {check}"),
            format!("Required fixes: {check} was looked at"),
        ];
        assert_eq!(report[..5], expected);
        let asked = world.run().paused.as_ref().expect("one");
        questions.push(views::summary::question_lines(world.run(), asked));
    }
    insta::assert_snapshot!(questions.join("\n"));
}

#[test]
fn retake_decision_table_is_defined_in_settings() {
    let settings = super::policies::defaults();
    let policy = &settings.policies["retake"];
    let rule = policy.review.as_ref().expect("a review");
    let means = |word: &str| rule.verdict_map[word];
    assert_eq!(
        ["APPROVE", "REQUEST_CHANGES", "REJECT", "STOP"].map(means),
        [Judgment::Approve, Judgment::Revise, Judgment::Block, Judgment::Block]
    );
    let graded = [Grade::A, Grade::B, Grade::C, Grade::D].map(|grade| rule.grade_map.judgment(grade));
    let expected = [Judgment::Approve, Judgment::Approve, Judgment::Revise, Judgment::Block];
    assert_eq!(graded, expected.map(Some));
    assert_eq!((rule.on_critical, rule.blocking), (Judgment::Block, Severity::Major));
    assert_eq!(rule.viewpoints, ["security", "performance", "quality", "compatibility"]);
    let checks: Vec<&str> = policy.checks.iter().map(|rule| rule.id.as_str()).collect();
    assert_eq!(checks, ["deliverable", "build", "tests"]);
}

#[test]
fn three_revisions_are_counted_and_the_next_pauses() {
    for retakes in 0..=3 {
        let mut reviews = vec![request_changes(); retakes];
        reviews.push(approve());
        let world = play(&reviews);
        assert_eq!(world.run().outcome, RunOutcome::Completed);
        assert_eq!(world.first().counters.revisions as usize, retakes);
    }
    let world = play(&[request_changes()]);
    assert_eq!(world.history(), ["revise", "revise", "revise", "pause"]);
    assert_eq!(world.first().reason.as_deref(), Some("exhausted"));
    assert_eq!(
        world.last_rule(),
        "the reviewer states REQUEST_CHANGES; revisions 3/3 used; on exhausted: pause"
    );
}

#[test]
fn revision_is_checked_and_reviewed_again() {
    let world = play(&[request_changes(), approve()]);
    let step = |fact: &Fact| match fact {
        Fact::Worked(worked) => Some(worked.step.as_str()),
        Fact::Checked(_) => Some("check"),
        Fact::Reviewed(_) => Some("review"),
        _ => None,
    };
    let steps: Vec<&str> = world.entries.iter().filter_map(|entry| step(&entry.fact)).collect();
    assert_eq!(steps, ["execute", "check", "review", "revise", "check", "review"]);
}

#[test]
fn build_failures_and_change_requests_share_the_revision_limit() {
    let checks = vec![vec![("build".into(), CheckStatus::Fail)], vec![]];
    let script = Script { checks, reviews: vec![request_changes()], ..Script::default() };
    let world = World::play(phase("implementation", retake()), script);
    assert_eq!(world.history(), ["revise", "revise", "revise", "pause"]);
    assert_eq!(world.first().counters.reviews, 3);
}

#[test]
fn partial_work_does_not_hide_a_check_with_stop_rule() {
    let mut policy = retake();
    policy.checks[0].on_fail = model::policy::OnFail::Stop;
    policy.partial = model::policy::OnPartial::Redo;
    let checks = vec![vec![("build".into(), CheckStatus::Fail)]];
    let work = vec![super::world::ends(ExecOutcome::Partial)];
    let world = World::play(phase("implementation", policy), Script { work, checks, ..Script::default() });
    assert_eq!(world.history(), ["pause"]);
}
