; What TypeScript has besides JavaScript.
(abstract_class_declaration name: (_) @name) @group @abstract
(internal_module name: (_) @name) @group
(public_field_definition name: (_) @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @function
(abstract_method_signature name: (_) @name) @function @abstract
(function_signature name: (_) @name) @function @abstract
(class_heritage (extends_clause value: [(identifier) @base (member_expression property: (_) @base)]))

; What only the compiler reads.
(as_expression "as" @cast [(_) "const"] @cast .)
