; Where JavaScript names its nodes otherwise than TypeScript.
(field_definition property: (_) @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @function
(class_heritage (identifier) @base)
