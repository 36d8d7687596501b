[(line_comment) (block_comment)] @comment
(use_declaration argument: (_) @import)
(extern_crate_declaration name: (_) @import)
; A module in a file of its own.
(mod_item name: (_) @module !body)
[(string_literal) (raw_string_literal)] @string
((macro_invocation macro: (identifier) @_name) @open_statement
 (#eq? @_name "todo"))

; What takes the place of an assert of the language.
((macro_definition name: (identifier) @_name) @runner_hook
 (#any-of? @_name "assert" "assert_eq" "assert_ne"))

; What ends a runner as if nothing had failed.
((call_expression function: (_) @_name arguments: (arguments . (integer_literal) @_value)) @runner_hook
 (#match? @_name "(?:^|::)process::exit$")
 (#eq? @_value "0"))

; What code is written with: its texts and numbers.
[(string_literal) (raw_string_literal) (char_literal) (integer_literal) (float_literal)] @value
; Values that have a name in the whole file.
[(const_item) (static_item)] @constant

((call_expression function: (_) @_name) @swallowed
 (#match? @_name "(?:^|::)catch_unwind$"))
