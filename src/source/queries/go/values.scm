; What code is written with: its texts and numbers.
[(interpreted_string_literal) (raw_string_literal) (rune_literal) (int_literal) (float_literal)] @value
; Values that have a name in the whole file.
(source_file (var_declaration (var_spec) @constant))
