//! What the next attempt is told about goal drift: each reason with some evidence and a way to repair it, and the form of the
//! answer. Nothing when all criteria passed.

use std::fmt::Write;

use super::{Criterion, Violation, id_of};

/// More evidence than this is counted.
const MOST: usize = 3;

pub(super) fn told(name: &str, failed: &[&(&'static Criterion, Vec<Violation>)]) -> String {
    if failed.is_empty() {
        return String::new();
    }
    let mut text = format!("## Template-Specific Issues ({name})\n");
    for (criterion, found) in failed {
        reason(&mut text, criterion, found);
    }
    text.push_str(FORM);
    text
}

fn reason(text: &mut String, criterion: &Criterion, found: &[Violation]) {
    let head = format!("\n### {} ({}): {}\n", id_of(criterion), criterion.violation, criterion.description);
    text.push_str(&head);
    for violation in found.iter().take(MOST) {
        writeln!(text, "- {}", violation.evidence()).expect("a string takes everything");
    }
    if found.len() > MOST {
        writeln!(text, "- ... and {} more", found.len() - MOST).expect("a string takes everything");
    }
    writeln!(text, "Fix: {}", criterion.fix).expect("a string takes everything");
}

const FORM: &str = "
### Required form of the answer
1. `### Requirement Checklist` with one line for every requirement: `- [x]` when it is fulfilled, `- [ ]` when not.
2. What you ran to verify it, and what it showed.
3. As the last line `COMPLETE: All N requirements fulfilled`, or `INCOMPLETE: Requirements X, Y remain` when that is the truth.
";
