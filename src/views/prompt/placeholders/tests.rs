//! Tests of which names a template uses.

use super::*;

fn asked(template: &str) -> Vec<(String, usize)> {
    Names::of(template).asked
}

#[test]
fn names_inside_a_list_are_not_asked_of_the_prompt() {
    let template = "{{a}}\n{{#each b}}{{this.c}} {{d}} {{../e}} {{@index}}{{#if f}}{{f}}{{/if}}{{/each}}\n{{#if g}}{{{h}}}{{else}}{{i.j}}{{/if}}{{> k}}{{!-- {{l}} --}}{{! {m}}}";
    let expected = [("a", 1), ("b", 2), ("e", 2), ("g", 3), ("h", 3), ("i", 3)];
    assert_eq!(asked(template), expected.map(|(name, line)| (name.to_owned(), line)));
    let names = Names::of(template);
    assert!(names.is_list("b") && !names.is_list("a"));
    assert!(names.is_object("i") && !names.is_object("c"));
}

#[test]
fn helpers_and_literals_are_no_names() {
    let template = r#"{{lookup a "b c"}}{{#if (eq d 1)}}{{/if}}{{len e}}{{#if (and f (not g))}}{{/if}}"#;
    let names: Vec<String> = asked(template).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["a", "d", "e", "f", "g"]);
}

#[test]
fn a_name_in_a_fence_of_the_template_is_known_by_it() {
    let names =
        Names::of("{{a}}\n```sh\n{{b}} {{c}}\n```\n{{c}}{{#each d}}\n~~~\n{{this.e}}\n~~~\n{{/each}}");
    let fenced = |name| names.is_fenced(name);
    assert_eq!([fenced("a"), fenced("b"), fenced("c"), fenced("e")], [false, true, false, true]);
    assert!(!Names::of("say ```{{a}}```").is_fenced("a"), "a run inside a line is no fence");
}
