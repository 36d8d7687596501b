; Names of a test, and what they stand for.
(variable_declarator name: (_) @local value: (_) @value)

; Names that stand for each of some values, in a loop or in the cases of a test, and where they do.
(for_in_statement left: (_) @each right: (_) @rows) @of
((call_expression
   function: (call_expression
     function: (member_expression property: (property_identifier) @_each)
     arguments: (arguments . (_) @rows))
   arguments: (arguments . (_) . [
     (arrow_function parameters: (_) @each)
     (arrow_function parameter: (_) @each)
     (function_expression parameters: (_) @each)
   ])) @of
 (#any-of? @_each "each" "for"))

(expression_statement [(call_expression) (await_expression)]) @statement
