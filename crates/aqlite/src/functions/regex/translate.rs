//! From the pattern syntaxes of AQL to the one of the `regex` crate.

use std::fmt::Write;
use std::iter::Peekable;
use std::str::Chars;

use crate::Result;
use crate::error::{Error, code};

/// A `LIKE` pattern as an expression that matches the whole text.
pub(super) fn like(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len() + 16);
    // a wildcard at an end is no condition: without it the engine can look for the literal text directly
    let open_start = pattern.starts_with('%');
    let pattern = pattern.trim_start_matches('%');
    let mut open_end = open_start && pattern.is_empty();
    out.push_str(if open_start { "(?s)" } else { r"(?s)\A" });
    let mut literal = String::new();
    let mut escaped = false;
    for (i, c) in pattern.char_indices() {
        match c {
            '\\' => {
                if escaped {
                    literal.push('\\');
                }
                escaped = !escaped;
                continue;
            }
            '%' | '_' if !escaped => {
                out.push_str(&::regex::escape(&literal));
                literal.clear();
                open_end = c == '%' && i + 1 == pattern.len();
                out.push_str(match c {
                    '%' if open_end => "",
                    '%' => ".*",
                    _ => ".",
                });
            }
            '%' | '_' => literal.push(c),
            // a backslash before a character that is special in expressions vanishes, before any other it stays
            _ => {
                if escaped && !"?+[(){}^$|.*".contains(c) {
                    literal.push('\\');
                }
                literal.push(c);
            }
        }
        escaped = false;
    }
    out.push_str(&::regex::escape(&literal));
    if !open_end {
        out.push_str(r"\z");
    }
    out
}

/// What ends a line for ICU, as the inside of a character class.
const LINE_ENDS: &str = r"\n\x0B\x0C\r\x{85}\x{2028}\x{2029}";

/// A pattern in the syntax of the engines.
pub(super) struct Translated {
    /// The pattern.
    pub text: String,
    /// It needs an engine that tries one way after the other.
    pub backtracking: bool,
}

impl Translated {
    /// A pattern that can be matched in linear time.
    pub fn linear(text: String) -> Self {
        Self { text, backtracking: false }
    }
}

/// An expression of ICU; `None` where it is not valid. `test`: only whether it matches is of interest, not where.
pub(super) fn icu(pattern: &str, test: bool) -> Result<Option<Translated>> {
    let translator = Translator {
        input: pattern.chars().peekable(),
        out: String::with_capacity(pattern.len() + 16),
        depth: 0,
        backtracking: false,
        test,
        flags: Flags::of(pattern),
    };
    translator.run(pattern)
}

/// Which inline flags occur anywhere in the pattern; where they do, what they change is left to the engine.
#[derive(Clone, Copy)]
struct Flags {
    dot_all: bool,
    multi_line: bool,
}

impl Flags {
    fn of(pattern: &str) -> Self {
        let mut flags = Self { dot_all: false, multi_line: false };
        for group in pattern.split("(?").skip(1) {
            let letters = group.split(|c: char| !c.is_ascii_alphabetic() && c != '-').next().unwrap_or_default();
            flags.dot_all |= letters.contains('s');
            flags.multi_line |= letters.contains('m');
        }
        flags
    }
}

struct Translator<'a> {
    input: Peekable<Chars<'a>>,
    out: String,
    /// Nesting of character classes.
    depth: usize,
    backtracking: bool,
    test: bool,
    flags: Flags,
}

impl Translator<'_> {
    fn run(mut self, pattern: &str) -> Result<Option<Translated>> {
        let unsupported = |what: &str| {
            Err(Error::new(
                code::NOT_IMPLEMENTED,
                format!("{what} is not supported in the regular expression '{pattern}'"),
            ))
        };
        while let Some(c) = self.input.next() {
            match c {
                '\\' => match self.escape() {
                    Escape::Done => {}
                    Escape::Invalid => return Ok(None),
                    Escape::Unsupported(what) => return unsupported(what),
                },
                '[' => {
                    self.depth += 1;
                    self.out.push('[');
                    if self.input.next_if_eq(&'^').is_some() {
                        self.out.push('^');
                    }
                }
                ']' if self.depth > 0 => {
                    self.depth -= 1;
                    self.out.push(']');
                }
                _ if self.depth > 0 => self.out.push(c),
                '.' if !self.flags.dot_all => {
                    self.out.push_str("[^");
                    self.out.push_str(LINE_ENDS);
                    self.out.push(']');
                }
                '$' if self.test && !self.flags.multi_line => self.end_of_text(),
                '(' if self.input.peek() == Some(&'?') => {
                    let mut ahead = self.input.clone();
                    ahead.next();
                    match (ahead.next(), ahead.next()) {
                        (Some('=' | '!' | '>'), _) | (Some('<'), Some('=' | '!')) => {
                            self.backtracking = true;
                            self.out.push('(');
                        }
                        (Some('#'), _) => {
                            if !self.input.by_ref().any(|c| c == ')') {
                                return Ok(None);
                            }
                        }
                        _ => self.out.push('('),
                    }
                }
                '*' | '+' | '?' | '{' => {
                    if !self.quantifier(c) {
                        return Ok(None);
                    }
                }
                // braces stand for themselves only behind a backslash
                '}' => return Ok(None),
                _ => self.out.push(c),
            }
        }
        Ok(Some(Translated { text: self.out, backtracking: self.backtracking }))
    }

    /// A quantifier that begins with that character, lazy and possessive ones included; false where it is no valid
    /// one, as another quantifier right behind it is not.
    fn quantifier(&mut self, first: char) -> bool {
        self.out.push(first);
        if first == '{' {
            let mut interval = String::new();
            while let Some(c) = self.input.next_if(|c| c.is_ascii_digit() || *c == ',') {
                interval.push(c);
            }
            let (least, most) = interval.split_once(',').unwrap_or((&interval, ""));
            if least.is_empty() || most.contains(',') || self.input.next() != Some('}') {
                return false;
            }
            self.out.push_str(&interval);
            self.out.push('}');
        }
        if let Some(kind) = self.input.next_if(|c| matches!(c, '+' | '?')) {
            self.backtracking |= kind == '+';
            self.out.push(kind);
        }
        !self.input.peek().is_some_and(|c| matches!(c, '*' | '+' | '?' | '{'))
    }

    /// `$`: the end, or before a line end that is the last character.
    fn end_of_text(&mut self) {
        let _ = write!(self.out, r"(?:\r\n|[{LINE_ENDS}])?\z");
    }

    /// A set of characters given by the inside of a class, negated or not, inside or outside of a class.
    fn set(&mut self, inside: &str, negated: bool) {
        match (self.depth > 0, negated) {
            (true, false) => self.out.push_str(inside),
            (_, negated) => {
                self.out.push_str(if negated { "[^" } else { "[" });
                self.out.push_str(inside);
                self.out.push(']');
            }
        }
    }

    fn code_point(&mut self, value: u32) -> Escape {
        if char::from_u32(value).is_none() {
            return Escape::Invalid;
        }
        let _ = write!(self.out, r"\x{{{value:X}}}");
        Escape::Done
    }

    /// Reads up to that many digits.
    fn digits(&mut self, radix: u32, most: usize) -> Option<u32> {
        let mut value = None;
        for _ in 0..most {
            let Some(digit) = self.input.peek().and_then(|c| c.to_digit(radix)) else { break };
            self.input.next();
            value = Some(value.unwrap_or(0u32).checked_mul(radix)?.checked_add(digit)?);
        }
        value
    }

    /// What follows a backslash.
    fn escape(&mut self) -> Escape {
        let Some(c) = self.input.next() else { return Escape::Invalid };
        match c {
            'h' | 'H' => self.set(r"\t\p{Zs}", c == 'H'),
            'v' | 'V' => self.set(LINE_ENDS, c == 'V'),
            'R' => {
                let _ = write!(self.out, r"(?:\r\n|[{LINE_ENDS}])");
            }
            'Z' => {
                if self.test {
                    self.end_of_text();
                } else {
                    self.out.push_str(r"\z");
                }
            }
            'e' => self.out.push_str(r"\x1B"),
            'c' => {
                let Some(control) = self.input.next().filter(char::is_ascii) else { return Escape::Invalid };
                return self.code_point(u32::from(control) & 0x1f);
            }
            '0' => return self.digits(8, 3).map_or(Escape::Invalid, |value| self.code_point(value)),
            'u' => return self.digits(16, 4).map_or(Escape::Invalid, |value| self.code_point(value)),
            'U' => return self.digits(16, 8).map_or(Escape::Invalid, |value| self.code_point(value)),
            'Q' => self.quoted(),
            'E' => {}
            '1'..='9' | 'k' | 'G' if self.depth == 0 => {
                self.backtracking = true;
                self.out.push('\\');
                self.out.push(c);
            }
            'X' => return Escape::Unsupported(r"\X"),
            'N' => return Escape::Unsupported(r"\N"),
            '<' | '>' => self.out.push(c),
            'p' | 'P' | 'x' => {
                self.out.push('\\');
                self.out.push(c);
                if self.input.peek() == Some(&'{') {
                    // its closing brace is no quantifier
                    for c in self.input.by_ref() {
                        self.out.push(c);
                        if c == '}' {
                            break;
                        }
                    }
                }
            }
            c if c.is_ascii() => {
                self.out.push('\\');
                self.out.push(c);
            }
            c => self.out.push(c),
        }
        Escape::Done
    }

    /// Literal text between `\Q` and `\E`.
    fn quoted(&mut self) {
        let mut literal = String::new();
        while let Some(c) = self.input.next() {
            if c == '\\' && self.input.peek() == Some(&'E') {
                self.input.next();
                break;
            }
            literal.push(c);
        }
        self.out.push_str(&::regex::escape(&literal));
    }
}

enum Escape {
    Done,
    Invalid,
    Unsupported(&'static str),
}

#[cfg(test)]
mod tests {
    use super::super::regex_test;

    fn matches(text: &str, pattern: &str) -> Option<bool> {
        regex_test(text, pattern, false).expect("supported")
    }

    #[test]
    fn a_dot_matches_no_line_end_and_a_dollar_matches_before_the_last_one() {
        assert_eq!(matches("a\rb", "a.b"), Some(false));
        assert_eq!(matches("a\rb", "(?s)a.b"), Some(true));
        assert_eq!(matches("abc\n", "^abc$"), Some(true));
        assert_eq!(matches("abc\nd", "^abc$"), Some(false));
        assert_eq!(matches("abc\nd", "(?m)^abc$"), Some(true));
    }

    #[test]
    fn escapes_of_icu_are_understood() {
        for (text, pattern) in [
            ("a\tb", r"a\hb"),
            ("a b", r"a[\h]b"),
            ("a\r\nb", r"a\Rb"),
            ("a.b", r"a\Q.\Eb"),
            ("ä", r"^\u00e4$"),
            ("A", r"\0101"),
            ("<x>", r"\<x\>"),
            ("ü", r"\ü"),
            ("ab", "a(?#note)b"),
            ("äöü", r"^\p{L}+$"),
            ("2024-01-02", r"^\d{4}-\d{2}-\d{2}$"),
        ] {
            assert_eq!(matches(text, pattern), Some(true), "{pattern}");
        }
        for invalid in ["a**", "a+*", "a{2}{3}", "a{", "a{b}", "a{2", "}", "a}", "a{,2}", "**", "(a]", "[^"] {
            assert_eq!(matches("a", invalid), None, "{invalid}");
        }
        assert_eq!(matches("aab", "^a{2}b{1,}?c{0,3}$"), Some(true));
        assert_eq!(matches("a{b}", r"a\{b\}"), Some(true));
        assert_eq!(matches("a.b", r"a\"), None);
        assert_eq!(matches("x", r"\ud800"), None);
    }
}
