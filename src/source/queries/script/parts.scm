(comment) @comment
(import_statement source: (string) @import)
(export_statement source: (string) @import)
((call_expression function: [(identifier) (import)] @_callee arguments: (arguments . (string) @import))
 (#any-of? @_callee "require" "import"))
[(string) (template_string)] @string
((call_expression function: (member_expression object: (identifier) @_object property: (property_identifier) @_name)) @open_statement
 (#any-of? @_object "it" "test" "describe")
 (#eq? @_name "todo"))
