//! Cuts the text of a query into tokens.

use super::ast::Pos;
use super::literals;
use super::token::{Kind, Payload, Token};

/// The tokens of a text. The last one is [`Kind::End`], or the place from which the text makes no sense.
pub(super) fn tokenize(text: &str) -> Vec<Token> {
    let mut lexer = Lexer { text, bytes: text.as_bytes(), at: 0, line: 1, line_start: 0, last: 0, tokens: Vec::new() };
    while lexer.step() {}
    lexer.tokens
}

/// What encloses quoted text.
#[derive(Clone, Copy)]
struct Quote {
    delimiter: &'static str,
    kind: Kind,
    unterminated: &'static str,
}

const UNTERMINATED_STRING: &str = "unexpected unterminated string literal";
const UNTERMINATED_NAME: &str = "unexpected unterminated identifier";
const DOUBLE_QUOTE: Quote = Quote { delimiter: "\"", kind: Kind::Str, unterminated: UNTERMINATED_STRING };
const SINGLE_QUOTE: Quote = Quote { delimiter: "'", kind: Kind::Str, unterminated: UNTERMINATED_STRING };
const BACKTICK: Quote = Quote { delimiter: "`", kind: Kind::Ident, unterminated: UNTERMINATED_NAME };
const FORWARD_TICK: Quote = Quote { delimiter: "´", kind: Kind::Ident, unterminated: UNTERMINATED_NAME };

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    line: u32,
    line_start: usize,
    /// Where the last piece of text that was read began, white space and comments included.
    last: usize,
    tokens: Vec<Token>,
}

impl Lexer<'_> {
    fn byte(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn pos(&self) -> Pos {
        Pos { line: self.line, column: (self.at - self.line_start + 1) as u32 }
    }

    fn push(&mut self, kind: Kind, value: Payload, pos: Pos) {
        self.tokens.push(Token { kind, value, pos, report: self.last });
    }

    /// A token of `length` bytes from here.
    fn take(&mut self, kind: Kind, value: Payload, length: usize) -> bool {
        self.last = self.at;
        self.push(kind, value, self.pos());
        self.at += length;
        true
    }

    /// The text cannot be read beyond `self.last`.
    fn stop(&mut self, message: &'static str) -> bool {
        self.push(Kind::Unreadable, Payload::Message(message), self.pos());
        false
    }

    /// Counts the line that begins after the line feed at `at`.
    fn new_line(&mut self, at: usize) {
        self.line += 1;
        self.line_start = at + 1;
    }

    /// Reads one token or one stretch without tokens; false when nothing is left to read.
    fn step(&mut self) -> bool {
        if self.at >= self.bytes.len() {
            self.push(Kind::End, Payload::None, self.pos());
            return false;
        }
        let (kind, length) = match (self.byte(0), self.byte(1)) {
            (b' ' | b'\t' | b'\r', _) => return self.white_space(),
            (b'\n', _) => {
                self.last = self.at;
                self.new_line(self.at);
                self.at += 1;
                return true;
            }
            (b'/', b'/') => return self.line_comment(),
            (b'/', b'*') => return self.block_comment(),
            (b'"', _) => return self.quoted(DOUBLE_QUOTE),
            (b'\'', _) => return self.quoted(SINGLE_QUOTE),
            (b'`', _) => return self.quoted(BACKTICK),
            (0xC2, 0xB4) => return self.quoted(FORWARD_TICK),
            (b'0'..=b'9', _) | (b'.', b'0'..=b'9') => return self.number(),
            (b'@', _) => return self.bind_parameter(),
            (b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$', _) => return self.word(),
            (b'=', b'~') => (Kind::RegexMatch, 2),
            (b'!', b'~') => (Kind::RegexNotMatch, 2),
            (b'=', b'=') => (Kind::Eq, 2),
            (b'!', b'=') => (Kind::Ne, 2),
            (b'>', b'=') => (Kind::Ge, 2),
            (b'<', b'=') => (Kind::Le, 2),
            (b'&', b'&') => (Kind::And, 2),
            (b'|', b'|') => (Kind::Or, 2),
            (b':', b':') => (Kind::Scope, 2),
            (b'.', b'.') => (Kind::Range, 2),
            (b'>', _) => (Kind::Gt, 1),
            (b'<', _) => (Kind::Lt, 1),
            (b'=', _) => (Kind::Assign, 1),
            (b'!', _) => (Kind::Not, 1),
            (b'+', _) => (Kind::Plus, 1),
            (b'-', _) => (Kind::Minus, 1),
            (b'*', _) => (Kind::Times, 1),
            (b'/', _) => (Kind::Div, 1),
            (b'%', _) => (Kind::Mod, 1),
            (b'?', _) => (Kind::Question, 1),
            (b':', _) => (Kind::Colon, 1),
            (b'.', _) => (Kind::Dot, 1),
            (b',', _) => (Kind::Comma, 1),
            (b'(', _) => (Kind::Open, 1),
            (b')', _) => (Kind::Close, 1),
            (b'{', _) => (Kind::ObjectOpen, 1),
            (b'}', _) => (Kind::ObjectClose, 1),
            (b'[', _) => (Kind::ArrayOpen, 1),
            (b']', _) => (Kind::ArrayClose, 1),
            _ => return self.invalid(),
        };
        self.take(kind, Payload::None, length)
    }

    /// No token begins here, so no query can be read beyond it.
    fn invalid(&mut self) -> bool {
        self.take(Kind::Invalid, Payload::None, 0);
        false
    }

    fn white_space(&mut self) -> bool {
        self.last = self.at;
        while matches!(self.byte(0), b' ' | b'\t' | b'\r') {
            self.at += 1;
        }
        true
    }

    fn line_comment(&mut self) -> bool {
        self.last = self.at;
        self.at += 2;
        let length = self.bytes[self.at..].iter().position(|&b| b == b'\n').unwrap_or(self.bytes.len() - self.at);
        if length > 0 {
            self.last = self.at;
        }
        self.at += length;
        true
    }

    fn block_comment(&mut self) -> bool {
        self.last = self.at;
        self.at += 2;
        let mut in_run = false;
        while let Some(&byte) = self.bytes.get(self.at) {
            let alone = matches!(byte, b'*' | b'\n');
            if alone || !in_run {
                self.last = self.at;
            }
            in_run = !alone;
            match byte {
                b'*' if self.byte(1) == b'/' => {
                    self.at += 2;
                    return true;
                }
                b'\n' => self.new_line(self.at),
                _ => {}
            }
            self.at += 1;
        }
        self.stop("unexpected unterminated multi-line comment")
    }

    fn quoted(&mut self, quote: Quote) -> bool {
        let pos = self.pos();
        self.last = self.at;
        let begin = self.at + quote.delimiter.len();
        let mut end = begin;
        while let Some(&byte) = self.bytes.get(end) {
            self.last = end;
            if self.bytes[end..].starts_with(quote.delimiter.as_bytes()) {
                let value = Payload::Text(literals::unescape(self.text.get(begin..end).unwrap_or_default()));
                self.push(quote.kind, value, pos);
                self.at = end + quote.delimiter.len();
                return true;
            }
            match byte {
                b'\n' => self.new_line(end),
                // An escaped line feed still counts as a line.
                b'\\' if end + 1 < self.bytes.len() && self.bytes[end + 1] != b'\n' => end += 1,
                _ => {}
            }
            end += 1;
        }
        self.at = self.bytes.len();
        self.stop(quote.unterminated)
    }

    /// How many bytes from `from` on satisfy the test.
    fn run(&self, from: usize, test: impl Fn(u8) -> bool) -> usize {
        self.bytes.get(from..).unwrap_or_default().iter().take_while(|&&b| test(b)).count()
    }

    fn number(&mut self) -> bool {
        let digit = |b: u8| b.is_ascii_digit();
        if self.byte(0) == b'0' {
            let (bits, length) = match self.byte(1) {
                b'x' | b'X' => (4, self.run(self.at + 2, |b| b.is_ascii_hexdigit())),
                b'b' | b'B' => (1, self.run(self.at + 2, |b| matches!(b, b'0' | b'1'))),
                _ => (0, 0),
            };
            if length > 0 {
                return match literals::based_integer(&self.text[self.at + 2..self.at + 2 + length], bits) {
                    Ok(value) => self.take(Kind::Int, value, 2 + length),
                    Err(message) => {
                        self.last = self.at;
                        self.stop(message)
                    }
                };
            }
        }
        // A leading zero is a number of its own: `00` is two tokens.
        let whole = if self.byte(0) == b'0' { 1 } else { self.run(self.at, digit) };
        let mut length = whole;
        if self.byte(length) == b'.' {
            let fraction = self.run(self.at + length + 1, digit);
            if fraction > 0 {
                length += 1 + fraction;
            }
        }
        if matches!(self.byte(length), b'e' | b'E') {
            let sign = usize::from(matches!(self.byte(length + 1), b'+' | b'-'));
            let exponent = self.run(self.at + length + 1 + sign, digit);
            if exponent > 0 {
                length += 1 + sign + exponent;
            }
        }
        let literal = &self.text[self.at..self.at + length];
        if length == whole {
            self.take(Kind::Int, literals::integer(literal), length)
        } else {
            self.take(Kind::Double, literals::double(literal), length)
        }
    }

    fn bind_parameter(&mut self) -> bool {
        let (kind, begin) = if self.byte(1) == b'@' { (Kind::CollectionBind, 2) } else { (Kind::Bind, 1) };
        let underscores = self.run(self.at + begin, |b| b == b'_');
        if !self.byte(begin + underscores).is_ascii_alphanumeric() {
            return self.invalid();
        }
        let length = begin + self.run(self.at + begin, is_word);
        let name = self.text[self.at + begin..self.at + length].into();
        self.take(kind, Payload::Text(name), length)
    }

    fn word(&mut self) -> bool {
        let prefix = if self.byte(0) == b'$' { 1 } else { self.run(self.at, |b| b == b'_') };
        if !self.byte(prefix).is_ascii_alphabetic() {
            return self.invalid();
        }
        let length = prefix + self.run(self.at + prefix, is_word);
        let word = &self.text[self.at..self.at + length];
        let upper = word.to_ascii_uppercase();
        if let Some(kind) = Kind::keyword(&upper) {
            return self.take(kind, Payload::None, length);
        }
        if upper == "AT"
            && let Some(length) = self.at_least(length)
        {
            return self.at_least_token(length);
        }
        self.take(Kind::Ident, Payload::Text(word.into()), length)
    }

    /// The length of `AT LEAST` here, when `LEAST` follows the `AT`.
    fn at_least(&self, at_length: usize) -> Option<usize> {
        let gap = self.run(self.at + at_length, |b| matches!(b, b' ' | b'\t' | b'\r' | b'\n'));
        let begin = self.at + at_length + gap;
        let length = self.run(begin, is_word);
        (gap > 0 && self.text[begin..begin + length].eq_ignore_ascii_case("LEAST")).then_some(at_length + gap + length)
    }

    fn at_least_token(&mut self, length: usize) -> bool {
        let begin = self.at;
        self.take(Kind::AtLeast, Payload::None, length);
        for at in begin..self.at {
            if self.bytes[at] == b'\n' {
                self.new_line(at);
            }
        }
        true
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::token::KEYWORDS;

    fn kinds(text: &str) -> Vec<Kind> {
        tokenize(text).into_iter().map(|token| token.kind).collect()
    }

    fn texts(text: &str) -> Vec<String> {
        tokenize(text)
            .into_iter()
            .filter_map(|token| match token.value {
                Payload::Text(text) => Some(text.to_string()),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn keywords_are_recognised_in_any_case() {
        for word in KEYWORDS {
            assert_eq!(kinds(word), kinds(&word.to_lowercase()), "{word}");
            assert_ne!(kinds(word)[0], Kind::Ident, "{word}");
        }
    }

    #[test]
    fn contextual_words_are_identifiers() {
        for word in ["KEEP", "COUNT", "PRUNE", "SEARCH", "TO", "OPTIONS", "CURRENT", "NEW", "OLD", "LEAST", "AT"] {
            assert_eq!(kinds(word), [Kind::Ident, Kind::End], "{word}");
        }
    }

    #[test]
    fn at_least_is_one_token() {
        assert_eq!(kinds("at \n least(2)"), [Kind::AtLeast, Kind::Open, Kind::Int, Kind::Close, Kind::End]);
        assert_eq!(kinds("at leaster"), [Kind::Ident, Kind::Ident, Kind::End]);
    }

    #[test]
    fn a_range_is_not_a_fraction() {
        assert_eq!(kinds("1..3"), [Kind::Int, Kind::Range, Kind::Int, Kind::End]);
        assert_eq!(kinds("1.5..3"), [Kind::Double, Kind::Range, Kind::Int, Kind::End]);
        assert_eq!(kinds("1...5"), [Kind::Int, Kind::Range, Kind::Double, Kind::End]);
    }

    #[test]
    fn malformed_numbers_fall_into_several_tokens() {
        assert_eq!(kinds("00"), [Kind::Int, Kind::Int, Kind::End]);
        assert_eq!(kinds("1e"), [Kind::Int, Kind::Ident, Kind::End]);
        assert_eq!(kinds("0x"), [Kind::Int, Kind::Ident, Kind::End]);
        assert_eq!(kinds("1.2.3"), [Kind::Double, Kind::Double, Kind::End]);
        assert_eq!(kinds("1."), [Kind::Int, Kind::Dot, Kind::End]);
    }

    #[test]
    fn names_may_begin_with_underscores_or_a_dollar() {
        assert_eq!(kinds("_x __y1 $z"), [Kind::Ident, Kind::Ident, Kind::Ident, Kind::End]);
        assert_eq!(kinds("_"), [Kind::Invalid]);
        assert_eq!(kinds("_1"), [Kind::Invalid]);
        assert_eq!(kinds("$"), [Kind::Invalid]);
    }

    #[test]
    fn quoted_names_lose_their_ticks() {
        assert_eq!(texts("`for` ´let x´ `a\\`b`"), ["for", "let x", "a`b"]);
    }

    #[test]
    fn bind_parameters_lose_their_at_signs() {
        assert_eq!(texts("@a @@b @_1"), ["a", "b", "_1"]);
        assert_eq!(kinds("@a @@b"), [Kind::Bind, Kind::CollectionBind, Kind::End]);
        assert_eq!(kinds("@_"), [Kind::Invalid]);
    }

    #[test]
    fn comments_are_white_space() {
        assert_eq!(kinds("// a\n1 /* b ** \n */ 2"), [Kind::Int, Kind::Int, Kind::End]);
        assert_eq!(kinds("/* /"), [Kind::Unreadable]);
    }

    #[test]
    fn positions_count_lines_from_one_and_columns_in_bytes_from_one() {
        let places: Vec<_> = tokenize("a\n 'x\ny' b").iter().map(|token| (token.pos.line, token.pos.column)).collect();
        assert_eq!(places, [(1, 1), (2, 2), (3, 4), (3, 5)]);
    }
}
