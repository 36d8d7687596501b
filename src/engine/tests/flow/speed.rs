//! A long log folds quickly: resuming is the first line of every command.

use std::time::Duration;

use engine::fold;
use model::event::{PauseChoice, RunOutcome};
use rustix::time::{ClockId, clock_gettime};

use super::policies::{agreement, phase, retake};
use super::world::{Script, World, fails};

/// Time of the processor, which other tests on the same cores do not change.
const MOMENT: Duration = Duration::from_millis(100);

#[test]
fn five_thousand_entries_are_replayed_quickly() {
    let names = ["planning", "requirements", "design", "implementation", "testing", "report"];
    let mut world = World::new(agreement(names.map(|name| phase(name, retake())).to_vec()));
    world.limit = 6_000;
    let planning = world.run().phases[0].name().clone();
    world = world.script(&planning, Script { reviews: vec![fails()], ..Script::default() });
    world.execute();
    while world.entries.len() < 5_000 {
        assert_eq!(world.answer(PauseChoice::Continue, "once more"), RunOutcome::Paused);
    }
    let times: Vec<Duration> = undisturbed(&world);
    let took = times.iter().min().expect("a time");
    assert!(*took < MOMENT, "{times:?} for {} entries", world.entries.len());
}

/// Measures until it was quick enough once: the first time reads the log into the caches.
fn undisturbed(world: &World) -> Vec<Duration> {
    let mut times = Vec::new();
    while times.len() < 20 && !times.iter().any(|took| *took < MOMENT) {
        times.push(time_to_fold(world));
    }
    times
}

fn time_to_fold(world: &World) -> Duration {
    let begun = processor_time();
    let state = fold(&world.entries);
    let took = processor_time().saturating_sub(begun);
    assert_eq!(state.map(|state| state.seq), Ok(world.state.seq));
    took
}

/// Returns how long this thread has been on a core.
fn processor_time() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    let (seconds, nanos) = (u64::try_from(now.tv_sec), u32::try_from(now.tv_nsec));
    Duration::new(seconds.expect("not before the start"), nanos.expect("less than a second"))
}
