//! Tests that a command stays inside its cell of the table.

use std::collections::BTreeMap;

use serde_json::json;

use super::*;

#[test]
fn command_text_cannot_break_its_table_cell() {
    let hostile = "a | b `c` ``d` <img src=x> </code> @all #2 [x](y) \\| https://x.y/issues/2\n| z |";
    let shown = code(hostile);
    let inner = shown.strip_prefix("<code>").and_then(|rest| rest.strip_suffix("</code>")).expect("code");
    assert!(!inner.contains(['|', '`', '<', '>', '\n', '@', '[', '\\', ':', '.']), "{shown}");
    assert_eq!(code("cargo test --locked"), "<code>cargo test --locked</code>");
    assert_eq!(code("make a_b"), "<code>make a&#95;b</code>");
    assert_eq!(code(""), "");
    let long = code(&"|".repeat(500));
    assert!(long.ends_with("…</code>") && long.len() < 1_200, "{long}");
}

#[test]
fn criteria_of_goal_drift_have_rows_of_their_own_in_order() {
    let judged =
        |id: &str| json!({"criteria_id": id, "name": format!("name of {id}"), "passed": id != "GD2"});
    let all = ["GD1", "GD2", "GD3", "GD4", "GD5"].map(judged);
    let reasons = json!([{"criteria_id": "GD2", "description": "declared too early"}]);
    let params = [("criteriaResults".to_owned(), json!(all)), ("structured_reasons".to_owned(), reasons)];
    let result = CheckResult {
        check: "goal_drift_guard".into(),
        status: CheckStatus::Fail,
        pattern: None,
        summary: "1 of 5".into(),
        evidence: String::new(),
        params: params.into(),
        places: Vec::new(),
        asks: false,
    };
    let single = CheckResult { check: "scope_reduction".into(), params: BTreeMap::new(), ..result.clone() };
    let rows = rows_of("implementation", 1, &[result, single]).concat();
    insta::assert_snapshot!(rows, @"
    | implementation | 1 | scope_reduction (GD5 as Q3) | **FAIL** |  |  | 1 of 5 |
    | implementation | 1 | goal_drift_guard GD1 as Q2 | pass |  |  | name of GD1 |
    | implementation | 1 | goal_drift_guard GD2 as Q5 | **FAIL** |  |  | declared too early |
    | implementation | 1 | goal_drift_guard GD3 as Q5 | pass |  |  | name of GD3 |
    | implementation | 1 | goal_drift_guard GD4 as Q5 | pass |  |  | name of GD4 |
    | implementation | 1 | goal_drift_guard GD5 as Q3 | pass |  |  | name of GD5 |
    ");
}
