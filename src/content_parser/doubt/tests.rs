//! What an approval is doubted for, and what it is not, in both places beside its object.

use super::{doubt, lines, says_critical};

mod taken_back;

const OBJECT: &str = r#"{"review_id": "r", "result": "PASS", "summary": "good", "findings": []}"#;

fn doubts(row: &str) -> [bool; 2] {
    let prose = row.trim().replace("\\n", "\n");
    [format!("{prose}\n\n{OBJECT}\n"), format!("{OBJECT}\n\n{prose}\n")].map(|text| doubt(&text).is_some())
}

#[test]
fn an_approval_beside_something_severe_is_doubted() {
    let missed: Vec<&str> = SEVERE.lines().filter(|row| doubts(row).contains(&false)).collect();
    assert_eq!(missed, [""; 0]);
    assert!(SEVERE.lines().count() >= 80);
}

#[test]
fn an_honest_approval_is_not_doubted_whatever_it_tells_of() {
    let doubted: Vec<&str> = HONEST.lines().filter(|row| doubts(row).contains(&true)).collect();
    assert_eq!(doubted, [""; 0]);
    assert!(HONEST.lines().count() >= 100);
}

#[test]
fn the_place_is_quoted_as_it_stands_and_cut() {
    let place = |text: &str| doubt(text).unwrap_or_default();
    assert_eq!(place("Fine.\n\nMust fix: the lock leaks\n"), "Must fix: the lock leaks");
    assert_eq!(place("## Blockers\n\n- the lock leaks\n"), "Blockers … - the lock leaks");
    let long = format!("Must fix: {}", "ぁ".repeat(2_000));
    assert!(place(&long).len() <= 160 && place(&long).starts_with("Must fix: ぁ"));
}

#[test]
fn what_stands_in_objects_and_in_code_is_not_its_reviewers_prose() {
    for text in [
        r#"{"findings": [{"issue": "Must fix: the lock"}]}"#,
        "```\nMust fix: the lock\n```\nx",
        "> Must fix: the lock",
        "The log says:\n\n    Must fix: the lock\n",
        "<!-- Must fix: the lock -->",
    ] {
        assert_eq!(doubt(text), None, "{text}");
    }
}

/// One a line; `\n` stands for a line's end.
const SEVERE: &str = r"Must fix: the lock is not released on error.
    **Must fix** – the lock is not released on error.
    Must be fixed before merge: the lock is not released.
    ### Must-fix before merging\n\n1. The index is off by one.\n2. The lock leaks.
    Blocker: `find_user` concatenates SQL.
    ## Verdict\n\nFAIL
    ## Verdict\n\n**REJECT**
    ## Verdict\n\nNO-GO
    `Critical`: the token is printed.
    - `blocker` – the token is printed.
    **Severity:** `critical`\n\nThe token is printed.
    | `critical` | src/a.rs | the token is printed |
    - [HIGH] the token is printed
    **[High]** the token is printed
    Blocking: the session token is printed.
    - **Blocking**: the session token is printed.
    ## Blocking\n\n`find_user` concatenates SQL.
    ## Blockers\n\n- the session token is printed\n- no limit
    ## Critical issues\n\n- user input reaches the shell\n\n## Minor issues\n\n- a name
    ## Critical issues\n\n1. The file is read after it was closed.
    ## Critical issues\n\n| File | Problem |\n|---|---|\n| src/a.rs | the token is printed |
    ## Critical\n\n### The token is printed\n\nsrc/a.rs:3 does it.
    **Critical issues**\n- user input reaches the shell
    Critical issues:\n- user input reaches the shell
    ### F-1 (critical)\n\nThe token is printed in src/a.rs:3.
    ### [Critical] the token is printed\n\nsrc/a.rs:3 does it.
    ### 1. Critical: the token is printed
    ## 🔴 Critical\n\n- the token is printed
    🔴 the token is printed
    ⛔ the rollback loses data
    **Critical:** SQL injection in `find_user`
    **Critical:** user input is not escaped
    **Critical:** the lock no longer guards the write
    **Critical:** none of the inputs is validated
    **Critical:** all tests were deleted
    **Critical:** OK is returned for an expired token
    **Critical:** if two requests come at once the counter is wrong
    **Critical** user input reaches the shell
    CRITICAL - data loss on rollback
    - critical - data loss on rollback
    Critical issue: data loss on rollback
    ❌ Critical: the rollback loses data
    [BLOCKER] data loss on rollback
    [MUST FIX] data loss on rollback
    [P0] data loss on rollback
    (critical) data loss on rollback
    (blocking) data loss on rollback
    1. **(critical)** data loss on rollback
    - [CRITICAL] the bound is never checked
    - [CRITICAL] F-1 is not fixed
    - [CRITICAL] the fix of F-2 is not done
    Severity: critical\nFile: src/a.rs\nIssue: the rollback loses data
    - severity: critical\n  file: src/a.rs
    Severity: blocker. The rollback loses data.
    | Severity | File | Issue |\n|---|---|---|\n| Critical | src/a.rs | the rollback loses data |
    | Blocker | src/a.rs | the rollback loses data |
    **Verdict:** ❌ Changes requested
    Verdict: changes requested
    Status: changes requested
    Changes requested: the lock is dropped.
    I request changes: the lock is dropped.
    FAIL: the lock is dropped and rows are lost.
    NACK: the lock is dropped.
    ❌ Not approved
    Blocked until the migration is tested.
    This change must be reverted.
    It does not compile.
    この変更は却下します。
    データが失われるため不合格とします。
    This is not ready to merge.
    This is not ready for production.
    Not ready. The lock leaks.
    I don't think this is ready to be merged.
    This is not mergeable as it stands.
    I would not merge this.
    I would reject this in its current form.
    I can't sign off on this yet.
    I am not able to approve this.
    I cannot recommend merging this.
    My recommendation is to not merge.
    This must not go in as it is: the lock leaks.
    Please hold the merge.
    Hold off merging until the token is masked.
    Please address the data loss before merging.
    Needs work before it can be merged.
    This needs another round.
    The token reaches the log, which is a blocker.
    I consider the missing check a blocker.
    Two blockers remain.
    There is one blocking problem: the token is printed.
    There is a critical bug in src/a.rs: the token is printed.
    There are two serious problems with the migration.
    I found one critical issue: the token is printed.
    One critical issue remains: the token is printed.
    A serious security hole remains in `auth.rs`.
    The migration is broken and would lose data.
    My answer above is wrong: the result is FAIL.
    The JSON above should say FAIL.
    The result should have been FAIL.
    Please disregard the object, the verdict is FAIL.
    Verdict: Request changes
    EDIT: FAIL
    重大: ロールバックでデータが失われる
    【重大】入力が検証されていない
    【致命的】認可が実装されていません
    【ブロッカー】ロールバックでデータが失われます
    ## 重大な問題\n\nsrc/a.rs:3 でトークンがマスクされていません。
    ### ブロッカー\n\n1. ロールバックでデータが失われます。
    修正必須: ロールバックの処理
    重大な問題を1件確認しました。
    修正が必要な重大な指摘があります。
    再レビューが必要です。
    差し戻しをお願いします。
    承認は見送らせていただきます。
    現時点では承認できる状態にありません。
    マージは避けてください。
    このままではマージすべきではない。
    マージ前に必ず修正してください。
    次のフェーズに進める状態ではありません。
    判定はFAILです。";

const HONEST: &str = r#"No critical issues.
    ## Critical issues\n\nNone.
    Must fix: nothing
    The earlier critical issue is fixed.
    I read the diff line by line. No blockers from my side; two nits are in the object.
    I found no critical or major problem.
    ## Summary\n\nSolid work.\n\n## Critical\nnone\n\n## Major\nnone\n\n## Minor\n- naming in `a.rs`
    **Blocking issues**: 0\n**Non-blocking issues**: 3 (see object)
    ### Must fix\n*Nothing.*\n\n### Should fix\n- add a comment to `parse`
    ## Must fix\n\n| # | File | Problem |\n|---|---|---|\n\n(empty)
    ## Critical\n\n_No findings in this category._\n\n## Minor\n\n1. `a.rs` – a constant.
    Critical issues found: none. Tests: 14 passed.
    **Critical:** there are none.
    **Critical:** zilch. **Major:** zilch.
    Critical: I looked hard and came up empty.
    **Blockers:** I have none.
    **Blocking:** not that I can see.
    **Blocking?** No.
    Critical: 0, Major: 0, Minor: 2
    Critical – none; Major – none; Minor – one.
    **Critical issues:** this diff has none.
    **Critical issues:** I am not aware of any.
    ## Critical issues\n\n- I did not find any.
    ## Critical issues\n\nI looked for races and data loss in the\nmigration and found none.
    ## Critical issues\n\nAfter a careful look I consider the implementation solid.
    ## Critical issues\n\n- the token was printed\n- no limit\n\nBoth were fixed in round 2.
    ### Critical\n\n- F-1: the revision masks the token.\n- F-2: the revision adds a limit.\n\nNothing is left open.
    ### 🔴 Critical\n\nNone.\n\n### 🟡 Minor\n\n- naming
    ## Blockers\n\nThe dependency has been merged, so the way is free.
    ### Must fix (round 1)\n\n- token printed → masked now
    ## Round 1\n\n### Critical\n\n- the token was printed\n\n## Round 2\n\nNothing is left.
    The previous blocker (token in the log) has been fixed; I verified it.
    F-3 was critical in round 1. It is resolved.
    - [CRITICAL] F-1: gone
    **Critical:** F-1 of round 1 is repaired (src/a.rs:10).
    Fixed since last round:\n- Critical: SQL injection in `find_user`\n- Major: missing limit
    Nothing here is critical. The rename of `x` could wait.
    Would be critical if the list could be empty, but the constructor forbids that.
    Is it critical that the lock is not fair? No, one writer only.
    Critical: is the lock held here?
    The term "critical" in section 2 means that a release is stopped.
    A critical look at the plan shows nothing wrong.
    The critical path has three tasks; the estimates add up.
    Security-critical code (`auth.rs`) is untouched.
    No must-fix items. One suggestion in the object.
    - Blocker: none\n- Critical: none\n- Minor: 2
    | Severity | Number |\n|---|---|\n| Blocker | 0 |\n| Minor | 2 |
    | Finding | Severity | State |\n|---|---|---|\n| F-1 token printed | critical | resolved |
    That was my only blocking comment in round 2 and it is settled.
    I would not block on this, but the helper could be private.
    Not a blocker: the README has a typo.
    Non-critical: the loop clones once more than needed.
    Kritische Probleme: keine.
    The code rejects requests that are not ready to merge, as the issue demands.
    `merge()` must not be called twice; the guard takes care of that.
    The bot comments 'changes requested' when CI fails; the tests cover it.
    Approved. The follow-up (P2) can be done later.
    - P0: return the last page\n- P1: add a test
    Everything on the critical list of the plan has been done:\n- backup\n- rollback
    **Severity legend**\n- critical: loses data\n- major: wrong result
    Severity scale:\n\n- Critical: data loss\n- Minor: style
    - critical: wrong, unsafe, loses data. major: a point is not met. minor: the rest.
    Critical: means that data is lost
    The risk table of the plan is complete:\n\n- Critical: data migration fails (mitigation: backup)
    The test plan has these groups:\n\n- **Critical:** TC-01 to TC-05\n- **Normal:** TC-06
    - Critical: all paths are tested.
    - [x] Critical: inputs are validated
    - ✅ Critical: inputs are validated
    Possible verdicts:\n- PASS\n- FAIL
    The `critical` section of the lock is as small as it can be.
    `Critical`: none. `Major`: none.
    [HIGH]: none
    - [HIGH] the token was printed – fixed in this round
    The new `FAIL` branch is tested.
    Critical: The change is safe because the lock is taken before the read.
    Blocking: calls to the network were moved off the event loop, as the plan says.
    [Blocking] I/O is moved to a thread.
    Critical bug: the last page is missing (that is the issue itself). The plan fixes it.
    The issue describes a critical bug: the last page is missing. The plan fixes it.
    Do not merge until CI is green – the plan already says this in step 5, good.
    This must not be merged before the migration has run, as the plan says.
    This PR should not be merged automatically; the plan keeps a person in the loop.
    I cannot approve the change fast enough - great work.
    The tool prints `[CRITICAL] disk full` in that case, which the test asserts.
    The reviewer of round 1 wrote:\n\n> **Critical:** the token is printed\n\nIt is masked now.
    Overall: the FAIL branch is tested, too.
    Test result: 12 passed; 1 failed before the change, 13 passed; 0 failed after it.
    Recommendation: merge. No changes are required before this can ship.
    Changes required: none.
    重大な問題は確認されませんでした。軽微な改善点のみ挙げます。
    ブロッカーとなる指摘はありません。
    ブロッカーは存在しません。
    ## 重大な指摘\n\n該当する指摘はありません。\n\n## 軽微な指摘\n\n- 誤字
    ## ブロッカー(BLOCKER)\n\n**次フェーズに進めない重大な問題**\n\nなし\n\n## 改善提案\n\n- 命名
    ## 修正必須\n\n前回の2件はいずれも反映されています。
    【重大】該当なし
    【重大】0件
    重大: -、中: -、軽微: 1
    前回の重大な指摘(トークンの出力)は修正されていることを確認しました。
    旧実装には重大な問題がありましたが、本変更で解消されています。
    致命的な欠陥はなく、次のフェーズに進めます。
    要修正の項目はなし。推奨が2件あります。
    凡例:\n- 重大: データ損失\n- 軽微: 体裁
    リスク分類:\n- 重大: データ移行の失敗(対策: バックアップ)
    優先度の整理は妥当です。\n- P0: 最終ページの修正
    本実装では、権限のない利用者は承認できません。仕様どおりです。
    判定根拠: FAIL にすべき欠陥は見つからなかった。
    差し戻しは不要です。"#;

#[test]
fn a_field_that_does_not_go_with_the_approval_of_its_object_is_doubted() {
    let doubt_of = |field: &str| doubt(&format!(r#"Fine. {{"review_id": "r", "result": "PASS", {field}}}"#));
    for (field, place) in [
        (r#""quality_gates": {"a": "FAIL"}"#, r#""a": "FAIL""#),
        (r#""quality_gates": {"a": "PASS", "b": "failed"}"#, r#""b": "failed""#),
        (r#""quality_gates": [{"name": "a", "status": "FAIL"}]"#, r#""status": "FAIL""#),
        (r#""quality_gates": {"a": false}"#, r#""a": false"#),
        (r#""gates_passed": false"#, r#""gates_passed": false"#),
        (r#""gatesPassed": "no""#, r#""gatesPassed": "no""#),
        (r#""tests": "FAIL""#, r#""tests": "FAIL""#),
        (r#""tests": {"unit": {"state": "❌ 3 of 7"}}"#, r#""state": "❌ 3 of 7""#),
        (r#""checks": {"tests_failed": true}"#, r#""tests_failed": true"#),
        (r#""criteria": ["met", "不合格"]"#, r#""criteria": "不合格""#),
        (r#""questions": ["判定: FAIL, why?"]"#, "判定: FAIL, why?"),
        (r#""questions": ["Blocking: why does nothing call it?"]"#, "Blocking: why does nothing call it?"),
        (r#""stats": {"blockers": 2, "nits": 5}"#, r#""blockers": 2"#),
        (r#""meta": {"requires_changes": true}"#, r#""requires_changes": true"#),
        (r#""findings": [{"severity": "minor", "blocking": true}]"#, r#""blocking": true"#),
        (r#""failed_gates": ["a"]"#, r#""failed_gates": ["a"]"#),
        (r#""failedChecks": ["a", "b"]"#, r#""failedChecks": ["a","b"]"#),
        (r#""failed_checks": 2"#, r#""failed_checks": 2"#),
        (r#""tests": {"passed": 3, "failed": 1}"#, r#""failed": 1"#),
        (r#""criteria": {"Q1": false}"#, r#""Q1": false"#),
        (r#""quality_gates": {"has_blockers": true}"#, r#""has_blockers": true"#),
        (r#""has_blockers": true"#, r#""has_blockers": true"#),
        (r#""summary": "最終判定: FAIL""#, r#""summary": "最終判定: FAIL""#),
        (r#""notes": "Good work. Final verdict: FAIL""#, r#""notes": "Good work. Final verdict: FAIL""#),
    ] {
        assert_eq!(doubt_of(field).as_deref(), Some(place), "{field}");
    }
    for field in [
        r#""quality_gates": {"a": "PASS", "b": true}"#,
        r#""gates_passed": true, "tests": "PASS", "failed": false, "failures": 0"#,
        r#""tests": {"passed": 12, "failed": 0, "skipped": []}"#,
        r#""tests": "the FAIL branch is tested, too""#,
        r#""tests": {"before": "FAIL", "after": "PASS"}"#,
        r#""tests": {"before": {"failed": 2}, "after": {"failed": 0}}"#,
        r#""has_blockers": false, "quality_gates": {"has_blockers": false, "a": true}"#,
        r#""summary": "The template says `Verdict: FAIL`, as asked.""#,
        r#""failed_gates": [], "failed_checks": 0, "failedGates": ["none"], "criteria": {"Q1": true}"#,
        r#""checked": {"input": "a rejected request", "bypass": false, "breaking_change": false}"#,
        r#""checks": {"fail_fast": true, "auto_fixable": false, "blocking": false}"#,
        r#""findings": [{"severity": "minor", "issue": "FAIL", "auto_fixable": false, "status": "FAIL"}]"#,
        r#""summary": "The words are 判定: PASS / FAIL.", "suggestions": ["name the state `FAILED`"]"#,
        r#""viewpoints": {"security": "A"}, "questions": ["Why does `a.md` say `判定: FAIL`?"]"#,
    ] {
        assert_eq!(doubt_of(field), None, "{field}");
    }
    assert_eq!(doubt(r#"It prints {"tests": "FAIL"} then. {"result": "PASS"}"#), None, "no review");
}

#[test]
fn a_label_with_a_denial_is_doubted_wherever_it_stands_and_whenever_it_was() {
    let missed: Vec<&str> = DENIALS.lines().filter(|row| doubts(row).contains(&false)).collect();
    assert_eq!(missed, [""; 0]);
    let doubted: Vec<&str> = NO_DENIALS.lines().filter(|row| doubts(row).contains(&true)).collect();
    assert_eq!(doubted, [""; 0]);
}

const DENIALS: &str = "前回の判定: FAIL
    第1ラウンドの最終判定：ＦＡＩＬ
    正確性の判定: 不合格
    | 正確性 | 判定: FAIL |
    前回（判定: FAIL）の指摘はすべて解消されました。
    Previous verdict: FAIL
    Gate 2 - final verdict: **FAIL**
    Round 1 (verdict: REJECTED) asked for a test.
    The verdict FAIL of round 1 was resolved.
    - REVIEW_DECISION = REQUEST_CHANGES
    判定: PASS (test result: FAIL)
    判定: PASS（テスト結果: ❌ FAIL）
    判定: PASS（「最終判定: FAIL」）";

const NO_DENIALS: &str = "判定: PASS / FAIL
    判定: FAIL または PASS
    判定: [FAIL | PASS]
    The template says `最終判定: FAIL`.
    テンプレートは「最終判定: FAIL」と書く。
    > 最終判定: FAIL
    ```\\n最終判定: FAIL\\n```
    ## Round 1\\n\\n最終判定: FAIL\\n\\n## Round 2\\n\\nNothing is left.
    Test result: FAIL before the fix, PASS after it.
    期待結果: FAIL
    | TC-3 | 結果: FAIL | as expected |
    The decision fail-fast is sound.
    The verdict: FAILOVER works.
    The handler's decision failed requests twice before; it does not now.
    判定理由: FAIL とすべき欠陥はない。";

#[test]
fn running_text_says_that_something_critical_is_there() {
    for text in [
        "There is one critical finding: R1 forgets negative numbers.",
        "1 critical finding: data is lost",
        "The most important problem is critical: R1 does not say what happens.",
        "There are 2 critical issues in the plan.",
        "R1 forgets zero. Severity: critical.",
        "Es gibt einen kritischen Fehler: Daten gehen verloren.",
        "问题很多，其中有严重缺陷。",
    ] {
        assert!(says_critical(text), "{text}");
    }
    for text in [
        "There is no critical finding. One minor: a heading is short.",
        "There are no major or critical issues.",
        "0 critical issues, 2 minor.",
        "Critical: none",
        "The critical issue of the last round is fixed.",
        "The critical path is described, R2 is missing.",
        "Es gibt keine kritischen Fehler.",
        "## Critical issues\n\nNone.",
        "1. Minor: the heading \"Critical\" in design.md is too short.",
    ] {
        assert!(!says_critical(text), "{text}");
    }
}

#[test]
fn what_stands_between_two_words_of_code_is_read() {
    for line in [
        "- `unit.rs`: 3 failed, 2 passed (`cargo`)",
        "I ran `pytest`, and got `2 failed, 3 passed`.",
        "`make`: `3 failed, 2 passed`",
        "After `make`: `Verdict: FAIL`.",
        "結果は `a.py` の通り、`判定: FAIL` です。",
        "Urteil: „FAIL, weil der Test bricht“",
        "Fazit: „3 tests failed“",
    ] {
        assert_eq!(lines::denial(line), Some(line));
    }
    let long = format!("`{}`. The verdict is FAIL. see `main.py`.", "x y ".repeat(82));
    assert_eq!(lines::denial(&long), Some(long.as_str()));
    assert_eq!(lines::denial("It prints `3 failed, 2 passed` and `ok`."), None);
}
