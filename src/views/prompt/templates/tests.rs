//! Tests of the heads and the digests of templates, and of the names that they use.

use super::*;

use settings::{ConfigTexts, load};

fn digest(phase: &str, step: Step, overrides: &[(&str, &str)]) -> String {
    digest_of(phase, "", step, overrides)
}

fn digest_of(phase: &str, settings: &str, step: Step, overrides: &[(&str, &str)]) -> String {
    let file = Some(("config.toml".into(), settings.to_owned()));
    let settings = load(&ConfigTexts { repository: file, ..ConfigTexts::default() }).expect("a good file");
    let phases = settings.agreement(None).expect("good").phases;
    let phase = phases.into_iter().find(|known| known.name.as_str() == phase).expect("a phase");
    let own = |(path, text): &(&str, &str)| ((*path).to_owned(), (*text).to_owned());
    template_digest(&phase, step, &overrides.iter().map(own).collect()).expect("a template")
}

#[test]
fn it_is_that_of_the_templates_in_use_and_of_no_others() {
    let plain = digest("planning", Step::Execute, &[]);
    assert_eq!((plain.len(), plain.clone()), (64, digest("planning", Step::Execute, &[])));
    assert_ne!(plain, digest("planning", Step::Review, &[]));
    assert_ne!(plain, digest("planning", Step::Execute, &[("planning/execute.md", "mine")]));
    assert_eq!(plain, digest("planning", Step::Execute, &[("design/execute.md", "mine")]));
}

#[test]
fn what_a_template_includes_counts_too() {
    let own = ("planning/execute.md", "{{> shared/mine}}");
    let with = |text| digest("planning", Step::Execute, &[own, ("shared/mine.md", text)]);
    assert_ne!(with("one"), with("two"));
}

#[test]
fn a_revision_behind_a_quality_gate_is_made_of_the_task_again() {
    let gate = "[phases.planning]\npolicy = 'quality-gate'";
    let of = |step| digest_of("planning", gate, step, &[]);
    assert_eq!(of(Step::Revise), of(Step::Execute));
    assert_ne!(digest("planning", Step::Revise, &[]), digest("planning", Step::Execute, &[]));
}

fn params(template: &str) -> (Vec<String>, &str) {
    let (head, text) = split_head(template).expect("a good head");
    (head.params, text)
}

#[test]
fn c_13_a_head_lists_the_params_and_is_no_part_of_the_text() {
    let template = "---\ntitle: x\nparams:\n  - failedTests\n  - errorOutput\n---\n\n## Tests\n";
    assert_eq!(params(template), (vec!["failedTests".into(), "errorOutput".into()], "## Tests\n"));
    assert_eq!(params("---\r\nparams: [a]\r\n---\r\ntext"), (vec!["a".into()], "text"));
    assert_eq!(params("---\n---\ntext"), (vec![], "text"));
}

#[test]
fn what_is_no_head_is_text() {
    for text in ["text", "---\nparams: [a]\nnever closed", "", "----\na\n----\n"] {
        assert_eq!(params(text), (vec![], text));
    }
}

#[test]
fn a_head_that_says_something_else_is_an_error() {
    assert!(split_head("---\nparams: {a: 1}\n---\n").is_err());
    assert_eq!(
        split_head("---\nparams: ['a}}{{b']\n---\n"),
        Err("its head: `a}}{{b` is no name of a parameter".into())
    );
}

fn asked(template: &str) -> Vec<(String, usize)> {
    TemplatePlaceholders::of(template).asked
}

#[test]
fn names_inside_a_list_are_not_asked_of_the_prompt() {
    let template = "{{a}}\n{{#each b}}{{this.c}} {{d}} {{../e}} {{@index}}{{#if f}}{{f}}{{/if}}{{/each}}\n{{#if g}}{{{h}}}{{else}}{{i.j}}{{/if}}{{> k}}{{!-- {{l}} --}}{{! {m}}}";
    let expected = [("a", 1), ("b", 2), ("e", 2), ("g", 3), ("h", 3), ("i", 3)];
    assert_eq!(asked(template), expected.map(|(name, line)| (name.to_owned(), line)));
    let names = TemplatePlaceholders::of(template);
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
    let names = TemplatePlaceholders::of(
        "{{a}}\n```sh\n{{b}} {{c}}\n```\n{{c}}{{#each d}}\n~~~\n{{this.e}}\n~~~\n{{/each}}",
    );
    let fenced = |name| names.is_fenced(name);
    assert_eq!([fenced("a"), fenced("b"), fenced("c"), fenced("e")], [false, true, false, true]);
    assert!(!TemplatePlaceholders::of("say ```{{a}}```").is_fenced("a"), "a run inside a line is no fence");
}
