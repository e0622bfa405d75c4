//! The analyzers every database has.

use std::sync::{Arc, LazyLock};

use super::{Analyzer, Features};
use crate::value::Value;

/// The languages of the analyzers of texts.
const LANGUAGES: [&str; 12] = ["de", "en", "es", "fi", "fr", "it", "nl", "no", "pt", "ru", "sv", "zh"];

/// All of them, by name.
pub static BUILT_IN: LazyLock<Vec<Arc<Analyzer>>> = LazyLock::new(|| {
    let identity = Features { frequency: true, norm: true, ..Features::default() };
    let identity = Analyzer::new("identity".into(), "identity".into(), &Value::Null, identity);
    let texts = LANGUAGES.iter().map(|language| {
        let locale = Value::from_pairs([("locale", Value::str(*language)), ("stopwords", Value::array(Vec::new()))]);
        Analyzer::new(smol_str::format_smolstr!("text_{language}"), "text".into(), &locale, Features::OF_TEXTS)
    });
    std::iter::once(identity)
        .chain(texts)
        .map(|analyzer| Arc::new(analyzer.expect("settings that are known")))
        .collect()
});

/// The one of that name.
pub fn built_in(name: &str) -> Option<&'static Arc<Analyzer>> {
    BUILT_IN.iter().find(|analyzer| analyzer.name == name)
}
