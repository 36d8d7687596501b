//! Judgments of findings, the headings they belong to, and the findings they are about.

use super::*;
use model::finding::Severity;

fn table(fix_required: u32, no_fix_needed: u32, needs_discussion: u32) -> TriageTable {
    TriageTable { fix_required, no_fix_needed, needs_discussion }
}

fn counted(text: &str) -> TriageTable {
    count(&read(&text.lines().collect::<Vec<_>>()))
}

fn checked(text: &str, table: TriageTable) -> Result<(), String> {
    check(&text.lines().collect::<Vec<_>>(), table)
}

fn told(text: &str) -> Vec<(String, String)> {
    let lines: Vec<&str> = text.lines().collect();
    read(&lines).into_iter().map(|judged| (judged.heading.title, judged.reason)).collect()
}

#[test]
fn a_judgment_is_read_as_it_is_written() {
    for (line, expected) in [
        ("**Judgment**: **Fix Required** ✅", table(1, 0, 0)),
        ("**Judgement:** Fix Required", table(1, 0, 0)),
        ("- **判定**：要修正", table(1, 0, 0)),
        ("**Judgment**: ❌ No Fix Needed (the file is there)", table(0, 1, 0)),
        ("#### Judgment: no fix required", table(0, 1, 0)),
        ("**判定**: **修正不要** ❌", table(0, 1, 0)),
        ("**Judgment**: `Needs Discussion` ⚠️", table(0, 0, 1)),
        ("The judgment: Fix Required is a strong word.", table(0, 0, 0)),
        ("**Judgment**: I would not say Fix Required here", table(0, 0, 0)),
        ("Judgments follow", table(0, 0, 0)),
    ] {
        assert_eq!(counted(line), expected, "{line}");
    }
}

#[test]
fn a_judgment_may_stand_below_its_label() {
    for (text, expected) in [
        ("### [1] a\n**Judgment**:\n\nFix Required\n", table(1, 0, 0)),
        ("### [1] a\n**判定**:\n- **要修正**\n", table(1, 0, 0)),
        ("### [1] a\n**Judgment:**\n✅ No Fix Needed, line 4 has it\n", table(0, 1, 0)),
        ("### [1] a\n**Judgment**:\nThe table says it.\nFix Required is not.\n", table(0, 0, 0)),
        ("### [1] a\n**Judgment**: No Fix Needed\nFix Required is what I would say else\n", table(0, 1, 0)),
    ] {
        assert_eq!(counted(text), expected, "{text}");
    }
    let below = "### [1] a\n**Judgment**:\nFix Required\n";
    assert!(checked(below, table(0, 1, 0)).is_err());
    let other = "### [1] a\n**Decision**:\n\nNeeds Discussion\n";
    assert!(checked(other, table(0, 1, 0)).is_err());
}

#[test]
fn a_legend_below_a_label_judges_no_finding() {
    let judged = "### [1] a\n**Judgment**: Fix Required\n### [2] b\n**Judgment**: Fix Required\n\
                  ### [3] c\n**Judgment**: No Fix Needed\n\n";
    for legend in [
        "## Summary\n**Judgment**:\n- Fix Required: 2\n- No Fix Needed: 1\n",
        "**Judgment**:\n\n- **Fix Required**: 2\n- **No Fix Needed**: 1\n- **Needs Discussion**: 0\n",
        "**Judgment**:\n- Fix Required: the finding is right\n- No Fix Needed: it is not\n",
        "**判定**:\n- 要修正: 指摘が正しい\n- 修正不要: 指摘が誤り\n",
        "**Judgment**:\n- Fix Required: 2\n",
        "**Judgment**:\n\nFix Required\n\nNo Fix Needed\n\nNeeds Discussion\n",
    ] {
        for text in [format!("{judged}{legend}"), format!("{legend}{judged}")] {
            assert_eq!(checked(&text, table(2, 1, 0)), Ok(()), "{legend}");
        }
    }
    let twice = "### [1] a\n**Judgment**:\n- Fix Required: the limit\n- Fix Required: the name\n";
    assert_eq!(counted(twice), table(1, 0, 0), "no list of different ones");
    let two = "### [1] a\n**Judgment**:\nFix Required, 2 places\n";
    assert!(checked(two, table(0, 1, 0)).is_err());
}

#[test]
fn a_judgment_counts_for_each_finding_its_heading_names() {
    for (heading, findings) in
        [("### [W1] one", 1), ("### [W1, W2] two", 2), ("### [1, 2] two", 2), ("### [1–3] three", 3)]
    {
        let text = format!("{heading}\n**Judgment**: No Fix Needed");
        assert_eq!(counted(&text), table(0, findings, 0), "{heading}");
    }
    let parts = "### [W1, W2] two\n#### What it says\nfoo\n#### Judgment: No Fix Needed\n";
    assert_eq!((counted(parts), told(parts)[0].0.as_str()), (table(0, 1, 0), "two"), "parts of one answer");
    let each =
        "### [W1, W2] two\n#### one\n**Judgment**: Fix Required\n#### other\n**Judgment**: Fix Required\n";
    assert_eq!(counted(each), table(2, 0, 0), "one judgment each");
}

#[test]
fn the_reason_of_a_judgment_stands_behind_or_below_it() {
    let text = "### [1] The limit\nThe reviewer says so.\n**Judgment**: ❌ **No Fix Needed** (line 4 has it)\n\n\
                **Reason**: it is *there*.\n\n### [2] The name\n**Judgment**: Fix Required\n\n| Severity | Issues |\nafter";
    let expected = [("The limit", "line 4 has it) it is *there*."), ("The name", "")];
    assert_eq!(told(text), expected.map(|(title, reason)| (title.to_owned(), reason.to_owned())));
    let long = format!("**Judgment**: Fix Required\n{0}\n{0}", "ぁ".repeat(600));
    assert_eq!(told(&long)[0].1.chars().count(), LONGEST_REASON);
}

#[test]
fn a_table_that_hides_its_own_judgments_is_unreadable() {
    let text = "### [C1] one\n**Judgment**: Fix Required\n### [W1] two\n**Judgment**: Needs Discussion\n";
    assert_eq!(checked(text, table(1, 0, 1)), Ok(()));
    assert_eq!(checked(text, table(2, 3, 1)), Ok(()), "a stricter table is none to fear");
    let why = "the table counts 0 of `Fix Required`, the judgments say 1";
    assert_eq!(checked(text, table(0, 1, 1)), Err(why.to_owned()));
    let why = "the table counts 0 of `Needs Discussion`, the judgments say 1";
    assert_eq!(checked(text, table(1, 1, 0)), Err(why.to_owned()));
}

#[test]
fn judgments_in_rows_and_decisions_count_beside_the_table() {
    let rows = "| # | Finding | Judgment |\n|---|---|---|\n| 1 | data loss | **Fix Required** ✅ |\n| 2 | limit | No Fix Needed |\n";
    assert_eq!(checked(rows, table(1, 1, 0)), Ok(()));
    let why = "the table counts 0 of `Fix Required`, the judgments say 1";
    assert_eq!(checked(rows, table(0, 2, 0)), Err(why.to_owned()));
    assert_eq!(checked("### [1] one\n**Decision**: Fix Required", table(0, 1, 0)), Err(why.to_owned()));
    let twice = format!(
        "{rows}\n### [1] data loss\n**Judgment**: Fix Required\n**Decision**: Fix Required\n### [2] limit\n**Judgment**: No Fix Needed"
    );
    assert_eq!(checked(&twice, table(1, 1, 0)), Ok(()), "one judgment, told in three places");
    for none in [
        "| Severity | Issues | Fix Required | No Fix Needed | Needs Discussion |",
        "| Fix Required | 0 |",
        "| ✅ | Fix Required |",
        "| 1 | Fix Required is a strong word |",
    ] {
        assert_eq!(checked(none, table(0, 1, 0)), Ok(()), "{none}");
    }
}

#[test]
fn a_table_that_approves_has_a_judgment_for_each_of_its_findings_or_for_none() {
    let one = "### [W1] one\n**Judgment**: No Fix Needed\n";
    assert_eq!(checked(one, table(0, 1, 0)), Ok(()));
    assert_eq!(checked("Nothing is to be done.", table(0, 3, 0)), Ok(()));
    let why = "the table counts 3 findings, of which 1 have a judgment";
    assert_eq!(checked(one, table(0, 3, 0)), Err(why.to_owned()));
    assert_eq!(checked("### [W1–W3] all\n**Judgment**: No Fix Needed\n", table(0, 3, 0)), Ok(()));
}

#[test]
fn a_judgment_is_read_however_its_word_is_spelled() {
    let why = "the table counts 0 of `Fix Required`, the judgments say 1";
    for line in [
        "**Judgment**: FIX_REQUIRED",
        "**Judgment**: fix-required",
        "**Judgment**: Fix needed",
        "**Judgment**: needs a fix",
        "**Judgment**: must be fixed",
        "**Judgment**: Fix it",
        "**判断**: Fix Required",
        "**Conclusion**: Fix Required",
        "**判定**: 修正が必要",
    ] {
        assert_eq!(checked(line, table(0, 1, 0)), Err(why.to_owned()), "{line}");
        assert_eq!(checked(line, table(1, 0, 0)), Ok(()), "{line}");
    }
    for line in ["**Judgment**: NO_FIX_NEEDED", "**Judgment**: No-fix needed", "**判断**: 修正不要"] {
        assert_eq!(checked(line, table(0, 1, 0)), Ok(()), "{line}");
    }
    assert_eq!(counted("**Judgment**: needs_discussion"), table(0, 0, 1));
}

#[test]
fn a_judgment_in_other_words_makes_the_answer_unreadable() {
    for (line, word) in [
        ("**Judgment**: Required", "Required"),
        ("**Judgment**: Open", "Open"),
        ("- **判断**: 保留", "保留"),
        ("**Judgment**: Valid, I agree, this is data loss", "Valid, I agree, this is data loss"),
        ("**Judgment**: ✅", "✅"),
    ] {
        let why =
            format!("the judgment `{word}` is none of Fix Required, No Fix Needed and Needs Discussion");
        assert_eq!(checked(line, table(1, 0, 0)), Err(why), "{line}");
    }
    for none in [
        "**Judgment**: see the table below",
        "**判定**: 下表のとおり",
        "## Judgment:",
        "**Decision**: keep the limit",
        "**Conclusion**: the plan holds",
        "> **Judgment**: Open",
    ] {
        assert_eq!(checked(none, table(0, 1, 0)), Ok(()), "{none}");
    }
}

#[test]
fn a_heading_names_as_many_findings_as_it_has_ids() {
    for (heading, many) in [
        ("### [W1] The limit is missing", 1),
        ("### W1: S3 upload fails", 1),
        ("### [W1] S3 upload fails", 1),
        ("### The limit of 30 is missing", 1),
        ("### [W1, W2] Two names", 2),
        ("### [W1][W2] Two names", 2),
        ("### W1 / I4 and I5: names", 3),
        ("### [I1–I3] Wording", 3),
        ("### [I1]-[I3] Wording", 3),
        ("### I1-3 Wording", 1),
        ("### W9-W1 Backwards", 2),
        ("### A1-A999 Flood", 50),
        ("### [1-999] Flood", 50),
        ("### [9-1] Backwards", 1),
        ("### 3 problems are left", 1),
    ] {
        assert_eq!(Heading::read(heading).many, many, "{heading}");
    }
}

#[test]
fn numbers_in_brackets_are_places_and_the_rest_is_the_title() {
    for (heading, numbers, title) in [
        ("### [1] The limit is missing", vec![1], "The limit is missing"),
        ("### **[2]**: the limit", vec![2], "the limit"),
        ("### [#1, 3] Two limits", vec![1, 3], "Two limits"),
        ("### [2–4] Wording", vec![2, 3, 4], "Wording"),
        ("### [W1] The limit of [2] pages", vec![], "The limit of [2] pages"),
        ("### The limit", vec![], "The limit"),
    ] {
        let named = Heading::read(heading);
        assert_eq!((named.numbers, named.title.as_str()), (numbers, title), "{heading}");
    }
}

fn finding(severity: Severity, issue: &str) -> Finding {
    Finding {
        severity,
        category: "design".into(),
        file: None,
        line: None,
        issue: issue.into(),
        suggestion: None,
        auto_fixable: false,
        disposition: Disposition::Open,
        in_scope: true,
    }
}

fn dispositions(text: &str) -> Vec<(Disposition, Vec<&'static str>, String)> {
    let issues = ["the name is long", "the limit is missing", "the sum is wrong"];
    let findings = [
        finding(Severity::Minor, issues[0]),
        finding(Severity::Major, issues[1]),
        finding(Severity::Major, issues[2]),
    ];
    let issue = |print: &String| {
        let known = findings.iter().position(|finding| finding.fingerprint() == *print);
        issues[known.expect("a finding of the review")]
    };
    let judgments = read_dispositions(text, &findings).into_iter();
    judgments.map(|one| (one.disposition, one.findings.iter().map(issue).collect(), one.reason)).collect()
}

#[test]
fn a_number_is_the_place_in_the_list_that_was_told() {
    let text = "### [1] x\n**Judgment**: Fix Required\nwritten in line 4\n### [3, 2] y\n**Judgment**: No Fix Needed (it is there)\n";
    let expected = [
        (Disposition::FixRequired, vec!["the limit is missing"], "written in line 4".to_owned()),
        (Disposition::NoFix, vec!["the name is long", "the sum is wrong"], "it is there)".to_owned()),
    ];
    assert_eq!(dispositions(text), expected);
}

#[test]
fn without_a_number_the_title_tells_and_in_doubt_nothing_does() {
    let text = "### [W1] The limit is missing!\n**Judgment**: Needs Discussion\nHow many?\n### C4: is\n**Judgment**: Fix Required\n### [9] z\n**Judgment**: Fix Required\n";
    let expected = [
        (Disposition::NeedsDiscussion, vec!["the limit is missing"], "How many?".to_owned()),
        (Disposition::FixRequired, vec![], String::new()),
        (Disposition::FixRequired, vec![], String::new()),
    ];
    assert_eq!(dispositions(text), expected);
}

#[test]
fn a_title_tells_better_than_the_number_of_another_list() {
    let text = "### [1] The name is long\n**Judgment**: No Fix Needed\n### [3] The limit is missing\n**Judgment**: Fix Required\n### [2] The name\n**Judgment**: No Fix Needed\n";
    let about: Vec<Vec<&str>> = dispositions(text).into_iter().map(|(_, about, _)| about).collect();
    assert_eq!(about, [["the name is long"], ["the limit is missing"], ["the sum is wrong"]]);
}

#[test]
fn the_only_judgment_is_about_the_only_finding() {
    let one = [finding(Severity::Info, "a word")];
    let read = read_dispositions("**Judgment**: No Fix Needed", &one);
    assert_eq!(read[0].findings, [one[0].fingerprint()]);
    assert!(
        read_dispositions("> **Judgment**: No Fix Needed", &one).is_empty(),
        "a quotation is not its own"
    );
}
