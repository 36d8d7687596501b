; Groups and functions.
(class_definition name: (identifier) @name) @group
(function_definition name: (identifier) @name body: (block) @body) @function
(assignment left: (identifier) @name right: (lambda body: (_) @body)) @function
(decorator) @attribute
(function_definition body: (block . (expression_statement (string)) @docstring))

; Tests.
((function_definition name: (identifier) @_name) @test_attribute
 (#match? @_name "^test"))
((decorator (_) @_name) @not_a_test
 (#match? @_name "^(?:\\w+\\.)*(?:fixture|property|overload)\\b"))
((function_definition name: (identifier) @_name) @setup
 (#any-of? @_name "setUp" "setUpClass" "asyncSetUp" "setup_method" "setup_class" "setUpModule" "setup_module"))
((class_definition superclasses: (argument_list) @_bases) @item @test_code
 (#match? @_bases "\\b\\w*TestCase\\b"))

; Skips.
((decorator (_) @_mark) @skip
 (#match? @_mark "^(?:\\w+\\.)*(?:skip(?:\\(|$)|skip[iI]f\\(\\s*(?:True|1|not False)\\s*[,)]|skipUnless\\(\\s*(?:False|0|None|not True)\\s*[,)]|xfail\\([^)]*\\brun\\s*=\\s*False)"))
((decorator (call arguments: (argument_list (list) @_cases .))) @skip
 (#eq? @_cases "[]"))
((decorator (_) @_mark) @skip_conditional
 (#match? @_mark "^(?:\\w+\\.)*_?(?:skip|requires?|xfail\\(\\s*[^\\s)\\w]|xfail\\(\\s*\\w+\\s*[^\\s=\\w])\\w*"))
((decorator (_) @_mark) @expected_failure
 (#match? @_mark "^(?:\\w+\\.)*(?:(?:flaky|retry|rerun)\\w*|expectedFailure$|xfail$|xfail\\(\\s*(?:\\)|(?:reason|strict|raises|run)\\s*=|True\\b))"))
((decorator (call arguments: (argument_list) @_cases)) @skip_conditional
 (#match? @_cases "\\bmarks\\s*=[^=]*\\.(?:skip|xfail)"))
((assignment left: (identifier) @_name right: (_) @_mark) @skip
 (#eq? @_name "pytestmark")
 (#match? @_mark "\\bmark\\.skip(?:\\W|$)|\\bskipif\\(\\s*True\\b"))
((assignment left: (identifier) @_name right: (_) @_mark) @skip_conditional
 (#eq? @_name "pytestmark")
 (#match? @_mark "\\bmark\\.(?:skipif|xfail)"))
((assignment left: (identifier) @_name right: (false)) @skip
 (#eq? @_name "__test__"))

([
  (function_definition body: (block (expression_statement (call function: (_) @_name)) @skip_statement))
  (module (expression_statement (call function: (_) @_name)) @skip_statement)
 ] @of
 (#match? @_name "^(?:pytest\\.(?:skip|xfail)|\\w+\\.skipTest)$"))
([
  (function_definition body: (block (raise_statement (_) @_name) @skip_statement))
  (module (raise_statement (_) @_name) @skip_statement)
 ] @of
 (#match? @_name "^(?:\\w+\\.)*(?:SkipTest|skip\\.Exception)\\b"))
((expression_statement (call function: (_) @_name)) @skip_conditional
 (#match? @_name "^(?:pytest\\.(?:skip|xfail|importorskip)|\\w+\\.skipTest)$"))
((assignment right: (call function: (_) @_name)) @skip_conditional
 (#eq? @_name "pytest.importorskip"))
((raise_statement (_) @_name) @skip_conditional
 (#match? @_name "^(?:\\w+\\.)*(?:SkipTest|skip\\.Exception)\\b"))

; A test that ends before it asserts.
((function_definition body: (block (return_statement) @skip_statement . (_))) @of)
(function_definition body: (block (expression_statement (yield)) @exit))
(if_statement consequence: (block . [(return_statement) (continue_statement) (break_statement)] @exit))
(case_clause consequence: (block . [(return_statement) (continue_statement)] @exit .))
; What a loop or a table of cases passes over.
(for_statement right: [
  (_ (if_clause) @exit)
  (subscript subscript: (slice) @exit)
  (call arguments: (argument_list [(_ (if_clause) @exit) (subscript subscript: (slice) @exit)]))
])
(decorator (call arguments: (argument_list [(_ (if_clause) @exit) (subscript subscript: (slice) @exit)])))
((for_statement right: (call function: (_) @_name) @exit)
 (#match? @_name "^(?:filter|(?:itertools\\.)?(?:islice|dropwhile|takewhile|filterfalse|compress))$"))
((decorator (call arguments: (argument_list (call function: (_) @_name) @exit)))
 (#match? @_name "^(?:filter|(?:itertools\\.)?(?:islice|dropwhile|takewhile|filterfalse|compress))$"))

; What an assert inside is not asked under, or whose failure is caught.
[(if_statement) (match_statement) (while_statement) (lambda)] @condition
; A loop over a list that is written down with elements is no condition.
((for_statement right: (_) @_over) @condition
 (#not-match? @_over "^[\\[(]\\s*[^\\])*\\s]"))
(for_statement right: [(list_comprehension) (parenthesized_expression) (generator_expression)]) @condition
(try_statement (except_clause)) @condition
(function_definition body: (block (function_definition) @condition))
((with_statement (with_clause (with_item value: (call function: (_) @_name)))) @condition
 (#match? @_name "suppress$"))

; Asserts.
; A tuple is always true: it is no condition.
(assert_statement . (tuple)) @assert
(assert_statement . (_) @of) @assert
(assert_statement . (parenthesized_expression (_) @of)) @assert
((expression_statement [(call) (await)] @assert)
 (#match? @assert "^(?:await\\s+)?(?:\\w+\\.)*(?:_?assert\\w*|fail\\w*|expect)\\("))
((with_clause) @assert
 (#match? @assert "^\\(?\\s*(?:pytest\\.)?(?:\\w+\\.)*(?:raises|warns|deprecated_call|assert\\w+)\\("))
((raise_statement (call function: (identifier) @_name)) @assert
 (#eq? @_name "AssertionError"))

; Calls.
(call function: [(identifier) @call (attribute attribute: (identifier) @call)]) @of

; Stubs, and methods that others have to write.
[(pass_statement) (expression_statement (ellipsis))] @stub_empty
((return_statement) @stub_nothing
 (#match? @stub_nothing "^return(?:\\s+None)?$"))
((raise_statement (_) @_error) @stub_not_implemented
 (#match? @_error "^(?:NotImplementedError\\b|\\w+\\(\\s*[fr]?[\"'](?i:not (?:yet )?implemented|todo|stub))"))
((raise_statement (call arguments: (argument_list . (string) @_text .))) @stub_fails
 (#match? @_text "^[\"']"))
((decorator (_) @_mark) @abstract
 (#match? @_mark "^(?:\\w+\\.)*(?:abstract\\w+|overload)$"))
((class_definition superclasses: (argument_list) @_bases) @abstract
 (#match? @_bases "\\b(?:Protocol|ABC|ABCMeta)\\b"))
(class_definition superclasses: (argument_list [(identifier) @base (attribute attribute: (identifier) @base)]))

; Code that runs on its own: a stub in it would fail what does not ask for it.
((function_definition name: (identifier) @_name) @constructor
 (#any-of? @_name "__init__" "__new__" "__post_init__" "__init_subclass__" "__del__"))

; Names of a test, and what they stand for.
(assignment left: (_) @local right: (_) @stands_for)
((decorated_definition
   (decorator (_) @_mark)
   definition: (function_definition name: (_) @local body: (block . (return_statement (_) @stands_for) .)))
 (#match? @_mark "^(?:\\w+\\.)*fixture\\b"))

; Names that stand for each of some values, in a loop or in the cases of a test, and where they do.
(for_statement left: (_) @each right: (_) @stands_for) @of
((decorated_definition
   (decorator (call function: (_) @_callee arguments: (argument_list . (_) @each . (_) @stands_for)))) @of
 (#match? @_callee "\\bparametrize$"))

(expression_statement [(call) (await)]) @statement

(comment) @comment
(import_statement name: [(dotted_name) @import (aliased_import name: (dotted_name) @import)])
(import_from_statement module_name: (_) @import)
(string) @string
(module . (expression_statement . (string) @docstring .))
(block . (expression_statement . (string) @docstring .))

; What a runner does, replaced: its classes and modules, and the outcomes that it is about to report.
((assignment left: (attribute) @_target) @runner_patched
 (#match? @_target "^builtins\\.AssertionError$|^(?:unittest|_?pytest|nose|pluggy)\\.|(?:^|\\.)(?:\\w*TestCase|\\w*TestResult|TextTestRunner|TestLoader|TestProgram|TestSuite)\\.\\w+$")
 (#not-match? @_target "\\.(?:maxDiff|longMessage)$"))
((call function: (identifier) @_function arguments: (argument_list . (_) @_target)) @runner_patched
 (#eq? @_function "setattr")
 (#match? @_target "^(?:unittest|_?pytest)\\b|(?:^|\\.)\\w*(?:TestCase|TestResult)$"))
((assignment left: (attribute attribute: (identifier) @_name) right: (string) @_value) @runner_patched
 (#eq? @_name "outcome")
 (#match? @_value "^[\"']passed[\"']$"))
((assignment left: (attribute attribute: (identifier) @_name) right: (integer) @_value) @runner_patched
 (#any-of? @_name "exitstatus" "testsfailed")
 (#eq? @_value "0"))
((call function: (attribute attribute: (identifier) @_name) arguments: (argument_list . (none))) @runner_patched
 (#eq? @_name "force_exception"))
; By a name that an import gave it: the settings of stand-ins alone are there to be changed.
((import_from_statement module_name: (_) @_module
   name: [(dotted_name) @runner_name (aliased_import alias: (identifier) @runner_name)])
 (#match? @_module "^(?:unittest|_?pytest|nose|pluggy)(?:\\.|$)")
 (#not-match? @_module "mock")
 (#not-match? @runner_name "mock"))
((import_statement name: (aliased_import name: (dotted_name) @_module alias: (identifier) @runner_name))
 (#match? @_module "^(?:unittest|_?pytest|nose|pluggy)(?:\\.|$)")
 (#not-match? @_module "mock"))
((assignment left: (attribute) @runner_set)
 (#not-match? @runner_set "^self\\.|\\.(?:maxDiff|longMessage)$"))
((call function: (identifier) @_function arguments: (argument_list . (_) @runner_set))
 (#eq? @_function "setattr"))

; Functions and names that a runner asks for, and what ends it.
((function_definition name: (identifier) @_name) @runner_hook
 (#match? @_name "^(?:pytest_(?:collection_\\w+|collect_\\w+|ignore_collect|itemcollected|deselected|pycollect_\\w+|runtest\\w*|pyfunc_call|exception_interact|sessionfinish|report_\\w+|fixture_post_finalizer)|load_tests|__pytest_\\w+)$"))
((class_definition superclasses: (argument_list) @_bases
   body: (block [(function_definition name: (identifier) @_name) @runner_hook
                 (decorated_definition definition: (function_definition name: (identifier) @_name) @runner_hook)]))
 (#match? @_bases "TestCase\\b")
 (#match? @_name "^(?:run|__call__|debug|defaultTestResult|_callTestMethod|_callSetUp|fail\\w*|assert(?:Equal|NotEqual|True|False|Is|IsNot|IsNone|IsNotNone|In|NotIn|Raises|RaisesRegex|AlmostEqual|Greater|Less|Regex|\\w+Equal))$"))
; A test that gives a coroutine passes, unless its class waits for it.
((class_definition superclasses: (argument_list) @_bases
   body: (block [(function_definition "async" @runner_hook name: (identifier) @_name)
                 (decorated_definition definition: (function_definition "async" @runner_hook name: (identifier) @_name))]))
 (#match? @_bases "TestCase\\b")
 (#not-match? @_bases "(?i:async|aio)")
 (#match? @_name "^test"))
; A mark with a name, and rows of a table with marks, that skip tests or let them fail.
((module (expression_statement (assignment left: (identifier) right: (_) @_mark) @runner_hook))
 (#match? @_mark "^(?:pytest\\.)?mark\\.(?:xfail|skip)(?:\\W|$)"))
((module (expression_statement (assignment right: (list (call arguments: (argument_list (keyword_argument name: (identifier) @_name value: (_) @_mark) @runner_hook))))))
 (#eq? @_name "marks")
 (#match? @_mark "\\bmark\\.(?:xfail|skip)(?:\\W|$)"))
; A table that keeps some of its own rows.
([
   (assignment left: (identifier) @_table
     right: (_ (for_in_clause right: [(identifier) @_from (call function: (attribute object: (identifier) @_from))]) (if_clause)))
   (assignment left: (identifier) @_table
     right: (call arguments: (generator_expression (for_in_clause right: [(identifier) @_from (call function: (attribute object: (identifier) @_from))]) (if_clause))))
 ] @runner_hook
 (#eq? @_table @_from))
((assignment left: (identifier) @_name) @runner_hook
 (#any-of? @_name "collect_ignore" "collect_ignore_glob" "__test__"))
((assignment left: [(identifier) (attribute)] @_target right: (none)) @runner_hook
 (#match? @_target "(?:^|\\.)(?:test|Test)\\w*$"))
((assignment left: (attribute attribute: (identifier) @_name)) @runner_hook
 (#eq? @_name "__test__"))
((decorated_definition
   (decorator (_) @_mark)
   definition: (function_definition body: (block (expression_statement (call function: (_) @_name))))) @runner_hook
 (#match? @_mark "^(?:\\w+\\.)*fixture")
 (#match? @_name "^pytest\\.(?:skip|xfail|exit)$"))
((delete_statement (_) @_target) @runner_hook
 (#match? @_target "(?:^|\\.)(?:test|Test)\\w*$"))
((assignment left: (attribute) @_target) @runner_hook
 (#match? @_target "^(?:builtins\\.\\w+|sys\\.(?:exit|modules|excepthook))$"))
((call function: (_) @_name) @runner_hook
 (#any-of? @_name "os._exit" "os.abort"))
((call function: (_) @_name arguments: (argument_list . (integer) @_value)) @runner_hook
 (#any-of? @_name "sys.exit" "exit" "pytest.exit")
 (#eq? @_value "0"))

; What puts something else in the place of a part of the program.
((call function: (_) @_name) @stand_in
 (#match? @_name "(?:^|\\.)(?:patch(?:\\.(?:object|dict|multiple))?|monkeypatch\\.setattr|setattr)$"))

(assignment left: (attribute) right: (lambda)) @stand_in
((assignment left: (attribute) right: (call function: (_) @_name)) @stand_in
 (#match? @_name "Mock$"))

; What code is written with: its texts and numbers.
[(string) (integer) (float)] @value
; Values that have a name in the whole file.
(module (expression_statement (assignment left: (identifier))) @constant)

((except_clause (block . [(pass_statement) (continue_statement) (return_statement)] .)) @swallowed
 (#match? @swallowed "^except\\s*(?::|\\(?\\s*(?:Base)?Exception\\b)"))
((call function: (_) @_function arguments: (argument_list (identifier) @_error)) @swallowed
 (#match? @_function "^(?:contextlib\\.)?suppress$")
 (#match? @_error "^(?:Base)?Exception$"))

; What is done for some values alone, and tables of values.
; What an error says is no answer.
([
   (if_statement condition: (_) @special_case @_condition consequence: (block . [(return_statement) (expression_statement (assignment))] @special_case .))
   (elif_clause condition: (_) @special_case @_condition consequence: (block . [(return_statement) (expression_statement (assignment))] @special_case .))
   (if_statement condition: (_) @special_case @_condition consequence: (block . (raise_statement) .))
   (elif_clause condition: (_) @special_case @_condition consequence: (block . (raise_statement) .))
 ]
 (#match? @_condition "==|\\bin\\s*[\\[({]")
 (#not-match? @_condition "[<>]"))
((conditional_expression) @special_case
 (#match? @special_case "=="))
(case_clause consequence: (block . [(return_statement) (raise_statement) (expression_statement (assignment))] .)) @special_case
[(dictionary) (list (tuple))] @special_case
