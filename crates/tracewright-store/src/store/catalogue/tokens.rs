//! The words and signs of a query, without comments, each with its line. As much of AQL's lexer as the checks need; they
//! run before the engine, whose parser has the last word, is built.

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind<'a> {
    /// A keyword, a name or a number.
    Word(&'a str),
    /// What stands between quotes.
    Text(&'a str),
    /// A bind parameter without its first `@`: `name`, or `@name` for a collection.
    Param(&'a str),
    /// Any other character.
    Sign(char),
}

/// A token and the number of its line, from one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'a> {
    /// What it is.
    pub kind: Kind<'a>,
    /// Its line.
    pub line: usize,
}

impl<'a> Token<'a> {
    /// The word it is.
    pub fn word(&self) -> Option<&'a str> {
        if let Kind::Word(word) = self.kind { Some(word) } else { None }
    }

    /// Whether it is this word.
    pub fn is(&self, word: &str) -> bool {
        self.kind == Kind::Word(word)
    }

    /// Whether it is this sign.
    pub fn is_sign(&self, sign: char) -> bool {
        self.kind == Kind::Sign(sign)
    }
}

/// The tokens of a text.
pub fn tokens(text: &str) -> Vec<Token<'_>> {
    let (mut found, mut rest, mut line) = (Vec::new(), text, 1);
    while let Some(first) = rest.chars().next() {
        let (length, kind) = next(rest, first);
        found.extend(kind.map(|kind| Token { kind, line }));
        line += rest[..length].matches('\n').count();
        rest = &rest[length..];
    }
    found
}

/// How far the first piece reaches, and the token it is; spaces and comments are none.
fn next(rest: &str, first: char) -> (usize, Option<Kind<'_>>) {
    if rest.starts_with("//") {
        return (rest.find('\n').unwrap_or(rest.len()), None);
    }
    if rest.starts_with("/*") {
        return (rest.find("*/").map_or(rest.len(), |end| end + 2), None);
    }
    match first {
        '"' | '\'' | '`' | '´' => {
            let (inner, length) = quoted(rest, first);
            let is_name = matches!(first, '`' | '´');
            (length, Some(if is_name { Kind::Word(inner) } else { Kind::Text(inner) }))
        }
        '@' => {
            let signs = if rest.starts_with("@@") { 2 } else { 1 };
            let length = signs + word(&rest[signs..]);
            (length, Some(Kind::Param(&rest[1..length])))
        }
        _ if first.is_whitespace() => (first.len_utf8(), None),
        _ => match word(rest) {
            0 => (first.len_utf8(), Some(Kind::Sign(first))),
            length => (length, Some(Kind::Word(&rest[..length]))),
        },
    }
}

/// The length of the word at the beginning.
fn word(text: &str) -> usize {
    text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).unwrap_or(text.len())
}

/// What stands between the quote at the beginning and its next like, and the length with both.
fn quoted(rest: &str, quote: char) -> (&str, usize) {
    let mut is_escaped = false;
    let begin = quote.len_utf8();
    for (place, character) in rest[begin..].char_indices() {
        if character == quote && !is_escaped {
            return (&rest[begin..begin + place], begin + place + begin);
        }
        is_escaped = character == '\\' && !is_escaped;
    }
    (&rest[begin..], rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Kind<'_>> {
        tokens(text).into_iter().map(|token| token.kind).collect()
    }

    #[test]
    fn words_texts_parameters_and_signs_are_told_apart() {
        let expected =
            [Kind::Word("a"), Kind::Sign('.'), Kind::Param("by"), Kind::Sign('='), Kind::Text("b"), Kind::Param("@c")];
        assert_eq!(kinds("a.@by = \"b\" @@c"), expected);
        assert_eq!(kinds("`FOR` 'x'"), [Kind::Word("FOR"), Kind::Text("x")]);
    }

    #[test]
    fn comments_are_none_and_marks_in_texts_are_text() {
        assert_eq!(kinds("a // @b\n/* @c\n */ d"), [Kind::Word("a"), Kind::Word("d")]);
        assert_eq!(kinds(r#""@a // \" b" c"#), [Kind::Text(r#"@a // \" b"#), Kind::Word("c")]);
    }

    #[test]
    fn a_token_knows_its_line() {
        let lines: Vec<usize> = tokens("a\n\"b\nc\" /*\n*/ d\n// e\nf").iter().map(|token| token.line).collect();
        assert_eq!(lines, [1, 2, 4, 6]);
    }
}
