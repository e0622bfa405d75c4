//! The header of a stored query: the comment lines at its top, which say what the query is for, takes, reads, writes and
//! gives.

use super::Finding;
use super::fragments::Line;
use super::types::{self, Member, Mistake, Type};

/// The fields in their order. `Gives` makes a query a typed one; it and the last one may be missing.
const KEYS: [&str; 7] = ["Purpose", "Params", "Reads", "Writes", GIVES, "Row", LOOKUPS];
const GIVES: &str = "Gives";
/// What a row is called that the caller reads as its own type.
const ANSWER: &str = "Answer ";
const LOOKUPS: &str = "Lookups";

/// A name that a header lists, and its line.
pub type Named = (String, usize);

/// What the header of a stored query declares.
#[derive(Debug, Default)]
pub struct Header {
    /// What the query is for.
    pub purpose: String,
    /// Its bind parameters; `@name` for a collection.
    pub params: Vec<Named>,
    /// Collections it reads; `@name` for one that is bound.
    pub reads: Vec<Named>,
    /// Collections it writes.
    pub writes: Vec<Named>,
    /// Shape of a row.
    pub row: String,
    /// How many lookups a row costs, and the line that says so.
    pub lookups: Option<(u8, usize)>,
    /// The types of a typed query.
    pub typed: Option<Typed>,
}

/// What a typed query takes and gives.
#[derive(Debug)]
pub struct Typed {
    /// How many rows.
    pub gives: Gives,
    /// Its parameters.
    pub params: Vec<Member>,
    /// A row.
    pub row: Option<Type>,
    /// Whether the caller reads rows as a type of its own.
    pub is_answer: bool,
    /// The line of `Gives`.
    pub line: usize,
}

impl Typed {
    /// The names of shared rows in it.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let mut names = Vec::new();
        for kind in self.params.iter().map(|param| &param.kind).chain(&self.row) {
            kind.each_name(&mut |name| names.push(name));
        }
        names.into_iter()
    }
}

/// How many rows a typed query gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gives {
    /// It is run for what it does.
    None,
    /// One.
    One,
    /// One or none.
    Optional,
    /// Any number.
    All,
}

impl Gives {
    const ALL: [Self; 4] = [Self::None, Self::One, Self::Optional, Self::All];

    /// Its name in headers, and that of the function of `store::typed`.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::One => "one",
            Self::Optional => "optional",
            Self::All => "all",
        }
    }

    /// What a function gives whose rows are these.
    pub fn result(self, row: &str) -> String {
        match self {
            Self::None => "()".to_owned(),
            Self::One => row.to_owned(),
            Self::Optional => format!("Option<{row}>"),
            Self::All => format!("Vec<{row}>"),
        }
    }
}

/// One field: its key, and what its lines say.
struct Field<'a> {
    key: &'a str,
    parts: Vec<(&'a str, usize)>,
}

impl Field<'_> {
    fn text(&self) -> String {
        self.parts.iter().map(|(part, _)| *part).collect::<Vec<_>>().join(" ").trim().to_owned()
    }

    fn line(&self) -> usize {
        self.parts.first().map_or(1, |(_, line)| *line)
    }

    /// Its lines as they stand, for what says where in them a mistake is.
    fn lines(&self) -> String {
        self.parts.iter().map(|(part, _)| *part).collect::<Vec<_>>().join("\n")
    }

    /// Where a mistake in its lines is.
    fn finding(&self, mistake: Mistake) -> Finding {
        Finding::new(self.line_at(mistake.at), format!("`{}`: {}", self.key, mistake.text))
    }

    fn line_at(&self, at: usize) -> usize {
        let before = self.lines()[..at].matches('\n').count();
        self.parts.get(before).map_or(1, |(_, line)| *line)
    }

    /// The listed names; `-` stands for none.
    fn names(&self, wrong: &mut Vec<Finding>) -> Vec<Named> {
        let mut names: Vec<Named> = Vec::new();
        if self.text() == "-" {
            return names;
        }
        for (part, line) in &self.parts {
            for name in part.split(',').map(str::trim).filter(|name| !name.is_empty()) {
                let plain = name.strip_prefix('@').unwrap_or(name);
                if plain.is_empty() || !plain.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                    wrong
                        .push(Finding::new(*line, format!("`{name}` is no name: {} are listed with commas", self.key)));
                } else if names.iter().any(|(known, _)| known == name) {
                    wrong.push(Finding::new(*line, format!("`{name}` stands twice under `{}`", self.key)));
                } else {
                    names.push((name.to_owned(), *line));
                }
            }
        }
        names
    }
}

impl Header {
    /// Reads the header of the query `name`. It ends with the comment, or where a fragment begins.
    pub fn parse(name: &str, lines: &[Line], wrong: &mut Vec<Finding>) -> Self {
        let fields = fields(name, lines, wrong);
        let places: Vec<usize> = fields.iter().filter_map(|field| place(field.key)).collect();
        if !places.is_sorted() {
            wrong.push(Finding::new(1, format!("the header's order is {}", KEYS.join(", "))));
        }
        let field = |key: &str| fields.iter().find(|field| field.key == key);
        let mut header = Self::default();
        if let (Some(gives), Some(params), Some(row)) = (field(GIVES), field("Params"), field("Row")) {
            header.typed = Typed::parse(gives, params, row, wrong);
        }
        let has_types = field(GIVES).is_some();
        for key in KEYS {
            match field(key) {
                Some(field) if field.text().is_empty() => {
                    wrong.push(Finding::new(field.line(), format!("`// {key}:` says nothing")));
                }
                // Its types are wrong, which is told already.
                Some(field) if field.key == "Params" && has_types && header.typed.is_none() => {}
                Some(field) => header.take(field, wrong),
                None if key == LOOKUPS || key == GIVES => {}
                None => wrong.push(Finding::new(1, format!("`// {key}: ...` is missing"))),
            }
        }
        header
    }

    fn take(&mut self, field: &Field, wrong: &mut Vec<Finding>) {
        match field.key {
            "Purpose" => self.purpose = field.text(),
            "Params" => match &self.typed {
                Some(typed) => {
                    let named = |param: &Member| (param.name.clone(), field.line_at(param.at));
                    self.params = typed.params.iter().map(named).collect();
                }
                None => self.params = field.names(wrong),
            },
            GIVES => {}
            "Reads" => self.reads = field.names(wrong),
            "Writes" => self.writes = field.names(wrong),
            "Row" => self.row = field.text(),
            _ => match field.text().parse() {
                Ok(number) => self.lookups = Some((number, field.line())),
                Err(_) => wrong.push(Finding::new(field.line(), "`// Lookups:` is a number".to_owned())),
            },
        }
    }
}

impl Typed {
    /// The types of a query whose header says how many rows it gives. What follows a semicolon in `Row` is for people.
    fn parse(gives: &Field, params: &Field, row: &Field, wrong: &mut Vec<Finding>) -> Option<Self> {
        let text = gives.text();
        let Some(kind) = Gives::ALL.into_iter().find(|kind| kind.name() == text) else {
            let names = Gives::ALL.map(Gives::name).join(", ");
            wrong.push(Finding::new(gives.line(), format!("`// Gives:` is one of {names}")));
            return None;
        };
        let taken = types::parse_params(&params.lines()).map_err(|mistake| wrong.push(params.finding(mistake)));
        let lines = row.lines();
        let shape = lines.split(';').next().unwrap_or_default();
        let answer = shape.strip_prefix(ANSWER);
        let shape = answer.unwrap_or(shape);
        if (shape.trim() == "-") != (kind == Gives::None) {
            wrong.push(Finding::new(row.line(), "`// Row: -` and `// Gives: none` go together".to_owned()));
            return None;
        }
        let skipped = answer.map_or(0, |_| ANSWER.len());
        let shape = (kind != Gives::None).then(|| types::parse(shape)).transpose();
        let shape = shape.map_err(|mistake| wrong.push(row.finding(Mistake { at: mistake.at + skipped, ..mistake })));
        Some(Self {
            gives: kind,
            params: taken.ok()?,
            row: shape.ok()?,
            is_answer: answer.is_some(),
            line: gives.line(),
        })
    }
}

fn place(key: &str) -> Option<usize> {
    KEYS.iter().position(|known| *known == key)
}

/// The fields as they stand. What follows a field on further lines is indented by three spaces.
fn fields<'a>(name: &str, lines: &'a [Line], wrong: &mut Vec<Finding>) -> Vec<Field<'a>> {
    let mut fields: Vec<Field<'a>> = Vec::new();
    let comment = lines.iter().take_while(|line| line.file == name);
    for (index, text) in comment.map_while(|line| line.text.strip_prefix("//")).enumerate() {
        let line = index + 1;
        match text.trim().split_once(':').filter(|(key, _)| text.starts_with(' ') && place(key).is_some()) {
            Some((key, _)) if fields.iter().any(|field| field.key == key) => {
                wrong.push(Finding::new(line, format!("`// {key}:` stands twice")));
            }
            Some((key, value)) => fields.push(Field { key, parts: vec![(value.trim(), line)] }),
            None => match fields.last_mut().filter(|_| text.starts_with("   ")) {
                Some(field) => field.parts.push((text.trim(), line)),
                None => wrong.push(Finding::new(line, format!("`//{text}` belongs to no field of the header"))),
            },
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "// Purpose: one thing\n//   and its rest\n// Params: key,\n//   @collection\n// Reads: Serial, contains\n\
                        // Writes: -\n// Row: string\nRETURN 1";

    fn parsed(text: &str) -> (Header, Vec<(usize, String)>) {
        let line =
            |(place, text): (usize, &str)| Line { text: text.to_owned(), file: "a/b".to_owned(), number: place + 1 };
        let lines: Vec<Line> = text.lines().enumerate().map(line).collect();
        let mut wrong = Vec::new();
        let header = Header::parse("a/b", &lines, &mut wrong);
        (header, wrong.into_iter().map(|finding| (finding.line, finding.text)).collect())
    }

    /// The one complaint about a text, which contains these words.
    fn complaint(text: &str, line: usize, words: &str) {
        let (_, wrong) = parsed(text);
        assert!(wrong.len() == 1 && wrong[0].0 == line && wrong[0].1.contains(words), "{wrong:?}");
    }

    #[test]
    fn a_header_declares_parameters_and_collections() {
        let (header, wrong) = parsed(TEXT);
        assert_eq!(wrong, []);
        assert_eq!(header.purpose, "one thing and its rest");
        assert_eq!(header.params, [("key".to_owned(), 3), ("@collection".to_owned(), 4)]);
        assert_eq!(header.reads, [("Serial".to_owned(), 5), ("contains".to_owned(), 5)]);
        assert_eq!(header.writes, []);
        assert_eq!(header.row, "string");
        assert_eq!(header.lookups, None);
        assert_eq!(parsed(&TEXT.replace("RETURN", "// Lookups: 2\nRETURN")).0.lookups, Some((2, 8)));
    }

    #[test]
    fn a_header_without_a_field_says_which() {
        complaint(&TEXT.replace("// Writes: -\n", ""), 1, "Writes");
        complaint(&TEXT.replace("// Row: string\n", ""), 1, "Row");
    }

    #[test]
    fn a_field_that_is_empty_or_stands_twice_is_refused() {
        complaint(&TEXT.replace("Row: string", "Row:"), 7, "says nothing");
        complaint(&TEXT.replace("// Row: string", "// Row: string\n// Row: another"), 8, "twice");
    }

    #[test]
    fn fields_stand_in_their_order() {
        complaint("// Params: -\n// Purpose: p\n// Reads: -\n// Writes: -\n// Row: r\nRETURN 1", 1, "order");
    }

    #[test]
    fn names_are_names_and_stand_once() {
        complaint(&TEXT.replace("Serial, contains", "Serial contains"), 5, "no name");
        complaint(&TEXT.replace("Serial, contains", "Serial, Serial"), 5, "twice");
        complaint(&TEXT.replace("Writes: -", "Writes: Serial, -"), 6, "no name");
    }

    #[test]
    fn a_further_line_is_indented() {
        complaint(&TEXT.replace("//   and its rest", "// and its rest"), 2, "no field");
        complaint(&format!("// first\n{TEXT}"), 1, "no field");
    }

    #[test]
    fn lookups_are_a_number() {
        complaint(&TEXT.replace("RETURN", "// Lookups: few\nRETURN"), 8, "number");
    }

    const TYPED: &str = "// Purpose: p\n// Params: key: String,\n//   limit: Count\n// Reads: Serial\n// Writes: -\n\
                         // Gives: optional\n// Row: { a: Int }; one row\nRETURN 1";

    #[test]
    fn a_header_that_says_how_many_rows_it_gives_has_types() {
        let (header, wrong) = parsed(TYPED);
        assert_eq!(wrong, []);
        assert_eq!(header.params, [("key".to_owned(), 2), ("limit".to_owned(), 3)]);
        assert_eq!(header.row, "{ a: Int }; one row");
        let typed = header.typed.unwrap();
        assert_eq!(
            (typed.gives, typed.is_answer, typed.row),
            (Gives::Optional, false, types::parse("{ a: Int }").ok())
        );
        let (header, wrong) = parsed(&TYPED.replace("Row: {", "Row: Answer {"));
        assert!(wrong.is_empty() && header.typed.is_some_and(|typed| typed.is_answer), "{wrong:?}");
    }

    #[test]
    fn a_mistake_in_a_type_is_told_with_its_line() {
        complaint(&TYPED.replace("Count", "usize"), 3, "`Params`: `usize` is no type");
        complaint(&TYPED.replace("{ a: Int }", "{ a }"), 7, "`Row`: `:` should stand");
        complaint(&TYPED.replace("optional", "some"), 6, "one of none, one, optional, all");
        complaint(&TYPED.replace("{ a: Int }; one row", "-"), 7, "go together");
        complaint(&TYPED.replace("optional", "none"), 7, "go together");
    }

    #[test]
    fn the_comment_of_a_fragment_is_not_part_of_the_header() {
        let own = |text: &str| Line { text: text.to_owned(), file: "a/b".to_owned(), number: 1 };
        let mut lines: Vec<Line> = TEXT.lines().filter(|line| line.starts_with("//")).map(own).collect();
        lines.push(Line { text: "// Gives: columns.".to_owned(), file: "fragments/columns".to_owned(), number: 1 });
        let mut wrong = Vec::new();
        assert_eq!(Header::parse("a/b", &lines, &mut wrong).row, "string");
        assert!(wrong.is_empty());
    }
}
