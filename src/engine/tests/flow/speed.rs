//! A long log folds quickly: resuming is the first line of every command.

use std::time::{Duration, Instant};

use engine::fold;
use model::event::{Choice, Outcome};

use super::policies::{agreement, phase, retake};
use super::world::{Script, World, fails};

const MOMENT: Duration = Duration::from_millis(100);

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
    let times: Vec<Duration> = undisturbed(&world);
    let took = times.iter().min().expect("a time");
    assert!(*took < MOMENT, "{times:?} for {} entries", world.entries.len());
}

/// Measures until it was quick enough once: other tests run on the same cores.
fn undisturbed(world: &World) -> Vec<Duration> {
    let mut times = Vec::new();
    while times.len() < 20 && !times.iter().any(|took| *took < MOMENT) {
        times.push(time_to_fold(world));
    }
    times
}

fn time_to_fold(world: &World) -> Duration {
    let begun = Instant::now();
    let state = fold(&world.entries);
    let took = begun.elapsed();
    assert_eq!(state.map(|state| state.seq), Ok(world.state.seq));
    took
}
