//! Measures how long ten megabytes of hostile text take to read. Fails when one kind takes more than 100 ms.
//! Not a comparison of versions: the question is only whether the reader stays linear.

#![allow(clippy::disallowed_methods, reason = "a benchmark reads the clock and files")]

use std::time::{Duration, Instant};

use content_parser::{
    Terms, default_words, doubt, read_claim, read_evaluation, read_review, read_triage, says_critical,
    stated_findings,
};

const SIZE: usize = 10_000_000;
const LIMIT: Duration = Duration::from_millis(100);

/// A neighbour's burst slows a processor down without taking it away, so what is slow is measured again; the reader itself
/// can become no faster than it is.
const MOST_TIMES: usize = 18;
const PAUSE: Duration = Duration::from_millis(200);

fn main() {
    // `cargo bench --bench parse_review -- quotes` measures the kinds that are named so; cargo adds `--bench`.
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    let mut slow = 0;
    for (name, text) in texts().into_iter().filter(|(name, _)| name.contains(&wanted)) {
        slow += usize::from(!report(name, &text));
    }
    assert!(slow == 0, "{slow} kinds of text took more than {} ms", LIMIT.as_millis());
}

/// Prints the times of one text; tells whether the review was read within the limit.
#[expect(clippy::print_stdout, reason = "a benchmark prints")]
fn report(name: &str, text: &str) -> bool {
    let words = default_words();
    let terms = Terms { review_id: Some("r"), require_review_id: false, words: &words, beyond: &[] };
    let mut read = String::new();
    let review = shortest(LIMIT, || {
        let mut reading = read_review(text, &terms);
        if reading.judgment.approves() {
            reading.doubt = doubt(text);
        }
        read = format!("{} by {} ({})", reading.result, reading.read_as, reading.reason);
    });
    let others = shortest(Duration::MAX, || {
        let _ = (read_claim(text), read_evaluation(text), read_triage(text, None));
        let _ = (stated_findings(text), says_critical(text));
    });
    println!("{name:<34} review {:>5.1} ms   the others {:>5.1} ms   {read}", ms(review), ms(others));
    review <= LIMIT
}

/// Returns the shortest of three times, and of more while all are over the limit.
fn shortest(limit: Duration, mut work: impl FnMut()) -> Duration {
    let mut shortest = Duration::MAX;
    for count in 0..MOST_TIMES {
        if count >= 3 {
            if shortest <= limit {
                break;
            }
            std::thread::sleep(PAUSE);
        }
        shortest = shortest.min(time(&mut work));
    }
    shortest
}

/// Measures one piece of work, without the time in which others had the processor.
fn time(work: &mut impl FnMut()) -> Duration {
    let (clock, processor) = (Instant::now(), processor_time());
    work();
    match (processor, processor_time()) {
        (Some(before), Some(after)) => after.saturating_sub(before),
        _ => clock.elapsed(),
    }
}

/// Linux tells how long this process has been running on a processor.
fn processor_time() -> Option<Duration> {
    let statistics = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    Some(Duration::from_nanos(statistics.split_whitespace().next()?.parse().ok()?))
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

fn texts() -> Vec<(&'static str, String)> {
    let mut texts: Vec<(&'static str, String)> = [
        ("open braces", "{"),
        ("braces and lines", "{\n"),
        ("open objects", "{\"a\":"),
        ("open objects and lists", "{\"a\":["),
        ("open verdicts", "{\"result\":"),
        ("verdicts that break", "{\"result\":\"PASS\" "),
        ("quotes", "\""),
        ("braces and quotes", "{\""),
        ("nested quotes", "{\"a\": \"{\\\"b\\\": \\\"{"),
        ("backslashes", "\\"),
        ("objects in strings", "{\"x{\":\"{\",\"y\":"),
        ("small objects", "{\"a\":1}"),
        ("empty objects", "{}"),
        ("verdict objects", "{\"result\":\"PASS\"}"),
        ("lists", "[["),
        ("numbers", "{\"a\":1234567890"),
        ("labels", "判定"),
        ("labels and colons", "判定:"),
        ("lines of markers", "判定: PASS\n"),
        ("lines that are nearly markers", "x判定: PASS\n"),
        ("lines that are nearly answers", "S1: fine\n"),
        ("English labels", "result decision "),
        ("adjectives", "レビュー"),
        ("adjectives and labels", "最終判定 "),
        ("fences", "```\n"),
        ("backticks", "`"),
        ("block quotes", "> 判定: PASS\n"),
        ("line breaks", "\n"),
        ("blanks", " "),
        ("table rows", "| 0 | 0 | 0 |\n"),
        ("table heads", "| fix required | no fix needed | needs discussion |\n"),
        ("prose", "これはレビューの文章です。It has two languages and no verdict at all.\n"),
        ("emoji", "✅😀"),
        ("review lines", "- [x] **正確性**: **PASS** - 品質ゲート総合判定: PASS\n"),
    ]
    .into_iter()
    .map(|(name, unit)| (name, unit.repeat(SIZE / unit.len())))
    .collect();
    texts.push((
        "one long string",
        format!("{{\"result\": \"PASS\", \"summary\": \"{}\"}}", "x".repeat(SIZE)),
    ));
    texts.push(("one long list", format!("{{\"result\": \"PASS\", \"x\": [{}1]}}", "1,".repeat(SIZE / 2))));
    let approval = "{\"review_id\": \"r\", \"result\": \"PASS\"}\n\n";
    for (name, unit) in [
        ("an approval, then prose", "これはレビューの文章です。It has two languages and is fine as it is.\n"),
        (
            "an approval, then notes",
            "- Critical: no critical issue was found in the migration, which passes.\n",
        ),
        ("an approval, then blockers", "## Blockers\n- [CRITICAL] none\n"),
        ("an approval, then one line", "Critical: none "),
    ] {
        texts.push((name, format!("{approval}{}", unit.repeat(SIZE / unit.len()))));
    }
    let denial = "- Critical: no critical issue was found in the migration, which passes.\n";
    texts.push(("an approval, then all it may say", format!("{approval}{}", denial.repeat(1_300))));
    texts.push((
        "a million braces, then a review",
        format!("{}{{\"result\": \"PASS\"}}", "{".repeat(1_000_000)),
    ));
    texts
}
