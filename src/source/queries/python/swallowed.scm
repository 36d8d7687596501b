((except_clause (block . [(pass_statement) (continue_statement) (return_statement)] .)) @swallowed
 (#match? @swallowed "^except\\s*(?::|\\(?\\s*(?:Base)?Exception\\b)"))
((call function: (_) @_function arguments: (argument_list (identifier) @_error)) @swallowed
 (#match? @_function "^(?:contextlib\\.)?suppress$")
 (#match? @_error "^(?:Base)?Exception$"))
