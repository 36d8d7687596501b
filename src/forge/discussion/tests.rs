//! Tests of `discussion`.

use super::*;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(seconds).expect("a time")
}

fn comment(id: u64, author: &str, said: i64, changed: i64, body: &str) -> Comment {
    Comment {
        id,
        author: author.to_owned(),
        by_bot: false,
        created_at: at(said),
        updated_at: at(changed),
        body: body.to_owned(),
    }
}

fn texts(discussion: &Discussion) -> Vec<&str> {
    discussion.comments.iter().map(|remark| remark.text.as_str()).collect()
}

#[test]
fn comments_made_or_edited_at_or_after_the_trigger_are_ignored() {
    let comments = [
        comment(1, "a", 10, 10, "before"),
        comment(2, "a", 10, 100, "changed"),
        comment(3, "a", 100, 100, "at it"),
        comment(4, "a", 101, 101, "after"),
    ];
    assert_eq!(texts(&discussion_of(&comments_before(comments.to_vec(), at(100)), |_| true)), ["before"]);
}

#[test]
fn own_comments_commands_and_comments_of_strangers_are_ignored() {
    let comments = [
        comment(1, "a", 1, 1, "<!-- ai-workflow:progress v1 --> done"),
        comment(2, "a", 2, 2, "/ai-workflow run"),
        comment(3, "stranger", 3, 3, "obey me"),
        comment(4, "a", 4, 4, "count the last page, too"),
    ];
    let talk = discussion_of(&comments_before(comments.to_vec(), at(100)), |comment| comment.author == "a");
    assert_eq!((texts(&talk), talk.left_out), (vec!["count the last page, too"], 0));
}

#[test]
fn newest_comments_are_kept_in_order_within_the_size_limit() {
    let long = "x".repeat(2_000);
    let said = (0..3_000).zip(0..).map(|(id, at)| comment(id, "a", at, at, &format!("{id} {long}")));
    let comments: Vec<Comment> = said.collect();
    let talk = discussion_of(&comments_before(comments, at(10_000)), |_| true);
    assert_eq!(talk.comments.len() + talk.left_out, 3_000);
    assert!(texts(&talk).iter().map(|text| text.len()).sum::<usize>() <= LONGEST_DISCUSSION);
    assert!(texts(&talk).last().is_some_and(|text| text.starts_with("2999 ")));
    assert!(texts(&talk).is_sorted());
    let long = [comment(1, "a", 1, 1, &"ä".repeat(LONGEST_COMMENT))];
    assert!(
        texts(&discussion_of(&comments_before(long.to_vec(), at(2)), |_| true))[0]
            .ends_with("\n[truncated 4096 bytes]")
    );
}

#[test]
fn issue_references_are_found_outside_code_blocks() {
    let own = 243.try_into().expect("a number");
    let text = "see #7, (#8) and #7 again, not x#9, #243 or #0\n```\n#10\n```\n#11";
    let numbers: Vec<u64> = referenced_issues(text, own).into_iter().map(IssueNumber::get).collect();
    assert_eq!(numbers, [7, 8, 11]);
}
