#!/usr/bin/env bash
# What a whole run costs: `execute --phase all --issue 243 --forge local` with a plain command agent, on a clone of a
# repository (this one, or the one given). Prints a table and exits 1 when a limit is passed.
#
#   bench/run_figures.sh [REPOSITORY]
#
# AI_WORKFLOW_BIN names a program that is built already, RUNS how often time is taken (5), KEEP=1 leaves the clones.
# How it counts: agent calls by the facts in the log; git processes by a `git` in the PATH that notes who started it;
# syncs by strace, where it is installed; time as the best of several runs, without the wrapper and without strace,
# because what else the machine does can only add to it; memory as the high-water mark of the runner itself.
# Limits are counts, and CPU time in units of a `git status` on such a clone, so that a slow machine passes them, too.
# Linux only. Needs bash, git and a release build; no account, no network.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
repository=$(cd "${1:-$here}" && pwd)
runs=${RUNS:-5}
agent="command:$here/tests/agents/fake.sh"
phases=11

if [ -z "${AI_WORKFLOW_BIN:-}" ]; then
    (cd "$here" && cargo build --release --quiet)
    AI_WORKFLOW_BIN=${CARGO_TARGET_DIR:-$here/target}/release/ai-workflow
fi
program=$(realpath "$AI_WORKFLOW_BIN")
real_git=$(command -v git)

# Nothing is removed before the end: file systems are slow to reuse what was just deleted.
work=$(mktemp -d "${TMPDIR:-/tmp}/run-figures.XXXXXX")
trap '[ -n "${KEEP:-}" ] || rm -rf "$work"' EXIT

# A home of its own, so that the figures do not depend on anybody's settings.
mkdir "$work/home"
printf '[user]\n\tname = Bench\n\temail = bench@example.org\n' > "$work/home/.gitconfig"
# The repository may name commands or show which it has; here none is run, so that only our own work is measured.
printf '[commands]\ndetect = false\n' > "$work/config.toml"
unset "${!AI_WORKFLOW_@}" 2> /dev/null || true
export HOME=$work/home GIT_CONFIG_NOSYSTEM=1 NO_COLOR=1
unset XDG_CONFIG_HOME

# Files that are in no repository are put into one.
if ! "$real_git" -c safe.directory='*' -C "$repository" rev-parse --verify --quiet HEAD > /dev/null 2>&1; then
    own() { "$real_git" --git-dir "$work/own.git" --work-tree "$repository" "$@"; }
    own init --quiet && own add --all && own commit --quiet --message "the files as they are"
    repository=$work/own.git
fi

clone() {
    "$real_git" -c safe.directory='*' clone --quiet "$repository" "$work/$1"
    "$real_git" -C "$work/$1" switch --quiet --no-track --create trunk
    mkdir -p "$work/$1/.ai-workflow/local/issues"
    printf -- '---\ntitle: The last page is missing\nlabels: [bug]\nauthor: somebody\nstate: open\n---\nIt should be there.\n' \
        > "$work/$1/.ai-workflow/local/issues/243.md"
}

# Runs in a clone, behind a command that may be given, and shows what was said when it fails.
execute() {
    local clone=$1 said="$work/$1.txt"
    shift
    cd "$work/$clone"
    "$@" "$program" execute --phase all --issue 243 --forge local --agent "$agent" --base-branch trunk \
        --config "$work/config.toml" > "$said" 2>&1 || { cat "$said" >&2; exit 1; }
    cd "$work"
}

log_of() { echo "$work/$1/.ai-workflow/issue-243/events.jsonl"; }
microseconds() { echo "${EPOCHREALTIME/[.,]/}"; }
# The wall time of all agent calls in microseconds, as the facts say; their supervision is in it.
agents_of() { grep -o '"millis":[0-9]*' "$(log_of "$1")" | awk -F: '{ sum += $2 } END { print sum * 1000 }'; }
# The runs stand one per line: outside, wall, agents.
nth() { sort -n "$work/times" | sed -n "$1p"; }
seconds() { awk -v n="$1" 'BEGIN { printf "%.2f", n / 1000000 }'; }

# --- time
TIMEFORMAT='%U %S'
for n in still $(seq "$runs"); do clone "timed-$n"; done
for n in $(seq "$runs"); do
    began=$(microseconds)
    { time execute "timed-$n"; } 2>> "$work/cpu"
    wall=$(($(microseconds) - began))
    # Right behind each run, because a machine with other guests has another speed a moment later.
    { time for _ in $(seq 50); do "$real_git" -C "$work/timed-still" status --porcelain > /dev/null; done; } 2>> "$work/status"
    agents=$(agents_of "timed-$n")
    echo "$((wall - agents)) $wall $agents" >> "$work/times"
done
read -r outside wall agents <<< "$(nth 1)"
read -r median _ <<< "$(nth $(((runs + 1) / 2)))"
read -r worst _ <<< "$(nth "$runs")"

# --- agent calls, git processes, memory
mkdir "$work/bin"
cat > "$work/bin/git" <<WRAPPER
#!/bin/sh
printf '%s %s %s\n' "\$PPID" "\${AI_WORKFLOW_STEP:-none}" "\$*" >> '$work/git-calls'
exec '$real_git' "\$@"
WRAPPER
chmod +x "$work/bin/git"
# One run in a new clone; sets `ours`, `others` and `peak`.
count() {
    local id counting seen
    clone "$1"
    : > "$work/git-calls"
    rm -f "$work/runner-id"
    # The shell that notes its own number becomes the runner, so a git that the runner started names it as its parent.
    (PATH="$work/bin:$PATH" execute "$1" sh -c 'echo $$ > "$0"; exec "$@"' "$work/runner-id") &
    counting=$!
    peak=0
    while kill -0 "$counting" 2> /dev/null; do
        id=$(cat "$work/runner-id" 2> /dev/null || true)
        seen=$(awk '/^VmHWM:/ { print $2 }' "/proc/${id:-none}/status" 2> /dev/null || true)
        [ "${seen:-0}" -gt "$peak" ] && peak=$seen
        sleep 0.01
    done
    wait "$counting"
    id=$(cat "$work/runner-id")
    ours=$(grep -c "^$id " "$work/git-calls" || true)
    others=$(($(wc -l < "$work/git-calls") - ours))
}
count counted
started=$(grep -o '"type":"step_started","phase":"[a-z_]*"' "$(log_of counted)" | sort | uniq -c | sort -rn)
calls=$(echo "$started" | awk '{ sum += $1 } END { print sum }')
most=$(echo "$started" | awk 'NR == 1 { print $1 }')
facts=$(wc -l < "$(log_of counted)")
commits=$("$real_git" -C "$work/counted" rev-list --count trunk..ai-workflow/issue-243)
plain_peak=$peak plain_ours=$ours plain_others=$others

# --- the same with a command that runs the tests
printf '[commands]\ndetect = false\ntest = "true"\n' > "$work/config.toml"
count tested
tested_ours=$ours
printf '[commands]\ndetect = false\n' > "$work/config.toml"

# --- syncs
syncs="not counted: strace is missing" git_syncs=""
if command -v strace > /dev/null && strace -o /dev/null true 2> /dev/null; then
    clone traced
    execute traced strace --follow-forks --quiet=all -e trace=fsync,fdatasync,syncfs,sync -e signal=none -o "$work/trace"
    # The first process of the trace is the runner; its threads do not sync, git's processes may.
    all=$(grep -c sync "$work/trace" || true)
    runner=$(awk '/sync/ { print $1; exit }' "$work/trace")
    syncs=$(grep -c "^$runner .*sync" "$work/trace" || true)
    git_syncs=$((all - syncs))
fi

# --- the table
missed=0
row() { printf '%-44s %12s   %s\n' "$1" "$2" "${3:-}"; }
# A figure that has a limit: what it is, as shown, as a number, the limit, the limit in words.
limited() {
    if awk -v seen="$3" -v limit="$4" 'BEGIN { exit !(seen <= limit) }'; then row "$1" "$2" "$5"
    else row "$1" "$2" "$5   MISSED"; missed=1; fi
}
row "$("$program" --version), $phases phases, $calls agent calls" "seen" "limit"
limited "agent calls of a clean phase, most" "$most" "$most" 2 "<= 2 (execute and review; none to parse)"
limited "agent calls" "$calls" "$calls" $((2 * phases)) "<= $((2 * phases))"
limited "commits" "$commits" "$commits" $((phases + 1)) "<= $((phases + 1)) (one a phase and the end)"
limited "git processes" "$plain_ours" "$plain_ours" $((6 * phases + 12)) "<= $((6 * phases + 12)) (6 per phase + 12)"
limited "git processes with a command for tests" "$tested_ours" "$tested_ours" 104 "<= 104"
row "git processes of agents and checks" "$plain_others"
row "facts in the log" "$facts"
row "fsync and fdatasync calls" "$syncs"
[ -z "$git_syncs" ] || row "  the same, by git" "$git_syncs"
row "wall time, best of $runs" "$(seconds "$wall") s"
row "  of it agents, with their supervision" "$(seconds "$agents") s"
row "  of it outside agents and commands" "$(seconds "$outside") s" "median $(seconds "$median"), worst $(seconds "$worst")"
cpu=$(awk '{ print $1 + $2 }' "$work/cpu" | sort -n | head -1)
read -r statuses status <<< "$(paste -d ' ' "$work/cpu" "$work/status" |
    awk '{ printf "%.0f %.4f\n", ($1 + $2) / ($3 + $4) * 50, ($3 + $4) / 50 }' | sort -n | sed -n "$(((runs + 1) / 2))p")"
row "CPU time with git and agents, best of $runs" "$cpu s"
limited "  in units of git status ($status s), median" "$statuses" "$statuses" 250 "<= 250"
limited "peak memory of the runner" "$(awk -v k="$plain_peak" 'BEGIN { printf "%.1f MiB", k / 1024 }')" "$plain_peak" $((40 * 1024)) "<= 40 MiB"
row "files in the repository" "$("$real_git" -C "$repository" ls-files | wc -l)"
busy=$(awk -v cores="$(nproc)" '$1 > cores { print $1 " on " cores }' /proc/loadavg)
[ -z "$busy" ] || row "the machine is busy, times are too long: load" "$busy"
exit "$missed"
