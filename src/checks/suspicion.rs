//! What looks like a cheat, and how surely. What is sure refuses the work; what is only likely is told to the reviewer.

use model::event::Place;

/// A place that looks like a cheat.
#[derive(Debug)]
pub(super) struct Suspicion {
    pub(super) place: Place,
    /// No honest change looks like this.
    pub(super) sure: bool,
}

/// Returns the places of what is sure, or of what is only likely.
pub(super) fn places<'s>(suspicions: impl IntoIterator<Item = &'s Suspicion>, sure: bool) -> Vec<Place> {
    let wanted = suspicions.into_iter().filter(|suspicion| suspicion.sure == sure);
    let mut places: Vec<Place> = wanted.map(|suspicion| suspicion.place.clone()).collect();
    places.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    places.dedup_by(|a, b| (&a.file, a.line, &a.what) == (&b.file, b.line, &b.what));
    places
}
