//! Does the same work for many things on several processors and returns the results in the order of the things. For what is
//! dear for each file; decides nothing.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::Place;

const WORKERS: usize = 4;

/// So many things are taken at once at most.
const PIECE: usize = 16;

/// Returns what the work makes of each thing.
pub(super) fn each<T: Sync, R: Send>(things: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let workers = thread::available_parallelism().map_or(1, usize::from).min(WORKERS);
    let piece = (things.len() / (workers * 4)).clamp(1, PIECE);
    if workers == 1 || things.len() == 1 {
        return things.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let pieces = || {
        let taken = std::iter::from_fn(|| {
            let from = next.fetch_add(piece, Ordering::Relaxed);
            let taken = things.get(from..things.len().min(from + piece))?;
            (!taken.is_empty()).then(|| (from, taken.iter().map(&work).collect::<Vec<R>>()))
        });
        taken.collect::<Vec<(usize, Vec<R>)>>()
    };
    let mut done: Vec<(usize, Vec<R>)> = thread::scope(|scope| {
        let started: Vec<_> = (0..workers).map(|_| scope.spawn(pieces)).collect();
        started.into_iter().flat_map(|one| one.join().expect("reading a text does not panic")).collect()
    });
    done.sort_by_key(|(from, _)| *from);
    done.into_iter().flat_map(|(_, results)| results).collect()
}

/// Returns the places that a rule finds in files.
pub(super) fn places<T: Sync, P: IntoIterator<Item = Place> + Send>(
    files: &[T],
    rule: impl Fn(&T) -> P + Sync,
) -> Vec<Place> {
    each(files, rule).into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_thing_is_done_once_and_in_order() {
        for count in [0, 1, PIECE, PIECE + 1, 1_000] {
            let things: Vec<usize> = (0..count).collect();
            let expected: Vec<usize> = things.iter().map(|thing| thing * 2).collect();
            assert_eq!(each(&things, |thing| thing * 2), expected);
        }
    }
}
