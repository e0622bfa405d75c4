//! Where a recall starts.

use super::{Bounded, MOST_UNITS};
use crate::aql::explorer as stored;
use crate::error::{Error, Result};
use crate::store::Transaction;

/// Where a recall starts.
pub(super) enum Start<'a> {
    Serial(&'a str),
    Code { code: &'a str, product_key: Option<&'a str> },
    Batch(&'a str),
    Product(&'a str),
}

impl<'a> Start<'a> {
    /// The one that is given; 422 when none is, or several are.
    pub(super) fn of(
        serial_key: Option<&'a str>,
        code: Option<&'a str>,
        batch: Option<&'a str>,
        product_key: Option<&'a str>,
    ) -> Result<Self> {
        let not_blank = |text: &&str| !text.trim().is_empty();
        let [serial_key, code, batch, product_key] =
            [serial_key, code, batch, product_key].map(|text| text.filter(not_blank));
        match (serial_key, code, batch, product_key) {
            (Some(key), None, None, None) => Ok(Self::Serial(key)),
            (None, Some(code), None, product_key) => Ok(Self::Code { code, product_key }),
            (None, None, Some(batch), None) => Ok(Self::Batch(batch.trim())),
            (None, None, None, Some(key)) => Ok(Self::Product(key)),
            _ => {
                let expected = "one of serial_key, code (also with product_key), batch and product_key is expected";
                Err(Error::invalid(&["query", "serial_key"], expected))
            }
        }
    }

    /// The keys of the starting serials that were created in a span of time.
    pub(super) async fn serials(
        &self,
        trx: &Transaction,
        (from, to): &(Option<String>, Option<String>),
    ) -> Result<Bounded> {
        let limit = MOST_UNITS + 1;
        let (from, to) = (from.as_deref(), to.as_deref());
        let (serial_key, code, product_key, values) = match *self {
            Self::Serial(key) => (Some(key), None, None, Vec::new()),
            Self::Code { code, product_key } => (None, Some(code), product_key, Vec::new()),
            // As it was given and in either case: values have no order that ignores it.
            Self::Batch(batch) => (None, None, None, either_case(batch)),
            Self::Product(product_key) => {
                let params = stored::origins_of_product::Params { product_key, from, to, limit };
                return Ok(Bounded::new(stored::origins_of_product(trx, params).await?, MOST_UNITS));
            }
        };
        let values = (&values).into();
        let params = stored::origins::Params { serial_key, code, product_key, values, from, to, limit };
        Ok(Bounded::new(stored::origins(trx, params).await?, MOST_UNITS))
    }
}

/// A text as it is, in capitals and without, each once.
fn either_case(text: &str) -> Vec<String> {
    let mut cases = vec![text.to_owned(), text.to_uppercase(), text.to_lowercase()];
    cases.sort_unstable();
    cases.dedup();
    cases
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recall_starts_from_one_thing() {
        let start = |serial, code, batch, product| Start::of(serial, code, batch, product).is_ok();
        assert!(start(Some("s"), None, None, None) && start(None, Some("c"), None, Some("p")));
        assert!(
            start(None, None, Some("b"), None)
                && start(None, None, None, Some("p"))
                && start(Some("s"), Some(" "), None, None)
        );
        assert!(!start(None, None, None, None) && !start(Some("s"), Some("c"), None, None));
        assert!(!start(None, None, Some("b"), Some("p")) && !start(Some(" "), None, None, None));
    }

    #[test]
    fn a_value_is_looked_for_in_either_case() {
        assert_eq!(either_case("Ab"), ["AB", "Ab", "ab"]);
        assert_eq!(either_case("7"), ["7"]);
    }
}
