((call_expression function: (identifier) @_name) @swallowed
 (#eq? @_name "recover"))
