//! What the log cannot say after a crash: between each effect and its fact it is unknown, neither done nor failed.

use engine::fold;
use model::event::{Fact, RunOutcome};
use model::phase::Step;
use views::summary::{Unknown, find_unknown};

use super::policies::{agreement, phase, phase_review};
use super::world::{Script, World, name};

/// The last fact of a beginning of the log, and what is unknown when the process dies after it.
fn after_each_fact(world: &World) -> Vec<(&Fact, Option<Unknown>)> {
    let unknown = |count: usize| {
        let known = &world.entries[..count];
        find_unknown(&fold(known).expect("a beginning of the log"), known)
    };
    (1..=world.entries.len()).map(|count| (&world.entries[count - 1].fact, unknown(count))).collect()
}

#[test]
fn between_an_effect_and_its_fact_the_log_cannot_say_whether_it_happened() {
    let world = World::play(phase("planning", phase_review()), Script::default());
    assert_eq!(world.run().outcome, RunOutcome::Completed);
    let planning = || name("planning");
    for (fact, unknown) in after_each_fact(&world) {
        let expected = match fact {
            Fact::StepStarted(begun) => {
                Some(Unknown::Call { phase: planning(), step: begun.step, attempt: begun.attempt })
            }
            Fact::Worked(_) => Some(Unknown::Checks { phase: planning() }),
            Fact::Ruled(_) => Some(Unknown::Commit { phase: planning() }),
            Fact::Committed { .. } => Some(Unknown::Publication),
            _ => None,
        };
        assert_eq!(unknown, expected, "after {fact:?}");
    }
}

#[test]
fn call_that_the_process_stopped_itself_is_not_unknown() {
    let mut world = World::play(phase("planning", phase_review()), Script::default());
    let begun = world.entries.iter().position(|entry| matches!(entry.fact, Fact::StepStarted(_)));
    world.entries.truncate(begun.expect("a call") + 1);
    world.state = fold(&world.entries).expect("a beginning of the log");
    let call = Unknown::Call { phase: name("planning"), step: Step::Execute, attempt: 1 };
    assert_eq!(find_unknown(&world.state, &world.entries), Some(call));
    world.record(Fact::Interrupted { signal: "SIGTERM".into() });
    assert_eq!(find_unknown(&world.state, &world.entries), None);
}

#[test]
fn checks_and_a_push_that_nobody_stopped_are_unknown() {
    let two = vec![phase("planning", phase_review()), phase("design", phase_review())];
    let mut world = World::new(agreement(two));
    world.execute();
    let unknown = after_each_fact(&world);
    let pushed = unknown.iter().find(|(fact, _)| matches!(fact, Fact::Committed { .. }));
    assert_eq!(
        pushed.and_then(|(_, unknown)| unknown.clone()),
        Some(Unknown::Push { phase: name("planning") })
    );
    let worked = world.entries.iter().position(|entry| matches!(entry.fact, Fact::Worked(_)));
    world.entries.truncate(worked.expect("a call") + 1);
    world.state = fold(&world.entries).expect("a beginning of the log");
    world.record(Fact::Interrupted { signal: "SIGTERM".into() });
    assert_eq!(find_unknown(&world.state, &world.entries), None);
}
