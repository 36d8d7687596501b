//! Tests of `actions`.

use super::*;

#[test]
fn workflow_reference_names_the_file_and_branch_of_the_job() {
    let read = |text: &str| WorkflowRef::read(text, "octo/pages");
    let found = read("Octo/Pages/.github/workflows/ai-workflow.yml@refs/heads/release/2");
    assert_eq!(found, Some(WorkflowRef { file: "ai-workflow.yml".into(), branch: "release/2".into() }));
    for other in [
        "",
        "octo/other/.github/workflows/a.yml@refs/heads/main",
        "octo/pages/.github/workflows/a.yml@refs/pull/7/merge",
        "octo/pages/.github/workflows/../a.yml@refs/heads/main",
        "octo/pages/.github/workflows/..@refs/heads/main",
        "octo/pages/a.yml@refs/heads/main",
        "octo/pages/.github/workflows/a.yml",
    ] {
        assert_eq!(read(other), None, "{other:?}");
    }
}

#[test]
fn generated_workflow_has_the_expected_run_name() {
    let written = include_str!("../../../cli/init/ai-workflow.yml");
    let number = "${{ github.event.issue.number || inputs.issue }}";
    let name = run_name(243.try_into().expect("a number")).replace("243", number);
    assert!(written.contains(&format!("run-name: \"{name}\"\n")), "{name}");
}
