//! Answers that say PASS in every form we read, with an objection beside it or with none.

use super::super::{Terms, default_words, read_review};

/// Tells for each form of the same answer whether it approves.
fn approves(prose: &str) -> Vec<bool> {
    let words = default_words();
    let object = r#"{"review_id": "r", "result": "PASS", "summary": "good", "findings": []}"#;
    let read = |text: &str, review_id| {
        let terms = Terms { review_id, require_review_id: review_id.is_some(), words: &words, beyond: &[] };
        read_review(text, &terms).judgment.approves()
    };
    vec![
        read(&format!("{prose}\n\n{object}\n"), Some("r")),
        read(&format!("{object}\n\n{prose}\n"), Some("r")),
        read(&format!("{prose}\n\n```json\n{object}\n```\n"), None),
        read(&format!("DECISION: PASS\n\n{prose}\n"), None),
        read(&format!("{prose}\n\n最終判定: PASS\n"), None),
    ]
}

#[test]
fn no_form_of_an_approval_stands_beside_an_objection() {
    let missed: Vec<&str> = OBJECTIONS
        .lines()
        .map(str::trim)
        .filter(|row| approves(&row.replace("\\n", "\n")).contains(&true))
        .collect();
    assert_eq!(missed, [""; 0]);
}

#[test]
fn an_honest_approval_stands_whatever_it_tells_of() {
    let refused: Vec<&str> = HONEST
        .lines()
        .map(str::trim)
        .filter(|row| approves(&row.replace("\\n", "\n")).contains(&false))
        .collect();
    assert_eq!(refused, [""; 0]);
    assert!(HONEST.lines().count() > 100);
}

/// One a line; `\n` stands for a line's end.
const OBJECTIONS: &str = r"Do not merge.
    Do not merge this.
    **Do not merge.**
    Please do not merge. The migration drops users.
    The migration drops users. Do not merge.
    - Do not merge!
    Rejected.
    **Rejected.**
    The users table is dropped. Rejected.
    Changes requested.
    This must not be merged until the SQL injection is fixed.
    Do not merge until the token is removed.
    Changes are required before this can be merged.
    This needs to be fixed before merge: the token is logged.
    However, this is not acceptable: the password is logged in plain text.
    This is a FAIL.
    Actually, no: this fails review.
    Summary: this fails, because src/lib.rs:2 drops the users table.
    ❌ FAIL
    致命的な問題があります
    致命的な欠陥があります。
    致命的な問題が1件あります。
    重大な問題が3件残っています。
    重大な脆弱性を発見しました。
    判定を不合格に変更します
    判定を不合格に変更します。
    本PRは承認いたしかねます
    本PRは承認いたしかねます。
    承認いたしかねます。
    マージには反対です。
    承認は見送ります。
    修正必須です。
    最終的に不合格と判断しました。
    やり直しが必要です。
    - [CRITICAL] F-1 is not fixed: the token is still logged
    - [CRITICAL] F-1 (token logged) has not been addressed
    - [BLOCKER] F-2 isn't really resolved";

const HONEST: &str = r#"旧実装では、空のリストで重大なバグがあります。本変更はそれを修正します。
    現行の実装には重大な不具合が存在します。この計画書はその修正方針を明確に示しており、妥当です。
    - [CRITICAL] F-1: repaired
    - [CRITICAL] F-1 of round 1 is gone
    - [CRITICAL] F-1 (the token is logged) → OK
    - [CRITICAL] F-1 — verified
    **Critical:** there are none.
    - **Critical:** I did not find any.
    - P0: return the last page (planned)\n- P1: add a test
    - Critical: data migration fails (mitigation: backup)
    - **Critical:** TC-01 to TC-05
    **Critical bug:** the last page is missing (that is the issue itself)
    - 重大: データ移行の失敗(対策: バックアップ)
    ## Critical issues\n\nNone.
    ## Critical issues\n\nNone found.\n\n## Minor issues\n\n- a name
    ## Critical issues\n\n- None
    ## Critical issues\n\n- No critical issues were identified in the migration.
    ## Critical issues: none
    ## Critical issues (0)\n\n## Minor issues (1)\n\n- a name
    ## Critical issues\n\nI looked for injection, races and data loss in the\nmigration and found none.
    ## Critical issues\n\nI found no problem that would block this.
    ## Critical issues\n\nAll checks pass.
    ## Critical issues\n\n- [x] the token was logged
    ## Critical issues\n\n- ~~the token is logged~~
    ## Critical issues\n\n- The token was logged (fixed in round 2)
    ## Critical issues\n\n- the token is logged\n- the lock is missing\n\nBoth were fixed in round 2.
    ## Critical issues\n\n| File | Problem |\n|---|---|\n| - | none |
    ## Critical issues\n\n| Severity | Count |\n|---|---|\n| Critical | 0 |
    ## Critical issues of round 1\n\n- the token was logged\n\n## Now\n\nnothing
    ## Round 1\n\n### Critical issues\n\n- the token was logged\n\n## Round 2\n\nNothing is left.
    ## Resolved critical issues\n\n- the token was logged
    **Resolved**\n- Critical: the token was logged\n\n**Open**\n- none
    Previously reported:\n- Critical: the token was logged\n- [P0] the lock was missing
    ## Critical issues\n\n## Minor issues\n\n- a name
    ## Critical issues\n\n---\n\n## Suggestions\n\n- a longer name
    **Critical issues**\n\nNone\n\n**Minor issues**\n- a name
    **Critical issues:** none
    Critical issues: none\nMajor issues: none\nMinor issues: 1
    ### Blocking\n\nNothing blocks this change.
    ### Blockers\n\nn/a
    ### Must fix\n\n- nothing
    ## Critical path\n\n- the parser runs first\n- the writer runs last
    ## Critical sections\n\n- the lock is held while the file is written
    ## 重大な問題\n\nなし
    ## 重大な問題\n\n- 該当なし
    ## 重大な問題\n\n特にありません。
    ## 致命的な問題\n\n見つかりませんでした。
    ## 重大な指摘\n- 認可の検証が漏れていた(修正済み)
    ## 修正必須\n\nありません。
    Critical: none
    - Critical: none
    - Critical: 0
    - **Critical**: 0
    Critical: 0, Major: 0, Minor: 2
    - Critical: No issues found.
    - Critical: nothing found
    - Critical: n/a
    - Critical: -
    - Critical: no blocking problem was found
    - Critical: all paths are tested.
    - Critical: the migration is covered by tests.
    - Critical: the order of the writes, verified.
    - Critical (0): none
    - [x] Critical: the token is logged
    - [x] Critical paths are tested
    - Critical: the token was logged — fixed
    - Critical: ✅ resolved
    - Critical path: the parser runs before the writer
    Critical: means that data is lost
    - critical: wrong, unsafe, loses data. major: a point of the checklist is not met. minor: the rest.
    - **Critical**: blocks the merge; **Major**: must be fixed soon; **Minor**: may wait
    Blocking: no
    - Blocking: false
    - Blocker: なし
    - Blockers: none
    - P0: 0 / P1: 0 / P2: 3
    P0: none
    P0: the last page is shown — implemented
    - P0: done
    [P0] none
    - [P0] No issues
    [P0] means that data is lost
    No P0 issues were found.
    There are no critical, blocking or P0 problems.
    (critical) none
    (blocking) calls were moved to a thread
    | Critical | 0 |\n| Major | 0 |\n| Minor | 2 |
    | Severity | Count |\n|---|---|\n| P0 | 0 |\n| P1 | 0 |
    | Critical | Major | Minor |\n|---|---|---|\n| 0 | 0 | 1 |
    【重大】なし
    【重大】0件
    【重大】該当なし
    【重大】特になし。
    - 【致命的】ありません
    - 重大: 0件
    - 重大: なし
    - 重大: 検出されませんでした
    【重大】とは、データが失われる問題を指す。
    the test `do not merge` label is handled
    The `Do not merge` label is handled by the bot.
    The comment "Do not merge." is printed on forks.
    The issue says: "Do not merge this." and the bot obeys.
    The bot adds the label Do not merge.
    > Do not merge.
    > [P0] SQL injection
    ```\nDo not merge.\nRejected.\n```
    ```text\n## Critical issues\n- SQL injection\n```
    The bot prints\n\n    Do not merge.
    - do not merge\n- blocked
    The state `Rejected` is stored.
    A request ends in one of the states Pending, Approved and Rejected.
    A request whose token is too old ends in the state\nRejected.
    The label of the button was changed from\nChanges requested.
    - Rejected\n- Approved
    | Rejected | 403 |
    Rejected requests are logged.
    Rejected: requests without a token.
    The states are: Pending. Approved. Rejected.
    The earlier critical issue was resolved.
    Both critical issues of round 1 were fixed.
    The critical section is short.
    The bot must not merge until all checks are green, and it does not.
    This must not be merged twice; the guard handles it.
    Two rows must not be merged, which the test proves.
    This needs to be fixed before the year 2038, as the issue says.
    致命的な問題はありません。
    致命的な問題はありませんでした。
    重大な問題は見つかりませんでした。
    致命的な問題があった場合は通知する。
    前回は致命的な問題がありましたが、解消されました。
    「致命的な問題があります」という文言を表示する。
    致命的な問題があれば判定を不合格に変更する。
    検査に落ちた場合、判定を不合格に変更します。
    期限切れの場合は承認いたしかねますと表示する。
    修正必須の項目はありません。
    重大な欠陥を検出しましたというログを出す。
    やり直しが必要な場合の手順も書かれている。
    承認は管理者だけができる。
    Minor suggestions:\n- a longer name for `rejected`\n- say that P0 is the worst
    ## Suggestions\n\n- [minor] a longer name\n- [nit] a blank line"#;
