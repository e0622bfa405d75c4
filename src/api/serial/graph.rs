//! What the walks along `contains` share: the links, and where the serials at their ends stand among those that were loaded.
//! The walks differ in what they look for: the longest ways up ([`ancestry`](super::ancestry)) and all that lies below a root
//! ([`hierarchy`](super::hierarchy)). The shortest way to every container is the database's own ([`where_used`](super::where_used)),
//! which cuts its page there.

use std::collections::HashMap;

use serde::Deserialize;

/// A link to a serial, upwards or downwards.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Link {
    /// The serial at its other end.
    pub serial_key: String,
    /// Whether the component was taken out again.
    pub replaced: bool,
    /// Whether somebody confirmed that it was put in.
    pub confirmed: bool,
}

/// The state of a link whose ends are known by their places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LinkState {
    pub replaced: bool,
    pub confirmed: bool,
}

impl LinkState {
    /// Whether what is below the link is shown.
    pub(super) fn is_open(self) -> bool {
        !self.replaced && self.confirmed
    }
}

/// Where each of these serials stands.
pub(super) fn places<'a>(keys: impl Iterator<Item = &'a str>) -> HashMap<&'a str, usize> {
    keys.enumerate().map(|(at, key)| (key, at)).collect()
}

/// Links with the places of the serials at their other ends; those of which nothing was loaded are left out.
pub(super) fn placed(links: &[Link], places: &HashMap<&str, usize>) -> Vec<(usize, LinkState)> {
    let placed = links.iter().filter_map(|link| {
        let state = LinkState { replaced: link.replaced, confirmed: link.confirmed };
        Some((*places.get(link.serial_key.as_str())?, state))
    });
    placed.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(key: &str, replaced: bool, confirmed: bool) -> Link {
        Link { serial_key: key.to_owned(), replaced, confirmed }
    }

    #[test]
    fn a_link_to_what_was_not_loaded_has_no_place() {
        let places = places(["a", "b"].into_iter());
        let links = ["b", "gone", "a"].map(|key| link(key, false, true));
        assert_eq!(placed(&links, &places).iter().map(|(at, _)| *at).collect::<Vec<_>>(), [1, 0]);
    }

    #[test]
    fn what_is_below_replaced_and_unconfirmed_links_is_not_shown() {
        let is_open = |replaced, confirmed| LinkState { replaced, confirmed }.is_open();
        assert!(is_open(false, true));
        assert!(!is_open(true, true));
        assert!(!is_open(false, false));
    }
}
