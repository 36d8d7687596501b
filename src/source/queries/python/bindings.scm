; Names of a test, and what they stand for.
(assignment left: (_) @local right: (_) @value)

; Names that stand for each of some values, in a loop or in the cases of a test, and where they do.
(for_statement left: (_) @each right: (_) @rows) @of
((decorated_definition
   (decorator (call function: (_) @_callee arguments: (argument_list . (_) @each . (_) @rows)))) @of
 (#match? @_callee "\\bparametrize$"))

(expression_statement [(call) (await)]) @statement
