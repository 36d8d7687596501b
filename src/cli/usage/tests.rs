//! Usage errors as people read them.

use super::*;

#[test]
fn a_usage_error_is_one_line_with_hints() {
    let text = "error: unrecognized subcommand 'exekute'\n\n  tip: a similar subcommand exists: 'execute'\n\nUsage: ai-workflow <COMMAND>\n\nFor more information, try '--help'.\n";
    assert_eq!(
        failure(text).to_string(),
        "error: unrecognized subcommand 'exekute'\nhint: a similar subcommand exists: 'execute'\nhint: usage: ai-workflow <COMMAND>\nhint: `--help` lists what can be given"
    );
}

#[test]
fn missing_arguments_are_listed_on_the_error_line() {
    let text = "error: the following required arguments were not provided:\n  --issue <N>\n\nUsage: x";
    assert_eq!(
        failure(text).to_string(),
        "error: the following required arguments were not provided: --issue <N>\nhint: usage: x"
    );
}
