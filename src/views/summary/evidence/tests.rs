//! Tests that a command stays inside its cell of the table.

use super::*;

#[test]
fn command_text_cannot_break_its_table_cell() {
    let hostile = "a | b `c` ``d` <img src=x> </code> @all #2 [x](y) \\| https://x.y/issues/2\n| z |";
    let shown = code(hostile);
    let inner = shown.strip_prefix("<code>").and_then(|rest| rest.strip_suffix("</code>")).expect("code");
    assert!(!inner.contains(['|', '`', '<', '>', '\n', '@', '[', '\\', ':', '.']), "{shown}");
    assert_eq!(code("cargo test --locked"), "<code>cargo test --locked</code>");
    assert_eq!(code("make a_b"), "<code>make a&#95;b</code>");
    assert_eq!(code(""), "");
    let long = code(&"|".repeat(500));
    assert!(long.ends_with("…</code>") && long.len() < 1_200, "{long}");
}
