//! A long log folds quickly: resuming is the first line of every command.

use std::time::{Duration, Instant};

use ai_workflow::event::{Choice, Outcome};
use ai_workflow::flow::fold;

use super::policies::{agreement, phase, retake};
use super::world::{Script, World, fails};

#[test]
fn five_thousand_entries_fold_in_a_moment() {
    let names = ["planning", "requirements", "design", "implementation", "testing", "report"];
    let mut world = World::new(agreement(names.map(|name| phase(name, retake())).to_vec()));
    world.limit = 6_000;
    let planning = world.run().phases[0].name().clone();
    world = world.script(&planning, Script { reviews: vec![fails()], ..Script::default() });
    world.execute();
    while world.entries.len() < 5_000 {
        assert_eq!(world.answer(Choice::Continue, "once more"), Outcome::Paused);
    }
    let took = (0..3).map(|_| time_to_fold(&world)).min().expect("three times");
    assert!(took < Duration::from_millis(100), "{took:?} for {} entries", world.entries.len());
}

fn time_to_fold(world: &World) -> Duration {
    let begun = Instant::now();
    let state = fold(&world.entries);
    let took = begun.elapsed();
    assert_eq!(state.map(|state| state.seq), Ok(world.state.seq));
    took
}
