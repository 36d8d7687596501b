; Groups, functions and other items.
(mod_item name: (identifier) @name body: (declaration_list)) @group
(impl_item type: [(type_identifier) (scoped_type_identifier)] @name) @group
(impl_item type: (generic_type type: (_) @name)) @group
(trait_item name: (type_identifier) @name) @group
(function_item name: (identifier) @name body: (block) @body) @function
(function_signature_item name: (identifier) @name) @function @abstract
(macro_definition name: (identifier) @name) @macro
[
  (const_item) (enum_item) (extern_crate_declaration) (impl_item) (macro_definition) (mod_item) (static_item)
  (struct_item) (trait_item) (type_item) (union_item) (use_declaration)
] @item
(source_file [(expression_statement) (macro_invocation)] @item)
(declaration_list (macro_invocation) @item)

; What stands in front of an item and belongs to it.
(attribute_item) @attribute
(line_comment outer: (outer_doc_comment_marker)) @attribute
(block_comment outer: (outer_doc_comment_marker)) @attribute

; Functions in a macro such as `proptest!`, whose inside is a list of tokens.
(token_tree
  "fn" @function . (identifier) @function @name . (token_tree) . (token_tree) @function @body)
(token_tree "#" @attribute . (token_tree) @attribute)

; Tests.
((attribute_item (attribute [(identifier) (scoped_identifier)] @_name)) @test_attribute @test_code
 (#match? @_name "^(?:\\w+::)*(?:test|rstest|test_case|quickcheck|wasm_bindgen_test|proptest|property_test)$"))
((attribute_item (attribute (identifier) @_name arguments: (token_tree) @_arguments)) @test_attribute @test_code
 (#eq? @_name "cfg_attr")
 (#match? @_arguments ",\\s*(?:\\w+::)*test\\b"))
((token_tree "#" . (token_tree . (identifier) @_name .) @test_attribute @test_code)
 (#eq? @_name "test"))
((attribute_item (attribute (identifier) @_name arguments: (token_tree) @_arguments)) @test_code
 (#eq? @_name "cfg")
 (#match? @_arguments "^\\(\\s*(?:all\\(\\s*)?test\\b"))

; Skips.
((attribute_item (attribute (identifier) @_name)) @skip
 (#eq? @_name "ignore"))
((token_tree "#" . (token_tree . (identifier) @_name) @skip)
 (#eq? @_name "ignore"))
((attribute_item (attribute (identifier) @_name arguments: (token_tree) @_arguments)) @skip_conditional
 (#eq? @_name "cfg_attr")
 (#match? @_arguments ",\\s*ignore\\b"))
((attribute_item (attribute (identifier) @_name arguments: (token_tree) @_arguments)) @skip
 (#eq? @_name "cfg_attr")
 (#match? @_arguments "^\\(\\s*(?:test|all\\(\\)|not\\(any\\(\\)\\))\\s*,\\s*ignore\\b"))
([
  (attribute_item (attribute (identifier) @_name arguments: (token_tree) @_arguments))
  (inner_attribute_item (attribute (identifier) @_name arguments: (token_tree) @_arguments))
 ] @skip_conditional
 (#eq? @_name "cfg")
 (#not-match? @_arguments "^\\(\\s*(?:all\\(\\s*)?test\\s*\\)"))
([
  (attribute_item (attribute (identifier) @_name arguments: (token_tree) @_arguments))
  (inner_attribute_item (attribute (identifier) @_name arguments: (token_tree) @_arguments))
 ] @skip
 (#eq? @_name "cfg")
 (#match? @_arguments "^\\(\\s*(?:all\\(\\s*(?:test\\s*,\\s*)?)?(?:any\\(\\)|false|not\\(all\\(\\)\\)|not\\(test\\))"))

; A test that ends before it asserts.
((function_item body: (block (expression_statement (return_expression)) @skip_statement . (_))) @of)
(if_expression consequence: (block . [
  (expression_statement [(return_expression) (continue_expression) (break_expression)])
  (return_expression) (continue_expression) (break_expression)
] @exit))
(match_arm value: [(return_expression) (continue_expression)] @exit)
; What a loop over cases passes over.
((for_expression value: (call_expression function: (field_expression field: (_) @_name)) @exit)
 (#match? @_name "^(?:filter|skip|take|step_by)(?:_while)?$"))
(for_expression value: [
  (index_expression (range_expression) @exit)
  (reference_expression (index_expression (range_expression) @exit))
])

(let_declaration alternative: (block . [(expression_statement (return_expression)) (return_expression)] @exit .))

; What an assert inside is not asked under.
[(if_expression) (match_expression) (while_expression) (closure_expression)] @condition
; A loop over a list that is written down with elements is no condition.
((for_expression value: (_) @_over) @condition
 (#not-match? @_over "^&?(?:vec!)?\\[\\s*[^\\]\\s]"))
(function_item body: (block (function_item) @condition))

; Asserts.
((attribute_item (attribute (identifier) @_name)) @assert
 (#eq? @_name "should_panic"))
; Without a text any failure will do.
((attribute_item (attribute . (identifier) @_name .)) @expected_failure
 (#eq? @_name "should_panic"))
((macro_invocation macro: (_) @_name) @assert
 (#match? @_name "^(?:\\w+::)*(?:\\w*assert\\w*|panic|unreachable|expect_\\w+|verify_that)$"))
((token_tree (identifier) @_name @assert . "!" . (token_tree) @assert)
 (#match? @_name "assert|^(?:panic|unreachable)$"))
((expression_statement [(call_expression) (try_expression) (await_expression)] @assert)
 (#match? @assert "\\.assert\\w*\\("))
((block [(call_expression) (try_expression)] @assert .)
 (#match? @assert "\\.assert\\w*\\("))

; Calls.
(call_expression function: [
  (identifier) @call
  (scoped_identifier name: (identifier) @call)
  (field_expression field: (field_identifier) @call)
  (generic_function function: (identifier) @call)
  (generic_function function: (field_expression field: (field_identifier) @call))
]) @of
(macro_invocation macro: (identifier) @call) @of
(token_tree (identifier) @call . (token_tree) @of)

; Stubs.
((macro_invocation macro: (identifier) @_name) @stub_not_implemented
 (#any-of? @_name "todo" "unimplemented"))
((macro_invocation macro: (identifier) @_name (token_tree . (string_literal) .)) @stub_not_implemented
 (#eq? @_name "panic"))
((macro_invocation macro: (identifier) @_name (token_tree) @_text) @stub_fails
 (#any-of? @_name "panic" "unreachable")
 (#match? @_text "^.(?:\"[^\"{]*\")?.$"))
; What a macro does with nothing that the function is given.
((function_item
   parameters: (parameters (self_parameter)? . (parameter pattern: (identifier) @_name))
   return_type: (_)
   body: (block . [(macro_invocation) (expression_statement (macro_invocation))] @stub_fails .))
 (#match? @_name "^_"))
((function_item body: (block (identifier) @stub_nothing .))
 (#eq? @stub_nothing "None"))
((function_item body: (block (expression_statement (return_expression (identifier) @_value)) @stub_nothing))
 (#eq? @_value "None"))

; Code that runs on its own: a stub in it would fail what does not ask for it.
((function_item name: (identifier) @_name) @constructor
 (#eq? @_name "drop"))

; Names of a test, and what they stand for.
(let_declaration pattern: (_) @local value: (_) @stands_for)
(const_item name: (_) @local value: (_) @stands_for)
(static_item name: (_) @local value: (_) @stands_for)

; Names that stand for each of some values, and where they do.
(for_expression pattern: (_) @each value: (_) @stands_for) @of

(expression_statement [(call_expression) (try_expression) (await_expression)]) @statement

[(line_comment) (block_comment)] @comment
(use_declaration argument: (_) @import)
(extern_crate_declaration name: (_) @import)
; A module in a file of its own.
[(string_literal) (raw_string_literal)] @string
((macro_invocation macro: (identifier) @_name) @open_statement
 (#eq? @_name "todo"))

; What takes the place of an assert of the language.
((macro_definition name: (identifier) @_name) @runner_hook
 (#any-of? @_name "assert" "assert_eq" "assert_ne"))

; What ends a runner as if nothing had failed.
((call_expression function: (_) @_name arguments: (arguments . (integer_literal) @_value)) @runner_hook
 (#match? @_name "(?:^|::)process::exit$")
 (#eq? @_value "0"))

; What code is written with: its texts and numbers.
[(string_literal) (raw_string_literal) (char_literal) (integer_literal) (float_literal)] @value
; Values that have a name in the whole file.
[(const_item) (static_item)] @constant

((call_expression function: (_) @_name) @swallowed
 (#match? @_name "(?:^|::)catch_unwind$"))

; What is done for some values alone, and tables of values.
; What an error says is no answer.
((if_expression condition: (_) @special_case @_condition consequence: (block . (_) @_error .))
 (#match? @_error "\\bErr\\(")
 (#match? @_condition "==|\\bmatches!")
 (#not-match? @_condition "[<>]"))
((if_expression condition: (_) @special_case @_condition consequence: (block . (_) @special_case @_answer .))
 (#not-match? @_answer "\\bErr\\(")
 (#match? @_condition "==|\\bmatches!")
 (#not-match? @_condition "[<>]"))
((match_arm) @special_case
 (#not-match? @special_case "\\{"))
(array_expression (tuple_expression)) @special_case
