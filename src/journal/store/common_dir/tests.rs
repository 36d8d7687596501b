//! Tests of `common_dir`.

use super::*;

fn issue(number: u64) -> IssueNumber {
    IssueNumber::try_from(number).expect("a number")
}

fn location(name: &str) -> RunPointer {
    RunPointer { worktree: PathBuf::from("/somewhere").join(name), branch: name.to_owned() }
}

#[test]
fn run_pointer_is_written_read_and_removed() {
    let common = tempfile::tempdir().expect("a folder");
    assert_eq!(RunPointer::read(common.path(), issue(7)).expect("none"), None);
    location("old").write(common.path(), issue(7)).expect("written");
    location("new").write(common.path(), issue(7)).expect("written again");
    assert_eq!(RunPointer::read(common.path(), issue(7)).expect("one"), Some(location("new")));
    RunPointer::remove(common.path(), issue(7)).expect("removed");
    RunPointer::remove(common.path(), issue(7)).expect("removed twice");
    assert_eq!(RunPointer::read(common.path(), issue(7)).expect("none"), None);
}

#[test]
fn run_list_is_sorted_by_issue_number_and_skips_other_folders() {
    let common = tempfile::tempdir().expect("a folder");
    assert_eq!(RunPointer::list(common.path()).expect("nothing yet"), []);
    for number in [243, 7, 31] {
        location("x").write(common.path(), issue(number)).expect("written");
    }
    fs::write(issue_folder(common.path(), issue(31)).join("pointer.json"), "{").expect("damaged");
    fs::create_dir_all(common.path().join("ai-workflow/issue-x")).expect("something else");
    fs::create_dir_all(issue_folder(common.path(), issue(9))).expect("a lock only");
    let expected = [(issue(7), location("x")), (issue(243), location("x"))];
    assert_eq!(RunPointer::list(common.path()).expect("two runs"), expected);
}

#[test]
fn damaged_run_pointer_error_names_its_file() {
    let common = tempfile::tempdir().expect("a folder");
    location("x").write(common.path(), issue(7)).expect("written");
    let path = issue_folder(common.path(), issue(7)).join("pointer.json");
    fs::write(&path, "").expect("lost by a power cut");
    assert_eq!(RunPointer::read(common.path(), issue(7)).expect("none"), None);
    fs::write(&path, "{\"worktree\": 1}").expect("damaged");
    let error = RunPointer::read(common.path(), issue(7)).expect_err("damaged").to_string();
    assert!(error.starts_with(&format!("{} is damaged at line 1: ", path.display())), "{error}");
}

fn finalized(number: u64) -> FinalizedRun {
    FinalizedRun {
        issue: number.try_into().expect("a number"),
        title: "The last page is missing".into(),
        branch: format!("ai-workflow/issue-{number}"),
        base_branch: "main".into(),
        commit: "0123456789abcdef".into(),
        pull_request: None,
        at: Timestamp::UNIX_EPOCH,
        left: None,
    }
}

#[test]
fn finalized_runs_are_listed() {
    let common = tempfile::tempdir().expect("a folder");
    assert_eq!(FinalizedRun::list(common.path()).expect("listed"), []);
    for number in [243, 7] {
        finalized(number).write(common.path()).expect("written");
    }
    fs::create_dir_all(common.path().join("ai-workflow/issue-9")).expect("a lock only");
    assert_eq!(FinalizedRun::read(common.path(), finalized(7).issue).expect("one"), Some(finalized(7)));
    assert_eq!(FinalizedRun::read(common.path(), finalized(9).issue).expect("none"), None);
    let broken = issue_folder(common.path(), finalized(243).issue).join("finalized.json");
    fs::write(&broken, "{").expect("damaged");
    let error = FinalizedRun::read(common.path(), finalized(243).issue).expect_err("damaged").to_string();
    assert!(error.starts_with(&format!("{} is damaged", broken.display())), "{error}");
    assert_eq!(FinalizedRun::list(common.path()).expect("listed"), [finalized(7)]);
}

const DAY: Date = Date::constant(2026, 11, 21);

fn spending(run: &str, millis: u64) -> DaySpending {
    DaySpending { run: run.to_owned(), spent: UsageTotal { millis, calls: 1, ..UsageTotal::default() } }
}

#[test]
fn daily_spending_includes_other_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let common = folder.path();
    assert_eq!(DaySpending::sum_of_others(common, DAY, "mine").expect("no list yet"), UsageTotal::default());
    for (run, millis) in [("mine", 1), ("other", 2), ("third", 3)] {
        spending(run, millis).append(common, DAY).expect("a line");
    }
    spending("other", 4).append(common, DAY.tomorrow().expect("a day")).expect("a line");
    let expected = UsageTotal { millis: 5, calls: 2, ..UsageTotal::default() };
    assert_eq!(DaySpending::sum_of_others(common, DAY, "mine").expect("a list"), expected);
}

#[test]
fn truncated_spending_line_hides_no_other_line() {
    let folder = tempfile::tempdir().expect("a folder");
    spending("a", 1).append(folder.path(), DAY).expect("a line");
    let path = DaySpending::file(folder.path(), DAY);
    let mut bytes = fs::read(&path).expect("a list");
    bytes.extend_from_slice(b"\n{\"run\":\"b\",\"spe");
    fs::write(&path, bytes).expect("a torn line");
    spending("c", 2).append(folder.path(), DAY).expect("a line");
    let expected = UsageTotal { millis: 3, calls: 2, ..UsageTotal::default() };
    assert_eq!(DaySpending::sum_of_others(folder.path(), DAY, "me").expect("a list"), expected);
}
