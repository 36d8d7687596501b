; Names of a test, and what they stand for.
(short_var_declaration left: (_) @local right: (_) @value)

; Names that stand for each of some values, and where they do. The first of two is a number.
(for_statement (range_clause left: (expression_list (_) . (_) @each) right: (_) @rows)) @of

(expression_statement (call_expression)) @statement
