#!/bin/sh
# Plays author and reviewer of every phase as a plain `command:` agent: writes what it is asked for and approves.
set -eu
cat > /dev/null

write_deliverable() {
    mkdir -p "$(dirname "$AI_WORKFLOW_OUTPUT")"
    printf '# %s\n\nWritten in round %s.\n' "$AI_WORKFLOW_PHASE" "$AI_WORKFLOW_ROUND" > "$AI_WORKFLOW_OUTPUT"
}

case "$AI_WORKFLOW_STEP" in
review)
    printf '{"review_id": "%s", "result": "PASS", "summary": "complete", "findings": []}\n' "$AI_WORKFLOW_REVIEW_ID"
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
