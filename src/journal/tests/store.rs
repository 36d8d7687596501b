//! The files of a run: the log that survives every crash and shows every change, and the folders around it.
#![allow(clippy::disallowed_methods, reason = "tests of a crate that touches the world")]

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use jiff::Timestamp;
use journal::store::StoreError;
use journal::store::common_dir::{RunPointer, issue_folder};
use journal::store::folders::{CallFolder, RunFolder};
use journal::store::lock::Lock;
use journal::store::log::{FIRST_CHAIN, Log, LogContents, TornLine, read, read_file};
use model::event::{
    CallEnd, CheckResult, CheckStatus, Checked, Entry, ExecOutcome, Fact, RunOutcome, StepStarted, Usage,
    Worked,
};
use model::issue::IssueNumber;
use model::phase::{PhaseName, Step};
use model::policy::{PhaseDef, Policy, PolicyLimits, UnapprovedEnds};
use model::redact::{Masked, Masker};
use proptest::prelude::*;
use serde_json::json;
use sha2::{Digest, Sha256};

fn at(millisecond: i64) -> Timestamp {
    Timestamp::from_millisecond(1_750_000_000_000 + millisecond).expect("a time")
}

fn phase(name: &str) -> PhaseName {
    name.parse().expect("a phase name")
}

fn noted(text: &str) -> Fact {
    Fact::Noted { kind: "test".to_owned(), text: text.to_owned() }
}

/// Some facts of every shape that matters to the log: texts, numbers, fractions, lists, nested objects.
fn any_fact() -> impl Strategy<Value = Fact> {
    prop_oneof![
        ".*".prop_map(|text| noted(&text)),
        any::<String>().prop_map(|text| Fact::Interrupted { signal: text }),
        ("[a-z][a-z0-9_]{0,20}", ".*")
            .prop_map(|(name, because)| { Fact::PhaseSkipped { phase: phase(&name), because } }),
        (any::<u32>(), any::<Option<String>>()).prop_map(|(round, review_id)| {
            Fact::StepStarted(StepStarted {
                phase: phase("design"),
                step: Step::Review,
                round,
                attempt: 1,
                agent: "command:x".to_owned(),
                review_id,
                prompt: "0".repeat(64),
                template: String::new(),
                prompt_bytes: 7,
                resumes: None,
                seat: None,
            })
        }),
        (0.0..1e6f64, any::<u64>(), proptest::collection::vec(".{0,20}", 0..4)).prop_map(
            |(cost, tokens, changed)| {
                let usage = Usage { input_tokens: Some(tokens), cost_usd: Some(cost), ..Usage::default() };
                let ended = CallEnd {
                    outcome: ExecOutcome::Done,
                    reason: None,
                    millis: tokens,
                    usage,
                    truncated: false,
                    simulated: true,
                    ..CallEnd::default()
                };
                Fact::Worked(Worked {
                    phase: phase("planning"),
                    step: Step::Execute,
                    round: 1,
                    attempt: 1,
                    ended,
                    tree: "t".to_owned(),
                    changed,
                    put_back: vec![],
                    claim: None,
                    evaluation: None,
                })
            }
        ),
        proptest::collection::vec((".{0,9}", ".{0,20}"), 0..4).prop_map(|params| {
            let result = CheckResult {
                check: "tests".to_owned(),
                status: CheckStatus::Fail,
                pattern: None,
                summary: "s".to_owned(),
                evidence: "e\n\t\u{1}".to_owned(),
                params: params.into_iter().map(|(name, text)| (name, text.into())).collect(),
                places: vec![],
                asks: false,
            };
            Fact::Checked(Checked {
                phase: phase("testing"),
                round: 1,
                results: vec![result],
                tree: "t".to_owned(),
                documents: BTreeMap::new(),
            })
        }),
        Just(Fact::Finished { outcome: RunOutcome::Failed }),
    ]
}

fn append(log: &mut Log, at: Timestamp, fact: &Fact, masker: &Masker) -> Result<Entry, StoreError> {
    Ok(log.append(at, std::slice::from_ref(fact), masker)?.remove(0))
}

/// Writes a log of these facts the way the journal does and returns its bytes and what `append` returned.
fn written(facts: &[Fact]) -> (Vec<u8>, Vec<Entry>) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("events.jsonl");
    let mut log = Log::open(&path).expect("an empty log").0;
    let add = |(index, fact)| {
        let index = i64::try_from(index).expect("few facts");
        append(&mut log, at(index), fact, &Masker::default()).expect("appended")
    };
    let entries = facts.iter().enumerate().map(add).collect();
    (fs::read(&path).unwrap_or_default(), entries)
}

/// Counts the whole lines.
fn lines_in(bytes: &[u8]) -> usize {
    bytes.split(|byte| *byte == b'\n').count() - 1
}

fn sha256(bytes: impl AsRef<[u8]>) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))
}

fn some_facts() -> impl Strategy<Value = Vec<Fact>> {
    proptest::collection::vec(any_fact(), 1..6)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn appended_entries_are_read_back_unchanged(facts in some_facts()) {
        let (bytes, entries) = written(&facts);
        let contents = read(&bytes, "events.jsonl").expect("a good log");
        prop_assert_eq!(&contents.entries, &entries);
        prop_assert_eq!((contents.good_bytes, contents.torn), (bytes.len(), None));
    }

    #[test]
    fn every_byte_prefix_of_a_log_opens(facts in some_facts()) {
        let (bytes, entries) = written(&facts);
        for cut in 0..=bytes.len() {
            let prefix = &bytes[..cut];
            let whole = lines_in(prefix);
            let good_bytes = prefix.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            let contents = read(prefix, "events.jsonl").expect("a prefix opens");
            prop_assert_eq!(&contents.entries[..], &entries[..whole]);
            prop_assert_eq!(contents.good_bytes, good_bytes);
            let torn = (cut > good_bytes).then_some(TornLine { line: whole + 1, bytes: cut - good_bytes });
            prop_assert_eq!(contents.torn, torn);
        }
    }

    #[test]
    fn flipped_bit_in_the_log_is_an_error_with_its_line(
        facts in some_facts(), place in any::<prop::sample::Index>(), bit in 0..8u8,
    ) {
        let (mut bytes, _) = written(&facts);
        let place = place.index(bytes.len() - 1);
        bytes[place] ^= 1 << bit;
        // A line break that is gone, or a new one, breaks the line it was or is in.
        let line = lines_in(&bytes[..place]) + 1;
        let error = read(&bytes, "events.jsonl").expect_err("damage").to_string();
        prop_assert!(error.starts_with(&format!("events.jsonl is damaged at line {line}: ")), "{}", error);
    }
}

/// Writes lines by the published rule alone, so that the format is pinned by a second hand.
fn by_hand(rests: &[&str]) -> String {
    let mut chain = "0".repeat(64);
    let mut log = String::new();
    for rest in rests {
        chain = sha256(format!("{chain}{rest}"));
        log.push_str(&[r#"{"chain":""#, &chain, "\",", rest, "\n"].concat());
    }
    log
}

const FIRST: &str =
    r#""seq":1,"at":"2025-06-15T15:06:40Z","fact":{"type":"noted","kind":"test","text":"日本語"}}"#;

#[test]
fn log_line_has_the_documented_format() {
    let (bytes, entries) = written(&[noted("日本語")]);
    assert_eq!(String::from_utf8(bytes).expect("text"), by_hand(&[FIRST]));
    assert_eq!(entries, [Entry { seq: 1, at: at(0), fact: noted("日本語") }]);
}

#[test]
fn empty_or_missing_log_has_no_entries() {
    let nothing = LogContents { entries: vec![], chain: FIRST_CHAIN.to_owned(), good_bytes: 0, torn: None };
    assert_eq!(read(b"", "events.jsonl").expect("empty"), nothing);
    assert_eq!(read_file(Path::new("not/there/events.jsonl")).expect("missing"), nothing);
}

#[test]
fn every_kind_of_log_damage_has_its_error() {
    let second =
        |from: &str, to: &str| by_hand(&[FIRST, &FIRST.replace("\"seq\":1", "\"seq\":2").replace(from, to)]);
    let good = second("", "");
    assert_eq!(read(good.as_bytes(), "log").expect("good").entries.len(), 2);
    for (damaged, why) in [
        (second("\"seq\":2", "\"seq\":3"), "it is entry 3, not 2"),
        (second("\"seq\":2", "\"seq\":1"), "it is entry 1, not 2"),
        (second("noted", "dreamt"), "unknown variant `dreamt`"),
        (second("\"kind\":\"test\",", ""), "missing field `kind`"),
        (second("}}", "}"), "EOF while parsing"),
        (second("\"at\"", "\"seq\":2,\"at\""), "duplicate field `seq`"),
        (good.replacen('\n', "\n\n", 1), "the line is empty"),
        (good.replacen('\n', "\nnonsense\n", 1), "the line does not begin with its chain"),
        (good.replacen('\n', "\n{\"chain\":\"00\"}\n", 1), "the line does not begin with its chain"),
        (by_hand(&[FIRST]) + &by_hand(&[FIRST]), "its chain does not fit its content and the line before"),
    ] {
        let error = read(damaged.as_bytes(), "log").expect_err("damage");
        let message = error.to_string();
        assert!(message.starts_with(&format!("log is damaged at line 2: {why}")), "{message}");
        assert!(error.hint().contains("nothing was changed"));
    }
}

#[test]
fn log_of_a_newer_format_is_distinguished_from_damage() {
    for extra in ["", r#","what_this_program_does_not_know":1"#] {
        let start = format!(
            r#""seq":1,"at":"2025-06-15T15:06:40Z","fact":{{"type":"run_started","format":2{extra}}}}}"#
        );
        let error = read(by_hand(&[&start]).as_bytes(), "log").expect_err("newer");
        assert!(matches!(error, StoreError::Newer { format: 2, line: 1, .. }), "{error}");
        assert_eq!(error.to_string(), "log, line 1, has format 2; this program knows formats up to 1");
        assert!(error.hint().contains("version"));
    }
}

/// A log of two facts in a folder of its own.
fn two_facts() -> (tempfile::TempDir, PathBuf, Log) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(".ai-workflow/issue-243/events.jsonl");
    let mut log = Log::open(&path).expect("an empty log").0;
    for text in ["one", "two"] {
        append(&mut log, at(0), &noted(text), &Masker::default()).expect("appended");
    }
    (folder, path, log)
}

#[test]
fn opening_a_log_writes_nothing_and_appending_creates_file_and_folders() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a/b/events.jsonl");
    let (mut log, LogContents { entries, torn, .. }) = Log::open(&path).expect("an empty log");
    assert_eq!((entries, torn, log.chain()), (vec![], None, FIRST_CHAIN));
    log.verify_or_restore().expect("nothing is as it should be");
    assert!(!folder.path().join("a").exists());
    append(&mut log, at(0), &noted("one"), &Masker::default()).expect("appended");
    log.verify_or_restore().expect("as written");
    let contents = read_file(&path).expect("a good log");
    assert_eq!((contents.entries.len(), log.chain()), (1, contents.chain.as_str()));
}

#[test]
fn incomplete_last_line_is_kept_until_the_next_append() {
    let (_folder, path, log) = two_facts();
    drop(log);
    let good = fs::read(&path).expect("bytes");
    for half in
        [&b"{\"chain\":\"12"[..], b"\0\0\0\0", "{\"chain\": 日".as_bytes().split_last().expect("bytes").1]
    {
        let with_half = [&good, half].concat();
        fs::write(&path, &with_half).expect("a torn line");
        let (mut log, LogContents { entries, torn, .. }) = Log::open(&path).expect("it opens");
        assert_eq!((entries.len(), torn), (2, Some(TornLine { line: 3, bytes: half.len() })));
        log.verify_or_restore().expect("the whole lines are as written");
        assert_eq!(fs::read(&path).expect("bytes"), with_half, "opening changes nothing");
        append(&mut log, at(1), &noted("three"), &Masker::default()).expect("appended");
        append(&mut log, at(2), &noted("four"), &Masker::default()).expect("appended");
        log.verify_or_restore().expect("as written");
        let contents = read_file(&path).expect("a good log");
        assert_eq!((contents.entries.len(), contents.torn), (4, None));
    }
    let message = TornLine { line: 3, bytes: 12 }.to_string();
    assert_eq!(message, "line 3 of the log was not written to its end; its 12 bytes are dropped");
}

#[test]
fn log_changed_by_others_stops_the_run_and_stays_unchanged() {
    type Touch = fn(&Path, &[u8]);
    let changes: [(&str, Touch); 5] = [
        ("bytes long where", |path, good| fs::write(path, [good, b"x"].concat()).expect("longer")),
        ("bytes long where", |path, good| fs::write(path, &good[..good.len() - 1]).expect("shorter")),
        ("bytes long where", |path, _| fs::write(path, "").expect("empty")),
        ("it is gone", |path, _| fs::remove_file(path).expect("gone")),
        ("it is no ordinary file any more", |path, _| {
            fs::remove_file(path).and_then(|()| fs::create_dir(path)).expect("a folder");
        }),
    ];
    for (why, touch) in changes {
        let (_folder, path, mut log) = two_facts();
        let chain = log.chain().to_owned();
        touch(&path, &fs::read(&path).expect("bytes"));
        let after = fs::read(&path).ok();
        let appended = append(&mut log, at(1), &noted("three"), &Masker::default());
        for error in [appended.expect_err("touched"), log.verify_or_restore().expect_err("touched")] {
            let message = error.to_string();
            assert!(message.contains("was changed by somebody else") && message.contains(why), "{message}");
            assert!(error.hint().contains("only ai-workflow writes this file"));
        }
        assert_eq!(fs::read(&path).ok(), after);
        assert_eq!(log.chain(), chain);
    }
}

#[test]
fn log_reset_to_an_earlier_state_is_restored() {
    let (_folder, path, mut log) = two_facts();
    let whole = fs::read(&path).expect("bytes");
    let first = whole.iter().position(|byte| *byte == b'\n').expect("a line") + 1;
    assert!(!log.verify_or_restore().expect("as it was written"));
    fs::write(&path, &whole[..first]).expect("taken back");
    assert!(log.verify_or_restore().expect("put back"));
    assert_eq!(fs::read(&path).expect("bytes"), whole);
    fs::write(&path, &whole[..first]).expect("taken back again");
    append(&mut log, at(1), &noted("three"), &Masker::default()).expect("put back and written to");
    assert!(fs::read(&path).expect("bytes").starts_with(&whole));
    assert_eq!(read_file(&path).expect("a whole log").entries.len(), 3);
}

#[test]
fn edit_that_keeps_the_log_length_is_detected() {
    let (_folder, path, log) = two_facts();
    let text = fs::read_to_string(&path).expect("text");
    fs::write(&path, &text).expect("an equal file in its place");
    log.verify_or_restore().expect("equal is equal");
    fs::write(&path, text.replace("two", "six")).expect("edited");
    let error = log.verify_or_restore().expect_err("edited").to_string();
    assert!(error.ends_with("its content is not what was written"), "{error}");
}

#[test]
fn log_created_by_others_in_the_meantime_is_refused() {
    let (_other, path, _) = two_facts();
    let folder = tempfile::tempdir().expect("a folder");
    let ours = folder.path().join("events.jsonl");
    let mut log = Log::open(&ours).expect("none yet").0;
    fs::copy(&path, &ours).expect("planted");
    let error = append(&mut log, at(0), &noted("one"), &Masker::default()).expect_err("planted");
    assert!(matches!(error, StoreError::Tampered { .. }), "{error}");
}

#[cfg(unix)]
#[test]
fn symlinked_log_is_refused() {
    let (folder, path, log) = two_facts();
    drop(log);
    let link = folder.path().join("events.jsonl");
    std::os::unix::fs::symlink(&path, &link).expect("a link");
    for error in [Log::open(&link).expect_err("a link"), read_file(&link).expect_err("a link")] {
        assert_eq!(error.to_string(), format!("{} is no ordinary file", link.display()));
        assert!(error.hint().contains("out of the way"));
    }
}

#[test]
fn secrets_are_masked_in_the_log_and_the_returned_entry() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("events.jsonl");
    let masker = Masker::new([("API_TOKEN".to_owned(), "s3cr3t-value".to_owned())]);
    let mut log = Log::open(&path).expect("an empty log").0;
    let entry = append(&mut log, at(0), &noted("it said s3cr3t-value!"), &masker).expect("appended");
    assert_eq!(entry.fact, noted("it said [MASKED:API_TOKEN]!"));
    assert_eq!(read_file(&path).expect("a good log").entries, [entry]);
}

#[test]
fn secret_equal_to_a_log_keyword_does_not_break_the_log() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut log = Log::open(&folder.path().join("events.jsonl")).expect("an empty log").0;
    let masker = Masker::new(
        ["planning", "phase_skipped", "because it is so"]
            .map(|value| ("PASSWORD".to_owned(), value.to_owned())),
    );
    let skipped =
        |because: &str| Fact::PhaseSkipped { phase: phase("planning"), because: because.to_owned() };
    let entry = append(&mut log, at(0), &skipped("because it is so"), &masker).expect("appended");
    assert_eq!(entry.fact, skipped("[MASKED:PASSWORD]"));
}

#[test]
fn uncreatable_log_folder_error_names_the_path() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    fs::write(&file, "").expect("a file");
    let error = Log::open(&file.join("events.jsonl")).expect_err("a file is no folder").to_string();
    assert!(error.starts_with(&format!("cannot look at {}", file.display())), "{error}");
}

/// Runs one test of this file in a process of its own, with a folder it may use.
fn in_a_process_of_its_own(test: &str, folder: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this test program"));
    command.args(["--exact", test, "--ignored", "--nocapture"]);
    command.env("STORE_TEST_FOLDER", folder).stdin(Stdio::null()).stdout(Stdio::null());
    command
}

#[cfg(target_os = "linux")]
#[test]
fn full_disk_fails_the_append_and_leaves_the_log_intact() {
    let folder = tempfile::tempdir().expect("a folder");
    let status = in_a_process_of_its_own("child_that_runs_out_of_space", folder.path()).status();
    assert!(status.expect("it ran").success());
    let contents = read_file(&folder.path().join("events.jsonl")).expect("a whole log");
    assert_eq!((contents.entries.len(), contents.torn), (2, None));
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "limits the size of files for its whole process; run by the test before"]
fn child_that_runs_out_of_space() {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let path = PathBuf::from(std::env::var_os("STORE_TEST_FOLDER").expect("a folder")).join("events.jsonl");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let _guard = runtime.enter();
    // With a handler for the signal, the limit is an error of `write` like a full disk.
    let _handler =
        tokio::signal::unix::signal(tokio::signal::unix::SignalKind::from_raw(25)).expect("SIGXFSZ");
    let mut log = Log::open(&path).expect("an empty log").0;
    append(&mut log, at(0), &noted("one"), &Masker::default()).expect("there is space");
    let length = fs::metadata(&path).expect("the log").len();
    setrlimit(Resource::Fsize, Rlimit { current: Some(length + 50), maximum: None }).expect("a limit");
    let error = append(&mut log, at(1), &noted("two"), &Masker::default()).expect_err("no space");
    assert!(error.is_disk_full(), "{error}");
    assert!(error.to_string().starts_with(&format!("cannot write to {}: ", path.display())), "{error}");
    assert_eq!(fs::metadata(&path).expect("the log").len(), length, "the half line is taken back");
    assert_eq!(read_file(&path).expect("a whole log").chain, log.chain());
    log.verify_or_restore().expect("the log is as it was");
    setrlimit(Resource::Fsize, Rlimit { current: None, maximum: None }).expect("no limit");
    append(&mut log, at(1), &noted("two"), &Masker::default()).expect("space again");
}

#[test]
fn lock_of_a_killed_process_is_free_although_its_child_lives() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut child = in_a_process_of_its_own("child_that_holds_the_lock", folder.path())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a child");
    let mut said = [0; 5];
    child.stderr.as_mut().expect("its stderr").read_exact(&mut said).expect("it holds the lock");
    let take = || Lock::take(folder.path(), &Masked::own("second"), at(0));
    let error = take().expect_err("held").to_string();
    let expected = format!("another process holds this issue: process {} on ", child.id());
    assert!(error.starts_with(&expected) && error.ends_with(": first"), "{error}");
    child.kill().expect("killed");
    child.wait().expect("dead");
    // The agent it had started still lives and holds its end of stderr.
    take().expect("free again");
    let grandchild: i32 =
        fs::read_to_string(folder.path().join("agent")).expect("its id").parse().expect("a number");
    let grandchild = rustix::process::Pid::from_raw(grandchild).expect("a process");
    rustix::process::kill_process(grandchild, rustix::process::Signal::KILL).expect("it was alive");
}

#[test]
#[ignore = "waits until it is killed; run by the test before"]
fn child_that_holds_the_lock() {
    let folder = PathBuf::from(std::env::var_os("STORE_TEST_FOLDER").expect("a folder"));
    let _lock = Lock::take(&folder, &Masked::own("first"), at(0)).expect("the lock");
    let mut agent = Command::new("sleep").arg("60").spawn().expect("an agent");
    fs::write(folder.join("agent"), agent.id().to_string()).expect("its id");
    std::io::Write::write_all(&mut std::io::stderr(), b"taken").expect("said");
    agent.wait().expect("never");
}

fn planning() -> PhaseDef {
    let limits: PolicyLimits = serde_json::from_value(json!({"max_revisions": 3})).expect("limits");
    let outcomes: UnapprovedEnds = serde_json::from_value(json!({"exhausted": "fail"})).expect("outcomes");
    let policy: Policy =
        serde_json::from_value(json!({"limits": limits, "outcomes": outcomes})).expect("a policy");
    PhaseDef {
        name: phase("planning"),
        folder: "00_planning".to_owned(),
        output: "planning.md".to_owned(),
        needs: vec![],
        changes_code: false,
        decides: false,
        properties: model::policy::PhaseProperties { prompts: "planning".to_owned(), ..Default::default() },
        policy_name: "phase-review".to_owned(),
        policy,
        agents: vec!["auto".to_owned()],
        reviewers: vec!["auto".to_owned()],
        panel: vec![],
        own_agents: false,
        own_reviewers: false,
        step_agents: std::collections::BTreeMap::new(),
        gate: model::policy::Gate::Go,
        c3l: None,
        output_schema: None,
        answer_form: None,
    }
}

fn run_folder(root: &Path) -> RunFolder {
    RunFolder::new(root, IssueNumber::try_from(243).expect("a number"))
}

#[test]
fn run_files_have_the_documented_paths() {
    let run = run_folder(Path::new("root"));
    let phase = planning();
    let call = CallFolder { phase: &phase, step: Step::Review, round: 2, attempt: 3 };
    assert_eq!(
        [
            run.events(),
            run.metadata(),
            run.review_result(),
            run.deliverable(&phase),
            run.review_document(&phase, 2),
            run.reply_document(&phase, 2),
            run.call(call),
        ],
        [
            ".ai-workflow/issue-243/events.jsonl",
            ".ai-workflow/issue-243/metadata.json",
            ".ai-workflow/issue-243/review-result.json",
            ".ai-workflow/issue-243/00_planning/output/planning.md",
            ".ai-workflow/issue-243/00_planning/output/document-review-2.md",
            ".ai-workflow/issue-243/00_planning/output/document-review-2-reply.md",
            ".ai-workflow/issue-243/00_planning/review/round-2/attempt-3",
        ]
    );
    assert_eq!(run.at(&run.events()), run.root().join(".ai-workflow/issue-243/events.jsonl"));
}

#[cfg(unix)]
#[test]
fn a_record_is_restored_whatever_was_put_in_its_place_and_no_link_is_followed() {
    use std::os::unix::fs::symlink;
    let root = tempfile::tempdir().expect("a folder");
    let outside = tempfile::tempdir().expect("another folder");
    let run = run_folder(root.path());
    let (record, text) = (".ai-workflow/issue-243/document_review/output/1.md", Masked::own("as written"));
    let folder = run.at(".ai-workflow/issue-243/document_review/output");
    let elsewhere = outside.path().join("1.md");
    fs::write(&elsewhere, text.as_str()).expect("a copy");
    let tricks: [&dyn Fn(); 5] = [
        &|| fs::write(run.at(record), "forged").expect("a file"),
        &|| symlink(&elsewhere, run.at(record)).expect("a link"),
        &|| fs::create_dir(run.at(record)).expect("a folder"),
        &|| {
            fs::remove_dir(&folder).expect("it is empty");
            symlink(outside.path(), &folder).expect("a link");
        },
        &|| {
            fs::remove_dir(&folder).expect("it is empty");
            fs::write(&folder, "a file").expect("a file");
        },
    ];
    for (index, trick) in tricks.iter().enumerate() {
        run.restore(record, &text).expect("it is written");
        assert!(run.holds(record, &text), "trick {index}");
        fs::remove_file(run.at(record)).expect("it is there");
        trick();
        assert!(!run.holds(record, &text), "trick {index}");
    }
    run.restore(record, &text).expect("it is written");
    assert!(run.holds(record, &text));
    assert_eq!(fs::read_to_string(&elsewhere).expect("it is untouched"), "as written");
}

#[test]
fn prompts_and_answers_of_every_attempt_are_kept_apart() {
    let root = tempfile::tempdir().expect("a folder");
    let run = run_folder(root.path());
    let phase = planning();
    let call = CallFolder { phase: &phase, step: Step::Execute, round: 1, attempt: 1 };
    let prompt = run.write_prompt(call, &Masked::own("do it")).expect("a prompt");
    let answer = run.write_answer(call, &Masked::own("done")).expect("an answer");
    let raw = run.raw_stream(call).expect("a place");
    let second =
        run.write_prompt(CallFolder { attempt: 2, ..call }, &Masked::own("again")).expect("a prompt");
    run.make_output(&phase).expect("a folder for the deliverable");
    assert_eq!(raw, ".ai-workflow/issue-243/00_planning/execute/round-1/attempt-1/raw.jsonl");
    fs::write(run.at(&raw), "{}").expect("its folder is there");
    fs::write(run.at(&run.deliverable(&phase)), "# Plan").expect("its folder is there");
    let text = |relative: &str| fs::read_to_string(run.at(relative)).expect("a file");
    assert_eq!([text(&prompt), text(&answer), text(&second)], ["do it", "done", "again"]);
}

#[test]
fn gitignore_lists_local_files_and_keeps_edits_of_the_user() {
    let root = tempfile::tempdir().expect("a folder");
    let run = run_folder(root.path());
    run.prepare().expect("prepared");
    let path = root.path().join(".ai-workflow/.gitignore");
    let ignored = fs::read_to_string(&path).expect("a file");
    let ignored: Vec<_> = ignored.lines().filter(|line| !line.starts_with('#')).collect();
    let steps = ["execute", "review", "triage", "revise", "answer"].map(|step| format!("issue-*/*/{step}/"));
    let mut expected = vec![".gitignore", ".*.tmp"];
    expected.extend(steps.iter().map(String::as_str));
    expected.extend(["tmp/", "worktrees/"]);
    assert_eq!(ignored, expected);
    fs::write(&path, "mine").expect("changed by a person");
    run.prepare().expect("prepared again");
    assert_eq!(fs::read_to_string(&path).expect("a file"), "mine");
}

#[cfg(unix)]
#[test]
fn run_files_are_not_written_through_symlinks_out_of_the_worktree() {
    let root = tempfile::tempdir().expect("a folder");
    let elsewhere = tempfile::tempdir().expect("another folder");
    let run = run_folder(root.path());
    std::os::unix::fs::symlink(elsewhere.path(), root.path().join(".ai-workflow")).expect("a link");
    let error = run.prepare().expect_err("a link").to_string();
    let link = root.path().join(".ai-workflow");
    assert_eq!(error, format!("{} is a link or a file where a folder is needed", link.display()));
    for path in ["../x/y", "/etc/x"] {
        let error = run.write(path, &Masked::own("x")).expect_err("outside").to_string();
        assert!(error.ends_with(" is outside the worktree"), "{error}");
    }
    assert_eq!(fs::read_dir(elsewhere.path()).expect("a folder").count(), 0);
}

#[test]
fn uncreatable_run_folder_error_names_the_folder() {
    let run = run_folder(Path::new("not/there"));
    let error = run.prepare().expect_err("no root").to_string();
    assert!(error.starts_with("cannot make the folder not/there/.ai-workflow: "), "{error}");
}

#[test]
fn lock_and_pointer_of_an_issue_share_a_private_folder() {
    let common = tempfile::tempdir().expect("a folder");
    let issue = IssueNumber::try_from(243).expect("a number");
    let folder = issue_folder(common.path(), issue);
    assert_eq!(folder, common.path().join("ai-workflow/issue-243"));
    let _lock = Lock::take(&folder, &Masked::own("x"), at(0)).expect("the lock");
    let here = RunPointer { worktree: common.path().to_owned(), branch: "b".to_owned() };
    here.write(common.path(), issue).expect("written");
    assert_eq!(RunPointer::list(common.path()).expect("one run"), [(issue, here)]);
}

#[test]
fn journal_time_has_millisecond_precision() {
    assert_eq!(journal::now().subsec_nanosecond() % 1_000_000, 0);
    assert!(journal::now() > "2024-01-01T00:00:00Z".parse().expect("a time"));
}
