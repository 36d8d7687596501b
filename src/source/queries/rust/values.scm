; What code is written with: its texts and numbers.
[(string_literal) (raw_string_literal) (char_literal) (integer_literal) (float_literal)] @value
; Values that have a name in the whole file.
[(const_item) (static_item)] @constant
