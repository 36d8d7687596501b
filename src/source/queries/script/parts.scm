(comment) @comment
(import_statement source: (string) @import)
(export_statement source: (string) @import)
((call_expression function: [(identifier) (import)] @_callee arguments: (arguments . (string) @import))
 (#any-of? @_callee "require" "import"))
[(string) (template_string)] @string
