//! Search texts with wildcards: `*` any run, `?` one character, a backslash takes the meaning from either.

/// The regular expression of a search text, to be matched without regard to case; `None` for an empty text, which
/// restricts nothing. The match is unanchored, except that a trailing `*` anchors the start and a leading `*` the end.
pub fn regex(text: Option<&str>) -> Option<String> {
    let text = text.filter(|text| !text.is_empty())?;
    let (body, ends_with_run) = body(text);
    let start = if ends_with_run { "^" } else { "" };
    let end = if text.starts_with('*') { "$" } else { "" };
    Some(format!("{start}{body}{end}"))
}

/// The same for codes that begin with what the text describes, whatever follows.
pub fn starting_regex(text: &str) -> String {
    format!("^{}", body(text).0)
}

/// What a search text consists of.
enum Part {
    /// Any run of characters.
    Run,
    /// One character.
    One,
    /// A character that is meant itself.
    Literal(char),
}

fn parts(text: &str) -> impl Iterator<Item = Part> {
    let mut characters = text.chars().peekable();
    std::iter::from_fn(move || {
        Some(match characters.next()? {
            '*' => Part::Run,
            '?' => Part::One,
            '\\' => Part::Literal(characters.next_if(|next| matches!(next, '*' | '?')).unwrap_or('\\')),
            literal => Part::Literal(literal),
        })
    })
}

/// The expression without anchors, and whether the text ends with a run.
fn body(text: &str) -> (String, bool) {
    let mut body = String::new();
    let mut ends_with_run = false;
    for part in parts(text) {
        ends_with_run = matches!(part, Part::Run);
        match part {
            Part::Run => body.push_str(".*"),
            Part::One => body.push('.'),
            Part::Literal(literal) => push_literal(&mut body, literal),
        }
    }
    (body, ends_with_run)
}

/// What stands between the wildcards. Each piece stands in every text that matches, whatever its case.
pub fn literals(text: &str) -> Vec<String> {
    let mut pieces = vec![String::new()];
    for part in parts(text) {
        match (part, pieces.last_mut()) {
            (Part::Literal(literal), Some(piece)) => piece.push(literal),
            _ => pieces.push(String::new()),
        }
    }
    pieces
}

/// What every text that matches begins with, whatever its case; `None` where matches may begin in any way. Only its printable
/// ASCII characters, which no collation joins with others in the languages that the databases are set to.
pub fn beginning(text: Option<&str>) -> Option<String> {
    let text = text?;
    // A trailing run anchors the start, unless its meaning was taken from it.
    regex(Some(text)).filter(|pattern| pattern.starts_with('^'))?;
    first_literals(text)
}

/// The literal characters with which a text starts, as [`beginning`] tells them.
pub fn first_literals(text: &str) -> Option<String> {
    let literals = parts(text).map_while(|part| if let Part::Literal(literal) = part { Some(literal) } else { None });
    let beginning: String = literals.take_while(|literal| (' '..='~').contains(literal)).collect();
    (!beginning.is_empty()).then_some(beginning)
}

/// The bounds between which an index has all texts with this beginning, whatever their case, as the stored queries take
/// them: in upper and in lower case, as which case comes first is the database's own, and what is behind them all.
pub fn bounds(beginning: Option<&str>) -> [Option<String>; 3] {
    let bound = |write: fn(&str) -> String| beginning.map(write);
    // the last character of every collation
    let last = |text: &str| format!("{}\u{ffff}", text.to_ascii_lowercase());
    [bound(str::to_ascii_uppercase), bound(str::to_ascii_lowercase), bound(last)]
}

fn push_literal(body: &mut String, character: char) {
    if character.is_ascii_punctuation() {
        body.push('\\');
    }
    body.push(character);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(search: &str, text: &str) -> bool {
        let pattern = regex(Some(search)).unwrap();
        regex::RegexBuilder::new(&pattern).case_insensitive(true).build().unwrap().is_match(text)
    }

    #[test]
    fn a_plain_text_matches_anywhere_without_regard_to_case() {
        assert!(matches("abc", "xxABCxx"));
        assert!(!matches("abc", "ab"));
    }

    #[test]
    fn a_run_at_the_end_anchors_the_start_and_the_other_way_round() {
        assert!(matches("ABC*", "abcdef"));
        assert!(!matches("ABC*", "xabc"));
        assert!(matches("*ABC", "xabc"));
        assert!(!matches("*ABC", "abcx"));
        assert!(matches("*ABC*", "xabcx"));
    }

    #[test]
    fn wildcards_inside_match_runs_and_single_characters() {
        assert!(matches("a*d", "abcd"));
        assert!(matches("a?c", "abc"));
        assert!(!matches("a?c", "ac"));
    }

    #[test]
    fn escaped_wildcards_and_all_else_are_literal() {
        assert!(matches(r"a\*b", "a*b"));
        assert!(!matches(r"a\*b", "axb"));
        assert!(matches(r"50%_[x].(y)\z", r"50%_[x].(y)\z"));
        assert!(!matches("a.c", "abc"));
        assert!(!matches(r"x\*", "xyz"));
    }

    #[test]
    fn an_anchored_start_gives_what_matches_begin_with() {
        let beginning = |text| beginning(Some(text));
        assert_eq!(beginning("SN-2026*"), Some("SN-2026".to_owned()));
        assert_eq!(beginning("SN?1*"), Some("SN".to_owned()));
        assert_eq!(beginning(r"a\*b*"), Some("a*b".to_owned()));
        assert_eq!(beginning("aéb*"), Some("a".to_owned()));
        for text in ["SN", "*SN", "*", "?a*", r"SN\*", ""] {
            assert_eq!(beginning(text), None, "{text}");
        }
    }

    #[test]
    fn a_start_needs_no_run_behind_it() {
        let begins = |search: &str, text: &str| {
            let pattern = starting_regex(search);
            regex::RegexBuilder::new(&pattern).case_insensitive(true).build().unwrap().is_match(text)
        };
        assert!(begins("abc", "ABCdef") && begins("a*d", "axxdef") && begins(r"a\*", "a*b") && begins("a\\", "a\\b"));
        assert!(!begins("abc", "xabc") && !begins(r"a\*", "ab"));
        assert_eq!(first_literals("SN?1"), Some("SN".to_owned()));
        assert_eq!(first_literals("*SN"), None);
    }

    #[test]
    fn literals_stand_between_wildcards() {
        assert_eq!(literals(r"SN-26*\*7?x\"), ["SN-26", "*7", r"x\"]);
        assert_eq!(literals("*abc"), ["", "abc"]);
    }

    #[test]
    fn an_empty_text_restricts_nothing() {
        assert_eq!(regex(Some("")), None);
        assert_eq!(regex(None), None);
    }
}
