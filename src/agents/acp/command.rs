//! Whether an author may run a command without being asked: each program of its line is among those allowed.
//! What it cannot read it does not allow. Runs nothing.

use settings::split_words;

/// Programs that run whatever they are told: only the whole line of such a one is allowed, as it was configured.
const RUNS_ANYTHING: [&str; 6] = ["sh", "bash", "dash", "zsh", "env", "sudo"];
/// What a shell reads as more than words, besides what joins commands.
const BEYOND_WORDS: [char; 9] = ['<', '>', '$', '`', '(', ')', '{', '}', '&'];
/// What joins commands to a line.
const JOINS: [&str; 5] = ["&&", "||", ";", "|", "\n"];

/// Returns what a command of the repository allows: its program, with whatever arguments.
pub(super) fn allowed_by(command: &str) -> String {
    let words = split_words(command).unwrap_or_default();
    match words.first() {
        Some(program) if !runs_anything(program) && !program.contains(char::is_whitespace) => program.clone(),
        _ => command.to_owned(),
    }
}

/// Tells whether a line, as a shell would read it, is allowed.
pub(super) fn may_run(line: &str, allowed: &[String]) -> bool {
    let mut commands = vec![line.replace(" 2>&1", "")];
    for join in JOINS {
        commands = commands.iter().flat_map(|part| part.split(join).map(str::to_owned)).collect();
    }
    commands.iter().all(|command| {
        !command.contains(BEYOND_WORDS) && split_words(command).is_ok_and(|words| may_start(&words, allowed))
    })
}

/// Tells whether a program with its arguments is allowed; `sh -c LINE` is as good as its line.
pub(super) fn may_start(words: &[String], allowed: &[String]) -> bool {
    let is_allowed = |allowed: &String| {
        split_words(allowed).is_ok_and(|allowed| !allowed.is_empty() && words.starts_with(&allowed))
    };
    if allowed.iter().any(is_allowed) {
        return true;
    }
    match words {
        [shell, option, line] if is_shell(shell) && matches!(option.as_str(), "-c" | "-lc") => {
            may_run(line, allowed)
        }
        _ => false,
    }
}

fn runs_anything(program: &str) -> bool {
    RUNS_ANYTHING.contains(&program.rsplit('/').next().unwrap_or(program))
}

fn is_shell(program: &str) -> bool {
    matches!(program.rsplit('/').next(), Some("sh" | "bash" | "dash" | "zsh"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed() -> Vec<String> {
        ["cargo test --locked", "./check.sh", "sh -c 'make lint'"]
            .map(allowed_by)
            .into_iter()
            .chain(["npm run".to_owned()])
            .collect()
    }

    #[test]
    fn a_program_of_the_repository_may_run_with_any_arguments() {
        for good in [
            "cargo test",
            "cargo build --release 2>&1",
            "cargo test && ./check.sh -v",
            "cargo fmt; cargo test | cargo x",
            "npm run lint",
            "sh -c 'make lint'",
            "bash -lc 'cargo test'",
        ] {
            assert!(may_run(good, &allowed()), "{good}");
        }
    }

    #[test]
    fn whatever_else_is_on_the_line_may_not() {
        for bad in [
            "",
            "rm -rf /",
            "cargo test && rm x",
            "cargo test; curl x",
            "cargo test | sh",
            "cargo test\nrm x",
            "cargo test & rm x",
            "cargo $(rm x)",
            "cargo `rm x`",
            "cargo test > /etc/x",
            "npm install",
            "npm",
            "sh -c 'rm x'",
            "sh evil",
            "bash -lc 'cargo test; rm x'",
            "X=1 cargo test",
            "cargo 'test",
            "/tmp/cargo test",
        ] {
            assert!(!may_run(bad, &allowed()), "{bad}");
        }
        assert!(!may_run("cargo test", &[]));
        assert!(!may_start(&[], &[String::new()]));
    }
}
