//! Serials and links between them, for the tests of the walks.

use std::collections::HashMap;

use super::ancestry::Ancestor;
use super::graph::Link;

fn serial(key: &str) -> Ancestor {
    Ancestor {
        serial_key: key.to_owned(),
        serial_code: Some(key.to_uppercase()),
        product_key: None,
        product_code: None,
        product_description: None,
        live: true,
        parents: Vec::new(),
    }
}

/// `c<b` says that b contains c; `c<~b` that it did, before c was replaced.
pub(super) fn linked<T: AsRef<str>>(links: &[T]) -> Vec<Ancestor> {
    let mut serials: Vec<Ancestor> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut place = |serials: &mut Vec<Ancestor>, key: &str| {
        *places.entry(key.to_owned()).or_insert_with(|| {
            serials.push(serial(key));
            serials.len() - 1
        })
    };
    for link in links {
        let (child, parent) = link.as_ref().split_once('<').unwrap();
        let replaced = parent.starts_with('~');
        let serial_key = parent.trim_start_matches('~').to_owned();
        place(&mut serials, &serial_key);
        let child = place(&mut serials, child);
        serials[child].parents.push(Link { serial_key, replaced, confirmed: true });
    }
    serials
}

/// The serial 0 in 1, 1 in 2, and so on up to the last.
pub(super) fn chain(last: usize) -> Vec<Ancestor> {
    let links: Vec<String> = (0..last).map(|level| format!("{level}<{}", level + 1)).collect();
    linked(&links)
}
