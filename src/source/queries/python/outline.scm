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
 (#match? @_mark "^(?:\\w+\\.)*(?:expectedFailure$|xfail$|xfail\\(\\s*(?:\\)|(?:reason|strict|raises|run)\\s*=|True\\b))"))
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
(if_statement consequence: (block . [(return_statement) (continue_statement) (break_statement)] @exit .))

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
((decorator (_) @_mark) @abstract
 (#match? @_mark "^(?:\\w+\\.)*(?:abstract\\w+|overload)$"))
((class_definition superclasses: (argument_list) @_bases) @abstract
 (#match? @_bases "\\b(?:Protocol|ABC|ABCMeta)\\b"))
(class_definition superclasses: (argument_list [(identifier) @base (attribute attribute: (identifier) @base)]))

; Code that runs on its own: a stub in it would fail what does not ask for it.
((function_definition name: (identifier) @_name) @constructor
 (#any-of? @_name "__init__" "__new__" "__post_init__" "__init_subclass__" "__del__"))
