//! What is quoted in an answer, and what is its author's own.

use super::*;

fn own(text: &str) -> Vec<&str> {
    Quoted::new(text).own_lines().map(str::trim).filter(|line| !line.is_empty()).collect()
}

#[test]
fn fences_and_block_quotes_are_quoted() {
    assert_eq!(own("a\n```sh\nb\n```\n> c\n  > d\n~~~\ne\n```\nf\n~~~\ng"), ["a", "g"]);
}

#[test]
fn a_fence_that_is_never_closed_reaches_to_the_end() {
    assert_eq!(own("a\n```\nb\n\n```rust\nc"), ["a"]);
}

#[test]
fn comments_that_begin_a_line_are_quoted() {
    assert_eq!(own("a\n<!-- b\nc\n-->d\n`<!--` e\n  <!-- f\ng"), ["a", "-->d", "`<!--` e"]);
    assert_eq!(own(&format!("{}a", "<!---->\n".repeat(MOST + 1))), [""; 0]);
}

#[test]
fn backticks_inside_a_line_open_nothing() {
    assert_eq!(own("a ```x``` b\nc"), ["a ```x``` b", "c"]);
}

#[test]
fn a_fence_around_the_whole_answer_quotes_nothing() {
    assert_eq!(own("\n```markdown\na\n```\n"), ["```markdown", "a", "```"]);
    assert_eq!(own("```rust\na\n```"), [""; 0]);
    assert_eq!(own("```\na"), [""; 0]);
    assert_eq!(own("```\na\n```\nb\n```\nc\n```"), ["b"]);
}

#[test]
fn only_a_named_language_is_code() {
    let text = "```py\na\n```\n```json\nb\n```\n```\nc\n```\n";
    let quoted = Quoted::new(text);
    let code = |what: &str| quoted.is_code(text.find(what).expect("it is there"));
    assert_eq!([code("a"), code("\nb"), code("c")], [true, false, false]);
}

#[test]
fn too_many_fences_quote_the_rest() {
    let text = format!("{}a", "```\n```\n".repeat(MOST + 1));
    assert_eq!(own(&text), [""; 0]);
}

#[test]
fn an_answer_is_its_own_lines_and_its_blocks() {
    let text = "a\n```rust ignore\nb\nc\n```\n> d\ne\r\n~~~\nf";
    assert_eq!(own_lines(text), [(1, "a"), (7, "e")]);
    let blocks = [
        CodeBlock { language: "rust", text: "b\nc\n", line: 3 },
        CodeBlock { language: "", text: "f", line: 9 },
    ];
    assert_eq!(code_blocks(text), blocks);
    assert_eq!(
        (code_blocks("```"), own_lines("")),
        (vec![CodeBlock { language: "", text: "", line: 2 }], vec![])
    );
}

#[test]
fn only_a_closed_block_of_json_is_one() {
    assert_eq!(last_json_block("```json\n1\n```\n\n```JSON\n[2]\n```\n"), Some("[2]\n"));
    assert_eq!(last_json_block("```js\n1\n```\n```json\n2"), None);
    assert_eq!(last_json_block("````\n```json\n1\n```\n````"), None);
    assert_eq!(last_json_block("{\"a\": 1}"), None);
}
