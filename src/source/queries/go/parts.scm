(comment) @comment
(import_spec path: (_) @import)
[(interpreted_string_literal) (raw_string_literal)] @string

; A place where failures go that nobody reads.
((composite_literal type: (_) @_type) @runner_hook
 (#eq? @_type "testing.T"))
((call_expression function: (identifier) @_name arguments: (argument_list (_) @_type)) @runner_hook
 (#eq? @_name "new")
 (#eq? @_type "testing.T"))
((var_spec type: (qualified_type) @_type) @runner_hook
 (#eq? @_type "testing.T"))

; What decides what a run of the tests says.
((function_declaration name: (identifier) @_name) @runner_hook
 (#eq? @_name "TestMain"))
((call_expression function: (_) @_name arguments: (argument_list . (int_literal) @_value)) @runner_hook
 (#eq? @_name "os.Exit")
 (#eq? @_value "0"))

; What code is written with: its texts and numbers.
[(interpreted_string_literal) (raw_string_literal) (rune_literal) (int_literal) (float_literal)] @value
; Values that have a name in the whole file.
(source_file (var_declaration (var_spec) @constant))

((call_expression function: (identifier) @_name) @swallowed
 (#eq? @_name "recover"))
