[(line_comment) (block_comment)] @comment
(use_declaration argument: (_) @import)
(extern_crate_declaration name: (_) @import)
; A module in a file of its own.
(mod_item name: (_) @module !body)
[(string_literal) (raw_string_literal)] @string
((macro_invocation macro: (identifier) @_name) @open_statement
 (#eq? @_name "todo"))
