//! Typed queries as Rust text: a function a query, and a module with the types of what it takes and gives.

use std::fmt::Write;

use super::Checked;
use super::header::{Gives, Typed};
use super::shared::{Row, Shared};
use super::types::{Member, Object, Scalar, Type};

/// What a struct is for: parameters are borrowed and written, rows are owned and read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    Params,
    Row,
}

/// The structs of a module, in the order in which they are needed. Two cannot have one name.
struct Structs<'a> {
    of: Use,
    done: Vec<(String, Use, &'a Object)>,
    text: String,
    mistakes: Vec<String>,
}

impl Structs<'_> {
    fn of(of: Use) -> Self {
        Self { of, done: Vec::new(), text: String::new(), mistakes: Vec::new() }
    }
}

/// The shared rows as a module.
pub fn shared(rows: &Shared) -> String {
    let mut structs = Structs::of(Use::Row);
    for row in rows.all() {
        structs.add(row.name.clone(), &row.object, &row.doc);
    }
    format!("/// Rows that several queries give, from `aql/rows`.\npub mod rows {{{}}}\n\n", indented(&structs.text))
}

/// What cannot be written down of the shared rows, each with its row.
pub fn mistakes_of_rows(rows: &[Row]) -> Vec<(&Row, String)> {
    let mut structs = Structs::of(Use::Row);
    let mut found = Vec::new();
    for row in rows {
        structs.add(row.name.clone(), &row.object, &row.doc);
        found.extend(structs.mistakes.drain(..).map(|mistake| (row, mistake)));
    }
    found
}

/// What cannot be written down of a query.
pub fn mistakes(typed: &Typed) -> Vec<String> {
    Module::of("", "", typed).mistakes
}

/// The module and the function of a typed query.
pub fn typed(query: &Checked, typed: &Typed) -> String {
    let file = format!("{}/{}", query.area, query.name);
    let name = raw(&query.name);
    let module = Module::of(&file, &name, typed);
    let mut text = String::new();
    if !module.text.is_empty() {
        let text_of = indented(&module.text);
        let _ = write!(text, "\n    /// What `{file}` takes and gives.\n    pub mod {name} {{{text_of}    }}\n");
    }
    let is_writing = !query.header.writes.is_empty();
    let source = if is_writing { "trx: &crate::store::Transaction" } else { "source: &impl crate::store::Source" };
    let given = if is_writing { "trx" } else { "source" };
    let (takes, bound) = match module.params {
        Some(params) => (format!(", params: {name}::{params}"), "crate::store::typed::bound(&params)"),
        None => (String::new(), "crate::store::typed::nothing()"),
    };
    let row = &module.row;
    let (kind, generic, result) = match (typed.gives, typed.is_answer) {
        (Gives::None, _) => ("none".to_owned(), "", "()".to_owned()),
        (gives, true) => {
            (format!("{}_as::<{row}, T>", gives.name()), "<T: serde::de::DeserializeOwned + Send>", gives.result("T"))
        }
        (gives, false) => (gives.name().to_owned(), "", gives.result(row)),
    };
    let constant = query.name.to_uppercase();
    let doc = super::write::doc(&query.header.purpose);
    let _ = write!(
        text,
        "\n    #[doc = {doc:?}]\n    pub async fn {name}{generic}({source}{takes}) -> crate::error::Result<{result}> {{\n        \
         crate::store::typed::{kind}({given}, &{constant}, {bound}).await\n    }}\n"
    );
    text
}

/// What a query's module holds.
struct Module {
    text: String,
    /// The type of its parameters.
    params: Option<&'static str>,
    /// The type of a row, seen from outside of the module.
    row: String,
    mistakes: Vec<String>,
}

impl Module {
    fn of(file: &str, name: &str, typed: &Typed) -> Self {
        let params = Object { members: typed.params.clone(), is_open: false };
        let mut structs = Structs::of(Use::Params);
        let mut declared = None;
        if !params.members.is_empty() {
            structs.add("Params".to_owned(), &params, &format!("What `{file}` takes."));
            declared = Some(if is_borrowed(&params) { "Params<'_>" } else { "Params" });
        }
        structs.of = Use::Row;
        let row = typed.row.as_ref().map(|row| structs.row(row, file, name)).unwrap_or_default();
        let Structs { text, mistakes, .. } = structs;
        Self { text, params: declared, row, mistakes }
    }
}

impl<'a> Structs<'a> {
    /// The type of a row, seen from outside of its module.
    fn row(&mut self, row: &'a Type, file: &str, module: &str) -> String {
        match row {
            Type::Object(object) => {
                self.add("Row".to_owned(), object, &format!("What `{file}` gives."));
                format!("{module}::Row")
            }
            Type::Nullable(inner) => format!("Option<{}>", self.row(inner, file, module)),
            Type::List(inner) => format!("Vec<{}>", self.row(inner, file, module)),
            Type::Scalar(_) | Type::Word(_) | Type::Key(_) | Type::Named(_) => self.kind(row, "Row"),
        }
    }

    fn add(&mut self, name: String, object: &'a Object, doc: &str) {
        if let Some((_, of, known)) = self.done.iter().find(|(known, ..)| *known == name) {
            if (*of, *known) != (self.of, object) {
                self.mistakes.push(format!("two objects would be called {name}: one gets a name in `aql/rows`"));
            }
            return;
        }
        self.done.push((name.clone(), self.of, object));
        let fields: String = object.members.iter().map(|member| self.field(member, object)).collect();
        let lifetime = if self.of == Use::Params && is_borrowed(object) { "<'a>" } else { "" };
        let (derives, closed) = match self.of {
            Use::Params => ("Debug, Clone, serde::Serialize", ""),
            Use::Row if object.is_open => ("Debug, Clone, serde::Serialize, serde::Deserialize", ""),
            Use::Row => (
                "Debug, Clone, serde::Serialize, serde::Deserialize",
                "#[cfg_attr(debug_assertions, serde(deny_unknown_fields))]\n",
            ),
        };
        let _ = write!(
            self.text,
            "\n#[doc = {doc:?}]\n#[derive({derives})]\n{closed}pub struct {name}{lifetime} {{\n{fields}}}\n",
            doc = format!(" {doc}"),
        );
    }

    fn field(&mut self, member: &'a Member, object: &Object) -> String {
        let name = field_name(&member.name, object);
        let kind = self.kind(&member.kind, &member.name);
        let plain = name.strip_prefix("r#").unwrap_or(&name);
        let mut text = String::new();
        if plain != member.name {
            let _ = writeln!(text, "    #[serde(rename = {:?})]", member.name);
        }
        let is_nullable = matches!(member.kind, Type::Nullable(_));
        let option = |kind: String| if is_nullable { kind } else { format!("Option<{kind}>") };
        let checked = |with| {
            format!("    #[cfg_attr(debug_assertions, serde(deserialize_with = \"crate::store::typed::{with}\"))]\n")
        };
        match (self.of, member.may_miss) {
            (Use::Params, true) => text += "    #[serde(skip_serializing_if = \"Option::is_none\")]\n",
            (Use::Row, true) => {
                text += "    #[serde(default, skip_serializing_if = \"Option::is_none\")]\n";
                if !is_nullable && member.kind != Type::Scalar(Scalar::Json) {
                    text += &checked("not_null");
                }
            }
            (Use::Row, false) if is_nullable => text += &checked("there"),
            _ => {}
        }
        let kind = if member.may_miss { option(kind) } else { kind };
        let _ = writeln!(text, "    pub {name}: {kind},");
        text
    }

    fn kind(&mut self, kind: &'a Type, member: &str) -> String {
        let is_borrowed = self.of == Use::Params;
        match kind {
            Type::Scalar(scalar) => scalar_name(*scalar, is_borrowed).to_owned(),
            Type::Word(name) if is_borrowed => format!("tracewright_model::{name}"),
            Type::Word(name) => format!("tracewright_model::Word<tracewright_model::{name}>"),
            Type::Key(collection) => {
                let reference = if is_borrowed { "&'a " } else { "" };
                format!("{reference}tracewright_model::Key<tracewright_model::collection::{collection}>")
            }
            Type::Named(name) if is_borrowed => format!("&'a crate::aql::rows::{name}"),
            Type::Named(name) => format!("crate::aql::rows::{name}"),
            Type::Nullable(inner) => format!("Option<{}>", self.kind(inner, member)),
            Type::List(inner) if !is_borrowed => format!("Vec<{}>", self.kind(inner, member)),
            Type::List(inner) => match &**inner {
                Type::Scalar(Scalar::String | Scalar::Time | Scalar::Day) | Type::Key(_) => {
                    "crate::store::typed::Texts<'a>".to_owned()
                }
                Type::Scalar(Scalar::Json) => "&'a [serde_json::Value]".to_owned(),
                Type::Named(name) => format!("&'a [crate::aql::rows::{name}]"),
                inner => format!("&'a [{}]", self.kind(inner, member)),
            },
            Type::Object(object) => {
                let name = camel(member);
                self.add(name.clone(), object, &format!("`{member}` in it."));
                let lifetime = if is_borrowed && self::is_borrowed(object) { "<'a>" } else { "" };
                format!("{name}{lifetime}")
            }
        }
    }
}

fn scalar_name(scalar: Scalar, is_borrowed: bool) -> &'static str {
    match (scalar, is_borrowed) {
        (Scalar::String | Scalar::Collection | Scalar::Time | Scalar::Day, false) => "String",
        (Scalar::String | Scalar::Collection | Scalar::Time | Scalar::Day, true) => "&'a str",
        (Scalar::Bool, _) => "bool",
        (Scalar::Int, _) => "i64",
        (Scalar::Count, _) => "usize",
        (Scalar::Number | Scalar::Quantity, _) => "f64",
        (Scalar::Json, false) => "serde_json::Value",
        (Scalar::Json, true) => "&'a serde_json::Value",
        (Scalar::Map, false) => "serde_json::Map<String, serde_json::Value>",
        (Scalar::Map, true) => "&'a serde_json::Map<String, serde_json::Value>",
    }
}

/// Whether a struct of parameters holds something by reference.
fn is_borrowed(object: &Object) -> bool {
    fn refers(kind: &Type) -> bool {
        match kind {
            Type::Scalar(scalar) => {
                !matches!(scalar, Scalar::Bool | Scalar::Int | Scalar::Count | Scalar::Number | Scalar::Quantity)
            }
            Type::Word(_) => false,
            Type::Key(_) | Type::Named(_) | Type::List(_) => true,
            Type::Nullable(inner) => refers(inner),
            Type::Object(object) => is_borrowed(object),
        }
    }
    object.members.iter().any(|member| refers(&member.kind))
}

/// A member's name as Rust writes it: without what marks the database's own members, unless another one is called so.
fn field_name(member: &str, object: &Object) -> String {
    let plain = member.trim_start_matches(['_', '@']);
    let is_free = !object.members.iter().any(|other| other.name == plain);
    let name = if is_free || member.starts_with('@') { plain } else { member };
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    raw(&snake)
}

fn camel(member: &str) -> String {
    let parts = member.split('_').filter(|part| !part.is_empty());
    parts.flat_map(|part| [part[..1].to_ascii_uppercase(), part[1..].to_owned()]).collect()
}

/// A name that is also a word of Rust.
fn raw(name: &str) -> String {
    const WORDS: [&str; 16] = [
        "as", "box", "break", "const", "enum", "final", "for", "in", "loop", "match", "mod", "move", "ref", "type",
        "use", "where",
    ];
    if WORDS.contains(&name) { format!("r#{name}") } else { name.to_owned() }
}

fn indented(text: &str) -> String {
    text.lines().flat_map(|line| [if line.is_empty() { "" } else { "        " }, line, "\n"]).collect()
}
