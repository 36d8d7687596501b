use pager::{page, page_count};

#[test]
fn full_pages_are_counted() {
    assert_eq!(page_count(20, 10), 2);
}

#[test]
fn the_last_page_counts_although_it_is_not_full() {
    assert_eq!(page_count(21, 10), 3);
}

#[test]
fn the_last_page_holds_the_rest() {
    assert_eq!(page(&[1, 2, 3], 2, 2), [3]);
}
