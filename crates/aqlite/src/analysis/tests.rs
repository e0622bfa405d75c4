use super::*;
use crate::value::parse_json;

fn analyzer(kind: &str, properties: &str) -> Result<Analyzer> {
    let body = format!(r#"{{"type":"{kind}","properties":{properties}}}"#);
    Analyzer::from_value("a", &parse_json(&body).unwrap())
}

/// Tokens as `text@position`.
fn tokens(kind: &str, properties: &str, text: &str) -> String {
    let tokens = analyzer(kind, properties).unwrap().tokens(text);
    tokens.iter().map(|t| format!("{}@{}", t.text, t.position)).collect::<Vec<_>>().join(" ")
}

#[test]
fn words_of_a_text_are_lower_case_without_accents_and_stemmed() {
    assert_eq!(tokens("text", r#"{"locale":"en"}"#, "Running the Fïshes"), "run@0 the@1 fish@2");
    assert_eq!(tokens("text", r#"{"locale":"en","stemming":false,"accent":true}"#, "Running Fïsh"), "running@0 fïsh@1");
    assert_eq!(tokens("text", r#"{"locale":"de","case":"upper","stemming":false}"#, "Öl da"), "OL@0 DA@1");
}

#[test]
fn stopwords_of_a_text_take_no_place() {
    assert_eq!(tokens("text", r#"{"locale":"en","stopwords":["the"]}"#, "over the top"), "over@0 top@1");
    assert_eq!(tokens("stopwords", r#"{"stopwords":["a","b"]}"#, "a"), "");
    assert_eq!(tokens("stopwords", r#"{"stopwords":["61"],"hex":true}"#, "a"), "");
    assert_eq!(tokens("stopwords", r#"{"stopwords":["a"]}"#, "A"), "A@0");
}

#[test]
fn the_beginnings_of_a_word_share_its_place() {
    let edges = r#"{"locale":"en","stemming":false,"edgeNgram":{"min":2,"max":3,"preserveOriginal":true}}"#;
    assert_eq!(tokens("text", edges, "Quick a go"), "qu@0 qui@0 quick@0 a@1 go@2");
}

#[test]
fn runs_of_characters_have_the_place_of_their_beginning() {
    let trigrams = r#"{"min":3,"max":3,"preserveOriginal":false,"streamType":"utf8"}"#;
    assert_eq!(tokens("ngram", trigrams, "foobar"), "foo@0 oob@1 oba@2 bar@3");
    assert_eq!(tokens("ngram", trigrams, "fö"), "");
    let more = r#"{"min":2,"max":3,"preserveOriginal":true,"startMarker":"^","endMarker":"$"}"#;
    assert_eq!(tokens("ngram", more, "abcd"), "^abcd@0 abcd$@0 ^ab@0 ^abc@0 bc@1 bcd$@1 cd$@2");
    assert_eq!(tokens("ngram", r#"{"min":3,"max":3,"preserveOriginal":true}"#, "ab"), "ab@0");
}

#[test]
fn a_text_is_normalized_or_stemmed_as_a_whole() {
    assert_eq!(tokens("norm", r#"{"locale":"en","case":"lower","accent":false}"#, "Fïsh Tank"), "fish tank@0");
    assert_eq!(tokens("norm", r#"{"locale":"en"}"#, "Fïsh"), "Fïsh@0");
    assert_eq!(tokens("stem", r#"{"locale":"en"}"#, "databases"), "databas@0");
}

#[test]
fn a_text_is_cut_at_delimiters() {
    assert_eq!(tokens("delimiter", r#"{"delimiter":","}"#, "a,b,,c d"), "a@0 b@1 @2 c d@3");
    assert_eq!(tokens("multi_delimiter", r#"{"delimiters":[",","::"]}"#, "a::b,,ü:c"), "a@0 b@1 ü:c@2");
    assert_eq!(tokens("segmentation", r#"{"break":"all","case":"none"}"#, "A b."), "A@0  @1 b@2 .@3");
    assert_eq!(tokens("segmentation", r#"{"break":"graphic"}"#, "A b."), "a@0 b@1 .@2");
    assert_eq!(tokens("segmentation", "{}", "A b."), "a@0 b@1");
}

#[test]
fn a_pipeline_hands_tokens_on() {
    let parts = r#"{"pipeline":[
        {"type":"delimiter","properties":{"delimiter":","}},
        {"type":"norm","properties":{"locale":"en","case":"lower"}},
        {"type":"ngram","properties":{"min":2,"max":2,"preserveOriginal":false}}]}"#;
    assert_eq!(tokens("pipeline", parts, "ABC,De"), "ab@0 bc@1 de@2");
}

#[test]
fn keys_of_a_collation_sort_as_the_language_does() {
    let swedish = |text: &str| tokens("collation", r#"{"locale":"sv"}"#, text);
    let german = |text: &str| tokens("collation", r#"{"locale":"de"}"#, text);
    assert!(swedish("ö") > swedish("z") && german("ö") < german("z"));
}

#[test]
fn what_is_left_out_is_shown() {
    let shown = |kind, properties| analyzer(kind, properties).unwrap().properties.to_json();
    assert_eq!(shown("norm", r#"{"locale":"en"}"#), r#"{"locale":"en","case":"none","accent":true}"#);
    assert_eq!(
        shown("text", r#"{"locale":"en"}"#),
        r#"{"locale":"en","case":"lower","stopwords":[],"accent":false,"stemming":true}"#
    );
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    for (kind, properties, num) in [
        ("text", "{}", code::BAD_PARAMETER),
        ("text", r#"{"locale":"en","case":"big"}"#, code::BAD_PARAMETER),
        ("ngram", r#"{"min":2}"#, code::BAD_PARAMETER),
        ("delimiter", "{}", code::BAD_PARAMETER),
        ("multi_delimiter", r#"{"delimiters":[""]}"#, code::BAD_PARAMETER),
        ("pipeline", r#"{"pipeline":[]}"#, code::BAD_PARAMETER),
        ("nonsense", "{}", code::BAD_PARAMETER),
        ("aql", "{}", code::NOT_IMPLEMENTED),
    ] {
        assert_eq!(analyzer(kind, properties).err().map(|e| e.num), Some(num), "{kind} {properties}");
    }
    let features = |list: &str| {
        let body = parse_json(&format!(r#"{{"type":"identity","features":{list}}}"#)).unwrap();
        Analyzer::from_value("a", &body).map(|a| a.features.to_value().to_json()).map_err(|e| e.num)
    };
    assert_eq!(features(r#"["norm","frequency"]"#).as_deref(), Ok(r#"["frequency","norm"]"#));
    assert_eq!(features(r#"["position"]"#), Err(code::BAD_PARAMETER));
    assert_eq!(features(r#"["colour"]"#), Err(code::BAD_PARAMETER));
}

#[test]
fn an_analyzer_reads_back_as_it_was_stored() {
    let analyzer = analyzer("ngram", r#"{"min":2,"max":2,"preserveOriginal":false}"#).unwrap();
    let text = serde_json::to_string(&analyzer).unwrap();
    let again: Analyzer = serde_json::from_str(&text).unwrap();
    assert!(again.is_like(&analyzer) && again.tokens("abc") == analyzer.tokens("abc"));
}

/// The parts of a text that tokens stand for.
fn parts<'t>(kind: &str, properties: &str, text: &'t str) -> Vec<&'t str> {
    let tokens = analyzer(kind, properties).unwrap().tokens(text);
    tokens.into_iter().map(|token| &text[token.at]).collect()
}

#[test]
fn tokens_know_where_in_the_text_they_stand() {
    assert_eq!(parts("text", r#"{"locale":"en"}"#, "Ünd, the FOXES!"), ["Ünd", "the", "FOXES"]);
    assert_eq!(parts("delimiter", r#"{"delimiter":"--"}"#, "a--bc--"), ["a", "bc", ""]);
    assert_eq!(parts("multi_delimiter", r#"{"delimiters":[",","::"]}"#, "a::b,,ö"), ["a", "b", "ö"]);
    assert_eq!(parts("ngram", r#"{"min":2,"max":2,"preserveOriginal":true}"#, "aöb"), ["aöb", "aö", "öb"]);
    assert_eq!(parts("segmentation", r#"{"break":"alpha"}"#, "Ab, cd"), ["Ab", "cd"]);
    let pipeline = r#"{"pipeline":[{"type":"delimiter","properties":{"delimiter":","}},{"type":"text","properties":{"locale":"en"}}]}"#;
    assert_eq!(parts("pipeline", pipeline, "one two,three"), ["one", "two", "three"]);
}

#[test]
fn places_are_read_as_the_analyzer_says() {
    let place = |kind: &str, properties: &str, value: &str| {
        let analyzer = analyzer(kind, properties).unwrap();
        analyzer.geo().unwrap().place(&parse_json(value).unwrap()).map(|place| place.to_json())
    };
    let line = r#"{"type":"LineString","coordinates":[[0,0],[2,0]]}"#;
    assert_eq!(place("geojson", "{}", "[7,50]").as_deref(), Some("[7,50]"));
    assert_eq!(place("geojson", "{}", line).as_deref(), Some(line));
    assert_eq!(place("geojson", r#"{"type":"centroid"}"#, line).as_deref(), Some("[1,0]"));
    assert_eq!(place("geojson", r#"{"type":"point"}"#, line), None);
    assert_eq!(place("geopoint", "{}", "[50,7]").as_deref(), Some("[7,50]"));
    assert_eq!(
        place("geopoint", r#"{"latitude":["a","b"],"longitude":["c"]}"#, r#"{"a":{"b":50},"c":7}"#).as_deref(),
        Some("[7,50]")
    );
    for nowhere in ["null", "5", "[1,2,3,4]", "{}", r#""text""#] {
        assert_eq!(place("geojson", "{}", nowhere), None, "{nowhere}");
        assert_eq!(place("geopoint", "{}", nowhere), None, "{nowhere}");
    }
    assert!(analyzer("geopoint", r#"{"latitude":["a"]}"#).is_err() && analyzer("geojson", r#"{"type":"x"}"#).is_err());
}

#[test]
fn the_signature_of_a_text_is_that_of_its_tokens() {
    let minhash = r#"{"numHashes":5,"analyzer":{"type":"delimiter","properties":{"delimiter":" "}}}"#;
    assert_eq!(tokens("minhash", minhash, "foo bar baz bar"), tokens("minhash", minhash, "foo bar baz"));
    assert_eq!(tokens("minhash", minhash, "foo bar"), "OmvEOSfAYs8@0 Jcz+LQgakgs@1");
    assert!(analyzer("minhash", r#"{"numHashes":0,"analyzer":{"type":"identity"}}"#).is_err());
    assert!(analyzer("minhash", r#"{"numHashes":5}"#).is_err());
}

#[test]
fn a_wildcard_analyzer_has_the_runs_of_its_tokens() {
    let runs = tokens("wildcard", r#"{"ngramSize":3}"#, "abcd");
    assert_eq!(runs, "abcd@0 \u{1}abc@0 \u{1}bcd@0");
    let inner = r#"{"ngramSize":2,"analyzer":{"type":"norm","properties":{"locale":"en","case":"lower"}}}"#;
    assert_eq!(tokens("wildcard", inner, "ÄB"), "äb@0 \u{1}äb@0");
    assert_eq!(tokens("wildcard", r#"{"ngramSize":3}"#, "ab"), "ab@0");
    assert!(analyzer("wildcard", r#"{"ngramSize":1}"#).is_err());
}
