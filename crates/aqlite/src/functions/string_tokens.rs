//! `TOKENS()` and what else asks an analyzer.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::{Function, Host, pure, warn_with};
use crate::Result;
use crate::analysis::{Analyzer, Token};
use crate::error::{Error, code};
use crate::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[pure("TOKENS", 1, 2, tokens), pure("NGRAM_MATCH", 2, 4, ngram_match)];

/// Depth of arrays that are analyzed.
const MAX_DEPTH: usize = 128;

fn tokens(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let name = match args.get(1) {
        None => "identity",
        Some(name) => match name.as_str() {
            Some(name) => name,
            None => {
                return Err(Error::new(
                    code::BAD_PARAMETER,
                    "invalid arguments while computing result for function 'TOKENS'",
                ));
            }
        },
    };
    let Some((_, analyzer)) = host.analyzer(name)? else {
        return Err(Error::new(
            code::BAD_PARAMETER,
            format!(
                "failure to find arangosearch analyzer with name '{name}' while computing result for function 'TOKENS'"
            ),
        ));
    };
    analyze(&args[0], &analyzer, 0)
}

fn analyze(value: &Value, analyzer: &Analyzer, depth: usize) -> Result<Value> {
    match value {
        Value::Str(text) => {
            Ok(Value::array(analyzer.tokens(text).into_iter().map(|token| Value::Str(token.text)).collect()))
        }
        // the tokens under which an index finds these values
        Value::Null => Ok(Value::array(vec!["".into()])),
        Value::Bool(b) => Ok(Value::array(vec![if *b { "/w==" } else { "AA==" }.into()])),
        // no value has tokens of its own there, and ArangoDB says so of one
        _ if value.array_len() == Some(0) => Ok(Value::array(vec![Value::array(Vec::new())])),
        _ if value.is_array() && depth < MAX_DEPTH => {
            let items: Result<Vec<_>> = value.iter_array().map(|item| analyze(&item, analyzer, depth + 1)).collect();
            items.map(Value::array)
        }
        _ if value.is_array() => Err(Error::plain(code::QUERY_TOO_MUCH_NESTING)),
        Value::Int(_) | Value::Float(_) => Ok(number_tokens(value.to_f64())),
        _ => Err(Error::new(code::BAD_PARAMETER, "Unexpected parameter type for function 'TOKENS'")),
    }
}

/// A number under four precisions, each in bytes that sort as the numbers do, behind a byte that tells the precision.
fn number_tokens(x: f64) -> Value {
    const FULL_PRECISION: u8 = 0xa0;
    const STEP: u8 = 16;
    let bits = x.to_bits();
    let sortable = if x.is_sign_negative() { !bits } else { bits ^ (1 << 63) };
    let token = |shift: u8| {
        let kept = 8 - usize::from(shift / 8);
        let bytes = [&[FULL_PRECISION + shift], &sortable.to_be_bytes()[..kept]].concat();
        Value::from(STANDARD.encode(bytes))
    };
    Value::array((0..4).map(|precision| token(precision * STEP)).collect())
}

/// Whether enough of the tokens of the target occur in the text, in their order.
fn ngram_match(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    const NAME: &str = "NGRAM_MATCH";
    const DEFAULT_THRESHOLD: f64 = 0.7;
    let Some(analyzer) = args.get(2).and_then(|_| args.last()) else {
        let message = "Minimum 3 arguments are expected.";
        return warn_with(host, NAME, code::QUERY_FUNCTION_ARGUMENT_NUMBER_MISMATCH, message);
    };
    let threshold = if args.len() > 3 { args[2].as_f64() } else { Some(DEFAULT_THRESHOLD) };
    let (Some(text), Some(target), Some(threshold)) = (args[0].as_str(), args[1].as_str(), threshold) else {
        return host.wrong_type(NAME);
    };
    if threshold <= 0.0 || threshold > 1.0 {
        // told, and used all the same
        warn_with(host, NAME, code::BAD_PARAMETER, "Threshold must be between 0 and 1")?;
    }
    let Some(analyzer) = analyzer.as_str() else { return host.wrong_type(NAME) };
    let Some((_, analyzer)) = host.analyzer(analyzer)? else {
        return warn_with(host, NAME, code::BAD_PARAMETER, "Unable to load requested analyzer");
    };
    let (text, target) = (analyzer.tokens(text), analyzer.tokens(target));
    let needed = (target.len() as f64 * threshold).ceil() as usize;
    Ok(in_common(&text, &target, needed).into())
}

/// Do the lists have that many elements in common, in their order?
fn in_common(text: &[Token], target: &[Token], needed: usize) -> bool {
    let mut row = vec![0; text.len() + 1];
    // carried over from one row to the next, as ArangoDB computes it
    let mut diagonal = 0;
    for y in target {
        for (i, x) in text.iter().enumerate() {
            let matching = diagonal + usize::from(x.text == y.text);
            if matching >= needed {
                return true;
            }
            let above = row[i + 1];
            row[i + 1] = matching.max(above).max(row[i]);
            diagonal = above;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use crate::functions::testing::answer;

    #[test]
    fn words_are_lower_case_without_accents_and_stemmed() {
        let tokens = answer("TOKENS", r#"["Lörem ipsüm, DOLOR SIT Ämet.","text_de"]"#);
        assert_eq!(tokens, r#"["lor","ipsum","dolor","sit","amet"]"#);
        assert_eq!(answer("TOKENS", r#"[["quick brown",["foxes"]],"text_en"]"#), r#"[["quick","brown"],[["fox"]]]"#);
        assert_eq!(answer("TOKENS", r#"["A b"]"#), r#"["A b"]"#);
    }

    #[test]
    fn enough_tokens_are_in_common() {
        assert_eq!(answer("NGRAM_MATCH", r#"["quick brown fox","quick fox","text_en"]"#), "true");
        assert_eq!(answer("NGRAM_MATCH", r#"["quick brown fox","slow fox",0.6,"text_en"]"#), "false");
        assert_eq!(answer("NGRAM_MATCH", r#"["","","text_en"]"#), "false");
        assert_eq!(answer("NGRAM_MATCH", r#"["a","a",2,"text_en"]"#), "warning 10");
        assert_eq!(answer("NGRAM_MATCH", r#"["a","a",true,"text_en"]"#), "warning 1542");
        assert_eq!(answer("NGRAM_MATCH", r#"["a","a"]"#), "warning 1541");
        assert_eq!(answer("TOKENS", r#"["Foxes run","text_zh"]"#), r#"["foxes","run"]"#);
    }

    #[test]
    fn a_number_has_tokens_of_four_precisions() {
        assert_eq!(answer("TOKENS", r#"[1,"text_en"]"#), r#"["oL/wAAAAAAAA","sL/wAAAAAA==","wL/wAAA=","0L/w"]"#);
        assert_eq!(answer("TOKENS", "[[-1]]"), r#"[["oEAP////////","sEAP/////w==","wEAP//8=","0EAP"]]"#);
    }

    #[test]
    fn an_unknown_analyzer_is_named() {
        assert_eq!(answer("TOKENS", r#"["a","mine"]"#), "error 10");
        assert_eq!(answer("NGRAM_MATCH", r#"["a","b","mine"]"#), "warning 10");
    }
}
