(comment) @comment
(import_statement name: [(dotted_name) @import (aliased_import name: (dotted_name) @import)])
(import_from_statement module_name: (_) @import)
(string) @string
(module . (expression_statement . (string) @docstring .))
(block . (expression_statement . (string) @docstring .))
