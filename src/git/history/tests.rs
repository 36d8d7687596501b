//! Tests of `history`.

use super::*;

#[test]
fn hunk_header_gives_its_line_range() {
    for (line, expected) in [
        ("@@ -3,2 +3,4 @@ fn x()", Some((3, 4))),
        ("@@ -7 +7 @@", Some((7, 7))),
        ("@@ -7,0 +8,2 @@", Some((7, 7))),
        ("--- a/x", None),
        ("@@ broken", None),
    ] {
        assert_eq!(parse_hunk_range(line), expected, "{line}");
    }
}

#[test]
fn co_author_trailer_needs_a_name_and_an_address() {
    let author = |name: &str, mail: &str| Some(Signature { name: name.into(), mail: mail.into() });
    assert_eq!(parse_co_author("Co-authored-by: Alice A <a@b>"), author("Alice A", "a@b"));
    assert_eq!(parse_co_author("co-authored-BY:Bob <b@c> x"), author("Bob", "b@c"));
    for bad in ["Co-authored-by: Alice", "Signed-off-by: A <a@b>", "Co-authored-by: <a@b>", "x", "é: A <a@b>"]
    {
        assert_eq!(parse_co_author(bad), None, "{bad}");
    }
}

const PLAIN: &str = "tree 1\nparent 2\nauthor A <a@b> 1 +0000\ncommitter B <b@c> 1 +0000\n";

#[test]
fn commit_object_is_parsed_unchanged() {
    let text = format!("{PLAIN}gpgsig -----\n x\n\nwords\n");
    let bytes = format!("abc commit {}\n{text}\n", text.len());
    let said = parse_commit_texts(bytes.as_bytes()).expect("it is read");
    assert_eq!((said[0].author.as_str(), said[0].committer.as_str()), ("A <a@b>", "B <b@c>"));
    assert_eq!((said[0].message.as_str(), said[0].whole.as_str()), ("words\n", text.as_str()));
}

#[test]
fn commits_with_extra_headers_are_not_parsed_as_own() {
    for more in ["encoding latin1\n", "parent 3\n", "mergetag object 1\n"] {
        let text = format!("{PLAIN}{more}\nwords\n");
        assert_eq!(parse_commit_text("abc", &text), None, "{more}");
    }
}

fn trailers() -> Trailers {
    Trailers { run: "abc".into(), phase: "planning".into(), seq: 12, chain: "ff".into() }
}

#[test]
fn trailers_round_trip() {
    let message = format!("planning: passed\n\nbody\n\n{}", trailers());
    assert_eq!(Trailers::read(&message), Some(trailers()));
}

#[test]
fn misplaced_or_duplicate_trailers_are_ignored() {
    for message in [
        format!("{}\n\nother words", trailers()),
        format!("x\n\n{}AI-Workflow-Seq: 13", trailers()),
        trailers().to_string().replace("12", "twelve"),
        "planning".into(),
        String::new(),
    ] {
        assert_eq!(Trailers::read(&message), None, "{message}");
    }
}
