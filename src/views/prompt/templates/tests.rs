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
fn digest_covers_only_the_templates_in_use() {
    let plain = digest("planning", Step::Execute, &[]);
    assert_eq!((plain.len(), plain.clone()), (64, digest("planning", Step::Execute, &[])));
    assert_ne!(plain, digest("planning", Step::Review, &[]));
    assert_ne!(plain, digest("planning", Step::Execute, &[("planning/execute.md", "mine")]));
    assert_eq!(plain, digest("planning", Step::Execute, &[("design/execute.md", "mine")]));
}

#[test]
fn digest_covers_included_templates() {
    let own = ("planning/execute.md", "{{> shared/mine}}");
    let with = |text| digest("planning", Step::Execute, &[own, ("shared/mine.md", text)]);
    assert_ne!(with("one"), with("two"));
}

#[test]
fn quality_gate_revision_uses_the_execute_template() {
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
fn front_matter_lists_the_params_and_is_not_part_of_the_text() {
    let template = "---\ntitle: x\nparams:\n  - failedTests\n  - errorOutput\n---\n\n## Tests\n";
    assert_eq!(params(template), (vec!["failedTests".into(), "errorOutput".into()], "## Tests\n"));
    assert_eq!(params("---\r\nparams: [a]\r\n---\r\ntext"), (vec!["a".into()], "text"));
    assert_eq!(params("---\n---\ntext"), (vec![], "text"));
}

#[test]
fn incomplete_front_matter_is_treated_as_text() {
    for text in ["text", "---\nparams: [a]\nnever closed", "", "----\na\n----\n"] {
        assert_eq!(params(text), (vec![], text));
    }
}

#[test]
fn invalid_front_matter_is_an_error() {
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
fn placeholders_local_to_a_list_are_not_requested_from_the_prompt() {
    let template = "{{a}}\n{{#each b}}{{this.c}} {{d}} {{../e}} {{@index}}{{#if f}}{{f}}{{/if}}{{/each}}\n{{#if g}}{{{h}}}{{else}}{{i.j}}{{/if}}{{> k}}{{!-- {{l}} --}}{{! {m}}}";
    let expected = [("a", 1), ("b", 2), ("e", 2), ("g", 3), ("h", 3), ("i", 3)];
    assert_eq!(asked(template), expected.map(|(name, line)| (name.to_owned(), line)));
    let names = TemplatePlaceholders::of(template);
    assert!(names.is_list("b") && !names.is_list("a"));
    assert!(names.is_object("i") && !names.is_object("c"));
}

#[test]
fn helpers_and_literals_are_not_placeholders() {
    let template = r#"{{lookup a "b c"}}{{#if (eq d 1)}}{{/if}}{{len e}}{{#if (and f (not g))}}{{/if}}"#;
    let names: Vec<String> = asked(template).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["a", "d", "e", "f", "g"]);
}

#[test]
fn placeholders_inside_a_template_fence_are_marked_as_fenced() {
    let names = TemplatePlaceholders::of(
        "{{a}}\n```sh\n{{b}} {{c}}\n```\n{{c}}{{#each d}}\n~~~\n{{this.e}}\n~~~\n{{/each}}",
    );
    let fenced = |name| names.is_fenced(name);
    assert_eq!([fenced("a"), fenced("b"), fenced("c"), fenced("e")], [false, true, false, true]);
    assert!(!TemplatePlaceholders::of("say ```{{a}}```").is_fenced("a"), "a run inside a line is no fence");
}
