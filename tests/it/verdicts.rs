//! How reviews are read, by the rows of the seed and by the shapes that real reviews have.

use std::path::PathBuf;

use ai_workflow::content_parser::{Terms, default_words, read_review};
use ai_workflow::event::Reading;
use ai_workflow::verdict::Verdict;

fn read(text: &str) -> Reading {
    let words = default_words();
    read_review(text, &Terms { review_id: None, require_review_id: false, words: &words })
}

#[test]
fn the_corpus_of_real_reviews_is_never_read_more_leniently() {
    let folder = std::env::var_os("AI_WORKFLOW_CORPUS")
        .map_or_else(|| PathBuf::from("../shared/corpus/verdicts"), PathBuf::from);
    let Ok(labels) = std::fs::read_to_string(folder.join("labels.tsv")) else {
        #[expect(clippy::print_stderr, reason = "a skipped test must be seen")]
        {
            eprintln!("SKIPPED: no corpus of reviews at {}; set AI_WORKFLOW_CORPUS", folder.display());
        }
        return;
    };
    let (mut lenient, mut strict, mut total) = (Vec::new(), Vec::new(), 0);
    for row in labels.lines().skip(1) {
        let mut cells = row.split('\t');
        let (file, label) = (cells.next().expect("a file"), cells.next().expect("a label"));
        let bytes = std::fs::read(folder.join(file)).expect("a review of the list");
        let reading = read(&String::from_utf8_lossy(&bytes));
        let labelled = match label {
            "PASS" => Verdict::Pass,
            "PASS_WITH_SUGGESTIONS" => Verdict::PassWithSuggestions,
            _ => Verdict::Fail,
        };
        total += 1;
        let told = || format!("{file} {label}: {} ({}; {})", reading.result, reading.read_as, reading.reason);
        match reading.result.cmp(&labelled) {
            std::cmp::Ordering::Less => lenient.push(told()),
            std::cmp::Ordering::Greater => strict.push(told()),
            std::cmp::Ordering::Equal => {}
        }
    }
    assert!(total > 0, "the list is empty");
    assert_eq!(lenient, Vec::<String>::new());
    assert!(strict.len() <= 2, "{} of {total} read as stricter: {strict:#?}", strict.len());
}
