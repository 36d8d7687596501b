#!/bin/sh
# Speaks the Agent Client Protocol for tests: answers what opens a session, then plays its first argument as the turn.
# Its second argument is read before everything and may put other answers in place of these. Without any argument it
# works and reviews like fake.sh.
set -u

say() { printf '%s\n' "$1"; }
next() {
    IFS= read -r line || exit 0
    id=$(printf '%s\n' "$line" | sed -E 's/^\{"jsonrpc":"2\.0","id":("[^"]*"|[0-9]+).*/\1/')
}
answer() { say '{"jsonrpc":"2.0","id":'"$id"',"result":'"$1"'}'; }
fail() { say '{"jsonrpc":"2.0","id":'"$id"',"error":'"$1"'}'; }
update() { say '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","update":'"$1"'}}'; }
chunk() { update '{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"'"$1"'"}}'; }
end() { answer '{"stopReason":"'"${1:-end_turn}"'"}'; }
# Asks the client and keeps its answer.
ask() {
    say '{"jsonrpc":"2.0","id":7,"method":"'"$1"'","params":'"$2"'}'
    IFS= read -r reply || exit 0
    printf '%s\n' "$reply" >> ../replies
}
write() { ask fs/write_text_file '{"sessionId":"s-1","path":"'"$1"'","content":"written\n"}'; }
read_file() { ask fs/read_text_file '{"sessionId":"s-1","path":"'"$1"'"}'; }
# Asks for leave to use a tool: its kind, and the rest of what is said about it.
permit() {
    asked=$((${asked:-0} + 1))
    ask session/request_permission '{"sessionId":"s-1","toolCall":{"toolCallId":"'"$asked"'","title":"a '"$1"'","kind":"'"$1"'"'"$2"'},"options":[{"optionId":"always","name":"Always","kind":"allow_always"},{"optionId":"once","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]}'
}
location() { printf '%s' ',"locations":[{"path":"'"$1"'"}]'; }
initialize() { answer '{"protocolVersion":1,"agentInfo":{"name":"shell","version":"1.0"}}'; }
open() { answer '{"sessionId":"s-1"}'; }
turn() {
    text=$(sh "${0%/*}/fake.sh" < /dev/null | sed 's/\\/\\\\/g; s/"/\\"/g' | awk '{ printf "%s\\n", $0 }')
    chunk "$text"
    end
}

eval "${2:-}"
next
initialize
next
open
next
if [ $# -gt 0 ]; then eval "$1"; else turn; fi
