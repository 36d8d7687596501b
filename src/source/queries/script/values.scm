; What code is written with: its texts and numbers.
[(string) (template_string) (regex) (number)] @value
; Values that have a name in the whole file.
(program (lexical_declaration (variable_declarator) @constant))
