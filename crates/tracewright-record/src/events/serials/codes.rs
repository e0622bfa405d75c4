//! Codes of serials: free among those of their product, given by hand or drawn from a counter.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::aql::rows::CodeGroup;
use crate::aql::serial_events::{TAKEN_CODES, taken_codes};
use crate::counters::Series;
use crate::error::{Error, Result};
use crate::events::{Call, Refusal};
use crate::store::{Access, Transaction, guards};
use tracewright_model::{Key, collection};

/// The most characters of a code: labels and headers must hold it.
const LONGEST: usize = 255;
/// How many codes of a counter in a row may be taken.
const MOST_TAKEN: usize = 1_000;
/// How many codes are looked up at least, once some were taken.
const LOOKED_AHEAD: usize = 100;

/// Codes of products.
pub(super) type Codes = BTreeSet<(String, String)>;

/// A code as it is stored: trimmed and upper-cased. An empty one is none.
pub fn normal(code: &str) -> Option<String> {
    let code = code.trim().to_uppercase();
    (!code.is_empty()).then_some(code)
}

/// Refuses a code that is longer than codes are.
pub(super) fn must_fit(code: &str) -> Result<()> {
    if code.chars().count() > LONGEST {
        return Err(Refusal::Value.says(format!("A serial code has at most {LONGEST} characters")));
    }
    Ok(())
}

/// The lock of a counter.
pub(super) fn lock_of_counter(key: &str) -> String {
    format!("Counter/{key}")
}

/// What looking for free codes reads and writes.
pub(super) fn access() -> Access<'static> {
    Access::of(&[TAKEN_CODES]).and(&Series::QUERIES)
}

/// The serials that have these codes. Their guards are touched as well, so that of two who write one code the later begins
/// again, and sees it.
pub(super) async fn holders(trx: &Transaction, codes: &Codes) -> Result<BTreeMap<(String, String), String>> {
    if codes.is_empty() {
        return Ok(BTreeMap::new());
    }
    let (groups, guards) = asked(codes);
    let params = taken_codes::Params { groups: &groups, guards: (&guards).into(), now: guards::now() };
    let taken = taken_codes(trx, params).await?;
    Ok(taken.into_iter().map(|taken| ((taken.product_key, taken.code), taken.serial_key)).collect())
}

/// The parameters of a query that touches the guards of codes and tells which are taken.
pub(super) fn asked(codes: &Codes) -> (Vec<CodeGroup>, Vec<String>) {
    let guards = guards::keys(codes.iter().map(|(product_key, code)| (product_key.as_str(), code.as_str())));
    let mut groups: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (product_key, code) in codes {
        groups.entry(product_key).or_default().push(code.clone());
    }
    let group = |(product_key, codes): (&str, _)| CodeGroup { product_key: product_key.to_owned(), codes };
    (groups.into_iter().map(group).collect(), guards)
}

/// The refusal of a code that another serial has.
pub(super) fn present(code: &str, product: &str) -> Error {
    Refusal::SerialCodePresent.says(format!("Code {code} exists for product {product}"))
}

/// A serial that needs a code.
#[derive(Debug, Clone)]
pub(super) struct Wanting {
    /// Its product.
    pub product_key: String,
    /// How people know the product.
    pub product_code: String,
    /// The counter of the product, else of the serial.
    pub counter_key: Option<Key<collection::Counter>>,
}

/// A code for each, in their order. Codes that are taken, or given in the same call, are skipped.
pub(super) async fn draw(call: &Call<'_>, wanting: &[Wanting], given: &Codes) -> Result<Vec<String>> {
    let mut by_counter: BTreeMap<&Key<collection::Counter>, VecDeque<usize>> = BTreeMap::new();
    for (index, wants) in wanting.iter().enumerate() {
        let none = || {
            let text = format!("Product {} has no counter: give a code", wants.product_code);
            Refusal::Value.says(text)
        };
        by_counter.entry(wants.counter_key.as_ref().ok_or_else(none)?).or_default().push_back(index);
    }
    let mut drawn = vec![String::new(); wanting.len()];
    for (counter_key, mut waiting) in by_counter {
        draw_from(call, counter_key, wanting, &mut waiting, given, &mut drawn).await?;
    }
    Ok(drawn)
}

async fn draw_from(
    call: &Call<'_>,
    counter_key: &Key<collection::Counter>,
    wanting: &[Wanting],
    waiting: &mut VecDeque<usize>,
    given: &Codes,
    drawn: &mut [String],
) -> Result<()> {
    let series = Series::of(call.trx, call.recorder.settings.time_zone(), counter_key).await?;
    let series = series.ok_or_else(|| Refusal::Value.not_found("Counter", counter_key))?;
    if !series.is_distinct() {
        let text = format!("Counter {} has no #N in its template, so its codes would repeat", series.name());
        return Err(Refusal::Value.says(text));
    }
    let products: BTreeSet<&str> = waiting.iter().map(|index| wanting[*index].product_key.as_str()).collect();
    let (mut used, mut taken_in_a_row, mut looked_at) = (0, 0, waiting.len());
    while !waiting.is_empty() {
        let codes: Vec<String> = series.upcoming(used + looked_at)?.split_off(used);
        let codes: Vec<String> = codes.iter().filter_map(|code| normal(code)).collect();
        let pairs = products.iter().flat_map(|product| codes.iter().map(|code| ((*product).to_owned(), code.clone())));
        let mut taken: Codes = holders(call.trx, &pairs.collect()).await?.into_keys().collect();
        taken.extend(given.iter().cloned());
        for code in codes {
            let Some(index) = waiting.front().copied() else { break };
            used += 1;
            if taken.contains(&(wanting[index].product_key.clone(), code.clone())) {
                taken_in_a_row += 1;
                if taken_in_a_row == MOST_TAKEN {
                    return Err(Refusal::Value.says(format!("Counter {} gives no free code", series.name())));
                }
                continue;
            }
            taken_in_a_row = 0;
            drawn[index] = code;
            waiting.pop_front();
        }
        looked_at = waiting.len().max(LOOKED_AHEAD);
    }
    series.advance(call.trx, used).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_trimmed_and_upper_cased_and_an_empty_one_is_none() {
        assert_eq!(normal(" a1 ").as_deref(), Some("A1"));
        assert_eq!(normal("  "), None);
    }
}
