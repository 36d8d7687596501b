; What code is written with: its texts and numbers.
[(string) (integer) (float)] @value
; Values that have a name in the whole file.
(module (expression_statement (assignment left: (identifier))) @constant)
