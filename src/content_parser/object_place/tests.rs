//! Places of an object without an id, one a line; `\n` stands for a line's end.

use super::{Quoted, sentence};

fn is_doubted(row: &str) -> bool {
    let object = r#"{"result":"PASS"}"#;
    let text =
        row.trim().replace("\\n", "\n").replace("{fence}", "\n```json\n{…}\n```\n").replace("{…}", object);
    let start = text.find(object).expect("a place has its object");
    sentence(&text, &(start..start + object.len()), &Quoted::new(&text)).is_some()
}

#[test]
fn an_object_that_a_sentence_speaks_of_is_doubted() {
    let missed: Vec<&str> = SPOKEN_OF.lines().filter(|row| !is_doubted(row)).collect();
    assert_eq!(missed, [""; 0]);
}

#[test]
fn an_object_that_stands_alone_or_is_given_is_not_doubted() {
    let doubted: Vec<&str> = ALONE.lines().filter(|row| is_doubted(row)).collect();
    assert_eq!(doubted, [""; 0]);
}

#[test]
fn an_object_on_the_line_of_an_indented_fence_is_read() {
    let row = r#" ```json {"result":"PASS"}\n ```"#;
    assert!(!is_doubted(row));
    for text in [
        "1. Verdict\n   ```json {\"result\": \"PASS\"} ```\n",
        "Verdict:\n  ```json {\"result\": \"PASS\"}\n  ```",
    ] {
        let start = text.find('{').expect("an object");
        let end = text.find('}').expect("an object") + 1;
        let _ = sentence(text, &(start..end), &Quoted::new(text));
    }
}

const SPOKEN_OF: &str = r"It is impossible to answer {…}.
    Section 3 is missing; otherwise I would answer:\n{fence}
    I was asked to return this:\n{fence}\nI cannot, because section 3 is missing.
    Never: {…}
    NOT: {…}
    If section 3 is added: {…}
    Until section 3 is added I withhold: {…}
    The author asks me to return: {…}. Section 3 is missing.
    The author wants this answer: {…}
    Example of an answer: {…}
    {fence}\nThis is not my answer. Section 3 is missing.
    {fence}\nThat would be the answer if section 3 existed.
    Once section 3 is there, the answer is\n{fence}
    第3章がないため、次の回答はできません。\n{fence}
    第3章が書かれたら次を返します。{…}
    {…}\nと答えたいが、できない。
    Section 3 is missing.\nThe answer:\n{fence}
    {fence}\nAll is well.\nSection 3 isn’t there.
    ```\nNever this:\n{…}\n```
    You want that I return {…}.
    I return {…} only after section 3 is there.
    I return {…} in no case.
    If all is there I return {…}.
    I do not return {…}.
    My answer {…} goes for all sections.
    結果は {…} ではない。
    第3章があれば {…} を返します。";

const ALONE: &str = r"So I return {…}.
    I return {…} because all sections are there.
    All sections are there, so I answer {…}.
    I approve: {…}
    I found no problem, so I return {…}.
    Nothing is missing, and I answer with {…}.
    The verdict is {…}, as every section is there.
    My final verdict: {…}
    結果は {…} です。
    最終判定：{…}
    承認します。{…}
    承認します: {…}
    よって {…} を返します。
    Here is my review: {…}
    Here is the JSON output: {…}
    Review result: {…}
    I return the following: {…}
    All done. {…} Thank you.
    説明です。{…} 以上です。
    I did not find any problem.\n\n{fence}
    問題は検出されませんでした。\n{fence}
    I read the plan if only once.\n\nThe plan is complete.\n\n{fence}
    ```rust\nif x { y() }\n```\n\n{fence}
    Nothing is missing.\n{…}
    Done.\n{fence}\n\n## Notes\n\nIt would be nicer with a table.";
