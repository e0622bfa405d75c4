//! Topics: what streams are opened for, and who may.

use poem::http::StatusCode;
use tracewright_model as model;

use crate::auth::{Caller, Scope};
use crate::error::{Error, Result};

/// What ends the older names of topics.
const OLDER: &str = "-notification";
/// What begins the topic of one user.
const USER: &str = "user:";
/// The most characters of a name.
const MOST: usize = 128;

/// A topic, by a name that a client uses for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topic<'a> {
    /// The name as the client writes it.
    pub name: &'a str,
    /// The name under which messages are published.
    pub published: &'a str,
}

impl<'a> Topic<'a> {
    /// The topic of a name; 422 at `place` when it cannot be one.
    pub fn of(name: &'a str, place: &[&str]) -> Result<Self> {
        let is_known = |c: char| c.is_ascii_alphanumeric() || "_.:-".contains(c);
        // The earlier system had a topic of all users. Who asks for it is told that it is closed.
        let is_all_users = name.strip_prefix(USER) == Some("*");
        if !is_all_users && (name.is_empty() || name.len() > MOST || !name.chars().all(is_known)) {
            let text = "a topic has 1 to 128 letters, digits and characters of _ . : -";
            return Err(Error::invalid(place, text));
        }
        let published = name.strip_suffix(OLDER).filter(|rest| !rest.is_empty()).unwrap_or(name);
        Ok(Self { name, published })
    }

    /// The scope that its streams need beside that of all streams.
    pub fn scope(&self) -> Option<Scope> {
        model::Topic::ALL.into_iter().find(|topic| topic.name() == self.published).map(model::Topic::scope)
    }

    /// 403 when it is not for a caller.
    pub fn must_be_open_to(&self, caller: &Caller) -> Result<()> {
        if let Some(user_key) = self.published.strip_prefix(USER) {
            let closed = || Error::answer(StatusCode::FORBIDDEN, "This topic belongs to another user.".into());
            return (user_key == caller.user_key()).then_some(()).ok_or_else(closed);
        }
        self.scope().map_or(Ok(()), |scope| caller.require(scope))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn published(name: &str) -> Option<&str> {
        Topic::of(name, &["path", "topic"]).ok().map(|topic| topic.published)
    }

    #[test]
    fn an_older_name_means_the_same_topic() {
        assert_eq!(published("serial-notification"), Some("serial"));
        assert_eq!(published("serial"), Some("serial"));
        assert_eq!(published("-notification"), Some("-notification"));
    }

    #[test]
    fn a_name_has_1_to_128_characters_of_the_set() {
        for name in ["a", "user:*", "user:u.1_x-y", &"a".repeat(128)] {
            assert!(published(name).is_some(), "{name}");
        }
        for name in ["", "a b", "a/b", "a*", "*", "user:**", "\u{e4}", "a\n", &"a".repeat(129)] {
            assert_eq!(published(name), None, "{name}");
        }
    }
}
