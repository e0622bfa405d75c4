//! The abstract syntax tree of a query, as the parser leaves it: names are not yet resolved.

use smol_str::SmolStr;

/// A place in the query text, for messages: line and column count from 1, columns in bytes, as ArangoDB prints them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pos {
    /// Line, starting at 1.
    pub line: u32,
    /// Column, starting at 1.
    pub column: u32,
}

/// A whole query.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// Collections of a leading `WITH`.
    pub with: Vec<Name>,
    /// The clauses.
    pub body: Body,
    /// The bind parameters, in the order of the text.
    pub parameters: Vec<Parameter>,
    /// Names in the text that are no variables, so that they have to be collections, in the order of the text.
    pub collections: Vec<SmolStr>,
    /// What was odd but no error: a number literal out of range, which stands in the tree as `null`.
    pub warnings: Vec<crate::Error>,
    /// How deep its deepest expression nests, subqueries included.
    pub depth: u32,
}

/// A bind parameter in the text.
#[derive(Debug, Clone, PartialEq)]
pub enum Parameter {
    /// `@name`
    Value(SmolStr),
    /// `@@name`, without the at signs.
    Collection(SmolStr),
}

/// The clauses of a query or a subquery, in order.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// In the order of the text.
    pub clauses: Vec<Clause>,
}

/// A name in the text, or a `@@bind` parameter that stands for one.
#[derive(Debug, Clone, PartialEq)]
pub struct Name {
    /// What was written.
    pub kind: NameKind,
    /// Where.
    pub pos: Pos,
}

/// See [`Name`].
#[derive(Debug, Clone, PartialEq)]
pub enum NameKind {
    /// A literal name.
    Literal(SmolStr),
    /// `@@name`: the bind parameter holds it (stored without the at signs).
    Bind(SmolStr),
    /// `@name`: a value bind parameter that holds a name (graph names, `GRAPH @g`).
    ValueBind(SmolStr),
}

/// A variable that a clause introduces.
#[derive(Debug, Clone, PartialEq)]
pub struct Var {
    /// Its name.
    pub name: SmolStr,
    /// Where it is introduced.
    pub pos: Pos,
}

/// One clause.
#[derive(Debug, Clone, PartialEq)]
pub enum Clause {
    /// `FOR … IN …`
    For(Box<For>),
    /// `FILTER expr`
    Filter(Expr),
    /// `LET var = expr`
    Let(Var, Expr),
    /// `SORT a, b DESC`
    Sort(Vec<SortItem>),
    /// `LIMIT [offset,] count`
    Limit {
        /// Rows to skip.
        offset: Option<Expr>,
        /// Rows to keep.
        count: Expr,
        /// Where.
        pos: Pos,
    },
    /// `COLLECT …`
    Collect(Box<Collect>),
    /// `WINDOW …`
    Window(Box<Window>),
    /// `INSERT`, `UPDATE`, `REPLACE`, `REMOVE`
    Modify(Box<Modify>),
    /// `UPSERT`
    Upsert(Box<Upsert>),
    /// `RETURN [DISTINCT] expr`
    Return {
        /// With `DISTINCT`.
        distinct: bool,
        /// What is returned.
        expr: Expr,
    },
}

/// `FOR`.
#[derive(Debug, Clone, PartialEq)]
pub struct For {
    /// One variable, or vertex / edge / path.
    pub vars: Vec<Var>,
    /// What is walked over.
    pub source: ForSource,
    /// `SEARCH expr`, for views.
    pub search: Option<Expr>,
    /// The object after `OPTIONS`.
    pub options: Option<Expr>,
    /// Where the `FOR` stands.
    pub pos: Pos,
}

/// What a `FOR` walks over.
#[derive(Debug, Clone, PartialEq)]
pub enum ForSource {
    /// A collection, an array, a range, a subquery: any expression.
    Expr(Expr),
    /// A traversal.
    Traversal(Traversal),
    /// `SHORTEST_PATH`, `K_PATHS` and their kin.
    Path(PathSearch),
}

/// Direction of an edge walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Along `_from` → `_to`.
    Outbound,
    /// Against it.
    Inbound,
    /// Both.
    Any,
}

/// `min..max OUTBOUND start edges PRUNE …`
#[derive(Debug, Clone, PartialEq)]
pub struct Traversal {
    /// Least and greatest depth; `None`: 1..1. A single number `n` is `(n, n)`.
    pub depth: Option<(Expr, Expr)>,
    /// Default direction.
    pub direction: Direction,
    /// Start vertex.
    pub start: Expr,
    /// Edges walked.
    pub graph: GraphRef,
    /// `PRUNE [var =] expr`
    pub prune: Option<(Option<Var>, Expr)>,
}

/// The edges a graph operation walks.
#[derive(Debug, Clone, PartialEq)]
pub enum GraphRef {
    /// `GRAPH name` (a string, a bare name or a bind parameter).
    Named(Name),
    /// A list of edge collections, each perhaps with a direction of its own.
    Edges(Vec<(Option<Direction>, Name)>),
}

/// Which search a [`PathSearch`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathKind {
    /// `SHORTEST_PATH`
    Shortest,
    /// `K_SHORTEST_PATHS`
    KShortest,
    /// `K_PATHS`
    KPaths,
    /// `ALL_SHORTEST_PATHS`
    AllShortest,
}

/// `OUTBOUND K_SHORTEST_PATHS a TO b edges`
#[derive(Debug, Clone, PartialEq)]
pub struct PathSearch {
    /// Which.
    pub kind: PathKind,
    /// Depth bounds (`K_PATHS` only).
    pub depth: Option<(Expr, Expr)>,
    /// Default direction.
    pub direction: Direction,
    /// From.
    pub start: Expr,
    /// To.
    pub target: Expr,
    /// Edges walked.
    pub graph: GraphRef,
}

/// One item of `SORT`.
#[derive(Debug, Clone, PartialEq)]
pub struct SortItem {
    /// What to sort by.
    pub expr: Expr,
    /// `None`: not written (ascending); a bind parameter or expression direction is resolved at binding.
    pub direction: SortDirection,
}

/// Direction of a [`SortItem`].
#[derive(Debug, Clone, PartialEq)]
pub enum SortDirection {
    /// Ascending (also when not written).
    Asc,
    /// Descending.
    Desc,
    /// Any other expression (a bind parameter): true or "ASC" is ascending, false or "DESC" descending.
    Expr(Expr),
}

/// `COLLECT`.
#[derive(Debug, Clone, PartialEq)]
pub struct Collect {
    /// `var = expr` groups.
    pub groups: Vec<(Var, Expr)>,
    /// `AGGREGATE var = FN(args)`; the expression is checked to be a call at binding.
    pub aggregates: Vec<(Var, Expr)>,
    /// What becomes of the rows of a group.
    pub into: CollectInto,
    /// The object after `OPTIONS`.
    pub options: Option<Expr>,
    /// Where.
    pub pos: Pos,
}

/// See [`Collect::into`].
#[derive(Debug, Clone, PartialEq)]
pub enum CollectInto {
    /// Not kept.
    None,
    /// `WITH COUNT INTO var`
    Count(Var),
    /// `INTO var [KEEP a, b]`
    Rows {
        /// The array of rows.
        var: Var,
        /// Only these variables are kept (empty: all).
        keep: Vec<Var>,
    },
    /// `INTO var = expr`
    Expr(Var, Expr),
}

/// `WINDOW`.
#[derive(Debug, Clone, PartialEq)]
pub struct Window {
    /// `WINDOW expr WITH {…}`: the range value; `None` for row based windows.
    pub range_value: Option<Expr>,
    /// The object with `preceding` and `following`.
    pub bounds: Expr,
    /// `AGGREGATE var = FN(args)`
    pub aggregates: Vec<(Var, Expr)>,
    /// Where.
    pub pos: Pos,
}

/// Which modification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModifyKind {
    /// `INSERT doc INTO c`
    Insert,
    /// `UPDATE [key WITH] doc IN c`
    Update,
    /// `REPLACE [key WITH] doc IN c`
    Replace,
    /// `REMOVE key IN c`
    Remove,
}

/// `INSERT`, `UPDATE`, `REPLACE`, `REMOVE`.
#[derive(Debug, Clone, PartialEq)]
pub struct Modify {
    /// Which.
    pub kind: ModifyKind,
    /// The key part: of `REMOVE key`, or of `UPDATE key WITH doc`.
    pub key: Option<Expr>,
    /// The document part (not for `REMOVE`).
    pub doc: Option<Expr>,
    /// Collection.
    pub collection: Name,
    /// The object after `OPTIONS`.
    pub options: Option<Expr>,
    /// Where.
    pub pos: Pos,
}

/// `UPSERT search INSERT i UPDATE|REPLACE u IN c`
#[derive(Debug, Clone, PartialEq)]
pub struct Upsert {
    /// Example object, or (3.12) a `FILTER` expression over `CURRENT`.
    pub search: UpsertSearch,
    /// What is inserted when nothing is found.
    pub insert: Expr,
    /// What an existing document is updated or replaced with.
    pub update: Expr,
    /// `REPLACE` instead of `UPDATE`.
    pub replace: bool,
    /// Collection.
    pub collection: Name,
    /// The object after `OPTIONS`.
    pub options: Option<Expr>,
    /// Where.
    pub pos: Pos,
}

/// See [`Upsert::search`].
#[derive(Debug, Clone, PartialEq)]
pub enum UpsertSearch {
    /// An example object.
    Example(Expr),
    /// `UPSERT FILTER cond`, over the pseudo variable `CURRENT`.
    Filter(Expr),
}

/// An expression with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it begins.
    pub pos: Pos,
}

/// The kinds of expression.
#[derive(Debug, Clone, PartialEq)]
pub enum ExprKind {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// An integer literal that fits.
    Int(i64),
    /// Any other number.
    Float(f64),
    /// A string literal, unescaped.
    Str(SmolStr),
    /// A variable, or a collection (binding decides). `CURRENT`, `OLD`, `NEW` arrive here too.
    Variable(SmolStr),
    /// `@name`
    Bind(SmolStr),
    /// `@@name` in an expression.
    CollectionBind(SmolStr),
    /// `[a, b]`
    Array(Vec<Expr>),
    /// `{…}`
    Object(Vec<ObjectItem>),
    /// `a..b`
    Range(Box<Expr>, Box<Expr>),
    /// `base.name`
    Attribute(Box<Expr>, SmolStr),
    /// `base.@name`: the attribute name (or path, as an array) is bound.
    BoundAttribute(Box<Expr>, SmolStr),
    /// `base[index]`
    Index(Box<Expr>, Box<Expr>),
    /// `base[* FILTER … LIMIT … RETURN …].tail`
    Expansion(Box<Expansion>),
    /// `base[? quantifier FILTER cond]`
    ArrayQuestion(Box<ArrayQuestion>),
    /// `NAME(args)`, also `NS::NAME(args)`; the name is upper-cased.
    Call(SmolStr, Vec<Expr>),
    /// `-a`, `+a`, `NOT a`
    Unary(UnaryOp, Box<Expr>),
    /// A binary operator.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `a ANY == b`, `a ALL IN b`, `a AT LEAST (n) > b`
    ArrayCompare {
        /// How many elements must match.
        quantifier: Quantifier,
        /// `==`, `!=`, `<`, `<=`, `>`, `>=`, `IN`, `NOT IN`.
        op: BinaryOp,
        /// The array.
        left: Box<Expr>,
        /// The other side.
        right: Box<Expr>,
    },
    /// `cond ? then : else`; `then` is `None` for `cond ?: else`.
    Ternary(Box<Expr>, Option<Box<Expr>>, Box<Expr>),
    /// `( FOR … RETURN … )`
    Subquery(Box<Body>),
}

/// An entry of an object literal.
#[derive(Debug, Clone, PartialEq)]
pub enum ObjectItem {
    /// `name: expr`
    Named(SmolStr, Expr),
    /// `[expr]: expr`
    Computed(Expr, Expr),
    /// `@bind: expr`
    BoundName(SmolStr, Expr),
    /// `name` alone: the variable of that name.
    Shorthand(SmolStr, Pos),
    /// `...expr` (3.12)
    Spread(Expr),
}

/// `base[*…]` with its inline clauses and the accesses that follow it element by element.
#[derive(Debug, Clone, PartialEq)]
pub struct Expansion {
    /// The array.
    pub base: Expr,
    /// Number of asterisks: 1 walks, each further one flattens one level.
    pub levels: u32,
    /// `FILTER`, over `CURRENT`.
    pub filter: Option<Expr>,
    /// `LIMIT [offset,] count`
    pub limit: Option<(Option<Expr>, Expr)>,
    /// What each element becomes, as an expression over the variable `CURRENT`; `None`: the element itself.
    ///
    /// It is the `RETURN` inside the bracket or, without one, the accesses that follow the bracket (ArangoDB ignores
    /// accesses after a bracket with a `RETURN`, and so the parser drops them). `a[*].b[*].c` is
    /// `a[* RETURN CURRENT.b[* RETURN CURRENT.c]]`: the base of the inner expansion is evaluated with the outer
    /// `CURRENT`, its filter, limit and projection with its own, so that nested arrays come out nested. A third `[*]`
    /// expands the result of the second, as in ArangoDB. Several asterisks take everything before them as base:
    /// `a[*].b[**].c` is `(a[*].b)[** RETURN CURRENT.c]`.
    ///
    /// Filter, limit and projection apply in this order, to the elements after flattening.
    pub projection: Option<Expr>,
}

/// `base[? 2 FILTER CURRENT > 1]`
#[derive(Debug, Clone, PartialEq)]
pub struct ArrayQuestion {
    /// The array.
    pub base: Expr,
    /// How many must match; `None`: at least one.
    pub quantifier: Option<Quantifier>,
    /// The condition over `CURRENT`; `None`: any element.
    pub filter: Option<Expr>,
}

/// How many elements must match.
#[derive(Debug, Clone, PartialEq)]
pub enum Quantifier {
    /// One or more.
    Any,
    /// All.
    All,
    /// None.
    None,
    /// `AT LEAST (n)`
    AtLeast(Box<Expr>),
    /// Exactly `n` (`[? 2 FILTER …]`).
    Exactly(Box<Expr>),
    /// `[? 1..2 FILTER …]`
    Between(Box<Expr>, Box<Expr>),
}

/// Unary operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnaryOp {
    /// `-`
    Minus,
    /// `+`
    Plus,
    /// `NOT`, `!`
    Not,
}

/// Binary operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BinaryOp {
    /// `OR`, `||`
    Or,
    /// `AND`, `&&`
    And,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `IN`
    In,
    /// `NOT IN`
    NotIn,
    /// `LIKE`
    Like,
    /// `NOT LIKE`
    NotLike,
    /// `=~`
    RegexMatch,
    /// `!~`
    RegexNotMatch,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Mod,
}

impl BinaryOp {
    /// The comparison that holds where this one does not.
    #[must_use]
    pub fn negated(self) -> Option<Self> {
        match self {
            Self::Eq => Some(Self::Ne),
            Self::Ne => Some(Self::Eq),
            Self::Lt => Some(Self::Ge),
            Self::Le => Some(Self::Gt),
            Self::Gt => Some(Self::Le),
            Self::Ge => Some(Self::Lt),
            _ => None,
        }
    }

    /// The comparison that says the same of exchanged operands, where there is one.
    #[must_use]
    pub fn mirrored(self) -> Option<Self> {
        match self {
            Self::Eq | Self::Ne => Some(self),
            Self::Lt => Some(Self::Gt),
            Self::Le => Some(Self::Ge),
            Self::Gt => Some(Self::Lt),
            Self::Ge => Some(Self::Le),
            _ => None,
        }
    }
}
