//! Tests of `actions`.

use super::*;

#[test]
fn a_job_knows_its_own_workflow() {
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
fn the_workflow_that_we_write_bears_the_title_by_which_it_is_known() {
    let written = include_str!("../../../cli/init/ai-workflow.yml");
    let number = "${{ github.event.issue.number || inputs.issue }}";
    let name = run_name(243.try_into().expect("a number")).replace("243", number);
    assert!(written.contains(&format!("run-name: \"{name}\"\n")), "{name}");
}
