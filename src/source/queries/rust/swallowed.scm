((call_expression function: (_) @_name) @swallowed
 (#match? @_name "(?:^|::)catch_unwind$"))
