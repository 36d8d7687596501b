; What takes the place of an assert of the language.
((macro_definition name: (identifier) @_name) @runner_hook
 (#any-of? @_name "assert" "assert_eq" "assert_ne"))

; What ends a runner as if nothing had failed.
((call_expression function: (_) @_name arguments: (arguments . (integer_literal) @_value)) @runner_hook
 (#match? @_name "(?:^|::)process::exit$")
 (#eq? @_value "0"))
