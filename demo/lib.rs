//! Splits a list into pages.

/// Returns how many pages `items` entries fill when each page holds `per_page` of them.
pub fn page_count(items: usize, per_page: usize) -> usize {
    items / per_page
}

/// Returns the entries of a page; pages count from 1.
pub fn page<T>(items: &[T], number: usize, per_page: usize) -> &[T] {
    let from = (number - 1) * per_page;
    let to = (from + per_page).min(items.len());
    &items[from.min(to)..to]
}
