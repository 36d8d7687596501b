; Functions.
(function_declaration name: (identifier) @name body: (block) @body) @function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: [
    (type_identifier) @type
    (generic_type type: (type_identifier) @type)
    (pointer_type (type_identifier) @type)
    (pointer_type (generic_type type: (type_identifier) @type))
  ]))
  name: (field_identifier) @name
  body: (block) @body) @function
(short_var_declaration
  left: (expression_list (identifier) @name)
  right: (expression_list (func_literal body: (block) @body))) @function

; Tests.
((function_declaration
   name: (identifier) @_name
   parameters: (parameter_list (parameter_declaration type: (pointer_type (qualified_type name: (type_identifier) @_type))))) @test_attribute
 (#match? @_name "^(?:Test|Fuzz)(?:[^\\p{Ll}]|$)")
 (#any-of? @_type "T" "F"))
((function_declaration name: (identifier) @_name parameters: (parameter_list) @_parameters) @test_attribute
 (#match? @_name "^Example(?:[^\\p{Ll}]|$)")
 (#eq? @_parameters "()"))
((method_declaration name: (field_identifier) @_name parameters: (parameter_list) @_parameters) @test_attribute
 (#match? @_name "^Test(?:[^\\p{Ll}]|$)")
 (#eq? @_parameters "()"))
((method_declaration name: (field_identifier) @_name) @setup
 (#any-of? @_name "SetupSuite" "SetupTest"))
((call_expression
   function: (selector_expression field: (field_identifier) @_name)
   arguments: (argument_list . [(interpreted_string_literal) (raw_string_literal)] @name . [(func_literal) (identifier)])) @test
 (#eq? @_name "Run"))
((call_expression
   function: (identifier) @_name
   arguments: (argument_list . [(interpreted_string_literal) (raw_string_literal)] @name (func_literal) .)) @test
 (#match? @_name "^[FPX]?(?:It|Specify)$"))
((call_expression
   function: (identifier) @_name
   arguments: (argument_list . [(interpreted_string_literal) (raw_string_literal)] @name (func_literal) .)) @group
 (#match? @_name "^[FPX]?(?:Describe|Context|When)$"))

; Skips.
((call_expression function: (identifier) @_name arguments: (argument_list . (interpreted_string_literal))) @skip
 (#match? @_name "^[PX](?:It|Specify|Describe|Context|When)$"))
((call_expression function: (identifier) @_name arguments: (argument_list . (interpreted_string_literal))) @only
 (#match? @_name "^F(?:It|Specify|Describe|Context|When)$"))
([
  (function_declaration body: (block (statement_list (expression_statement (call_expression function: (_) @_name)) @skip_statement)))
  (method_declaration body: (block (statement_list (expression_statement (call_expression function: (_) @_name)) @skip_statement)))
  (call_expression arguments: (argument_list (func_literal body: (block (statement_list (expression_statement (call_expression function: (_) @_name)) @skip_statement)))))
 ] @of
 (#match? @_name "^(?:\\w+(?:\\.T\\(\\))?\\.Skip(?:f|Now)?|Skip)$"))
((comment) @skip_conditional
 (#match? @skip_conditional "^//go:build "))
((expression_statement (call_expression function: (_) @_name)) @skip_conditional
 (#match? @_name "^(?:\\w+(?:\\.T\\(\\))?\\.Skip(?:f|Now)?|Skip)$"))

; What keeps a whole file from being built.
((comment) @skip_conditional
 (#match? @skip_conditional "^//(?:go:build|\\s*\\+build)\\b"))

; A test that ends before it asserts.
[
  (function_declaration body: (block (statement_list (return_statement) @skip_statement . (_))))
  (method_declaration body: (block (statement_list (return_statement) @skip_statement . (_))))
  (call_expression arguments: (argument_list (func_literal body: (block (statement_list (return_statement) @skip_statement . (_))))))
 ] @of

(if_statement consequence: (block (statement_list . [(return_statement) (continue_statement) (break_statement)] @exit)))
(expression_case (statement_list . [(return_statement) (continue_statement)] @exit .))
; What a loop over cases passes over.
(range_clause right: (slice_expression) @exit)

; What an assert inside is not asked under.
[(for_statement) (expression_switch_statement) (type_switch_statement) (select_statement)] @condition
(if_statement "if" @condition consequence: (_) @condition)
(if_statement alternative: (_) @condition)
(short_var_declaration right: (expression_list (func_literal))) @condition
(assignment_statement right: (expression_list (func_literal))) @condition

; Asserts: what is asked is the condition around the call, and not what the call prints.
([
   (if_statement "if" @assert !initializer condition: (_) @of consequence: (block (statement_list (expression_statement (call_expression
     function: (selector_expression operand: (identifier) @_test field: (field_identifier) @_name))))) @assert @_block)
   (if_statement "if" @assert initializer: (short_var_declaration) @_head condition: (_) @of consequence: (block (statement_list (expression_statement (call_expression
     function: (selector_expression operand: (identifier) @_test field: (field_identifier) @_name))))) @assert @_block)
 ]
 (#not-match? @_head "\\bfunc\\b")
 (#not-match? @_block "[{;\\n]\\s*(?:if|for|switch|select)\\b")
 (#match? @_test "^(?:t\\w?|\\w?T|tb|[bfcs]|sub[tT]|inner[tT])$")
 (#match? @_name "^(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)$"))
; What stands in front of the condition is asked, too, where it makes no names, or a function.
((if_statement "if" @assert initializer: (_) @_head @of condition: (_) @of consequence: (block (statement_list (expression_statement (call_expression
     function: (selector_expression operand: (identifier) @_test field: (field_identifier) @_name))))) @assert @_block)
 (#match? @_head "^(?:[^:]|:[^=])*$|\\bfunc\\b")
 (#not-match? @_block "[{;\\n]\\s*(?:if|for|switch|select)\\b")
 (#match? @_test "^(?:t\\w?|\\w?T|tb|[bfcs]|sub[tT]|inner[tT])$")
 (#match? @_name "^(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)$"))
; What asks in two steps is asked as it is written.
((if_statement "if" @assert consequence: (block (statement_list (expression_statement (call_expression
     function: (selector_expression operand: (identifier) @_test field: (field_identifier) @_name))))) @assert @_block)
 (#match? @_block "[{;\\n]\\s*(?:if|for|switch|select)\\b")
 (#match? @_test "^(?:t\\w?|\\w?T|tb|[bfcs]|sub[tT]|inner[tT])$")
 (#match? @_name "^(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)$"))
((if_statement condition: (_) @assert)
 (#match? @assert "^!?\\s*(?:assert|require)\\.\\w+\\("))
((call_expression function: (selector_expression operand: (identifier) @_test field: (field_identifier) @_name)) @assert
 (#match? @_test "^(?:t\\w?|\\w?T|tb|[bfcs]|sub[tT]|inner[tT])$")
 (#match? @_name "^(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)$"))
((expression_statement (call_expression) @assert)
 (#match? @assert "^(?:(?:assert|require|is|must|qt|td|autogold|approvals|g)\\.\\w+\\(|(?:\\w+\\.)?(?:Assert|Require|Expect|Ω|Eventually|Consistently)\\w*\\(|\\w+\\.(?:Assert|Require)\\(\\)\\.|\\w+\\.(?:Equal|NotEqual|NoError|Error\\w*|Nil|NotNil|True|False|Len|Contains|Empty|Panics)\\()"))

; Calls.
(call_expression function: [(identifier) @call (selector_expression field: (field_identifier) @call)]) @of
(call_expression arguments: (argument_list . (interpreted_string_literal) . (identifier) @call .)) @of

; Stubs.
((expression_statement (call_expression function: (identifier) @_name arguments: (argument_list . (interpreted_string_literal) .))) @stub_not_implemented
 (#eq? @_name "panic"))
((return_statement) @stub_not_implemented
 (#match? @stub_not_implemented "(?i)\"[^\"]*not (?:yet )?implemented[^\"]*\"\\)$"))
((return_statement) @stub_nothing
 (#match? @stub_nothing "^return(?:\\s+nil(?:\\s*,\\s*nil)*)?$"))

; Code that runs on its own: a stub in it would fail what does not ask for it.
((function_declaration name: (identifier) @_name) @constructor
 (#any-of? @_name "init" "main"))

; Names of a test, and what they stand for. Those in a head stand for it there alone.
(statement_list (short_var_declaration left: (_) @local right: (_) @stands_for))
(for_clause initializer: (short_var_declaration left: (_) @local right: (_) @stands_for))
(if_statement initializer: (short_var_declaration left: (_) @local right: (_) @stands_for)) @of
(expression_switch_statement initializer: (short_var_declaration left: (_) @local right: (_) @stands_for)) @of

; Names that stand for each of some values, and where they do. The first of two is a number.
(for_statement (range_clause left: (expression_list (_) . (_) @each) right: (_) @stands_for)) @of

((expression_statement (call_expression function: (_) @_name)) @statement
 (#not-match? @_name "^(?:t\\w?|\\w?T|tb|[bfcs]|sub[tT]|inner[tT])\\.(?:Logf?|Helper|Parallel)$"))

(comment) @comment
(import_spec path: (_) @import)
[(interpreted_string_literal) (raw_string_literal)] @string

; A place where failures go that nobody reads.
((composite_literal type: (_) @_type) @runner_hook
 (#eq? @_type "testing.T"))
((call_expression function: (identifier) @_name arguments: (argument_list (_) @_type)) @runner_hook
 (#eq? @_name "new")
 (#eq? @_type "testing.T"))
((var_spec type: (qualified_type) @_type) @runner_hook
 (#eq? @_type "testing.T"))

; What takes the place of a test that fails.
((method_declaration name: (field_identifier) @_name parameters: (parameter_list (_))) @runner_hook
 (#any-of? @_name "Error" "Errorf" "Fatal" "Fatalf"))

; What decides what a run of the tests says.
((function_declaration name: (identifier) @_name) @runner_hook
 (#eq? @_name "TestMain"))
((call_expression function: (_) @_name arguments: (argument_list . (int_literal) @_value)) @runner_hook
 (#eq? @_name "os.Exit")
 (#eq? @_value "0"))

; What code is written with: its texts and numbers.
[(interpreted_string_literal) (raw_string_literal) (rune_literal) (int_literal) (float_literal)] @value
; Values that have a name in the whole file.
(source_file (var_declaration (var_spec) @constant))

((call_expression function: (identifier) @_name) @swallowed
 (#eq? @_name "recover"))

; What is done for some values alone, and tables of values.
((if_statement condition: (_) @special_case @_condition consequence: (block (statement_list . (return_statement) @special_case .)))
 (#match? @_condition "==")
 (#not-match? @_condition "[<>]"))
(expression_case value: (_) (statement_list . (return_statement) .)) @special_case
(composite_literal type: (map_type) body: (_) @special_case)
