; JavaScript and TypeScript. Groups and functions.
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
((call_expression function: (_) @_callee arguments: (arguments . (_) @name [(arrow_function) (function_expression) (identifier)] .)) @group
 (#match? @_callee "^(?:[xf]?(?:describe|context)|suite|test\\.describe|QUnit\\.module)(?:\\.\\w+)*(?:\\s*(?:<[^(]*>)?\\s*[(`][\\s\\S]*)?$"))

; Tests: it('…', () => {}), test.only('…', …), it.each(…)('…', …), Deno.test({ name: '…', … }).
((call_expression
   function: (_) @_callee
   arguments: (arguments . [(string) (template_string) (identifier) (member_expression) (binary_expression) (call_expression)] @name . [(arrow_function) (function_expression) (identifier) (member_expression) (call_expression) (object)])) @test
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
((call_expression function: (_) @_callee arguments: (arguments . [(string) (template_string) (identifier) (member_expression)] . [(arrow_function) (function_expression) (identifier) (member_expression) (call_expression) (object)])) @skip
 (#match? @_callee "^(?:x(?:it|test|specify|describe|context)\\b|(?:it|test|specify|describe|context|suite|Deno\\.test|QUnit\\.(?:test|module)|t\\.(?:test|step))(?:\\.\\w+)*\\.(?:skip|todo|ignore|fixme)\\b|(?:it|test|describe)\\.(?:(?:skipIf|todoIf)\\(\\s*(?:true|1|!0)\\s*\\)|(?:runIf|if)\\(\\s*(?:false|0|!1)\\s*\\)))"))
((call_expression function: (_) @_callee arguments: (arguments . [(string) (template_string) (identifier) (member_expression)] . [(arrow_function) (function_expression) (identifier) (member_expression) (call_expression) (object)])) @skip_conditional
 (#match? @_callee "^(?:it|test|describe)(?:\\.\\w+)*\\.(?:skipIf|runIf|if|todoIf)\\b"))
((call_expression function: (_) @_callee arguments: (arguments . [(string) (template_string) (identifier) (member_expression)] . [(arrow_function) (function_expression) (identifier) (member_expression) (call_expression) (object)])) @expected_failure
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
((call_expression arguments: (arguments [
   (arrow_function body: (statement_block (expression_statement (call_expression function: (_) @_callee)) @skip_statement))
   (function_expression body: (statement_block (expression_statement (call_expression function: (_) @_callee)) @skip_statement))
 ])) @of
 (#match? @_callee "^(?:this|t|ctx|context)\\.(?:skip|todo)$"))
((expression_statement (call_expression function: (_) @_callee)) @skip_conditional
 (#match? @_callee "^(?:this|t|ctx|context)\\.(?:skip|todo)$"))
((expression_statement (call_expression
   function: (_) @_callee
   arguments: (arguments . [(binary_expression) (identifier) (member_expression) (unary_expression) (call_expression)] . (string)))) @skip_conditional
 (#match? @_callee "^test\\.(?:skip|fixme)$"))

; A test that ends before it asserts.
(call_expression arguments: (arguments [
   (arrow_function body: (statement_block (return_statement) @skip_statement . (_)))
   (function_expression body: (statement_block (return_statement) @skip_statement . (_)))
 ])) @of
(if_statement consequence: [
  [(return_statement) (continue_statement) (break_statement)] @exit
  (statement_block . [(return_statement) (continue_statement) (break_statement)] @exit .)
])

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
  (return_statement (_) @assert)
  (arrow_function body: (_) @assert)
  (variable_declarator value: (_) @assert)
 ]
 (#match? @assert "^(?:(?:await|void)\\s+)?(?:expect\\w*(?:\\.\\w+)*(?:<[^(]*>)?\\([\\s\\S]*\\)\\s*\\.|expect\\.(?:fail|unreachable)\\(|(?:\\w+\\.)*assert\\w*(?:\\.\\w+)*\\(|should\\.|t\\.(?:is|not|true|false|truthy|falsy|ok|notOk|equal|equals|same|deepEqual|notDeepEqual|like|throws\\w*|notThrows\\w*|rejects|snapshot|regex|pass|fail|strictSame|match)\\()"))
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

; Code that runs on its own: a stub in it would fail what does not ask for it.
((method_definition name: (property_identifier) @_name) @constructor
 (#eq? @_name "constructor"))
