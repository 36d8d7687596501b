//! The runner is killed while a reviewer asks, while the author answers, and while the same reviewer judges again.

use serde_json::{Value, json};

use super::world::{World, calls, ending};

/// The first reviewer that gets so far asks; afterwards every review passes.
const ASKS: &str = r#"
if [ "$AI_WORKFLOW_PHASE" = implementation ] && [ ! -e "$here/asked" ]; then
    touch "$here/asked"
    printf '{"review_id": "%s", "result": "FAIL", "findings": [], "questions": ["Is 3 meant?"]}\n' "$AI_WORKFLOW_REVIEW_ID"
    exit 0
fi
"#;
const ANSWERS: &str = "echo 'Yes, three pages.'\nexit 0\n";

fn world() -> World {
    let world = World::new();
    world.beside("lenient", "");
    world.beside("meddle-review", ASKS);
    world.beside("meddle-answer", ANSWERS);
    world
}

fn replies(world: &World) -> Vec<Value> {
    let facts = world.sandbox.facts();
    facts.iter().filter(|fact| fact["type"] == "replied").map(|fact| fact["text"].clone()).collect()
}

/// Calls 1 and 2 are planning's; 3 is the author, 4 the reviewer that asks, 5 the answer, 6 the review with it.
#[test]
fn a_kill_in_a_question_exchange_repeats_only_the_interrupted_call() {
    let undisturbed = world();
    undisturbed.execute().exits(0);
    for (turn, again) in [(4, "review"), (5, "answer"), (6, "review")] {
        let world = world();
        world.beside("strike", &format!("{turn} runner\n"));
        assert_ne!(world.execute().code, 0, "killed in call {turn}");
        world.execute().exits(0);
        let made = calls(&world.sandbox);
        let times = |step: &str| made[&format!("implementation/{step}/1")];
        let expected = |step: &str, usual: usize| usual + usize::from(step == again);
        assert_eq!(
            (times("execute"), times("answer"), times("review")),
            (1, expected("answer", 1), expected("review", 2)),
            "killed in call {turn}"
        );
        assert_eq!(replies(&world), [json!("Yes, three pages.")], "killed in call {turn}");
        assert_eq!(ending(&world.sandbox), ending(&undisturbed.sandbox), "killed in call {turn}");
    }
}
