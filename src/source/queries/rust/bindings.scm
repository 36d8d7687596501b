; Names of a test, and what they stand for.
(let_declaration pattern: (_) @local value: (_) @value)
(const_item name: (_) @local value: (_) @value)
(static_item name: (_) @local value: (_) @value)

; Names that stand for each of some values, and where they do.
(for_expression pattern: (_) @each value: (_) @rows) @of

(expression_statement [(call_expression) (try_expression) (await_expression)]) @statement
