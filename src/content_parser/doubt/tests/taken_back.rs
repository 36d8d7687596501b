//! Answers that say PASS in every form we read, with an objection beside it or with none.

use crate::{Terms, default_words, doubt, read_review};
use model::event::Reading;

/// Reads each form of the same answer, with what makes it doubtful.
fn readings(prose: &str) -> Vec<Reading> {
    let words = default_words();
    let object = r#"{"review_id": "r", "result": "PASS", "summary": "good", "findings": []}"#;
    let read = |text: &str, review_id| {
        let terms = Terms { review_id, require_review_id: review_id.is_some(), words: &words, beyond: &[] };
        let reading = read_review(text, &terms);
        Reading { doubt: reading.doubt.or_else(|| doubt(text)), ..reading }
    };
    vec![
        read(&format!("{prose}\n\n{object}\n"), Some("r")),
        read(&format!("{object}\n\n{prose}\n"), Some("r")),
        read(&format!("{prose}\n\n```json\n{object}\n```\n"), None),
        read(&format!("DECISION: PASS\n\n{prose}\n"), None),
        read(&format!("{prose}\n\n最終判定: PASS\n"), None),
    ]
}

/// Tells for each form whether it approves and nothing makes it doubtful.
fn approves(prose: &str) -> Vec<bool> {
    readings(prose).iter().map(|reading| reading.judgment.approves() && reading.doubt.is_none()).collect()
}

/// Tells whether an approval with the right id is doubted for a text beside it.
fn found(text: &str) -> bool {
    approves(text)[0..2].contains(&false)
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
    let rows = || HONEST.lines().map(|row| row.trim().replace("\\n", "\n"));
    let refused: Vec<String> =
        rows().filter(|row| readings(row).iter().any(|reading| !reading.judgment.approves())).collect();
    assert_eq!(refused, [""; 0]);
    assert!(rows().count() > 100);
    // What nobody can tell apart from an objection is asked about once.
    let asked: Vec<String> = rows().filter(|row| found(row)).collect();
    assert_eq!(
        asked,
        [
            "- do not merge\n- blocked",
            "- Rejected\n- Approved",
            "The states are: Pending. Approved. Rejected."
        ]
    );
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

#[test]
fn what_takes_an_approval_back_is_found_wherever_it_stands() {
    for text in [
        "結論: 不合格",
        "**結論**:不合格とします。",
        "## 結論\n\n不合格です。",
        "| 結論 | 不合格 |",
        "Conclusion: rejected",
        "ただし、認可の欠陥が残っているため、このままではマージできません。",
        "この変更は承認できません。",
        "よって差し戻しとします。",
        "テストに重大な欠陥があります。",
        "結論: 不合格、認可の欠陥のため",
        "最終結論は不合格です",
        "本実装には欠陥があり、マージすべきではありません。",
        "On second thought I must reject this.",
        "Looks fine. On second thoughts, this has to fail.",
        "I cannot approve this change.",
        "I withdraw my approval.",
        "This must not be merged.",
        "[CRITICAL] src/a.rs:3 the password is logged",
        "**[CRITICAL]** SQL injection in the login",
        "- [critical] the plan drops the users table",
        "Overall: FAIL",
        "Overall: not approved",
        "NOT APPROVED",
        "I am rejecting this change.",
        "I'm going to have to reject this.",
        "Wait, I changed my mind: FAIL.",
        "訂正: FAIL",
        "以上の理由により、FAILとします。",
        "以上のことから承認できません。",
        "評価: 不合格",
        "結論: 要修正",
        "マージしないでください。",
        "修正が必要です。マージしないでください。",
        "Recommendation: reject",
        "結論として、FAIL です。",
        "I recommend not merging this.",
        "I cannot approve this because the token is logged.",
        "- [CRITICAL] no limit on the size of the body",
        "- [CRITICAL] 入力が検証されていません",
        "- [CRITICAL] the token is not handled as required",
    ] {
        assert!(found(text), "{text}");
    }
}

#[test]
fn honest_reviews_quote_deny_set_conditions_and_tell_of_earlier_rounds() {
    for text in [
        "結論: 合格",
        "前回の結論: 不合格。今回は解消されました。",
        "前回はこのままではマージできませんでしたが、今回は問題ありません。",
        "認可がない場合、この変更は承認できません。",
        "この変更を差し戻す理由はありません。",
        "この実装に重大な問題はありません。",
        "「不合格」と書かれた行は引用です。",
        "> 結論: 不合格",
        "It says:\n```\nI must reject this\n```",
        "The document says \"I must reject this\" in line 3.",
        "In round 1 I had to reject this; it is fixed.",
        "The validator must reject this input, and it does.",
        "I see no reason why this should not be merged.",
        "[CRITICAL] means that data is lost.",
        "- [CRITICAL] none",
        "## Findings of round 1\n- [CRITICAL] the password was logged\n\n## Now\nnothing",
        "前回の指摘:\n- [CRITICAL] パスワードが記録される\n",
        "失敗時は差し戻しの処理が必要です。",
        "The parser should reject this. Tests show that it does.",
        "You cannot approve this request without the admin role; the code checks it.",
        "Do not merge this file with the other: done as asked.",
        "Bottom line: failed logins are logged.",
        "Conclusion: the request is rejected by the server as designed.",
        "本実装は、承認できないユーザーを除外する。",
        "この計画では、不合格、保留、合格の三つの状態がある。",
        "ただし、却下された提案については記録がある。",
        "## 総評\n不合格の判定を記録する機能が正しく動く。",
        "重大な脆弱性が残らないよう検証されている。",
        "[BLOCKER] none found",
        "| [CRITICAL] | 0 |",
        "状態:\n- 合格\n- 却下",
    ] {
        assert!(!found(text), "{text}");
    }
}

#[test]
fn what_cannot_be_told_apart_from_an_objection_is_asked_about_and_not_refused() {
    for text in [
        "- [CRITICAL] the password is logged\n- [CRITICAL] no limit\n\nAll of these are fixed.",
        "ただし、テストが失敗したPRはマージできません。CIの設定どおりで問題ありません。",
        "I would reject this if the lock were taken twice.",
        "本実装では承認できません。というメッセージが表示される。",
        "Do not approve this. is what the bot prints on forks.",
        "Conclusion: failed. logins are logged",
        "Bottom line: failed. Tests: none.",
        "On second thought, the failing test is in another crate.",
        "判断: 差し戻し。承認の両方が動く。",
        "重大な問題がある。と出力する分岐もテストされている。",
    ] {
        assert!(found(text), "{text}");
        assert!(readings(text)[..2].iter().all(|reading| reading.judgment.approves()), "{text}");
    }
}

#[test]
fn a_denial_is_found_wherever_markdown_and_other_words_put_it() {
    let refused = "I cannot approve this change.";
    for text in [
        "I can't approve this; it's too risky.",
        "That's why I can't approve it.",
        "I don't approve. It doesn't work.",
        "I cannot approve this, can I?",
        "I cannot approve this: the card is charged twice.",
        "The input is not validated as required, so I cannot approve this.",
        "I would not approve this change.",
        "Do not merge: the mail is sent twice.",
        "- do not merge this",
        "- this must not be merged",
        "- sent back to the author",
        "> a\n\n<details>\n<summary>Notes</summary>\nI cannot approve this change.\n</details>",
        "<p>I cannot approve this change.</p>",
        "Test plan:\n- a\n- b\n\nI cannot approve this change.",
        "Risks:\n- a\n\nI cannot approve this change.",
        "## Requirements\n\n- a\n\nI cannot approve this change.",
        "## Output\n\na\n\n### My view\n\nI cannot approve this change.",
    ] {
        assert!(found(text), "{text}");
    }
    let object = r#"{"review_id": "r", "result": "PASS"}"#;
    for text in [
        format!("```json\n{object}\n\n{refused}"),
        format!("```json\n{refused}\n\n{object}\n```"),
        format!("````markdown\n{refused}\n\n{object}\n````"),
        format!("~~~\n{refused}\n{object}\n~~~"),
        format!("```Markdown\n{refused}\n{object}\n```"),
        format!("```\n{refused}\n{object}\n```\n\nDone."),
        format!("{}{refused}\n{object}", "The names are fine. ".repeat(150)),
    ] {
        assert!(doubt(&text).is_some(), "{text}");
    }
    for fields in [
        r#""plan_approved": false"#,
        r#""issue_resolved": false"#,
        r#""gates": {"requirements": "FAIL"}"#,
        r#""next_steps": ["Do not merge."]"#,
    ] {
        assert!(doubt(&format!("{{\"result\": \"PASS\", {fields}}}")).is_some(), "{fields}");
    }
}

#[test]
fn what_nests_too_deep_or_is_too_long_is_asked_about_and_costs_no_time() {
    let object = r#"{"review_id": "r", "result": "PASS"}"#;
    for flood in [
        format!("{}{}", "> ".repeat(200_000), "a\n".repeat(200_000)),
        format!("{}{}", "- ".repeat(200_000), "a\n".repeat(200_000)),
        format!("{}\n\n", "reject, ".repeat(249)).repeat(100),
    ] {
        assert!(doubt(&format!("{object}\n\n{flood}")).is_some(), "{}", &flood[..20]);
    }
    for unit in ["[", "\\", "[a][b]", "a\n", "&amp;"] {
        let flood = unit.repeat(600_000 / unit.len());
        assert_eq!(
            doubt(&format!("{object}\n\n{flood}")).as_deref(),
            Some("more prose than can be read"),
            "{unit}"
        );
    }
    assert_eq!(doubt(&format!("{object}\n\n> q\n{}{}", " ".repeat(200_000), "*a*".repeat(60_000))), None);
}

#[test]
fn more_prose_than_a_review_has_is_not_looked_through() {
    let line = "The bound is right.\n";
    assert!(!found(&line.repeat(4_500)));
    assert!(found(&line.repeat(5_500)));
    assert!(!found(&format!("Fine.\n\n```\n{}```\n", line.repeat(5_500))));
}

#[test]
fn what_the_work_rejects_and_what_is_denied_takes_no_approval_back() {
    for text in [
        "したがって、不合格とする理由は見当たりません。",
        "この変更を不合格とする根拠は見つからない。",
        "この変更により、未承認のユーザーは承認できません。仕様どおりです。",
        "ただし、権限のない利用者は承認できません。これは仕様どおりです。",
        "この計画では、レビューが2回失敗すると差し戻しとする。",
        "本設計では、検査に落ちた製品を不合格とする。妥当です。",
        "この変更は、期限切れのトークンを却下する。問題ない。",
        "この変更はマージできないと考える理由がない。",
        "したがって、ロック中の口座は承認できないと判断される。テストで確認した。",
        "重大な欠陥がある、という指摘は誤りと分かりました。",
        "- [CRITICAL] not found",
        "- [critical] I found nothing.",
        "- [CRITICAL] Without findings.",
        "[CRITICAL] count: 0",
        "[CRITICAL] log lines are now red, as the issue asks.",
        "[CRITICAL] path is covered by tests.",
        "- [CRITICAL] ログレベルの行は正しく出力される",
        "- [Critical] 見当たらない",
        "- [blocking] calls were replaced by async ones, good.",
        "[Blocking] I/O is moved to a thread.",
        "- This must not be merged twice; the guard handles it.",
        "This should not be merged with #12, as the author says.",
        "I do not accept this as a blocker.",
        "I cannot approve the change fast enough - great work.",
        "I don't accept the change lightly, but the tests convince me.",
        "**Conclusion:** rejected, requests are answered with 401 as required.",
    ] {
        assert!(!found(text), "{text}");
    }
}
