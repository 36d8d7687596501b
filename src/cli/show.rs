//! Prints a report: JSON when asked for, else lines for people.

use serde_json::Value;

/// Prints lines, or the same as JSON.
#[expect(clippy::print_stdout, reason = "data goes to stdout")]
pub(super) fn show(json: bool, value: &Value, lines: &str) {
    if json {
        println!("{value:#}");
    } else {
        print!("{lines}");
    }
}
