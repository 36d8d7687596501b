(comment) @comment
(import_statement source: (string) @import)
(export_statement source: (string) @import)
((call_expression function: [(identifier) (import)] @_callee arguments: (arguments . (string) @import))
 (#any-of? @_callee "require" "import"))
[(string) (template_string)] @string
((call_expression function: (member_expression object: (identifier) @_object property: (property_identifier) @_name)) @open_statement
 (#any-of? @_object "it" "test" "describe")
 (#eq? @_name "todo"))

; What asserts or runs tests, by the names that imports gave it, and what is put in its place.
((import_statement
   (import_clause [
     (identifier) @runner_name
     (namespace_import (identifier) @runner_name)
     (named_imports (import_specifier name: (identifier) @runner_name))
     (named_imports (import_specifier alias: (identifier) @runner_name))])
   source: (string) @_module)
 (#match? @_module "^.(?:(?:node:)?assert(?:/strict)?|node:test|vitest|@jest/globals|chai|mocha|bun:test).$"))
((variable_declarator
   name: [(identifier) @runner_name (object_pattern (shorthand_property_identifier_pattern) @runner_name)]
   value: (call_expression function: (identifier) @_function arguments: (arguments . (string) @_module)))
 (#eq? @_function "require")
 (#match? @_module "^.(?:(?:node:)?assert(?:/strict)?|node:test|vitest|@jest/globals|chai|mocha|bun:test).$"))
((assignment_expression left: (member_expression) @runner_set)
 (#match? @runner_set "\\.(?:ok|fail|ifError|match|doesNotMatch|throws|doesNotThrow|rejects|doesNotReject|AssertionError|(?:not|deep|notDeep)?(?:Strict|strict)?[eE]qual|notDeepStrictEqual|prototype\\.\\w+|it|test|describe|expect)$"))
((call_expression function: (member_expression) @_function arguments: (arguments . (identifier) @runner_set))
 (#match? @_function "^Object\\.(?:assign|definePropert(?:y|ies))$"))

; What a runner does, replaced; and what ends it, or tells it that nothing failed.
((assignment_expression left: (member_expression) @_target) @runner_hook
 (#match? @_target "^(?:assert|expect|chai|sinon\\.assert)\\.\\w+|^process\\.(?:exit|reallyExit)$"))
((function_declaration name: (identifier) @_name) @runner_hook
 (#any-of? @_name "expect" "assert"))
((variable_declarator name: (identifier) @_name value: [(arrow_function) (function_expression) (object)]) @runner_hook
 (#any-of? @_name "expect" "assert"))
((call_expression function: (_) @_name arguments: (arguments . (number) @_value)) @runner_hook
 (#eq? @_name "process.exit")
 (#eq? @_value "0"))
((assignment_expression left: (_) @_target right: (number) @_value) @runner_hook
 (#eq? @_target "process.exitCode")
 (#eq? @_value "0"))
((call_expression function: (_) @_name) @runner_hook
 (#any-of? @_name "jest.retryTimes" "this.retries"))

; What puts something else in the place of a part of the program.
((call_expression function: (_) @_name) @stand_in
 (#match? @_name "^(?:jest|vi)\\.(?:mock|doMock|spyOn)$|^mock\\.(?:method|module)$|^sinon\\.(?:stub|replace)$|^td\\.replace"))

; What code is written with: its texts and numbers.
[(string) (template_string) (regex) (number)] @value
; Values that have a name in the whole file.
(program (lexical_declaration (variable_declarator) @constant))

((catch_clause body: (statement_block) @_body) @swallowed
 (#match? @_body "^\\{\\s*\\}$"))
((call_expression function: (member_expression property: (_) @_name) arguments: (arguments . (arrow_function body: (statement_block) @_body) .)) @swallowed
 (#eq? @_name "catch")
 (#match? @_body "^\\{\\s*\\}$"))
