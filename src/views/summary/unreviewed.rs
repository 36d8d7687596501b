//! What a branch holds that no reviewer of its run was shown, in a line for people.

use super::{counted, quoted};

/// More files are a number.
const MOST: usize = 5;

/// The files of a branch that nobody reviewed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unreviewed {
    pub after_the_end: Vec<String>,
    /// Changed before, by whomever, and no review since was about it.
    pub unseen: Vec<String>,
}

impl Unreviewed {
    pub fn is_empty(&self) -> bool {
        self.after_the_end.is_empty() && self.unseen.is_empty()
    }

    /// Returns all of them.
    pub fn paths(&self) -> Vec<&str> {
        self.after_the_end.iter().chain(&self.unseen).map(String::as_str).collect()
    }

    /// Returns how many files those are, and the first of them.
    pub fn line(&self) -> String {
        let late = named(&self.after_the_end, "changed after the end of the run");
        let unseen = named(&self.unseen, "changed and shown to no reviewer");
        late.into_iter().chain(unseen).collect::<Vec<_>>().join("; ")
    }
}

fn named(paths: &[String], how: &str) -> Option<String> {
    let named: Vec<String> = paths.iter().take(MOST).map(|path| quoted(path)).collect();
    let more = match paths.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let files = counted(paths.len() as u64, "file");
    (!paths.is_empty()).then(|| format!("{files} {how}: {}{more}", named.join(", ")))
}

/// Returns the same for a pull request; nothing where there are none.
pub(super) fn warning(files: &Unreviewed) -> String {
    if files.is_empty() { String::new() } else { format!("> **Not reviewed:** {}\n\n", files.line()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_files_are_named_and_the_others_counted() {
        let paths: Vec<String> = (1..=7).map(|n| format!("src/{n}.rs")).collect();
        let late = |paths: &[String]| Unreviewed { after_the_end: paths.to_vec(), unseen: vec![] };
        assert_eq!(late(&paths[..1]).line(), "1 file changed after the end of the run: src/1.rs");
        let line = late(&paths).line();
        assert!(line.starts_with("7 files ") && line.ends_with("src/4.rs, src/5.rs and 2 more"), "{line}");
        assert_eq!(warning(&Unreviewed::default()), "");
        let both = Unreviewed { unseen: paths[6..].to_vec(), ..late(&paths[..1]) };
        assert!(both.line().ends_with("src/1.rs; 1 file changed and shown to no reviewer: src/7.rs"));
    }
}
