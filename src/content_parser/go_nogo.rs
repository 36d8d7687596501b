//! Reads the GO/NOGO line of inspection reports: `**Judgment**: ✅ **GO**`. Whether a line has such a place is `marker`'s.
//! GO counts only near the top, where a report has it; NOGO counts everywhere.

use super::marker::Marks;
use model::verdict::Judgment;

/// A report has its judgment among its first lines.
const FIRST_LINES: usize = 40;

/// Returns what the GO/NOGO lines say, the strictest of several.
pub(super) fn read(marks: &Marks) -> Option<Judgment> {
    let stops = marks.go.iter().any(|(_, go, _)| !go);
    let goes_ahead = marks.go.iter().any(|(line, go, quoted)| *go && !quoted && *line < FIRST_LINES);
    match (stops, goes_ahead) {
        (true, _) => Some(Judgment::Revise),
        (false, true) => Some(Judgment::Approve),
        (false, false) => None,
    }
}
