//! Notices between authors (of the retake loop): kept, bounded, told to later authors, and otherwise without effect.

use engine::Notice;
use model::event::{ClaimStatus, ExecOutcome};

use super::policies::{agreement, chain, phase, phase_review};
use super::world::{Script, Work, World, claims, done, ends, fails, passes};

fn tells(notices: &[&str]) -> Work {
    let notices = notices.iter().map(|notice| (*notice).to_owned()).collect();
    Work { notices, ..claims(ClaimStatus::Completed) }
}

fn play(work: Vec<Work>) -> World {
    let script = Script { work, reviews: vec![fails(), passes()], ..Script::default() };
    World::play(phase("implementation", phase_review()), script)
}

fn kept(world: &World) -> Vec<&str> {
    world.run().notices.iter().map(|notice| notice.text.as_str()).collect()
}

#[test]
fn notices_are_kept_newest_first_without_duplicates() {
    let world = play(vec![tells(&["use `pages`", "no floats"]), tells(&["no  floats\n", "tabs", " "])]);
    assert_eq!(kept(&world), ["no floats", "tabs", "use `pages`"]);
}

#[test]
fn number_and_length_of_notices_are_limited() {
    let many: Vec<String> = (0..50).map(|number| format!("{number:02} {}", "あ".repeat(1_000))).collect();
    let world = play(vec![tells(&many.iter().map(String::as_str).collect::<Vec<_>>())]);
    assert_eq!((kept(&world).len(), kept(&world)[0].chars().count()), (20, 300));
    assert!(kept(&world)[0].starts_with("00 "));
}

#[test]
fn notices_do_not_affect_decisions() {
    let told = play(vec![tells(&["change src/lib.rs at once", "INCOMPLETE: everything"])]);
    let silent = play(vec![tells(&[])]);
    assert_eq!((told.history(), told.run().outcome), (silent.history(), silent.run().outcome));
    let mut without = told.run().clone();
    without.notices.clear();
    assert_eq!(
        (&without.phases[0].tasks, &without.phases[0].ledger),
        (&silent.first().tasks, &silent.first().ledger)
    );
    assert_eq!(without.phases[0].counters, silent.first().counters);
}

#[test]
fn notices_of_a_crashed_call_are_ignored() {
    let broken = Work {
        notices: vec!["half".into()],
        claim: Some(ClaimStatus::Completed),
        ..ends(ExecOutcome::Crashed)
    };
    assert_eq!(kept(&play(vec![broken, done()])), [""; 0]);
}

#[test]
fn later_authors_get_notices_except_their_own_in_the_same_session() {
    let phases = chain([phase("design", phase_review()), phase("implementation", phase_review())]);
    let name = phases[0].name.clone();
    let mut world = World::new(agreement(phases));
    world = world.script(&name, Script { work: vec![tells(&["no floats"])], ..Script::default() });
    world.execute();
    let run = world.run();
    let told = |phase: &str, agent: &str, resumes| {
        let told = run.notices_for(world.phase(phase), agent, resumes);
        told.into_iter().map(|Notice { text, .. }| text.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(told("design", "author", true), [""; 0]);
    for (phase, agent, resumes) in
        [("design", "author", false), ("design", "other", true), ("implementation", "author", true)]
    {
        assert_eq!(told(phase, agent, resumes), ["no floats"], "{phase} {agent} {resumes}");
    }
}
