//! The tokens of AQL, and the names by which messages speak of them.

use smol_str::SmolStr;

use super::ast::Pos;

/// A token with its place in the text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token {
    pub kind: Kind,
    pub value: Payload,
    /// Where it begins, for the tree.
    pub pos: Pos,
    /// The byte from which a message quotes the text. For anything in quotes this is the closing quote, and for the
    /// end of the text the last thing before it: the places ArangoDB's scanner reports.
    pub report: usize,
}

/// What a token carries besides its kind.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Payload {
    None,
    Text(SmolStr),
    Int(i64),
    Float(f64),
    /// A number literal beyond the range of a double.
    OutOfRange,
    /// Why the text cannot be read on from here.
    Message(&'static str),
}

macro_rules! kinds {
    (
        keywords { $($keyword:ident $word:literal $keyword_name:literal;)* }
        others { $($other:ident $other_name:literal;)* }
    ) => {
        /// The kinds of token.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Kind { $($keyword,)* $($other,)* }

        impl Kind {
            /// How a message names the token.
            pub(super) fn name(self) -> &'static str {
                match self {
                    $(Self::$keyword => $keyword_name,)*
                    $(Self::$other => $other_name,)*
                }
            }

            /// The keyword a word (already in upper case) is.
            pub(super) fn keyword(upper: &str) -> Option<Self> {
                match upper {
                    $($word => Some(Self::$keyword),)*
                    _ => None,
                }
            }
        }

        /// Every keyword as it is written, for tests.
        #[cfg(test)]
        pub(super) const KEYWORDS: &[&str] = &[$($word),*];
    };
}

kinds! {
    keywords {
        For "FOR" "FOR declaration";
        Let "LET" "LET declaration";
        Filter "FILTER" "FILTER declaration";
        Return "RETURN" "RETURN declaration";
        Collect "COLLECT" "COLLECT declaration";
        Sort "SORT" "SORT declaration";
        Limit "LIMIT" "LIMIT declaration";
        Window "WINDOW" "WINDOW declaration";
        Asc "ASC" "ASC keyword";
        Desc "DESC" "DESC keyword";
        In "IN" "IN keyword";
        With "WITH" "WITH keyword";
        Into "INTO" "INTO keyword";
        Aggregate "AGGREGATE" "AGGREGATE keyword";
        Graph "GRAPH" "GRAPH keyword";
        ShortestPath "SHORTEST_PATH" "SHORTEST_PATH keyword";
        KShortestPaths "K_SHORTEST_PATHS" "K_SHORTEST_PATHS keyword";
        KPaths "K_PATHS" "K_PATHS keyword";
        AllShortestPaths "ALL_SHORTEST_PATHS" "ALL_SHORTEST_PATHS keyword";
        Distinct "DISTINCT" "DISTINCT modifier";
        Remove "REMOVE" "REMOVE command";
        Insert "INSERT" "INSERT command";
        Update "UPDATE" "UPDATE command";
        Replace "REPLACE" "REPLACE command";
        Upsert "UPSERT" "UPSERT command";
        Null "NULL" "null";
        True "TRUE" "true";
        False "FALSE" "false";
        Not "NOT" "not operator";
        And "AND" "and operator";
        Or "OR" "or operator";
        Like "LIKE" "like operator";
        Outbound "OUTBOUND" "outbound modifier";
        Inbound "INBOUND" "inbound modifier";
        Any "ANY" "any modifier";
        All "ALL" "all modifier";
        None "NONE" "none modifier";
    }
    others {
        AtLeast "at least modifier";
        Ident "identifier";
        Str "quoted string";
        Int "integer number";
        Double "number";
        Bind "bind parameter";
        CollectionBind "bind data source parameter";
        Assign "assignment";
        RegexMatch "~= operator";
        RegexNotMatch "~! operator";
        Eq "== operator";
        Ne "!= operator";
        Lt "< operator";
        Gt "> operator";
        Le "<= operator";
        Ge ">= operator";
        Plus "+ operator";
        Minus "- operator";
        Times "* operator";
        Div "/ operator";
        Mod "% operator";
        Question "?";
        Colon ":";
        Scope "::";
        Range "..";
        Dot "'.'";
        Comma "\",\"";
        Open "(";
        Close ")";
        ObjectOpen "{";
        ObjectClose "}";
        ArrayOpen "[";
        ArrayClose "]";
        // A character that begins no token.
        Invalid "invalid token";
        // Text that cannot be read to its end; the payload says why.
        Unreadable "invalid token";
        End "end of query string";
    }
}

impl Kind {
    /// Whether a clause of a query can begin with it.
    pub(super) fn starts_clause(self) -> bool {
        matches!(
            self,
            Self::For
                | Self::Let
                | Self::Filter
                | Self::Return
                | Self::Collect
                | Self::Sort
                | Self::Limit
                | Self::Window
                | Self::Remove
                | Self::Insert
                | Self::Update
                | Self::Replace
                | Self::Upsert
        )
    }

    /// Whether an expression can begin with it.
    pub(super) fn starts_expression(self) -> bool {
        matches!(
            self,
            Self::Plus
                | Self::Minus
                | Self::Not
                | Self::Null
                | Self::True
                | Self::False
                | Self::Ident
                | Self::Str
                | Self::Int
                | Self::Double
                | Self::Bind
                | Self::CollectionBind
                | Self::Open
                | Self::ObjectOpen
                | Self::ArrayOpen
                | Self::Like
        )
    }
}
