//! Second opinions: each is heard once a round, they only tighten, and one that nobody gives is done without, aloud.

use engine::{Status, apply};
use model::event::{ExecOutcome, Fact, PauseReason, Reviewed, Ruled, Ruling, StepStarted};
use model::finding::{Finding, Severity};
use model::policy::{PanelReviewer, PhaseDef, Policy};
use model::verdict::{Grade, Judgment, Verdict};

use super::policies::{phase, phase_review, retake};
use super::world::{Review, Script, World, fails, finding, no_answer, passes, states, unreadable};

fn seat(name: &str) -> PanelReviewer {
    PanelReviewer { name: name.into(), agents: vec![format!("{name}-agent")], ..PanelReviewer::default() }
}

fn required(name: &str) -> PanelReviewer {
    PanelReviewer { required: true, ..seat(name) }
}

fn with(policy: Policy, panel: Vec<PanelReviewer>) -> PhaseDef {
    PhaseDef { panel, ..phase("implementation", policy) }
}

/// Plays a phase whose reviews come in the order in which they are asked for.
fn play(panel: &[PanelReviewer], reviews: &[Review]) -> World {
    let script = Script { reviews: reviews.to_vec(), ..Script::default() };
    World::play(with(phase_review(), panel.to_vec()), script)
}

fn breaks(outcome: ExecOutcome) -> Review {
    Review { outcome, ..no_answer() }
}

fn graded(grade: Grade, review: Review) -> Review {
    let mut review = review;
    review.reading.as_mut().expect("a review that was read").grade = Some(grade);
    review
}

/// The reviewers in the order in which they were called.
fn called(world: &World) -> Vec<String> {
    let of = |fact: &Fact| match fact {
        Fact::StepStarted(StepStarted { step: model::phase::Step::Review, agent, seat, .. }) => {
            Some(seat.as_ref().map_or_else(|| agent.clone(), |seat| format!("{agent} as {seat}")))
        }
        _ => None,
    };
    world.entries.iter().filter_map(|entry| of(&entry.fact)).collect()
}

fn calls(world: &World) -> usize {
    world.count(|fact| matches!(fact, Fact::StepStarted(_)))
}

#[test]
fn each_panel_reviewer_is_called_once_per_round_after_the_first_reviewer() {
    let world = play(&[seat("one"), required("two")], &[passes()]);
    assert_eq!(called(&world), ["reviewer", "one-agent as one", "two-agent as two"]);
    assert_eq!((world.history(), calls(&world)), (vec!["advance"], 4));
    assert_eq!((world.first().counters.reviews, world.first().history.rounds[0].attempts), (1, 4));
}

#[test]
fn fail_of_a_second_reviewer_leads_to_a_revision() {
    let world = play(&[seat("one")], &[passes(), fails(), passes()]);
    assert_eq!(world.history(), ["revise", "advance"]);
    assert_eq!(world.rulings("implementation")[0].rule, "one: the reviewer states FAIL; revision 1/3");
    assert_eq!(calls(&world), 6, "execute, two reviews, revise, two reviews");
    assert_eq!(world.first().history.rounds[0].verdict, Some(Verdict::Fail));
}

#[test]
fn fail_of_the_first_reviewer_holds_and_the_second_is_still_called() {
    let second = passes().with(Severity::Minor, "a typo");
    let world = play(&[seat("one")], &[fails().with(Severity::Major, "wrong sum"), second, passes()]);
    assert_eq!((world.history(), calls(&world)), (vec!["revise", "advance"], 6));
    let told: Vec<&str> =
        world.first().history.rounds[0].findings.iter().map(|it| it.issue.as_str()).collect();
    assert_eq!(told, ["wrong sum", "a typo"]);
}

#[test]
fn critical_finding_of_a_second_reviewer_leads_to_a_revision() {
    for policy in [phase_review(), retake()] {
        for grade in [Grade::A, Grade::C] {
            let critical = graded(Grade::A, passes()).with(Severity::Critical, "a hole");
            let reviews = vec![graded(grade, passes()), critical, passes()];
            let script = Script { reviews, ..Script::default() };
            let world = World::play(with(policy.clone(), vec![seat("one")]), script);
            assert_eq!(world.history()[0], "revise", "{grade}");
            assert_eq!(world.first().history.rounds[0].verdict, Some(Verdict::Fail));
        }
    }
}

#[test]
fn grade_of_an_opinion_is_never_better_than_what_it_leads_to() {
    let critical = graded(Grade::A, passes()).with(Severity::Critical, "a hole");
    let reject = graded(Grade::C, states("REJECT", Verdict::Fail, Judgment::Block));
    for (policy, first, shown) in [
        (retake(), graded(Grade::A, fails()), [Grade::C, Grade::C]),
        (retake(), reject, [Grade::D, Grade::C]),
        (retake(), graded(Grade::B, passes()), [Grade::B, Grade::C]),
        (phase_review(), graded(Grade::A, fails()), [Grade::C, Grade::C]),
        (phase_review(), graded(Grade::D, passes()), [Grade::D, Grade::C]),
    ] {
        let script = Script { reviews: vec![first, critical.clone(), passes()], ..Script::default() };
        let world = World::play(with(policy, vec![seat("one")]), script);
        let opinions = &world.first().history.rounds[0].opinions;
        let grades: Vec<Option<Grade>> = opinions.iter().map(|opinion| opinion.grade).collect();
        assert_eq!(grades, shown.map(Some));
    }
}

#[test]
fn grade_of_a_refusal_is_never_better_than_it_without_a_grade_map() {
    let reject = graded(Grade::A, states("REJECT", Verdict::Fail, Judgment::Block));
    for (review, shown) in [
        (graded(Grade::A, fails()), Some(Grade::C)),
        (graded(Grade::B, passes()).with(Severity::Critical, "a hole"), Some(Grade::C)),
        (graded(Grade::D, fails()), Some(Grade::D)),
        (reject, Some(Grade::D)),
        (fails(), None),
        (graded(Grade::A, passes()), Some(Grade::A)),
        (graded(Grade::B, super::world::doubtful()), Some(Grade::C)),
    ] {
        let script = Script { reviews: vec![review], ..Script::default() };
        let world = World::play(phase("planning", phase_review()), script);
        assert_eq!(world.first().history.rounds[0].grade, shown);
    }
}

#[test]
fn critical_finding_of_the_first_reviewer_or_a_split_viewpoint_stops_a_policy_that_says_so() {
    let mut split = retake();
    split.review.as_mut().expect("a review").split = true;
    let critical = || passes().with(Severity::Critical, "a hole");
    for (policy, name, reviews) in [
        (retake(), "one", vec![critical(), passes()]),
        (retake(), "one", vec![critical(), critical()]),
        (split, "security", vec![passes(), critical()]),
    ] {
        let world = World::play(with(policy, vec![seat(name)]), Script { reviews, ..Script::default() });
        assert_eq!(world.history()[0], "pause", "{name}");
    }
}

#[test]
fn reject_of_any_panel_reviewer_blocks() {
    let reject = states("REJECT", Verdict::Fail, Judgment::Block);
    for reviews in
        [vec![reject.clone(), passes()], vec![passes(), reject.clone()], vec![reject, unreadable()]]
    {
        let script = Script { reviews, ..Script::default() };
        let world = World::play(with(retake(), vec![seat("one")]), script);
        assert_eq!(world.history().last(), Some(&"pause"));
        assert_eq!(world.first().reason.as_deref(), Some("blocked"));
    }
}

#[test]
fn silent_second_reviewer_is_left_out_and_recorded() {
    let world = play(&[seat("one")], &[passes(), no_answer()]);
    assert_eq!(world.history(), ["redo", "redo", "leave_out", "advance"]);
    assert_eq!(calls(&world), 5, "execute, the first review, and three tries of the second");
    let why = "review: it took too long; redos 2/2 used; one is left out";
    assert_eq!(world.first().reviews.left_out.get("one").map(String::as_str), Some(why));
    assert_eq!(world.first().status, Status::Completed);
}

#[test]
fn unusable_second_reviewer_is_left_out_after_one_call() {
    for outcome in [ExecOutcome::NotStarted, ExecOutcome::SignedOut, ExecOutcome::QuotaExhausted] {
        let world = play(&[seat("one")], &[passes(), breaks(outcome)]);
        assert_eq!(world.history(), ["leave_out", "advance"], "{outcome:?}");
        assert_eq!(calls(&world), 3, "{outcome:?}");
    }
}

#[test]
fn silent_required_second_reviewer_pauses_the_run() {
    let world = play(&[required("one")], &[passes(), no_answer()]);
    assert_eq!((world.history(), calls(&world)), (vec!["redo", "redo", "pause"], 5));
    let asked = world.run().paused.as_ref().expect("a question");
    assert_eq!(asked.reason, PauseReason::ReviewerUnavailable);
    let world = play(&[required("one")], &[passes(), breaks(ExecOutcome::QuotaExhausted)]);
    assert_eq!(world.run().paused.as_ref().map(|asked| asked.reason), Some(PauseReason::Quota));
}

#[test]
fn after_a_quota_pause_only_the_second_reviewer_is_called_again() {
    let reviews = [passes(), breaks(ExecOutcome::QuotaExhausted), passes()];
    let mut world = play(&[required("one")], &reviews);
    world.execute();
    assert_eq!(called(&world), ["reviewer", "one-agent as one", "one-agent as one"]);
    assert_eq!(world.first().status, Status::Completed);
}

#[test]
fn unreadable_second_reviewer_is_repeated_then_revised_and_never_left_out() {
    let world = play(&[seat("one")], &[passes(), unreadable(), unreadable(), passes()]);
    assert_eq!(world.history(), ["redo", "revise", "advance"]);
    assert_eq!(calls(&world), 7, "execute, the first review, the second twice, revise, two reviews");
    let rule = &world.rulings("implementation")[1].rule;
    assert_eq!(rule, "one: the review cannot be read: no marker; asked again 1/1; revision 1/3");
    let once = play(&[seat("one")], &[passes(), unreadable(), passes()]);
    assert_eq!((once.history(), calls(&once)), (vec!["redo", "advance"], 4));
}

#[test]
fn each_unreadable_reviewer_is_repeated_on_its_own_limit() {
    let reviews = [unreadable(), passes(), unreadable(), passes()];
    let world = play(&[seat("one")], &reviews);
    assert_eq!((world.history(), calls(&world)), (vec!["redo", "redo", "advance"], 5));
}

#[test]
fn each_panel_reviewer_has_its_own_redos_and_fallback_agents() {
    let two = PanelReviewer { agents: vec!["first".into(), "next".into()], ..seat("two") };
    let silent = no_answer();
    let reviews = [
        silent.clone(),
        silent.clone(),
        passes(),
        passes(),
        silent.clone(),
        silent.clone(),
        silent,
        passes(),
    ];
    let world = play(&[seat("one"), two], &reviews);
    let tries = ["reviewer", "reviewer", "reviewer", "one-agent as one"];
    let of_two = ["first as two", "first as two", "first as two", "next as two"];
    assert_eq!(called(&world), [tries, of_two].concat());
    assert_eq!(world.history().last(), Some(&"advance"));
}

#[test]
fn panel_reviewer_without_agents_uses_the_main_reviewers_program() {
    let own = PanelReviewer { agents: vec![], ..seat("security") };
    let world = play(&[own], &[passes()]);
    assert_eq!(called(&world), ["reviewer", "reviewer as security"]);
}

#[test]
fn crash_between_two_reviewers_does_not_repeat_a_finished_review() {
    let reviews = [passes(), fails(), unreadable(), passes()];
    let full = play(&[seat("one"), required("two")], &reviews);
    assert_eq!(full.history(), ["redo", "revise", "advance"], "two rounds");
    for length in 1..full.entries.len() {
        let mut resumed = full.cut(length);
        resumed.execute();
        let answered = |world: &World| {
            let of = |fact: &Fact| match fact {
                Fact::Reviewed(review) => Some((review.round, review.seat.clone())),
                _ => None,
            };
            world.entries.iter().filter_map(|entry| of(&entry.fact)).collect::<Vec<_>>()
        };
        assert_eq!(answered(&resumed), answered(&full), "cut after {length}");
        assert_eq!(resumed.history(), full.history(), "cut after {length}");
        let under_way = usize::from(matches!(full.entries[length - 1].fact, Fact::StepStarted(_)));
        assert_eq!(calls(&resumed), calls(&full) + under_way, "cut after {length}");
    }
}

#[test]
fn grades_only_make_the_ruling_stricter() {
    let map = |text: &str| toml::from_str(text).expect("a grade map");
    for (grade, word, ruling) in [
        (Grade::A, passes(), "advance"),
        (Grade::B, passes(), "advance"),
        (Grade::C, passes(), "revise"),
        (Grade::D, passes(), "pause"),
        (Grade::A, fails(), "revise"),
        (Grade::D, fails(), "pause"),
    ] {
        let mut policy = retake();
        let rule = policy.review.as_mut().expect("a review");
        rule.grade_map = map("A = 'approve'\nB = 'approve'\nC = 'revise'\nD = 'block'");
        let reviews = vec![graded(grade, word), passes()];
        let world = World::play(phase("implementation", policy), Script { reviews, ..Script::default() });
        assert_eq!(world.history()[0], ruling, "{grade}");
    }
}

#[test]
fn grades_are_ignored_without_a_map_and_never_soften_a_fail() {
    let world = play(&[], &[graded(Grade::D, passes())]);
    assert_eq!(world.history(), ["advance"]);
    let world = play(&[seat("one")], &[graded(Grade::A, fails()), passes()]);
    assert_eq!(world.history()[0], "revise");
}

#[test]
fn approval_of_a_second_reviewer_that_saw_other_files_is_repeated() {
    let moved = Review { moved: true, ..passes() };
    let world = play(&[seat("one")], &[passes(), moved, passes()]);
    assert_eq!(world.history(), ["redo", "advance"]);
    assert!(world.last_rule().starts_with("the reviewer states PASS"), "{}", world.last_rule());
}

#[test]
fn files_that_keep_changing_between_reviewers_block_the_phase() {
    let moved = Review { moved: true, ..passes() };
    let reviews = std::iter::repeat_n([passes(), moved], 20).flatten().collect();
    let policy = Policy { checks: vec![], ..phase_review() };
    let world = World::play(with(policy, vec![seat("one")]), Script { reviews, ..Script::default() });
    assert_eq!(world.history(), ["redo", "redo", "pause"]);
    assert_eq!((world.first().reason.as_deref(), calls(&world)), (Some("blocked"), 7));
    insta::assert_snapshot!(world.last_rule(), @"the reviewer states PASS; not approved: the files changed between check and review; on blocked: pause");
}

#[test]
fn facts_of_reviewers_that_are_not_due_are_refused() {
    let full = play(&[required("one")], &[passes(), no_answer()]);
    for (index, entry) in full.entries.iter().enumerate() {
        let mut state = full.cut(index).state;
        let strange = match entry.fact.clone() {
            Fact::Reviewed(review) => {
                let seat = if review.seat.is_none() { Some("one".to_owned()) } else { None };
                Fact::Reviewed(Reviewed { seat, ..review })
            }
            Fact::Ruled(ruled) => {
                Fact::Ruled(Ruled { ruling: Ruling::LeaveOut { seat: "one".into() }, ..ruled })
            }
            _ => continue,
        };
        let mut entry = entry.clone();
        entry.fact = strange;
        assert!(apply(&mut state, &entry).is_err(), "{:?}", entry.fact);
    }
}

#[test]
fn acceptance_by_a_person_needs_no_second_review() {
    let mut world = play(&[required("one")], &[passes(), no_answer()]);
    world.answer(model::event::PauseChoice::Accept, "");
    assert_eq!(world.history().last(), Some(&"advance"));
}

#[test]
fn same_finding_of_two_reviewers_is_listed_once_with_the_higher_severity() {
    let minor = finding(Severity::Minor, "the sum in line 12 is wrong");
    let mut chief = passes();
    chief.reading.as_mut().expect("a reading").findings.push(minor);
    let second = passes().with(Severity::Major, "The sum in line 40 is wrong");
    let world = play(&[seat("one")], &[chief, second, passes()]);
    let [listed] = world.first().ledger.all() else { panic!("{:?}", world.first().ledger) };
    assert_eq!(listed.finding.severity, Severity::Major);
    assert_eq!(world.history()[0], "revise");
    assert_eq!(after_first(&world), "the sum in line 12 is wrong; also: The sum in line 40 is wrong");
}

#[test]
fn merged_finding_keeps_the_texts_and_names_of_both_reviewers() {
    let at = |severity, issue: &str| Finding { line: Some(7), ..finding(severity, issue) };
    let with = |finding: Finding| {
        let mut review = passes();
        review.reading.as_mut().expect("a reading").findings.push(finding);
        review
    };
    let chief = with(at(Severity::Minor, "the check must be removed"));
    let second = with(at(Severity::Major, "the check must not be removed"));
    let world = play(&[seat("one")], &[chief, second, passes()]);
    let [listed] = world.first().ledger.all() else { panic!("{:?}", world.first().ledger) };
    assert_eq!(
        after_first(&world),
        "the check must be removed; also: src/lib.rs:7: the check must not be removed"
    );
    assert_eq!(listed.finding.severity, Severity::Major);
    let found_by: Vec<String> = listed.found_by.iter().map(ToString::to_string).collect();
    assert_eq!(found_by, ["reviewer", "one-agent"]);
    let problems = views::summary::problems(world.run());
    assert_eq!(problems[0].issue, after_first(&world));
}

/// What the only finding of the phase was told to be when nobody had looked again.
fn after_first(world: &World) -> String {
    world.first().ledger.all()[0].with_latest_wording().issue
}
