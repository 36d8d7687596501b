//! What holds for every policy, every agent and every person.

use engine::{Decision, FallbackChain, PhaseState, Run, State, Status, StepPosition, apply, decide, fold};
use model::event::{Entry, Fact, Replied, Ruled, Ruling, RunOutcome};
use model::finding::Severity;
use model::phase::Step;
use model::policy::{Budget, Gate};
use model::verdict::Judgment;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::preconditions::lack;
use super::random::{clean, fact, world};
use super::world::{World, finding, phase_of};

fn played(mut world: World) -> World {
    world.play_with_humans();
    world
}

/// Shows each fact together with the state before it.
fn each_fact(world: &World, mut look: impl FnMut(&State, &[Entry], &Fact)) {
    let mut state = State::default();
    for (index, entry) in world.entries.iter().enumerate() {
        look(&state, &world.entries[..index], &entry.fact);
        apply(&mut state, entry).expect("the log of a run folds");
    }
}

fn run_of(state: &State) -> &Run {
    state.run.as_ref().expect("a run that began")
}

/// Everything a crash must not change: all but attempts, costs and times.
fn essence(world: &World) -> Vec<String> {
    let phases = world.run().phases.iter().map(essence_of);
    phases.chain([format!("{:?} {}", world.run().outcome, world.run().cycles)]).collect()
}

fn essence_of(phase: &PhaseState) -> String {
    let rounds: Vec<_> = phase
        .history
        .rounds
        .iter()
        .map(|round| {
            let answer = round.exchange.as_ref().map(engine::Exchange::answer);
            (round.n, round.verdict, round.judgment, round.ruling, &round.open, &round.standstill, answer)
        })
        .collect();
    let why = (
        &phase.reason,
        phase.incomplete,
        &phase.skipped_because,
        &phase.person.accepted_by,
        &phase.files.commit,
    );
    let steps = (
        &phase.evidence.completed_steps,
        phase.round,
        phase.position,
        turn(phase, &FallbackChain::Author),
        turn(phase, &FallbackChain::Reviewer),
    );
    format!(
        "{:?} {why:?} {steps:?} {:?} {rounds:#?} {:#?}",
        phase.status, phase.counters, phase.history.rulings
    )
}

/// The facts that a crash must neither lose nor repeat, without the numbers of attempts.
fn story(world: &World) -> Vec<Fact> {
    let told = world.entries.iter().filter_map(|entry| match entry.fact.clone() {
        Fact::StepStarted(_) | Fact::Interrupted { .. } | Fact::RunRequested(_) => None,
        Fact::Worked(worked) => Some(Fact::Worked(model::event::Worked { attempt: 0, ..worked })),
        Fact::Reviewed(reviewed) => Some(Fact::Reviewed(model::event::Reviewed { attempt: 0, ..reviewed })),
        Fact::Replied(replied) => Some(Fact::Replied(model::event::Replied { attempt: 0, ..replied })),
        Fact::Triaged(triaged) => Some(Fact::Triaged(model::event::Triaged { attempt: 0, ..triaged })),
        other => Some(other),
    });
    told.collect()
}

/// `PROPTEST_CASES` multiplies the cases of each property; 256 means once.
fn config(cases: u32) -> ProptestConfig {
    let default = ProptestConfig::default();
    ProptestConfig { cases: cases * default.cases / 256, failure_persistence: None, ..default }
}

proptest! {
    #![proptest_config(config(256))]

    #[test]
    fn every_run_ends_or_pauses_within_its_limits(world in world()) {
        let world = played(world);
        prop_assert_ne!(world.run().outcome, RunOutcome::Running);
        prop_assert_ne!(world.run().outcome, RunOutcome::Cancelled);
    }

    #[test]
    fn no_phase_advances_without_its_preconditions(world in world()) {
        let world = played(world);
        each_fact(&world, |state, before, fact| {
            if let Fact::Ruled(ruled) = fact && matches!(ruled.ruling, Ruling::Advance) {
                let def = &run_of(state).phase(&ruled.phase).expect("a phase of the run").def;
                let lack = lack(before, def, ruled.round);
                assert_eq!(lack, None, "before entry {}", state.seq + 1);
            }
        });
    }

    #[test]
    fn no_limit_is_exceeded(world in world()) {
        let world = played(world);
        each_fact(&world, |state, _, _| {
            for phase in state.run.iter().flat_map(|run| &run.phases) {
                within_limits(phase, !world.humans.is_empty());
            }
        });
    }

    #[test]
    fn author_answers_change_no_state_and_occur_once_per_round_at_most(world in world()) {
        let world = played(world);
        each_fact(&world, |state, before, fact| {
            let Fact::Replied(replied) = fact else { return };
            let earlier = before.iter().filter(|entry| {
                matches!(&entry.fact, Fact::Replied(one) if (&one.phase, one.round) == (&replied.phase, replied.round))
            });
            assert_eq!(earlier.count(), 0);
            let mut after = state.clone();
            let entry = Entry { seq: state.seq + 1, at: jiff::Timestamp::UNIX_EPOCH, fact: fact.clone() };
            apply(&mut after, &entry).expect("what was played fits");
            let [was, is] = [state, &after].map(|state| run_of(state).phase(&replied.phase).expect("a phase"));
            assert_eq!(lasting(is), lasting(was));
            heard_or_asked_again(was, is, replied);
        });
    }

    #[test]
    fn revision_counter_equals_the_number_of_revise_rulings(mut world in world()) {
        world.humans.clear();
        let world = played(world);
        each_fact(&world, |state, before, _| {
            for phase in state.run.iter().flat_map(|run| &run.phases) {
                assert_eq!(phase.counters.revisions, revisions_told(before, phase), "{:#?}", phase.history.rulings);
            }
        });
    }

    #[test]
    fn exhausted_never_means_advance(world in world()) {
        let world = played(world);
        for entry in &world.entries {
            if let Fact::Ruled(ruled) = &entry.fact && ruled.rule.contains(" used; on ") {
                prop_assert!(matches!(ruled.ruling, Ruling::Pause { .. } | Ruling::Fail { .. }), "{:?}", ruled);
            }
        }
    }

    #[test]
    fn a_phase_starts_when_its_needs_are_met_and_never_after_a_failed_one(world in world()) {
        let world = played(world);
        each_fact(&world, |state, _, fact| {
            if let Fact::PhaseStarted { phase, .. } = fact {
                let run = run_of(state);
                let needs = &run.phase(phase).expect("a phase of the run").def.needs;
                let met = |need| run.phase(need).is_some_and(|need| need.status == Status::Completed);
                assert!(needs.iter().all(met), "{phase} started too early");
                assert!(run.phases.iter().all(|phase| phase.status != Status::Failed));
            }
        });
    }

    #[test]
    fn a_completed_run_has_every_phase_completed_and_committed(world in world()) {
        let world = played(world);
        if world.run().outcome == RunOutcome::Completed {
            let done = |phase: &PhaseState| phase.status == Status::Completed && phase.files.commit.is_some();
            let mut before_the_gate = world.run().phases.iter().take_while(|phase| phase.def.gate != Gate::NoGo);
            prop_assert!(before_the_gate.all(done));
            prop_assert!(world.run().publication.is_up_to_date || world.run().phases[0].def.gate == Gate::NoGo);
        }
    }

    #[test]
    fn run_without_failures_completes_every_phase(mut world in world()) {
        world.humans.clear();
        let phases: Vec<_> = world.run().phases.iter().map(|phase| phase.name().clone()).collect();
        for phase in phases {
            world.scripts.insert(phase, clean());
        }
        let judged = |phase: &PhaseState| phase.def.policy.review.is_some() || !phase.def.policy.checks.is_empty();
        let possible = |phase: &PhaseState| judged(phase)
            && !(phase.def.decides && phase.def.policy.entry == model::policy::FirstStep::Review);
        let open = |phase: &PhaseState| phase.def.gate == Gate::Go;
        let free = world.run().spending.budget == Budget::default();
        let expected = free && world.run().phases.iter().all(|phase| possible(phase) && open(phase));
        let world = played(world);
        if expected {
            prop_assert_eq!(world.run().outcome, RunOutcome::Completed);
            let once = |phase: &PhaseState| phase.history.rulings.len() == 1 && phase.counters.revisions == 0;
            prop_assert!(world.run().phases.iter().all(once));
        }
    }

    #[test]
    fn replaying_the_facts_gives_the_same_state(world in world()) {
        let world = played(world);
        prop_assert_eq!(fold(&world.entries), Ok(world.state));
    }

    #[test]
    fn log_entries_round_trip(world in world(), fact in fact()) {
        let mut world = played(world);
        let entry = world.entry(fact);
        world.entries.push(entry);
        for entry in &world.entries {
            let line = serde_json::to_string(entry).expect("an entry is JSON");
            let read: Entry = serde_json::from_str(&line).expect("an entry is read back");
            prop_assert_eq!(&read, entry);
        }
    }
}

/// What only work, evidence, verdicts and people move.
fn lasting(phase: &PhaseState) -> String {
    let counters = &phase.counters;
    let counted = (counters.passes, counters.rounds, counters.revisions);
    let files = (
        &phase.files.tree,
        &phase.files.changed,
        &phase.evidence.work,
        &phase.evidence.author,
        turn(phase, &FallbackChain::Author),
    );
    format!("{counted:?} {files:?} {:?} {:?} {:?}", phase.ledger, phase.tasks, phase.history.rounds)
}

/// With an answer the same reviewer comes again, without one the verdict counts that it stated.
fn heard_or_asked_again(was: &PhaseState, is: &PhaseState, replied: &Replied) {
    let first = &was.reviews.exchange.as_ref().expect("questions").first;
    if replied.text.is_some() {
        assert_eq!(
            (is.position, &is.reviews.opinions),
            (StepPosition::Ready(Step::Review), &was.reviews.opinions)
        );
        assert_eq!(is.seat_due().map(|seat| &seat.name), first.seat.as_ref());
    } else {
        assert_eq!(is.reviews.opinions.last(), Some(first));
    }
}

fn turn(phase: &PhaseState, chain: &FallbackChain) -> usize {
    phase.calls.turns.get(chain).copied().unwrap_or(0)
}

fn within_limits(phase: &PhaseState, asked_by_a_person: bool) {
    let limits = &phase.def.policy.limits;
    let counters = &phase.counters;
    let most_revisions = limits.max_revisions.max(u32::from(asked_by_a_person));
    let voided = phase.counters.voided;
    if phase.def.policy.triage {
        let first = 1;
        assert!(counters.rounds <= limits.max_revisions.max(first) + voided + u32::from(asked_by_a_person));
    } else {
        let revisions = counters.revisions - counters.continuations;
        assert!(revisions <= most_revisions, "{counters:?}");
        assert!(counters.continuations <= limits.max_continuations, "{counters:?}");
    }
    assert!(counters.passes <= limits.max_passes.map_or(u32::MAX, |most| most.max(1)), "{counters:?}");
    assert!(counters.redos.values().all(|used| *used <= limits.max_redo), "{counters:?}");
    assert!(counters.format_redos <= limits.max_format_redo, "{counters:?}");
    assert!(counters.unreadable <= limits.max_unreadable, "{counters:?}");
    assert!(
        turn(phase, &FallbackChain::Author) < phase.def.agents.len()
            && turn(phase, &FallbackChain::Reviewer) < phase.def.reviewers.len()
    );
}

/// Counts the revisions of a phase since it was last opened, by the facts alone.
fn revisions_told(before: &[Entry], phase: &PhaseState) -> u32 {
    let reopened = |entry: &Entry| match &entry.fact {
        Fact::Ruled(ruled) => matches!(ruled.ruling, Ruling::Reopen { .. }),
        _ => false,
    };
    let since = before.iter().rposition(reopened).map_or(0, |index| index + 1);
    let started =
        |entry: &Entry| matches!(&entry.fact, Fact::PhaseStarted { phase: name, .. } if name == phase.name());
    let Some(begun) = before.iter().rposition(started) else { return 0 };
    if begun < since && matches!(phase.status, Status::Pending | Status::Skipped) {
        return 0;
    }
    let facts = || {
        before[begun..].iter().map(|entry| &entry.fact).filter(|fact| phase_of(fact) == Some(phase.name()))
    };
    let mut revisions = 0;
    let (mut reviewed, mut triaged, mut changed) = (None, false, false);
    for fact in facts() {
        match fact {
            Fact::Reviewed(review) => reviewed = Some(review.tree.clone()),
            Fact::Triaged(triage) => {
                (triaged, changed) = (true, reviewed.as_ref() != Some(&triage.tree));
            }
            // What is looked at once more from the checks on has no triage until it comes again.
            Fact::Ruled(ruled) if redoes(ruled, Step::Check) => (triaged, changed) = (false, false),
            Fact::Ruled(ruled) if !matches!(ruled.ruling, Ruling::Redo { .. }) => {
                let by_author = matches!(ruled.ruling, Ruling::Revise) && !triaged;
                revisions += u32::from(by_author) + u32::from(changed);
                (triaged, changed) = (false, false);
            }
            _ => {}
        }
    }
    revisions
}

fn redoes(ruled: &Ruled, which: Step) -> bool {
    matches!(ruled.ruling, Ruling::Redo { step, .. } if step == which)
}

proptest! {
    #![proptest_config(config(96))]

    #[test]
    fn crash_at_any_point_does_not_change_the_result(
        world in world(),
        cuts in proptest::collection::vec(any::<Index>(), 12),
        noticed in any::<bool>(),
    ) {
        let full = played(world.timeless());
        for cut in cuts {
            let length = 1 + cut.index(full.entries.len());
            let mut resumed = full.cut(length);
            if noticed {
                resumed.record(Fact::Interrupted { signal: "SIGTERM".into() });
            }
            resumed.limit += 2;
            resumed.play_with_humans();
            prop_assert_eq!(essence(&resumed), essence(&full), "cut after {}", length);
            prop_assert_eq!(story(&resumed), story(&full), "cut after {}", length);
        }
    }

    #[test]
    fn repeated_crashes_do_not_change_the_result(world in world()) {
        let full = played(world.clone().timeless());
        let mut crashing = world.timeless();
        crashing.limit = full.entries.len() * 3 + 10;
        loop {
            let alive_until = crashing.entries.len() + 4;
            crashing = played(crashing);
            if crashing.entries.len() <= alive_until {
                break;
            }
            crashing = crashing.cut(alive_until);
        }
        prop_assert_eq!(essence(&crashing), essence(&full));
        prop_assert_eq!(story(&crashing), story(&full));
    }

    #[test]
    fn refused_facts_leave_the_state_unchanged_and_accepted_ones_advance_it(
        world in world(),
        cut in any::<Index>(),
        facts in proptest::collection::vec(fact(), 1..60),
    ) {
        let full = played(world);
        let mut state = full.cut(1 + cut.index(full.entries.len())).state;
        for fact in facts {
            let entry = Entry { seq: state.seq + 1, at: jiff::Timestamp::UNIX_EPOCH, fact };
            let before = state.clone();
            match apply(&mut state, &entry) {
                Ok(()) => prop_assert_eq!(state.seq, before.seq + 1),
                Err(misfit) => {
                    prop_assert_eq!(misfit.seq, entry.seq);
                    prop_assert_eq!(&state, &before);
                }
            }
            record_what_is_decided(&mut state);
        }
    }

    #[test]
    fn adding_a_finding_never_makes_a_ruling_more_lenient(
        world in world(),
        severity in select(vec![Severity::Info, Severity::Minor, Severity::Major, Severity::Critical]),
    ) {
        let world = played(world);
        for (index, entry) in world.entries.iter().enumerate() {
            let Fact::Reviewed(reviewed) = &entry.fact else { continue };
            let Some(reading) = &reviewed.reading else { continue };
            let mut stricter = reviewed.clone();
            let mut more = reading.clone();
            more.findings.push(finding(severity, "one more problem"));
            stricter.reading = Some(more);
            let before = world.cut(index).state;
            let (mild, strict) = (ruled_after(&before, &entry.fact), ruled_after(&before, &Fact::Reviewed(stricter)));
            let (Some(mild), Some(strict)) = (mild, strict) else { continue };
            prop_assert!(opens(&mild.1) || !opens(&strict.1), "{:?} became {:?}", mild, strict);
            let doubted = mild.0 == Judgment::Unverifiable && strict.0 == Judgment::Revise;
            prop_assert!(strict.0 >= mild.0 || doubted, "{:?} became {:?}", mild, strict);
        }
    }
}

/// Writes what the engine decides by itself, so that random facts meet every stage.
fn record_what_is_decided(state: &mut State) {
    if let Decision::Record(fact) = decide(state) {
        let entry = Entry { seq: state.seq + 1, at: jiff::Timestamp::UNIX_EPOCH, fact: *fact };
        apply(state, &entry).expect("what the engine decides fits");
    }
}

fn opens(ruling: &Ruling) -> bool {
    matches!(ruling, Ruling::Advance | Ruling::Reopen { .. })
}

fn ruled_after(before: &State, fact: &Fact) -> Option<(Judgment, Ruling)> {
    let mut state = before.clone();
    let entry = Entry { seq: state.seq + 1, at: jiff::Timestamp::UNIX_EPOCH, fact: fact.clone() };
    apply(&mut state, &entry).expect("a review fits where a review was");
    match decide(&state) {
        Decision::Record(fact) => match *fact {
            Fact::Ruled(ruled) => Some((ruled.judgment, ruled.ruling)),
            _ => None,
        },
        Decision::Perform(_) | Decision::Halt(_) => None,
    }
}
