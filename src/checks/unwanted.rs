//! What does not belong on a branch: conflicts that nobody resolved, characters that nobody sees, files that were left behind, and files
//! that nobody can review.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::LazyLock;

use regex::bytes;

use super::{Change, Patterns, Place, Site, any_of, at, file, is_code, name};
use content_parser::{CodeBlock, code_blocks};
use model::change::{FileContent, FileMode, FileVersion};
use source::{is_fixture, is_foreign};

/// A merge that was never finished: the three marks of a conflict at the start of added lines. A document that shows them in
/// a fence explains them.
pub(super) fn conflict_markers(site: &Site<'_>) -> Vec<Place> {
    site.changes.iter().filter_map(conflict).collect()
}

/// Returns where the first conflict of a file begins.
fn conflict(change: &Change) -> Option<Place> {
    pattern!(MARK, r"^(?:<{7} |={7}\s*$|>{7} )");
    let mut marks = change.added_lines().filter(|(_, line)| MARK.is_match(line));
    let (begin, _) = marks.find(|(_, line)| line.starts_with('<'))?;
    marks.find(|(_, line)| line.starts_with('='))?;
    marks.find(|(_, line)| line.starts_with('>'))?;
    let blocks = code_blocks(change.new_text().unwrap_or_default());
    let is_in =
        |block: &CodeBlock<'_>| (0..block.text.lines().count()).contains(&begin.wrapping_sub(block.line));
    (!blocks.iter().any(is_in)).then(|| at(&change.path, begin, "a conflict begins here"))
}

/// Characters in code that nobody sees, or that show it in another order than the compiler reads it ("Trojan Source",
/// CVE-2021-42574). Texts for people, data and escapes may hold them.
pub(super) fn hidden_characters(site: &Site<'_>) -> Vec<Place> {
    let code = site.project_changes().filter(|change| is_code(&change.path) && !is_foreign(&change.path));
    code.flat_map(hidden).collect()
}

/// Returns the added lines that hold such a character, where the file did not hold it before.
fn hidden(change: &Change) -> Vec<Place> {
    if !change.new_text().is_some_and(|text| text.contains(is_hidden)) {
        return Vec::new();
    }
    let is_new = |c: &char| is_hidden(*c) && !change.old_text().is_some_and(|text| text.contains(*c));
    let lines = change.added_lines().filter_map(|(number, line)| Some((number, line.chars().find(is_new)?)));
    lines.map(|(number, c)| at(&change.path, number, format!("U+{:04X}", u32::from(c)))).collect()
}

/// Controls of direction, tags, and spaces of no width. Joiners are left out: scripts and signs of people are written with them.
fn is_hidden(c: char) -> bool {
    matches!(c, '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}')
}

pattern!(ANYWHERE, &format!("^(?:{})$", any_of("scratch_files", "anywhere")));
pattern!(FROM_THE_TOP, &format!("(?i)^(?:{})$", any_of("scratch_files", "from_the_top")));

/// Files that editors, patches, systems and agents leave behind. Only new ones, and none that the issue speaks of.
pub(super) fn scratch_files(site: &Site<'_>) -> Vec<Place> {
    let allowed = Patterns::exact(&site.settings.allowed);
    let is_spoken_of = |name: &str| site.issue.title.contains(name) || site.issue.body.contains(name);
    let is_allowed = |path: &str| is_spoken_of(name(path)) || is_fixture(path) || allowed.hold(path);
    let is_scratch = |path: &str| ANYWHERE.is_match(name(path)) || FROM_THE_TOP.is_match(path);
    let new = site.project_changes().filter(|change| change.is_new()).map(|change| change.path.as_str());
    let left = new.filter(|path| is_scratch(path) && !is_allowed(path));
    left.map(|path| file(path, "looks like something left behind")).collect()
}

/// Code with a longer line is read by nobody, in bytes.
const LONGEST_LINE: usize = 5_000;
/// What is no picture may have so many bytes.
const LARGEST: u64 = 64 * 1024;
/// Pictures and fonts may have so many.
const LARGEST_PICTURE: u64 = 2 * 1024 * 1024;

pattern!(PICTURE, &format!(r"(?i)\.(?:{})$", any_of("binaries", "pictures")));
pattern!(PROGRAM, &format!(r"(?i)\.(?:{})$", any_of("binaries", "programs")));
static BEGINNING: LazyLock<bytes::Regex> = LazyLock::new(|| {
    bytes::Regex::new(&format!("(?s-u)^(?:{})", any_of("binaries", "beginnings"))).expect("a good pattern")
});

/// Files that nobody can review: new programs and archives of any size, other binary files above a size, and source that
/// became binary.
pub(super) fn binaries(site: &Site<'_>) -> Vec<Place> {
    let allowed = Patterns::exact(&site.settings.allowed);
    let binaries = site.changes.iter().filter(|change| !allowed.hold(&change.path));
    binaries.filter_map(|change| Some(file(&change.path, what(site.worktree, change)?))).collect()
}

/// New code in lines that nobody reads, where nothing that changed and no issue names it. It may be loaded by its folder, or have
/// moved, so that is a question.
pub(super) fn unread_code<'s>(site: &'s Site<'_>) -> impl Iterator<Item = Place> + 's {
    let new = site.project_changes().filter(|change| change.is_new() && is_code(&change.path));
    new.filter(|change| !is_fixture(&change.path)).filter_map(|change| {
        let longest = change.new_text()?.lines().map(str::len).max().filter(|long| *long > LONGEST_LINE)?;
        let stem = name(&change.path).split('.').next()?;
        let mut others = site.changes.iter().filter(|other| other.path != change.path);
        let is_used = others.any(|other| other.added_lines().any(|(_, line)| line.contains(stem)));
        let what = format!("has a line of {longest} bytes. Who wrote it, and what uses it?");
        (!is_used && !site.issue.names(stem)).then(|| file(&change.path, what))
    })
}

/// Says what is wrong with a change that brought a binary file.
fn what(worktree: &Path, change: &Change) -> Option<String> {
    let is_binary = |version: &&FileVersion| version.content.text().is_none();
    let after = change.after.as_ref().filter(is_binary)?;
    let is_plain = matches!(after.mode, FileMode::File | FileMode::Executable);
    if !is_plain || change.before.as_ref().is_some_and(|before| is_binary(&before)) {
        return None;
    }
    let (path, size, is_sample) = (&change.path, after.content.size(), is_fixture(&change.path));
    // A NUL makes a file binary, and whatever it says is passed over.
    if is_code(path) && matches!(after.content, FileContent::Binary(_)) && !is_sample {
        return Some("is called source and holds bytes that hide it from the other checks".to_owned());
    }
    let is_program = PROGRAM.is_match(path) || begins_like_a_program(&worktree.join(path));
    if is_program && !(is_sample && size <= LARGEST) {
        return Some(format!("is a program or an archive of {size} bytes"));
    }
    let largest = if PICTURE.is_match(path) { LARGEST_PICTURE } else { LARGEST };
    (size > largest).then(|| format!("is binary and has {size} bytes"))
}

fn begins_like_a_program(path: &Path) -> bool {
    let mut beginning = [0; 8];
    let read = File::open(path).and_then(|mut file| file.read(&mut beginning)).unwrap_or(0);
    BEGINNING.is_match(&beginning[..read])
}

#[cfg(test)]
mod tests_of_conflict_markers {
    use super::conflict_markers as places;
    use super::*;
    use crate::judge_places;
    use crate::scene::Scene;
    use model::event::{CheckResult, CheckStatus};

    fn examine(site: &Site<'_>) -> CheckResult {
        judge_places("conflict_markers", places(site))
    }

    fn judge(before: Option<&str>, after: &str) -> CheckResult {
        examine(&Scene::of([Change::of_texts("src/a.rs", before, Some(after))]).site())
    }

    #[test]
    fn conflict_markers_are_found_with_their_line() {
        let result = judge(Some("a\n"), "a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> other\n");
        assert_eq!((result.status, result.places[0].line), (CheckStatus::Fail, Some(2)));
    }

    #[test]
    fn headings_of_equals_signs_explanations_and_old_conflicts_are_none() {
        for (before, after) in [
            (None, "Title\n=======\ntext\n"),
            (None, "    <<<<<<< HEAD\n    =======\n    >>>>>>> x\n"),
            (None, "```\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n```\n"),
            (None, "<<<<<<< only\n"),
            (Some("<<<<<<< a\n=======\n>>>>>>> b\n"), "<<<<<<< a\n=======\n>>>>>>> b\nmore\n"),
        ] {
            assert_eq!(judge(before, after).status, CheckStatus::Pass, "{after}");
        }
    }
}

#[cfg(test)]
mod tests_of_hidden_characters {
    use super::hidden_characters as places;
    use super::*;
    use crate::judge_places;
    use crate::scene::{Scene, gist};
    use model::event::CheckResult;

    fn examine(site: &Site<'_>) -> CheckResult {
        judge_places("hidden_characters", places(site))
    }

    fn judge(path: &str, before: Option<&str>, after: &str) -> String {
        gist(&Scene::of([Change::of_texts(path, before, Some(after))]).shown_to(examine))
    }

    #[test]
    fn code_that_shows_otherwise_than_it_runs_is_refused() {
        let trojan =
            "if level != \"user\u{202e} \u{2066}# only admins\u{2069} \u{2066}\":\n    return True\n";
        assert_eq!(judge("a.py", Some("pass\n"), trojan), "a.py:1");
        assert_eq!(judge("a.js", None, "const a\u{200b} = 1;\n"), "a.js:1");
    }

    #[test]
    fn what_people_write_and_what_was_there_is_honest() {
        for (path, before, after) in [
            ("a.md", None, "\u{202e}text\u{202c}\n"),
            ("a.py", None, "# שלום, مرحبا, 👨\u{200d}👩\u{200d}👧, می\u{200c}خواهم\n"),
            ("a.rs", None, "let bidi = '\\u{202e}';\n"),
            ("a.json", None, "{\"a\": \"\u{200b}\"}\n"),
            ("a.js", Some("x('\u{200b}');\n"), "x('\u{200b}');\ny('\u{200b}');\n"),
        ] {
            assert_eq!(judge(path, before, after), "pass", "{after}");
        }
    }
}

#[cfg(test)]
mod tests_of_scratch_files {
    use super::scratch_files as places;
    use super::*;
    use crate::judge_places;
    use crate::scene::Scene;
    use model::event::{CheckResult, CheckStatus};

    fn examine(site: &Site<'_>) -> CheckResult {
        judge_places("scratch_files", places(site))
    }

    fn status(path: &str) -> CheckStatus {
        examine(&Scene::of([Change::of_texts(path, None, Some("x"))]).site()).status
    }

    #[test]
    fn files_left_behind_by_editors_and_agents_are_named() {
        for path in [
            "src/a.rs.orig",
            "a.rej",
            "src/.a.rs.swp",
            "src/a.rs~",
            ".DS_Store",
            "docs/Thumbs.db",
            "nohup.out",
            "core.4711",
            "PLAN_TMP.md",
            "scratch.py",
            "scratch_2.txt",
            "tmp_fix.sh",
            "debug_parser.py",
            "test_tmp2.py",
            "output.log",
            "src/a.rs.save",
            "a.tmp",
            ".coverage",
            ".env",
            "junit.xml",
            ".idea/workspace.xml",
        ] {
            assert_eq!(status(path), CheckStatus::Fail, "{path}");
        }
    }

    #[test]
    fn files_that_belong_to_the_project_are_not() {
        for path in [
            "src/tmp_dir.rs",
            "src/debug_info.py",
            "template.md",
            "temperature.py",
            "src/core.rs",
            "src/scratch.rs",
            "PLAN.md",
            "tests/fixtures/a.orig",
            "docs/output.log.md",
            "debug.rs",
            "src/output.txt",
            ".env.example",
            "reports/junit.xml",
        ] {
            assert_eq!(status(path), CheckStatus::Pass, "{path}");
        }
        let old = Change::of_texts("a.orig", Some("x"), Some("y"));
        assert_eq!(examine(&Scene::of([old]).site()).status, CheckStatus::Pass);
        let mut asked = Scene::of([Change::of_texts("debug_parser.py", None, Some("x"))]);
        asked.issue.body = "Write a script `debug_parser.py`.".to_owned();
        assert_eq!(examine(&asked.site()).status, CheckStatus::Pass);
    }
}

#[cfg(test)]
mod tests_of_binaries {
    use super::binaries as places;
    use super::*;
    use crate::judge_places;
    use crate::scene::Scene;
    use model::change::FileVersion;
    use model::event::{CheckResult, CheckStatus};

    fn examine(site: &Site<'_>) -> CheckResult {
        judge_places("binaries", places(site))
    }

    fn binary(path: &str, size: u64) -> Change {
        let bytes = vec![0; size.try_into().expect("a size")];
        Change::new(
            path,
            None,
            Some(FileVersion { mode: FileMode::File, content: FileContent::Binary(bytes) }),
        )
    }

    fn judge(change: Change) -> CheckStatus {
        examine(&Scene::of([change]).site()).status
    }

    #[test]
    fn new_programs_archives_and_large_binaries_are_flagged() {
        for (path, size) in [
            ("helper", 65_537),
            ("bin/tool.exe", 10),
            ("lib.tar.gz", 10),
            ("a/b.so", 10),
            ("logo.png", 3_000_000),
            ("tests/fixtures/x.zip", 70_000),
        ] {
            assert_eq!(judge(binary(path, size)), CheckStatus::Fail, "{path}");
        }
    }

    #[test]
    fn source_with_a_nul_is_flagged_and_a_sample_or_what_had_one_before_is_not() {
        for path in ["src/a.rs", "a.py", "web/a.ts", "scripts/a.sh"] {
            assert_eq!(judge(binary(path, 10)), CheckStatus::Fail, "{path}");
        }
        for path in ["tests/fixtures/nul.py", "testdata/a.go", "notes", "a.snap"] {
            assert_eq!(judge(binary(path, 10)), CheckStatus::Pass, "{path}");
        }
        let before = FileVersion { mode: FileMode::File, content: FileContent::Binary(b"a\0".to_vec()) };
        let after = FileVersion { mode: FileMode::File, content: FileContent::Binary(b"b\0".to_vec()) };
        assert_eq!(judge(Change::new("a.js", Some(before), Some(after))), CheckStatus::Pass);
    }

    #[test]
    fn a_program_is_known_by_how_it_begins() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("tool"), b"\x7fELF\0\0").expect("a file");
        let mut made = Scene::of([binary("tool", 6)]);
        assert_eq!(examine(&made.site()).status, CheckStatus::Pass);
        made.worktree = folder.path().to_owned();
        assert_eq!(examine(&made.site()).status, CheckStatus::Fail);
    }

    #[test]
    fn pictures_small_samples_and_what_was_binary_before_are_fine() {
        for (path, size) in
            [("docs/assets/logo.png", 300_000), ("data.dat", 1000), ("tests/fixtures/x.zip", 900)]
        {
            assert_eq!(judge(binary(path, size)), CheckStatus::Pass, "{path}");
        }
        let old = FileVersion { mode: FileMode::File, content: FileContent::Binary(vec![0; 5]) };
        let new = FileVersion { mode: FileMode::File, content: FileContent::Binary(vec![0; 500_000]) };
        assert_eq!(judge(Change::new("data.db", Some(old), Some(new))), CheckStatus::Pass);
    }
}

#[cfg(test)]
mod tests_of_unread_code {
    use super::*;
    use crate::scene::Scene;

    #[test]
    fn code_in_lines_that_nobody_reads_is_asked_about_unless_it_is_used_or_asked_for() {
        let made = |path: &str, line: &str| Change::of_texts(path, None, Some(&line.repeat(1_000)));
        let page =
            Change::of_texts("page.html", None, Some("<script src=\"vendor/heap.min.js\"></script>\n"));
        let asked =
            |changes: Vec<Change>, issue: &str| unread_code(&Scene::of(changes).about(issue).site()).count();
        let heap = || made("vendor/heap.min.js", "f(1);g(2);");
        assert_eq!(asked(vec![heap()], "Count pages."), 1);
        assert_eq!(asked(vec![heap(), page], "Count pages."), 0);
        assert_eq!(asked(vec![heap()], "Take heap.min.js over."), 0);
        for (path, line) in [
            ("src/a.js", "f(1);\n"),
            ("words.json", "[1, 2], [3], "),
            ("tests/fixtures/long.js", "f(1);g(2);"),
        ] {
            assert_eq!(asked(vec![made(path, line)], "Count pages."), 0, "{path}");
        }
        let old = Change::of_texts("dist/a.min.js", Some("f();"), Some(&"f(1);g(2);".repeat(1_000)));
        assert_eq!(asked(vec![old], "Count pages."), 0);
    }
}
