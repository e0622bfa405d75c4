//! How alike two strings are.

use super::{Function, Host, pure, text, warn_in, warn_with};
use crate::Result;
use crate::error::code;
use crate::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    pure("LEVENSHTEIN_DISTANCE", 2, 2, levenshtein_distance),
    pure("LEVENSHTEIN_MATCH", 3, 6, levenshtein_match),
    pure("NGRAM_SIMILARITY", 3, 3, |host, args| ngram_similarity(host, args, "NGRAM_SIMILARITY", true)),
    pure("NGRAM_POSITIONAL_SIMILARITY", 3, 3, |host, args| {
        ngram_similarity(host, args, "NGRAM_POSITIONAL_SIMILARITY", false)
    }),
    pure("SOUNDEX", 1, 1, |_, args| Ok(soundex(&text(args, 0)).into())),
];

/// Greatest distance `LEVENSHTEIN_MATCH()` knows with transpositions; beyond it compares without them.
const MAX_WITH_TRANSPOSITIONS: usize = 3;
/// Greatest distance it accepts where transpositions are switched off.
const MAX_WITHOUT_TRANSPOSITIONS: usize = 4;

/// Greatest product of the lengths of two strings that are compared: the work grows with it and cannot be interrupted.
const MAX_CELLS: usize = 100_000_000;

fn too_long(a: &str, b: &str) -> bool {
    a.len().saturating_mul(b.len()) > MAX_CELLS
}

fn levenshtein_distance(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let (a, b) = (text(args, 0), text(args, 1));
    if too_long(&a, &b) {
        return warn_in(host, "LEVENSHTEIN_DISTANCE", code::RESOURCE_LIMIT);
    }
    Ok(strsim::levenshtein(&a, &b).into())
}

fn levenshtein_match(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    const NAME: &str = "LEVENSHTEIN_MATCH";
    if !args[2].is_number() || args.get(3).is_some_and(|t| !t.is_bool()) {
        return host.wrong_type(NAME);
    }
    let transpositions = args.get(3).is_none_or(Value::truthy);
    let most = match usize::try_from(args[2].to_i64()?) {
        Ok(most) if transpositions || most <= MAX_WITHOUT_TRANSPOSITIONS => most,
        _ => return host.wrong_type(NAME),
    };
    let (attribute, target) = if transpositions && most > MAX_WITH_TRANSPOSITIONS {
        (text(args, 0), text(args, 1))
    } else {
        let string = |v: &Value| v.as_str().map(Into::into).unwrap_or_default();
        (string(&args[0]), string(&args[1]))
    };
    // the number of terms and the prefix mean something in searches only
    if too_long(&attribute, &target) {
        return warn_in(host, NAME, code::RESOURCE_LIMIT);
    }
    let distance = if transpositions && most <= MAX_WITH_TRANSPOSITIONS {
        strsim::osa_distance(&attribute, &target)
    } else {
        strsim::levenshtein(&attribute, &target)
    };
    Ok((distance <= most).into())
}

fn ngram_similarity(host: &mut dyn Host, args: &[Value], name: &str, search: bool) -> Result<Value> {
    let (Some(attribute), Some(target), true) = (args[0].as_str(), args[1].as_str(), args[2].is_number()) else {
        return host.wrong_type(name);
    };
    let Some(size) = usize::try_from(args[2].to_i64()?).ok().filter(|size| *size > 0) else {
        return warn_with(host, name, code::BAD_PARAMETER, "Invalid ngram size. Should be 1 or greater");
    };
    if too_long(attribute, target) {
        return warn_in(host, name, code::RESOURCE_LIMIT);
    }
    let attribute: Vec<char> = attribute.chars().collect();
    let target: Vec<char> = target.chars().collect();
    Ok(Value::float(f64::from(similarity(&target, &attribute, size, search))))
}

/// The n-gram similarity of G. Kondrak, "N-gram similarity and distance" (2005). `search`: n-grams are alike or not and
/// the result is relative to the target; otherwise they are alike by degrees, relative to the longer string.
fn similarity(target: &[char], source: &[char], size: usize, search: bool) -> f32 {
    let (target, source) = if !search && target.len() > source.len() { (source, target) } else { (target, source) };
    if target.len() < size || source.len() < size {
        return match (search, source.is_empty()) {
            (true, _) => f32::from(target == source),
            (false, true) => 1.0,
            (false, false) => alike(target, source) as f32 / source.len() as f32,
        };
    }
    let (targets, sources) = (target.windows(size), source.windows(size));
    let longest = if search { targets.len() } else { sources.len() };
    let mut best = vec![0.0f32; sources.len() + 1];
    // carried over from one row to the next, as ArangoDB computes it
    let mut diagonal = 0.0f32;
    for t in targets {
        for (i, s) in sources.clone().enumerate() {
            let gained = if search { f32::from(t == s) } else { alike(t, s) as f32 / size as f32 };
            let above = best[i + 1];
            best[i + 1] = best[i].max(above).max(diagonal + gained);
            diagonal = above;
        }
    }
    best.last().copied().unwrap_or_default() / longest as f32
}

/// Number of positions at which two strings have the same character.
fn alike(a: &[char], b: &[char]) -> usize {
    a.iter().zip(b).filter(|(x, y)| x == y).count()
}

fn soundex(text: &str) -> String {
    let code = |b: u8| match b.to_ascii_lowercase() {
        b'b' | b'f' | b'p' | b'v' => Some('1'),
        b'c' | b'g' | b'j' | b'k' | b'q' | b's' | b'x' | b'z' => Some('2'),
        b'd' | b't' => Some('3'),
        b'l' => Some('4'),
        b'm' | b'n' => Some('5'),
        b'r' => Some('6'),
        _ => None,
    };
    let mut letters = text.bytes().skip_while(|b| !b.is_ascii_alphabetic());
    let Some(first) = letters.next() else { return String::new() };
    let mut out = String::from(char::from(first.to_ascii_uppercase()));
    let mut previous = None;
    for current in letters.map(code) {
        if let Some(digit) = current.filter(|_| current != previous) {
            out.push(digit);
            if out.len() == 4 {
                break;
            }
        }
        previous = current;
    }
    format!("{out:0<4}")
}

#[cfg(test)]
mod tests {
    use crate::functions::testing::answer;

    #[test]
    fn the_distance_counts_characters() {
        assert_eq!(answer("LEVENSHTEIN_DISTANCE", r#"["kitten","sitting"]"#), "3");
        assert_eq!(answer("LEVENSHTEIN_DISTANCE", r#"["der mötör trötet","der trötet"]"#), "6");
        assert_eq!(answer("LEVENSHTEIN_DISTANCE", r#"[null,"ab"]"#), "2");
    }

    #[test]
    fn a_transposition_is_one_step_unless_switched_off() {
        assert_eq!(answer("LEVENSHTEIN_MATCH", r#"["ab","ba",1,true]"#), "true");
        assert_eq!(answer("LEVENSHTEIN_MATCH", r#"["ab","ba",1,false]"#), "false");
        assert_eq!(answer("LEVENSHTEIN_MATCH", r#"["abc","xyz",5,false]"#), "warning 1542");
        assert_eq!(answer("LEVENSHTEIN_MATCH", r#"["foobar","bax",1,false,64,"foo"]"#), "false");
        assert_eq!(answer("LEVENSHTEIN_MATCH", r#"["bar","bax",1,false,null,null]"#), "true");
        assert_eq!(answer("LEVENSHTEIN_MATCH", "[null,1,1]"), "true");
    }

    #[test]
    fn ngrams_are_compared_as_a_whole_or_by_position() {
        assert_eq!(answer("NGRAM_SIMILARITY", r#"["quick fox","quick foxx",3]"#), "0.875");
        assert_eq!(answer("NGRAM_SIMILARITY", r#"["quick fox","quirky fox",3]"#), "0.375");
        assert_eq!(answer("NGRAM_POSITIONAL_SIMILARITY", r#"["quick fox","quirky fox",3]"#), "0.6666666865348816");
        assert_eq!(answer("NGRAM_SIMILARITY", r#"["a","b",0]"#), "warning 10");
    }

    #[test]
    fn soundex_starts_at_the_first_letter() {
        for (word, code) in
            [("example", "E251"), ("sounteks", "S532"), ("Müller", "M460"), (" 1x", "X000"), ("123", "")]
        {
            assert_eq!(answer("SOUNDEX", &format!("[\"{word}\"]")), format!("\"{code}\""));
        }
    }
}
