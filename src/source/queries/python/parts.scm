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

; What code is written with: its texts and numbers.
[(string) (integer) (float)] @value
; Values that have a name in the whole file.
(module (expression_statement (assignment left: (identifier))) @constant)

((except_clause (block . [(pass_statement) (continue_statement) (return_statement)] .)) @swallowed
 (#match? @swallowed "^except\\s*(?::|\\(?\\s*(?:Base)?Exception\\b)"))
((call function: (_) @_function arguments: (argument_list (identifier) @_error)) @swallowed
 (#match? @_function "^(?:contextlib\\.)?suppress$")
 (#match? @_error "^(?:Base)?Exception$"))
