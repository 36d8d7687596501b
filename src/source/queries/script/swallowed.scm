((catch_clause body: (statement_block) @_body) @swallowed
 (#match? @_body "^\\{\\s*\\}$"))
((call_expression function: (member_expression property: (_) @_name) arguments: (arguments . (arrow_function body: (statement_block) @_body) .)) @swallowed
 (#eq? @_name "catch")
 (#match? @_body "^\\{\\s*\\}$"))
