(comment) @comment
(import_spec path: (_) @import)
[(interpreted_string_literal) (raw_string_literal)] @string
