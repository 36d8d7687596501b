//! Does the same work for many things on several processors and returns the results in the order of the things. For what is
//! dear for each file; decides nothing.

use rayon::prelude::*;

use model::event::Place;

/// Returns what the work makes of each thing.
pub(super) fn each<T: Sync, R: Send>(things: &[T], work: impl Fn(&T) -> R + Send + Sync) -> Vec<R> {
    things.par_iter().map(work).collect()
}

/// Drops things that take long to drop, such as syntax trees.
pub(super) fn release<T: Send>(things: Vec<T>) {
    things.into_par_iter().for_each(drop);
}

/// Returns the places that a rule finds in files.
pub(super) fn places<T: Sync, P: IntoIterator<Item = Place> + Send>(
    files: &[T],
    rule: impl Fn(&T) -> P + Send + Sync,
) -> Vec<Place> {
    each(files, rule).into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_thing_is_done_once_and_in_order() {
        for count in [0, 1, 16, 17, 1_000] {
            let things: Vec<usize> = (0..count).collect();
            let expected: Vec<usize> = things.iter().map(|thing| thing * 2).collect();
            assert_eq!(each(&things, |thing| thing * 2), expected);
        }
    }
}
