//! Reads the judgments of the single findings in a triage, such as `**Judgment**: Fix Required` below `### [1] …`, with the
//! reason beside them, and compares them with the table. Their absence proves nothing; a judgment that the table does not
//! count does. Which finding of the review each is about is `dispositions`'.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

use super::folded::{folded, is_picture};
use super::named_findings::{Named, named};
use model::event::TriageTable;
use model::finding::Disposition;

/// The judgments as lines write them. The first that begins a value is meant, so none may begin another one.
const WORDS: [(&str, Disposition); 19] = [
    ("fix required", Disposition::FixRequired),
    ("fix needed", Disposition::FixRequired),
    ("fix it", Disposition::FixRequired),
    ("needs a fix", Disposition::FixRequired),
    ("needs to be fixed", Disposition::FixRequired),
    ("must be fixed", Disposition::FixRequired),
    ("must fix", Disposition::FixRequired),
    ("要修正", Disposition::FixRequired),
    ("修正必要", Disposition::FixRequired),
    ("修正が必要", Disposition::FixRequired),
    ("no fix", Disposition::NoFix),
    ("no change", Disposition::NoFix),
    ("no action", Disposition::NoFix),
    ("修正不要", Disposition::NoFix),
    ("対応不要", Disposition::NoFix),
    ("needs discussion", Disposition::NeedsDiscussion),
    ("discussion needed", Disposition::NeedsDiscussion),
    ("要議論", Disposition::NeedsDiscussion),
    ("議論が必要", Disposition::NeedsDiscussion),
];

const LABELS: [&str; 4] = ["judgment", "judgement", "判定", "判断"];

/// Labels that other lines have, too; a judgment under both is one.
const OTHER_LABELS: [&str; 4] = ["decision", "disposition", "conclusion", "結論"];

/// A reason longer than this, in characters, is cut.
const LONGEST_REASON: usize = 400;
/// A line longer than this, in bytes, is cut before it is looked at.
const LONGEST_LINE: usize = 2_000;

/// One judgment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Judged {
    pub disposition: Disposition,
    /// How many findings the nearest heading names.
    pub many: u32,
    /// What the heading names that it belongs to.
    pub named: Named,
    /// What stands behind and below it, up to the next heading or table.
    pub reason: String,
}

/// Refuses a table that says less than the judgments of the single findings do. A table that approves is refused, too,
/// when some of its findings have a judgment and others have none. A judgment in other words may be the strictest.
pub(super) fn check(lines: &[&str], table: TriageTable) -> Result<(), String> {
    let lines = &with_values(lines)[..];
    if let Some(unread) = lines.iter().find_map(|line| unread(super::head(line, LONGEST_LINE))) {
        return Err(format!(
            "the judgment `{unread}` is none of Fix Required, No Fix Needed and Needs Discussion"
        ));
    }
    let counts = [count(&labelled(lines, &LABELS)), count(&labelled(lines, &OTHER_LABELS)), in_rows(lines)];
    counts.into_iter().try_for_each(|judged| compare(judged, table))
}

fn compare(judged: TriageTable, table: TriageTable) -> Result<(), String> {
    for (word, judged, counted) in [
        ("Fix Required", judged.fix_required, table.fix_required),
        ("No Fix Needed", judged.no_fix_needed, table.no_fix_needed),
        ("Needs Discussion", judged.needs_discussion, table.needs_discussion),
    ] {
        if judged > counted {
            return Err(format!("the table counts {counted} of `{word}`, the judgments say {judged}"));
        }
    }
    let (some, approves) = (judged.findings(), table.fix_required + table.needs_discussion == 0);
    if approves && some > 0 && some < table.findings() {
        return Err(format!(
            "the table counts {} findings, of which {some} have a judgment",
            table.findings()
        ));
    }
    Ok(())
}

/// Counts the judgments; one below a heading that names several findings counts for each of them.
fn count(all: &[Judged]) -> TriageTable {
    let mut counts = TriageTable::default();
    for judged in all {
        add_to(&mut counts, judged.disposition, judged.many);
    }
    counts
}

fn add_to(counts: &mut TriageTable, disposition: Disposition, many: u32) {
    let count = match disposition {
        Disposition::FixRequired => &mut counts.fix_required,
        Disposition::NeedsDiscussion => &mut counts.needs_discussion,
        Disposition::NoFix | Disposition::Open => &mut counts.no_fix_needed,
    };
    *count = count.saturating_add(many);
}

/// Counts the judgments that stand in a table, such as `| 1 | data loss | Fix Required |`.
fn in_rows(lines: &[Cow<str>]) -> TriageTable {
    let mut counts = TriageTable::default();
    let rows = lines.iter().filter(|line| line.trim_start().starts_with('|'));
    rows.filter_map(|row| in_row(super::head(row, LONGEST_LINE)))
        .for_each(|disposition| add_to(&mut counts, disposition, 1));
    counts
}

/// Reads the judgment of a row. Several are the titles of the columns; the first cell is what is judged.
fn in_row(row: &str) -> Option<Disposition> {
    let row = folded(row);
    let mut cells = row.trim().trim_matches('|').split('|');
    let judged = cells.next()?;
    let mut judgments = cells.filter_map(|cell| {
        let cell = cell.trim_matches(|c: char| c.is_whitespace() || "*_`".contains(c) || is_picture(c));
        worded(cell).filter(|(_, rest)| rest.is_empty()).map(|(disposition, _)| disposition)
    });
    let (only, another) = (judgments.next()?, judgments.next());
    (another.is_none() && judged.contains(char::is_alphanumeric)).then_some(only)
}

/// Reads all judgments in their order.
pub(super) fn read(lines: &[&str]) -> Vec<Judged> {
    labelled(&with_values(lines), &LABELS)
}

/// Writes a judgment that stands below its label behind it.
fn with_values<'l>(lines: &[&'l str]) -> Vec<Cow<'l, str>> {
    let mut whole: Vec<Cow<'l, str>> = Vec::with_capacity(lines.len());
    // The last label that stands alone.
    let mut label: Option<usize> = None;
    for (index, line) in lines.iter().enumerate() {
        let short = folded(super::head(line, LONGEST_LINE));
        let value = below_label(&short);
        if let Some(at) = label
            && let Some(said) = worded(value)
            && !is_of_legend(said, &lines[index + 1..])
        {
            let joined = format!("{} {value}", whole[at].trim_end());
            whole[at] = Cow::Owned(joined);
            whole.push(Cow::Borrowed(""));
            label = None;
            continue;
        }
        if !value.is_empty() {
            label = is_label_alone(&short).then_some(whole.len());
        }
        whole.push(Cow::Borrowed(line));
    }
    whole
}

/// Returns a line without what may stand before a judgment below its label.
fn below_label(line: &str) -> &str {
    line.trim_start_matches(|c: char| c.is_whitespace() || "*_`[(-".contains(c) || is_picture(c))
}

/// Tells whether a judgment below a label is counted, or one of a list of different ones: then it judges no finding.
fn is_of_legend((said, rest): (Disposition, &str), below: &[&str]) -> bool {
    let next = below.iter().find(|line| !line.trim().is_empty());
    let next = next.map(|line| folded(super::head(line, LONGEST_LINE)));
    let other = next.and_then(|next| worded(below_label(&next)).map(|(other, _)| other));
    other.is_some_and(|other| other != said) || is_number(rest)
}

fn is_number(text: &str) -> bool {
    let text = text.trim_matches(|c: char| c.is_whitespace() || "*_`:=()".contains(c));
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_label_alone(line: &str) -> bool {
    let labels = LABELS.iter().chain(&OTHER_LABELS).copied().collect::<Vec<_>>();
    labelled_value(line, &labels).is_some_and(|value| !value.contains(char::is_alphanumeric))
}

fn labelled(lines: &[Cow<str>], labels: &[&str]) -> Vec<Judged> {
    let mut all: Vec<Judged> = Vec::new();
    let (mut above, mut level, mut many) = (named(""), 0, 1);
    // The reason of the last judgment goes on.
    let mut open = false;
    for line in lines {
        let line = folded(super::head(line, LONGEST_LINE));
        let depth = heading(&line);
        if depth.is_some() {
            many = named(&line).many;
        }
        if let Some((disposition, rest)) = judgment(&line, labels) {
            all.push(Judged { disposition, many, named: above.clone(), reason: String::new() });
            open = true;
            add(all.last_mut(), rest);
        } else if let Some(depth) = depth {
            // What is told in parts is still told of the finding whose heading is above them.
            if depth <= level || level == 0 || names_an_id(&line) {
                (above, level) = (named(&line), depth);
            }
            open = false;
        } else if line.trim_start().starts_with('|') || line.trim_start().starts_with("review_id") {
            open = false;
        } else if open {
            add(all.last_mut(), &line);
        }
    }
    all
}

fn heading(line: &str) -> Option<usize> {
    let line = line.trim_start();
    let depth = line.len() - line.trim_start_matches('#').len();
    (depth > 0).then_some(depth)
}

/// Tells whether a heading begins with something like `[1]` or `W1`.
fn names_an_id(line: &str) -> bool {
    static ID: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^[#\s*]*(?:\[#?\d{1,3}\b|[\[(]?[A-Za-z]{1,3}-?\d{1,3}\b)")
            .expect("the pattern is a constant")
    });
    ID.is_match(line)
}

/// Adds a line to a reason that is not full yet.
fn add(judged: Option<&mut Judged>, line: &str) {
    static LABEL: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^(?i:reason|rationale|why|理由|根拠)\s*[:：]\s*").expect("the pattern is a constant")
    });
    let Some(judged) = judged else { return };
    let full = judged.reason.chars().count() >= LONGEST_REASON;
    let plain = line.replace("**", "");
    let plain = plain.trim_matches(|c: char| c.is_whitespace() || "-*_`>".contains(c) || is_picture(c));
    let plain = LABEL.replace(plain, "");
    if full || plain.is_empty() {
        return;
    }
    if !judged.reason.is_empty() {
        judged.reason.push(' ');
    }
    judged.reason.push_str(&plain);
    judged.reason.truncate(super::clipped(&judged.reason, LONGEST_REASON).len());
}

/// Reads a line that states a judgment, and what stands behind it.
fn judgment<'l>(line: &'l str, labels: &[&str]) -> Option<(Disposition, &'l str)> {
    let value = labelled_value(line, labels)?;
    let value = value.trim_start_matches(|c: char| c.is_whitespace() || "*_`[(".contains(c) || is_picture(c));
    let (disposition, rest) = worded(value)?;
    Some((disposition, rest.trim_start_matches(|c: char| " *_`])(:,.–—".contains(c) || is_picture(c))))
}

fn labelled_value<'l>(line: &'l str, labels: &[&str]) -> Option<&'l str> {
    let bare = line.trim_start_matches(|c: char| c.is_whitespace() || "*_-+#".contains(c));
    let value = labels.iter().find_map(|label| without(bare, label))?;
    value.trim_start_matches(['*', '_', ' ']).strip_prefix(':')
}

/// Returns the value of a judgment that is said in other words. One that points to the table says nothing of its own.
fn unread(line: &str) -> Option<String> {
    static ELSEWHERE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)\b(?:tables?|below|above)\b|表|下記|上記|以下").expect("the pattern is a constant")
    });
    let line = folded(line);
    let value =
        labelled_value(&line, &LABELS)?.trim_matches(|c: char| c.is_whitespace() || "*_`".contains(c));
    let says_nothing = value.is_empty() || ELSEWHERE.is_match(value) || judgment(&line, &LABELS).is_some();
    (!says_nothing).then(|| super::clipped(value, 60).to_owned())
}

/// Reads the words of a judgment, and returns what stands behind them.
fn worded(value: &str) -> Option<(Disposition, &str)> {
    let (rest, disposition) = WORDS.iter().find_map(|(word, said)| Some((without(value, word)?, *said)))?;
    let more = [" needed", " required"].iter().find_map(|more| without(rest, more));
    Some((disposition, more.unwrap_or(rest)))
}

/// Returns what follows a beginning, whatever its case; `_` and `-` between its words are spaces.
fn without<'t>(text: &'t str, beginning: &str) -> Option<&'t str> {
    let start = text.get(..beginning.len())?;
    let is_same = |(is, wanted): (u8, u8)| {
        is.eq_ignore_ascii_case(&wanted) || (wanted == b' ' && matches!(is, b'_' | b'-'))
    };
    start.bytes().zip(beginning.bytes()).all(is_same).then(|| &text[beginning.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

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
        read(&lines).into_iter().map(|judged| (judged.named.title, judged.reason)).collect()
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
            (
                "### [1] a\n**Judgment**: No Fix Needed\nFix Required is what I would say else\n",
                table(0, 1, 0),
            ),
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
        assert_eq!(
            (counted(parts), told(parts)[0].0.as_str()),
            (table(0, 1, 0), "two"),
            "parts of one answer"
        );
        let each = "### [W1, W2] two\n#### one\n**Judgment**: Fix Required\n#### other\n**Judgment**: Fix Required\n";
        assert_eq!(counted(each), table(2, 0, 0), "one judgment each");
    }

    #[test]
    fn the_reason_of_a_judgment_stands_behind_or_below_it() {
        let text = "### [1] The limit\nThe reviewer says so.\n**Judgment**: ❌ **No Fix Needed** (line 4 has it)\n\n\
                    **Reason**: it is *there*.\n\n### [2] The name\n**Judgment**: Fix Required\n\n| Severity | Issues |\nafter";
        let expected = [("The limit", "line 4 has it) it is *there*."), ("The name", "")];
        assert_eq!(told(text), expected.map(|(title, reason)| (title.to_owned(), reason.to_owned())));
        let long = format!("**Judgment**: Fix Required\n{}", "ぁ".repeat(900));
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
        for line in ["**Judgment**: NO_FIX_NEEDED", "**Judgment**: No-fix needed", "**判断**: 修正不要"]
        {
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
}
