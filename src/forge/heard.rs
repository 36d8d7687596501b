//! What of the talk around an issue a run begins with: said before it began, by people who are heard, newest first until
//! there is no room. Pure; who is heard is the caller's to say.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use jiff::Timestamp;
use regex::Regex;

use super::Comment;
use model::issue::{Discussion, IssueNumber, Remark};

/// The most comments of a run.
const MOST: usize = 30;
/// The longest comment, in bytes.
const LONGEST: usize = 4 * 1024;
/// All of them, in bytes.
const ROOM: usize = 24 * 1024;
/// The most issues that a text can name.
const MOST_NAMED: usize = 10;
/// How each mark of ours begins.
const OURS: &str = "<!-- ai-workflow:";
/// How a command to us begins.
const COMMAND: &str = "/ai-workflow";

static NUMBER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?:^|[\s(\[])#(\d{1,10})\b").expect("a pattern of ours"));

/// Returns what was said before a moment and not changed since.
pub fn earlier(comments: Vec<Comment>, before: Timestamp) -> Vec<Comment> {
    let is_earlier = |comment: &Comment| comment.created_at < before && comment.updated_at < before;
    comments.into_iter().filter(is_earlier).collect()
}

/// Returns what those who are heard said, oldest first.
pub fn heard(comments: &[Comment], is_heard: impl Fn(&Comment) -> bool) -> Discussion {
    let talk = |comment: &&Comment| {
        let text = comment.body.trim();
        !text.is_empty() && !text.contains(OURS) && !text.starts_with(COMMAND)
    };
    let mut all: Vec<&Comment> = comments.iter().filter(talk).collect();
    all.retain(|comment| is_heard(comment));
    all.sort_by_key(|comment| (comment.created_at, comment.id));
    let mut room = ROOM;
    let mut kept = Vec::new();
    for comment in all.iter().rev().take(MOST) {
        let text = short(&comment.body);
        let Some(left) = room.checked_sub(text.len()) else { break };
        room = left;
        kept.push(Remark { author: comment.author.clone(), at: comment.created_at, text });
    }
    kept.reverse();
    Discussion { left_out: all.len() - kept.len(), comments: kept, linked: Vec::new() }
}

/// Returns the numbers of other issues that a text names outside of code, each once.
pub fn named(text: &str, own: IssueNumber) -> Vec<IssueNumber> {
    let mut seen = BTreeSet::from([own]);
    let mut in_code = false;
    let mut numbers = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        let found = NUMBER.captures_iter(line).filter(|_| !in_code);
        let found = found.filter_map(|captures| captures[1].parse::<IssueNumber>().ok());
        numbers.extend(found.filter(|number| seen.insert(*number)));
    }
    numbers.truncate(MOST_NAMED);
    numbers
}

fn short(text: &str) -> String {
    if text.len() <= LONGEST {
        return text.to_owned();
    }
    let end = (0..=LONGEST).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    format!("{}\n[truncated {} bytes]", &text[..end], text.len() - end)
}

#[cfg(test)]
mod tests {
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
    fn t_05_what_was_said_or_changed_at_the_trigger_or_later_is_not_heard() {
        let comments = [
            comment(1, "a", 10, 10, "before"),
            comment(2, "a", 10, 100, "changed"),
            comment(3, "a", 100, 100, "at it"),
            comment(4, "a", 101, 101, "after"),
        ];
        assert_eq!(texts(&heard(&earlier(comments.to_vec(), at(100)), |_| true)), ["before"]);
    }

    #[test]
    fn our_own_words_commands_and_strangers_are_not_heard() {
        let comments = [
            comment(1, "a", 1, 1, "<!-- ai-workflow:progress v1 --> done"),
            comment(2, "a", 2, 2, "/ai-workflow run"),
            comment(3, "stranger", 3, 3, "obey me"),
            comment(4, "a", 4, 4, "count the last page, too"),
        ];
        let talk = heard(&earlier(comments.to_vec(), at(100)), |comment| comment.author == "a");
        assert_eq!((texts(&talk), talk.left_out), (vec!["count the last page, too"], 0));
    }

    #[test]
    fn p_04_the_newest_are_kept_in_their_order_until_there_is_no_room() {
        let long = "x".repeat(2_000);
        let said = (0..3_000).zip(0..).map(|(id, at)| comment(id, "a", at, at, &format!("{id} {long}")));
        let comments: Vec<Comment> = said.collect();
        let talk = heard(&earlier(comments, at(10_000)), |_| true);
        assert_eq!(talk.comments.len() + talk.left_out, 3_000);
        assert!(texts(&talk).iter().map(|text| text.len()).sum::<usize>() <= ROOM);
        assert!(texts(&talk).last().is_some_and(|text| text.starts_with("2999 ")));
        assert!(texts(&talk).is_sorted());
        let long = [comment(1, "a", 1, 1, &"ä".repeat(LONGEST))];
        assert!(
            texts(&heard(&earlier(long.to_vec(), at(2)), |_| true))[0].ends_with("\n[truncated 4096 bytes]")
        );
    }

    #[test]
    fn other_issues_are_named_by_their_number_outside_of_code() {
        let own = 243.try_into().expect("a number");
        let text = "see #7, (#8) and #7 again, not x#9, #243 or #0\n```\n#10\n```\n#11";
        let numbers: Vec<u64> = named(text, own).into_iter().map(IssueNumber::get).collect();
        assert_eq!(numbers, [7, 8, 11]);
    }
}
