#!/bin/sh
# Plays author and reviewer of every phase as a plain `command:` agent: writes what it is asked for and approves.
set -eu
# Each question of the checks stands in the prompt on a line of its own, such as `S1: …`.
answers=$(sed -n 's/^\(S[0-9][0-9]*\): .*/"\1": {"judgment": "fine", "reason": "the issue asks for it"}/p' | paste -sd, -)

write_deliverable() {
    mkdir -p "$(dirname "$AI_WORKFLOW_OUTPUT")"
    printf '# %s\n\nWritten in round %s.\n' "$AI_WORKFLOW_PHASE" "$AI_WORKFLOW_ROUND" > "$AI_WORKFLOW_OUTPUT"
}

case "$AI_WORKFLOW_STEP" in
review)
    printf '{"review_id": "%s", "result": "PASS", "summary": "complete", "findings": [], "answers": {%s}}\n' \
        "$AI_WORKFLOW_REVIEW_ID" "$answers"
    ;;
triage)
    printf 'review_id: %s\n\n' "$AI_WORKFLOW_REVIEW_ID"
    printf '| Severity | Issues | Fix Required | No Fix Needed | Needs Discussion |\n|---|---|---|---|---|\n| Info | 0 | 0 | 0 | 0 |\n'
    ;;
*)
    write_deliverable
    case "$AI_WORKFLOW_PHASE" in
    implementation) printf 'the fake agent was here\n' > FAKE_CHANGE.md ;;
    test_implementation) printf 'the fake agent tested\n' > FAKE_TEST.md ;;
    evaluation) printf '{"decision": "PASS", "remaining_tasks": []}\n' ;;
    esac
    printf 'done\n'
    ;;
esac
