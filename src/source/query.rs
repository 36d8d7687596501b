//! Queries on syntax trees, and the names that they give to what they find. What a query asks stands in `queries/`.

use std::ops::{ControlFlow, Range};
use std::sync::OnceLock;

use strum::EnumString;
use tree_sitter::{
    Language, Node, QueryCursor, QueryCursorOptions, QueryMatch, QueryPredicate, QueryPredicateArg,
    StreamingIterator, Tree,
};

/// So many matches may be under way at once; more are dropped. Only text that no person writes needs more.
const MATCH_LIMIT: u32 = 1024;

/// So often the parser or a search may report progress before it is given up: far more than what people write needs.
const MOST_STEPS: u32 = 50_000;

/// What a query finds. Written with a small first letter and `_` in the `.scm` files; names that begin with `_` are
/// the queries' own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, EnumString)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum Capture {
    /// The name, the body and the receiver's type of the item of the same match.
    Name,
    Body,
    Type,
    /// Items.
    Group,
    Function,
    Macro,
    Test,
    Setup,
    Item,
    /// An attribute, a decorator or a documentation comment: it belongs to the item behind it.
    Attribute,
    /// Properties of the item that they stand in, or in front of.
    TestAttribute,
    NotATest,
    TestCode,
    Abstract,
    Constructor,
    Docstring,
    /// The name of a class that another one extends.
    Base,
    Skip,
    SkipConditional,
    /// It skips the whole function where it stands on its first level: where `Of` is that function.
    SkipStatement,
    /// The function of a `SkipStatement`, the condition of an `Assert` that is a statement, the scope of `Each`.
    Of,
    ExpectedFailure,
    Only,
    Assert,
    /// What only a compiler reads of an expression.
    Cast,
    /// An assert inside it is not asked on every run, or its failure may be caught.
    Condition,
    /// A statement under a condition that leaves the function, or the round of a loop, and does nothing else.
    Exit,
    Call,
    StubEmpty,
    StubNothing,
    StubNotImplemented,
    StubFails,
    /// From here on: parts of a file, whatever they belong to.
    Comment,
    Import,
    /// A statement by which the language says that work is left open.
    OpenStatement,
    String,
    Value,
    Constant,
    /// A condition that asks whether something is equal to a value, with what is done under it; or a table of values.
    SpecialCase,
    /// Errors that it catches are not seen by anybody.
    Swallowed,
    /// What a test runner makes of its tests is replaced by other code.
    RunnerPatched,
    /// A name that an import gave to a part of a test runner, and what is put in the place of a member of some name.
    RunnerName,
    RunnerSet,
    /// Code that a test runner asks what becomes of tests, or that ends it.
    RunnerHook,
    StandIn,
    /// A name, or several; `StandsFor` is its value.
    Local,
    /// Names that stand for each of the values of `StandsFor`, in the whole of `Of`.
    Each,
    StandsFor,
    Statement,
}

impl Capture {
    pub(crate) fn is_item(self) -> bool {
        matches!(self, Self::Group | Self::Function | Self::Macro | Self::Test | Self::Setup | Self::Item)
    }
}

/// A query. It is compiled when it is first asked, because that takes longer than asking it of a file.
pub(crate) struct Query {
    /// The grammar.
    pub(crate) language: Language,
    text: String,
    compiled: OnceLock<CompiledQuery>,
}

struct CompiledQuery {
    query: tree_sitter::Query,
    /// What its captures stand for.
    captures: Vec<Option<Capture>>,
    /// For each pattern what it says by `kind-eq?`.
    kinds: Vec<Vec<KindEq>>,
}

/// `(#kind-eq? @capture "a" "b")`: what was captured is a node of one of these kinds.
struct KindEq {
    capture: u32,
    kinds: Vec<Box<str>>,
}

impl KindEq {
    fn read(predicate: &QueryPredicate) -> Self {
        let kind = |argument: &QueryPredicateArg| match argument {
            QueryPredicateArg::String(kind) => kind.clone(),
            QueryPredicateArg::Capture(_) => panic!("a kind is a text"),
        };
        match (&*predicate.operator, &*predicate.args) {
            ("kind-eq?", [QueryPredicateArg::Capture(capture), kinds @ ..]) => {
                Self { capture: *capture, kinds: kinds.iter().map(kind).collect() }
            }
            (operator, _) => panic!("`{operator}` is no predicate that is known, or is asked of no capture"),
        }
    }

    fn holds(&self, matched: &QueryMatch<'_, '_>) -> bool {
        let is_one = |node: Node<'_>| self.kinds.iter().any(|kind| **kind == *node.kind());
        matched.nodes_for_capture_index(self.capture).all(is_one)
    }
}

impl Query {
    pub(crate) fn new(language: Language, text: String) -> Self {
        Self { language, text, compiled: OnceLock::new() }
    }

    /// Compiles it, unless that was done before.
    pub(crate) fn prepare(&self) {
        self.compiled();
    }

    fn compiled(&self) -> &CompiledQuery {
        self.compiled.get_or_init(|| self.compile())
    }

    fn compile(&self) -> CompiledQuery {
        let query =
            tree_sitter::Query::new(&self.language, &self.text).expect("the queries fit the grammars");
        let named = |name: &&str| match name.strip_prefix('_') {
            Some(_) => None,
            None => Some(name.parse().expect("a capture has a name that is known")),
        };
        let captures = query.capture_names().iter().map(named).collect();
        let kinds_of = |pattern| query.general_predicates(pattern).iter().map(KindEq::read).collect();
        let kinds = (0..query.pattern_count()).map(kinds_of).collect();
        CompiledQuery { query, captures, kinds }
    }

    /// Calls a function with each match: what was found, each with its place. A capture that occurs more than once in a
    /// match reaches from the first to the last.
    pub(crate) fn matches(&self, tree: &Tree, text: &str, mut see: impl FnMut(&[(Capture, Range<usize>)])) {
        let CompiledQuery { query, captures, kinds } = self.compiled();
        let mut cursor = QueryCursor::new();
        cursor.set_match_limit(MATCH_LIMIT);
        let mut steps = 0;
        let mut progress = |_: &tree_sitter::QueryCursorState| step(&mut steps);
        let options = QueryCursorOptions::new().progress_callback(&mut progress);
        let mut matches = cursor.matches_with_options(query, tree.root_node(), text.as_bytes(), options);
        let mut found: Vec<(Capture, Range<usize>)> = Vec::new();
        while let Some(matched) = matches.next() {
            if !kinds[matched.pattern_index].iter().all(|kind| kind.holds(matched)) {
                continue;
            }
            found.clear();
            for capture in matched.captures {
                let Some(kind) = captures[capture.index as usize] else { continue };
                let range = capture.node.byte_range();
                match found.iter_mut().find(|(known, _)| *known == kind) {
                    Some((_, whole)) => *whole = whole.start.min(range.start)..whole.end.max(range.end),
                    None => found.push((kind, range)),
                }
            }
            see(&found);
        }
    }
}

/// Returns the place of what a match found under a name.
pub(crate) fn place(found: &[(Capture, Range<usize>)], wanted: Capture) -> Option<Range<usize>> {
    found.iter().find(|(capture, _)| *capture == wanted).map(|(_, range)| range.clone())
}

/// Counts a report of progress, and tells whether to go on.
pub(crate) fn step(steps: &mut u32) -> ControlFlow<()> {
    *steps += 1;
    if *steps < MOST_STEPS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
}
