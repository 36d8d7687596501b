; JavaScript and TypeScript. What stands in each call is asked by `kind-eq?`, because a list of kinds in a pattern is followed
; once for each of its kinds.

; Groups and functions.
(class_declaration name: (_) @name) @group
(variable_declarator name: (_) @name value: (class)) @group
(function_declaration name: (identifier) @name body: (_) @body) @function
(generator_function_declaration name: (identifier) @name body: (_) @body) @function
(method_definition name: (_) @name body: (_) @body) @function
(variable_declarator
  name: (identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]) @function
(assignment_expression
  left: [(identifier) @name (member_expression property: (_) @name)]
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]) @function
(pair
  key: (property_identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @function
(decorator) @attribute

; Groups of tests: describe('…', () => {}), describe.each(…)('…', …).
((call_expression function: (_) @_callee arguments: (arguments . (_) @name (_) @_body .)) @group
 (#kind-eq? @_body "arrow_function" "function_expression" "identifier")
 (#match? @_callee "^(?:[xf]?(?:describe|context)|suite|test\\.describe|QUnit\\.module)(?:\\.\\w+)*(?:\\s*(?:<[^(]*>)?\\s*[(`][\\s\\S]*)?$"))

; Tests: it('…', () => {}), test.only('…', …), it.each(…)('…', …), Deno.test({ name: '…', … }).
((call_expression
   function: (_) @_callee
   arguments: (arguments . (_) @name . (_) @_body)) @test
 (#kind-eq? @name "string" "template_string" "identifier" "member_expression" "binary_expression" "call_expression")
 (#kind-eq? @_body "arrow_function" "function_expression" "identifier" "member_expression" "call_expression" "object")
 (#match? @_callee "^(?:[xf]?(?:it|test|specify)|(?:Deno|QUnit)\\.test|t\\.(?:test|step))(?:\\.(?:only|skip|todo|concurrent|sequential|serial|failing|fails|fail|ignore|fixme|slow|cb))*(?:\\.(?:each|for|skipIf|runIf|if|todoIf)\\s*(?:<[^(]*>)?\\s*[(`][\\s\\S]*)?$"))
((call_expression function: (_) @_callee arguments: (arguments . [(string) (template_string)] @name .)) @test @skip
 (#match? @_callee "^(?:[xf]?it|specify|xtest|test\\.(?:todo|skip)|it\\.(?:todo|skip))$"))
((call_expression
   function: (_) @_callee
   arguments: (arguments . (object (pair key: (property_identifier) @_key value: (_) @name)))) @test
 (#match? @_callee "^Deno\\.test(?:\\.only|\\.ignore)?$")
 (#eq? @_key "name"))
((call_expression function: (_) @_callee arguments: (arguments . (function_expression name: (identifier) @name))) @test
 (#match? @_callee "^Deno\\.test(?:\\.only|\\.ignore)?$"))
((call_expression function: (identifier) @_name arguments: (arguments [(arrow_function) (function_expression)])) @setup
 (#any-of? @_name "before" "beforeEach" "beforeAll"))
((if_statement condition: (_) @_condition) @item @test_code
 (#match? @_condition "import\\.meta\\.vitest"))

; Skips.
((call_expression function: (_) @_callee arguments: (arguments . (_) @_name . (_) @_body)) @skip
 (#kind-eq? @_name "string" "template_string" "identifier" "member_expression")
 (#kind-eq? @_body "arrow_function" "function_expression" "identifier" "member_expression" "call_expression" "object")
 (#match? @_callee "^(?:x(?:it|test|specify|describe|context)\\b|(?:it|test|specify|describe|context|suite|Deno\\.test|QUnit\\.(?:test|module)|t\\.(?:test|step))(?:\\.\\w+)*\\.(?:skip|todo|ignore|fixme)\\b|(?:it|test|describe)\\.(?:(?:skipIf|todoIf)\\(\\s*(?:true|1|!0)\\s*\\)|(?:runIf|if)\\(\\s*(?:false|0|!1)\\s*\\)))"))
((call_expression function: (_) @_callee arguments: (arguments . (_) @_name . (_) @_body)) @skip_conditional
 (#kind-eq? @_name "string" "template_string" "identifier" "member_expression")
 (#kind-eq? @_body "arrow_function" "function_expression" "identifier" "member_expression" "call_expression" "object")
 (#match? @_callee "^(?:it|test|describe)(?:\\.\\w+)*\\.(?:skipIf|runIf|if|todoIf)\\b"))
((call_expression function: (_) @_callee arguments: (arguments . (_) @_name . (_) @_body)) @expected_failure
 (#kind-eq? @_name "string" "template_string" "identifier" "member_expression")
 (#kind-eq? @_body "arrow_function" "function_expression" "identifier" "member_expression" "call_expression" "object")
 (#match? @_callee "^(?:it|test)(?:\\.\\w+)*\\.(?:failing|fails|fail)\\b"))
((call_expression function: (_) @_callee arguments: (arguments . (_))) @only
 (#match? @_callee "^(?:f(?:it|test|specify|describe|context)\\b|(?:it|test|specify|describe|context|suite|Deno\\.test|QUnit\\.(?:test|module)|t\\.test)(?:\\.\\w+)*\\.only\\b)"))
((call_expression
   function: (_) @_callee
   arguments: (arguments (object (pair key: (property_identifier) @_key value: [(true) (string) (template_string)]) @skip)))
 (#match? @_callee "^(?:it|test|describe|suite|Deno\\.test|t\\.(?:test|step))\\b[\\w.]*$")
 (#any-of? @_key "skip" "todo" "ignore"))
((call_expression
   function: (_) @_callee
   arguments: (arguments (object (pair key: (property_identifier) @_key value: [
     (binary_expression) (identifier) (member_expression) (unary_expression) (ternary_expression) (call_expression)
   ]) @skip_conditional)))
 (#match? @_callee "^(?:it|test|describe|suite|Deno\\.test|t\\.(?:test|step))\\b[\\w.]*$")
 (#any-of? @_key "skip" "todo" "ignore"))
((call_expression
   function: (_) @_callee
   arguments: (arguments (object (pair key: (property_identifier) @_key value: (true)) @only)))
 (#match? @_callee "^(?:it|test|describe|suite|Deno\\.test|t\\.(?:test|step))\\b[\\w.]*$")
 (#eq? @_key "only"))
((call_expression arguments: (arguments
   (_ body: (statement_block (expression_statement (call_expression function: (_) @_callee)) @skip_statement)) @_code)) @of
 (#kind-eq? @_code "arrow_function" "function_expression")
 (#match? @_callee "^(?:this|t|ctx|context)\\.(?:skip|todo)$"))
((expression_statement (call_expression function: (_) @_callee)) @skip_conditional
 (#match? @_callee "^(?:this|t|ctx|context)\\.(?:skip|todo)$"))
((expression_statement (call_expression
   function: (_) @_callee
   arguments: (arguments . [(binary_expression) (identifier) (member_expression) (unary_expression) (call_expression)] . (string)))) @skip_conditional
 (#match? @_callee "^test\\.(?:skip|fixme)$"))

; A test that ends before it asserts.
((call_expression arguments: (arguments (_ body: (statement_block (return_statement) @skip_statement . (_))) @_code)) @of
 (#kind-eq? @_code "arrow_function" "function_expression"))
(if_statement consequence: [
  [(return_statement) (continue_statement) (break_statement)] @exit
  (statement_block . [(return_statement) (continue_statement) (break_statement)] @exit)
])
(switch_case body: [(return_statement) (continue_statement)] @exit)
; What a loop or a table of cases passes over.
((for_in_statement right: (call_expression function: (member_expression property: (_) @_name)) @exit)
 (#any-of? @_name "filter" "slice"))
((call_expression function: (member_expression object: (call_expression function: (member_expression property: (_) @_name)) @exit property: (_) @_each))
 (#any-of? @_name "filter" "slice")
 (#eq? @_each "forEach"))
((call_expression function: (member_expression property: (_) @_each) arguments: (arguments . (call_expression function: (member_expression property: (_) @_name)) @exit .))
 (#any-of? @_name "filter" "slice")
 (#eq? @_each "each"))

; What an assert inside is not asked under, or whose failure is caught.
[(if_statement) (switch_statement) (for_statement) (while_statement)] @condition
; A loop over a list that is written down with elements is no condition.
((for_in_statement right: (_) @_over) @condition
 (#not-match? @_over "^\\[\\s*[^\\].\\s]"))
(try_statement handler: (catch_clause)) @condition
(expression_statement [(arrow_function) (function_expression)]) @condition
(statement_block [(function_declaration) (lexical_declaration (variable_declarator value: [(arrow_function) (function_expression)]))] @condition)
((call_expression function: (member_expression property: (_) @_name)) @condition
 (#any-of? @_name "forEach" "then"))

; Asserts.
([
  (expression_statement (_) @assert)
  (return_statement) @assert
  (arrow_function body: (_) @assert)
  (variable_declarator value: (_) @assert)
 ]
 (#match? @assert "^(?:(?:await|void|return)\\s+)*(?:expect\\w*(?:\\.\\w+)*(?:<[^(]*>)?\\([\\s\\S]*\\)\\s*\\.|expect\\.(?:fail|unreachable)\\(|(?:\\w+\\.)*assert\\w*(?:\\.\\w+)*\\(|should\\.|t\\.(?:is|not|true|false|truthy|falsy|ok|notOk|equal|equals|same|deepEqual|notDeepEqual|like|throws\\w*|notThrows\\w*|rejects|snapshot|regex|pass|fail|strictSame|match)\\()"))
((expression_statement (call_expression function: (member_expression) @_callee) @assert)
 (#match? @_callee "\\.(?:should|expect)\\b"))
((expression_statement (member_expression) @assert)
 (#match? @assert "\\.should\\."))
(throw_statement) @assert

; Calls.
(call_expression function: [(identifier) @call (member_expression property: (_) @call)]) @of

; Stubs.
((return_statement) @stub_nothing
 (#match? @stub_nothing "^return(?:\\s+(?:null|undefined|void 0))?\\s*;?$"))
(arrow_function body: [(null) (undefined)] @stub_nothing)
((throw_statement (new_expression constructor: (identifier) @_name arguments: (_)? @_text)) @stub_not_implemented
 (#match? @_text "(?i)not (?:yet )?implemented|unimplemented|[\"'`](?:todo|stub)\\b"))
((throw_statement (new_expression arguments: (arguments . [(string) (template_string)] @_text .))) @stub_fails
 (#not-match? @_text "[$]"))

; Code that runs on its own: a stub in it would fail what does not ask for it.
((method_definition name: (property_identifier) @_name) @constructor
 (#eq? @_name "constructor"))

; Names of a test, and what they stand for.
(variable_declarator name: (_) @local value: (_) @stands_for)

; Names that stand for each of some values, in a loop or in the cases of a test, and where they do.
(for_in_statement left: (_) @each right: (_) @stands_for) @of
((call_expression
   function: (call_expression
     function: (member_expression property: (property_identifier) @_each)
     arguments: (arguments . (_) @stands_for))
   arguments: (arguments . (_) . [
     (arrow_function parameters: (_) @each)
     (arrow_function parameter: (_) @each)
     (function_expression parameters: (_) @each)
   ])) @of
 (#any-of? @_each "each" "for"))

(expression_statement [(call_expression) (await_expression)]) @statement

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
 (#match? @_name "^(?:jest|vi)\\.(?:mock|doMock|spyOn)$|^mock\\.(?:method|module)$|^sinon\\.(?:stub|replace)$|^td\\.replace|\\.mock(?:Implementation|ReturnValue|ResolvedValue|RejectedValue)(?:Once)?$"))

; What code is written with: its texts and numbers.
[(string) (template_string) (regex) (number)] @value
; Values that have a name in the whole file.
(program (lexical_declaration (variable_declarator) @constant))

((catch_clause body: (statement_block) @_body) @swallowed
 (#match? @_body "^\\{\\s*\\}$"))
((call_expression function: (member_expression property: (_) @_name) arguments: (arguments . (arrow_function body: (statement_block) @_body) .)) @swallowed
 (#eq? @_name "catch")
 (#match? @_body "^\\{\\s*\\}$"))

; What is done for some values alone, and tables of values.
; What an error says is no answer.
([
   (if_statement condition: (_) @special_case @_condition consequence: [
     (return_statement) (expression_statement (assignment_expression))
     (statement_block . [(return_statement) (expression_statement (assignment_expression))] .)
   ] @special_case)
   (if_statement condition: (_) @special_case @_condition consequence: [(throw_statement) (statement_block . (throw_statement) .)])
 ]
 (#match? @_condition "===?|\\.includes\\(")
 (#not-match? @_condition "[<>]"))
((ternary_expression condition: (_) @_condition) @special_case
 (#match? @_condition "==="))
(switch_case value: (_) body: [(return_statement) (throw_statement)]) @special_case
[(array (array)) (object)] @special_case
