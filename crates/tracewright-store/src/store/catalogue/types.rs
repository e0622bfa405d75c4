//! The type language of headers: what a typed query takes and gives. `docs/typed-queries.md` explains it.

/// A type of a parameter, a row or a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Type {
    /// One of [`Scalar`].
    Scalar(Scalar),
    /// One of [`WORDS`].
    Word(&'static str),
    /// `Key<T>`: the key of a document of a collection.
    Key(String),
    /// A row of `aql/rows`.
    Named(String),
    /// `T?`: it may be null.
    Nullable(Box<Self>),
    /// `[T]`.
    List(Box<Self>),
    /// `{ name: T }`.
    Object(Object),
}

/// What has no parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scalar {
    /// A text.
    String,
    /// True or false.
    Bool,
    /// A whole number.
    Int,
    /// A whole number that is not negative: how many.
    Count,
    /// Any number.
    Number,
    /// How much of something: a number that is compared with a tolerance.
    Quantity,
    /// A point in time as it is stored.
    Time,
    /// A calendar day.
    Day,
    /// Any value, of no known shape.
    Json,
    /// Any object, of no known members.
    Map,
    /// The name of a collection.
    Collection,
}

/// The scalars by their names.
pub const SCALARS: [(&str, Scalar); 11] = [
    ("String", Scalar::String),
    ("Bool", Scalar::Bool),
    ("Int", Scalar::Int),
    ("Count", Scalar::Count),
    ("Number", Scalar::Number),
    ("Quantity", Scalar::Quantity),
    ("Time", Scalar::Time),
    ("Day", Scalar::Day),
    ("Json", Scalar::Json),
    ("Map", Scalar::Map),
    ("Collection", Scalar::Collection),
];

/// The enums of `tracewright-model` whose words documents hold. Documents of an earlier system may hold other texts: what is read is
/// a `Word` of them.
pub const WORDS: [&str; 11] = [
    "CountAssignmentStatus",
    "CountRecordStatus",
    "CountSessionStatus",
    "CountTarget",
    "CountedPosition",
    "MovementStatus",
    "MovementType",
    "StepStatus",
    "TaskStatus",
    "TraceabilityLevel",
    "WorkOrderStatus",
];

/// What keys are called in headers.
const KEY: &str = "Key";

/// Whether a name means something without a row of `aql/rows`.
pub fn is_known(name: &str) -> bool {
    name == KEY || WORDS.contains(&name) || SCALARS.iter().any(|(scalar, _)| *scalar == name)
}

/// Members of an object, in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Object {
    /// Those that are read.
    pub members: Vec<Member>,
    /// `..`: there may be others, which nobody reads.
    pub is_open: bool,
}

/// A member of an object, or a parameter.
#[derive(Debug, Clone)]
pub struct Member {
    /// Its name; `@name` for a parameter that is a collection.
    pub name: String,
    /// `name?: T`: it may be missing.
    pub may_miss: bool,
    /// What it holds.
    pub kind: Type,
    /// Where its name stands in the text.
    pub at: usize,
}

/// Wherever they stand.
impl PartialEq for Member {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, self.may_miss, &self.kind) == (&other.name, other.may_miss, &other.kind)
    }
}

impl Eq for Member {}

/// What is wrong with a text, and where.
#[derive(Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Bytes before it.
    pub at: usize,
    /// What.
    pub text: String,
}

/// A type, which is all of the text.
pub fn parse(text: &str) -> Result<Type, Mistake> {
    let mut parser = Parser { text, at: 0 };
    let kind = parser.kind()?;
    parser.end()?;
    Ok(kind)
}

/// Parameters, `name: T, ...`; `-` for none.
pub fn parse_params(text: &str) -> Result<Vec<Member>, Mistake> {
    let mut parser = Parser { text, at: 0 };
    let mut params: Vec<Member> = Vec::new();
    if parser.takes('-') {
        return parser.end().map(|()| params);
    }
    loop {
        let param = parser.member(&params)?;
        if param.may_miss {
            return Err(Mistake {
                at: param.at,
                text: format!("every call binds {}: it can be null, not missing", param.name),
            });
        }
        if param.name.starts_with('@') != (param.kind == Type::Scalar(Scalar::Collection)) {
            return Err(Mistake { at: param.at, text: format!("`@` and `Collection` go together at {}", param.name) });
        }
        params.push(param);
        if !parser.takes(',') {
            return parser.end().map(|()| params);
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl Parser<'_> {
    fn rest(&mut self) -> &str {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        &self.text[self.at..]
    }

    fn takes(&mut self, sign: char) -> bool {
        let is_there = self.rest().starts_with(sign);
        self.at += if is_there { sign.len_utf8() } else { 0 };
        is_there
    }

    fn wants(&mut self, sign: char) -> Result<(), Mistake> {
        if self.takes(sign) { Ok(()) } else { Err(self.wrong(&format!("`{sign}`"))) }
    }

    fn end(&mut self) -> Result<(), Mistake> {
        if self.rest().is_empty() { Ok(()) } else { Err(self.wrong("nothing more")) }
    }

    /// What is said where something else should stand.
    fn wrong(&mut self, expected: &str) -> Mistake {
        let found: String = self.rest().chars().take(12).collect();
        let found = if found.is_empty() { "the end".to_owned() } else { format!("`{found}`") };
        Mistake { at: self.at, text: format!("{expected} should stand where {found} stands") }
    }

    fn word(&mut self, what: &str) -> Result<&str, Mistake> {
        let rest = self.rest();
        let length = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
        if length == 0 || rest.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(self.wrong(what));
        }
        self.at += length;
        Ok(&self.text[self.at - length..self.at])
    }

    fn kind(&mut self) -> Result<Type, Mistake> {
        let begin = self.at;
        let kind = if self.takes('[') {
            let element = self.kind()?;
            self.wants(']')?;
            Type::List(Box::new(element))
        } else if self.takes('{') {
            Type::Object(self.object()?)
        } else {
            let name = self.word("a type")?.to_owned();
            match SCALARS.iter().find(|(known, _)| *known == name) {
                Some((_, scalar)) => Type::Scalar(*scalar),
                None if name == KEY => {
                    self.wants('<')?;
                    let collection = self.word("a collection")?.to_owned();
                    self.wants('>')?;
                    Type::Key(collection)
                }
                None if name.starts_with(|c: char| c.is_ascii_uppercase()) => {
                    WORDS.iter().find(|word| **word == name).map_or(Type::Named(name), |word| Type::Word(word))
                }
                None => {
                    let text = format!("`{name}` is no type: those have capital letters");
                    return Err(Mistake { at: begin, text });
                }
            }
        };
        if !self.takes('?') {
            return Ok(kind);
        }
        if kind == Type::Scalar(Scalar::Json) {
            return Err(Mistake { at: begin, text: "`Json` may be null in any case".to_owned() });
        }
        Ok(Type::Nullable(Box::new(kind)))
    }

    fn object(&mut self) -> Result<Object, Mistake> {
        let mut object = Object::default();
        loop {
            if self.rest().starts_with("..") {
                self.at += 2;
                object.is_open = true;
                self.wants('}')?;
                return Ok(object);
            }
            let member = self.member(&object.members)?;
            object.members.push(member);
            if !self.takes(',') {
                self.wants('}')?;
                return Ok(object);
            }
        }
    }

    fn member(&mut self, before: &[Member]) -> Result<Member, Mistake> {
        self.rest();
        let at = self.at;
        let sign = if self.takes('@') { "@" } else { "" };
        let name = format!("{sign}{}", self.word("a name")?);
        if before.iter().any(|known| known.name == name) {
            return Err(Mistake { at, text: format!("`{name}` stands twice") });
        }
        let may_miss = self.takes('?');
        self.wants(':')?;
        Ok(Member { name, may_miss, kind: self.kind()?, at })
    }
}

impl Type {
    /// Hands over the name of each shared row in it.
    pub fn each_name<'a>(&'a self, take: &mut dyn FnMut(&'a str)) {
        match self {
            Self::Scalar(_) | Self::Word(_) | Self::Key(_) => {}
            Self::Named(name) => take(name),
            Self::Nullable(inner) | Self::List(inner) => inner.each_name(take),
            Self::Object(object) => object.members.iter().for_each(|member| member.kind.each_name(take)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt;

    use proptest::prelude::*;

    use super::*;

    impl fmt::Display for Type {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            match self {
                Self::Scalar(scalar) => {
                    f.write_str(SCALARS.iter().find(|(_, known)| known == scalar).map_or("", |(name, _)| name))
                }
                Self::Word(name) => f.write_str(name),
                Self::Key(collection) => write!(f, "{KEY}<{collection}>"),
                Self::Named(name) => f.write_str(name),
                Self::Nullable(inner) => write!(f, "{inner}?"),
                Self::List(inner) => write!(f, "[{inner}]"),
                Self::Object(object) => {
                    let mut parts: Vec<String> = object.members.iter().map(ToString::to_string).collect();
                    parts.extend(object.is_open.then(|| "..".to_owned()));
                    write!(f, "{{ {} }}", parts.join(", "))
                }
            }
        }
    }

    impl fmt::Display for Member {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "{}{}: {}", self.name, if self.may_miss { "?" } else { "" }, self.kind)
        }
    }

    fn object() -> impl Strategy<Value = Type> {
        let leaf = prop_oneof![
            (0..SCALARS.len()).prop_map(|place| Type::Scalar(SCALARS[place].1)),
            (0..WORDS.len()).prop_map(|place| Type::Word(WORDS[place])),
            "[A-Z][a-z]{1,8}".prop_map(Type::Key),
            "[A-Z][a-z]{1,8}Row".prop_map(Type::Named),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            let members = prop::collection::btree_map("[a-z_][a-zA-Z0-9_]{0,6}", (any::<bool>(), inner.clone()), 1..4);
            prop_oneof![
                inner
                    .clone()
                    .prop_filter("one mark is enough", may_be_null)
                    .prop_map(|kind| Type::Nullable(kind.into())),
                inner.prop_map(|kind| Type::List(kind.into())),
                (members, any::<bool>()).prop_map(|(members, is_open)| {
                    let member = |(name, (may_miss, kind))| Member { name, may_miss, kind, at: 0 };
                    Type::Object(Object { members: members.into_iter().map(member).collect(), is_open })
                }),
            ]
        })
    }

    fn may_be_null(kind: &Type) -> bool {
        !matches!(kind, Type::Nullable(_) | Type::Scalar(Scalar::Json))
    }

    proptest! {
        #[test]
        fn a_type_that_is_written_down_is_read_as_itself(kind in object()) {
            let text = kind.to_string();
            let read = parse(&text).map(|kind| kind.to_string());
            prop_assert_eq!(read, Ok(text));
        }

        #[test]
        fn a_mistake_lies_within_the_text(text in "[A-Za-z?:,@{}\\[\\]. \n-]{0,40}") {
            for mistake in [parse(&text).err(), parse_params(&text).err()].into_iter().flatten() {
                prop_assert!(mistake.at <= text.len() && text.is_char_boundary(mistake.at), "{:?}", mistake);
            }
        }
    }

    fn refused(text: &str, at: usize, words: &str) {
        let mistake = parse(text).unwrap_err();
        assert!(mistake.at == at && mistake.text.contains(words), "{mistake:?}");
    }

    #[test]
    fn a_row_has_members_that_may_be_null_or_missing() {
        let Type::Object(object) = parse("{ _key: String, code?: [Int]?, .. }").unwrap() else { unreachable!() };
        let int = Type::List(Box::new(Type::Scalar(Scalar::Int)));
        assert_eq!(object.members[0].kind, Type::Scalar(Scalar::String));
        assert_eq!(object.members[1].kind, Type::Nullable(Box::new(int)));
        let may_miss: Vec<bool> = object.members.iter().map(|member| member.may_miss).collect();
        assert_eq!((may_miss, object.is_open), (vec![false, true], true));
    }

    #[test]
    fn keys_name_their_collection_and_words_are_those_of_the_model() {
        assert_eq!(parse("Key<Product>"), Ok(Type::Key("Product".to_owned())));
        assert_eq!(parse("[ TaskStatus ]"), Ok(Type::List(Box::new(Type::Word("TaskStatus")))));
        assert_eq!(parse("TaskState"), Ok(Type::Named("TaskState".to_owned())), "a row of that name, or a mistake");
    }

    #[test]
    fn parameters_are_named_and_none_is_a_dash() {
        let params = parse_params("key: String,\n@links: Collection").unwrap();
        let names: Vec<_> = params.iter().map(|param| (param.name.as_str(), param.at)).collect();
        assert_eq!(names, [("key", 0), ("@links", 13)]);
        assert_eq!(parse_params("-"), Ok(Vec::new()));
    }

    #[test]
    fn what_is_no_type_is_refused_where_it_stands() {
        refused("string", 0, "capital");
        refused("[String", 7, "the end");
        refused("{ a: String b: Int }", 12, "`}`");
        refused("{ a: String, a: Int }", 13, "twice");
        refused("{ a }", 4, "`:`");
        refused("String??", 7, "nothing more");
        refused("Json?", 0, "null in any case");
        refused("Key", 3, "`<`");
        refused("Key<>", 4, "a collection");
        refused("{ .., a: Int }", 4, "`}`");
    }

    #[test]
    fn a_parameter_is_bound_in_every_call_and_a_collection_is_called_one() {
        for text in ["key?: String", "@links: String", "links: Collection"] {
            assert!(parse_params(text).is_err(), "{text}");
        }
    }
}
