[(line_comment) (block_comment)] @comment
(use_declaration argument: (_) @import)
(extern_crate_declaration name: (_) @import)
[(string_literal) (raw_string_literal)] @string
