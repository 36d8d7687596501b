//! Findings in the text of reviews.

use super::*;

/// Returns the severities and words of a review, a line each.
fn stated(review: &str) -> Vec<String> {
    let line = |finding: Finding| format!("{}: {}", finding.severity.as_str(), finding.issue);
    stated_findings(review).into_iter().map(line).collect()
}

#[test]
fn findings_are_read_below_headings_of_their_severity() {
    for (review, expected) in [
        (
            "### Critical issues\n1. The key is written to the log\n\n2. The lock leaks\n\n   It is never freed.\n",
            &["critical: The key is written to the log", "critical: The lock leaks"][..],
        ),
        (
            "### Critical\n\n#### [1] R1 forgets negative numbers\nData is lost.\n\n- File: a.rs\n\n### Info\n\n#### [2] A heading is short",
            &["critical: R1 forgets negative numbers", "info: A heading is short"],
        ),
        (
            "## Minor\n- SUG-A\n  - why\n  - how\n- SUG-B\n\n## Info\n\n* SUG-C\n\nVerdict: PASS",
            &["minor: SUG-A", "minor: SUG-B", "info: SUG-C"],
        ),
        (
            "Critical issues (1)\n\n1. Data is lost.\n\nMinor issues (1)\n\n1. a heading\n\nVerdict: FAIL",
            &["critical: Data is lost.", "minor: a heading"],
        ),
        (
            "## 1. Critical issues\n\n### 1.1 R1 forgets zero\n\nData is lost.\n\n## 2. Minor issues\n\nNone.\n\n**Verdict:** FAIL",
            &["critical: R1 forgets zero"],
        ),
        (
            "### 重大\n\n1. データが失われる。\n\n### 軽微\n\n1. 見出しが短い。\n\n判定: FAIL",
            &["critical: データが失われる。", "minor: 見出しが短い。"],
        ),
        (
            "## Kritisch\n\n1. R1 vergisst negative Zahlen.\n\n## Hinweise\n\nKeine.\n\nVerdict: FAIL",
            &["critical: R1 vergisst negative Zahlen."],
        ),
        (
            "## 严重问题\n\n1. R1 忘记了负数，数据会丢失。\n\nVerdict: FAIL",
            &["critical: R1 忘记了负数，数据会丢失。"],
        ),
        (
            "## Critical\nThe plan drops the users table.\n\nIt has no backup.",
            &["critical: The plan drops the users table."],
        ),
        (
            "- **Critical**\n  - data is lost\n  - the lock leaks\n- **Minor**\n  - a word",
            &["critical: data is lost", "critical: the lock leaks", "minor: a word"],
        ),
    ] {
        assert_eq!(stated(review), expected, "{review}");
    }
}

#[test]
fn rows_items_lines_and_fields_are_read_by_the_severity_that_marks_them() {
    for (review, expected) in [
        (
            "| # | Finding | Severity |\n|---|---|---|\n| 1 | R1 forgets negative numbers | Critical |\n| 2 | heading | Info |",
            &["critical: R1 forgets negative numbers", "info: heading"][..],
        ),
        (
            "1. [CRITICAL] planning.md:3 the plan drops the users table\n2. [MAJOR] R2 is missing",
            &["critical: planning.md:3 the plan drops the users table", "major: R2 is missing"],
        ),
        ("**Critical:** the plan drops the users table", &["critical: the plan drops the users table"]),
        (
            "### [1] The table is dropped\n- Place: planning.md\n- Severity: Critical\n",
            &["critical: The table is dropped"],
        ),
        (
            "## Findings\n\n1. R1 forgets zero\n   - File: a.rs\n   - **Severity**: `critical`\n2. A heading\n   Severity: info",
            &["critical: R1 forgets zero", "info: A heading"],
        ),
        (
            "C1. R1 forgets zero. (critical)\nI1. a heading is short (info)\n\nVerdict: FAIL",
            &["critical: C1. R1 forgets zero", "info: I1. a heading is short"],
        ),
        ("1. Data is lost. Severity: critical.\n", &["critical: Data is lost"]),
        ("1. (Critical) data is lost.\n2. (Info) heading", &["critical: data is lost.", "info: heading"]),
        (
            "🔴 Critical: data is lost.\n\n- 【致命的】データが失われる。",
            &["critical: data is lost.", "critical: データが失われる。"],
        ),
        ("Nit: the name is long\n\nVerdict: PASS", &["info: the name is long"]),
    ] {
        assert_eq!(stated(review), expected, "{review}");
    }
}

#[test]
fn what_is_counted_settled_or_explained_is_no_finding() {
    for review in [
        "### Critical\n\nNone.\n\n### Major\n\nVerdict: PASS",
        "## Critical (0)\n\n## Minor: 0\n\n**Verdict: PASS**",
        "- Critical: 0\n- Major: 2\n- Minor: 1件",
        "| Severity | Count |\n|---|---|\n| Critical | 1 |\n| Info | 2 |",
        "Critical: none. Major: none.\n\nThere is no critical finding.",
        "## Critical\nKeine.\n\n## Major\n无\n",
        "## Previous round\n\n### Critical\n1. Data was lost\n",
        "## Severity levels\n- Critical: data is lost\n- Minor: a word is wrong",
        "```\n### Critical\n- an example of the form\n```\n> ## Critical\n> - of somebody else",
        "## Critical\n- ~~data is lost~~\n- The lock leak is fixed\n",
        "The critical path is described. Verdict: FAIL, because R2 is missing.",
        "{\"result\": \"FAIL\", \"findings\": [{\"severity\": \"critical\", \"issue\": \"## Critical\"}]}",
    ] {
        assert_eq!(stated(review), [""; 0], "{review}");
    }
}
