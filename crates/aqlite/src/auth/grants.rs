//! Access levels and how they are found: the most specific grant decides.

use std::collections::BTreeMap;

use crate::value::{Object, SmolStr, Value};

/// An access level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// No access.
    None,
    /// Read only.
    Ro,
    /// Read and write.
    Rw,
}

impl Level {
    /// The name in the HTTP API.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Ro => "ro",
            Self::Rw => "rw",
        }
    }

    /// Of the name in the HTTP API.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::None, Self::Ro, Self::Rw].into_iter().find(|level| level.name() == name)
    }

    fn to_value(self) -> Value {
        Value::from_pairs([("read", Value::Bool(self >= Self::Ro)), ("write", Value::Bool(self == Self::Rw))])
    }

    fn from_value(value: &Value) -> Option<Self> {
        if !value.is_object() {
            return None;
        }
        Some(match (value.get("read").truthy(), value.get("write").truthy()) {
            (_, true) => Self::Rw,
            (true, false) => Self::Ro,
            (false, false) => Self::None,
        })
    }
}

/// What is granted in one database, or, under the name `*`, in every database without a grant of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DatabaseGrant {
    /// The database itself.
    pub level: Option<Level>,
    /// Its collections; `*` stands for those without a grant of their own.
    pub collections: BTreeMap<SmolStr, Level>,
}

/// All grants of a user, by database.
pub type Grants = BTreeMap<SmolStr, DatabaseGrant>;

const ANY: &str = "*";

/// What the grants allow in a database.
pub fn database_level(grants: &Grants, database: &str) -> Level {
    [database, ANY].into_iter().find_map(|name| grants.get(name)?.level).unwrap_or(Level::None)
}

/// What the grants allow with a collection.
pub fn collection_level(grants: &Grants, database: &str, collection: &str) -> Level {
    match collection {
        // password hashes are nobody's business: the user API is the only way to them
        "_users" if database == "_system" => return Level::None,
        "_queues" => return Level::Ro.min(database_level(grants, database)),
        name if name.starts_with('_') => return database_level(grants, database),
        _ => {}
    }
    explicit_collection_level(grants, database, collection).unwrap_or_else(|| database_level(grants, database))
}

/// The grant that decides about a collection, if there is one besides that of the database.
pub fn explicit_collection_level(grants: &Grants, database: &str, collection: &str) -> Option<Level> {
    let within = |db: &str, name: &str| grants.get(db)?.collections.get(name).copied();
    within(database, collection)
        .or_else(|| within(database, ANY))
        .or_else(|| grants.get(database).and_then(|g| g.level))
        .or_else(|| within(ANY, ANY))
}

/// The stored form of grants, ArangoDB's `databases` attribute of a user.
pub fn to_value(grants: &Grants) -> Value {
    let databases: Object = grants
        .iter()
        .map(|(database, grant)| {
            let mut entry = Object::default();
            if let Some(level) = grant.level {
                entry.insert("permissions".into(), level.to_value());
            }
            let collections =
                grant.collections.iter().map(|(c, l)| (c.clone(), Value::from_pairs([("permissions", l.to_value())])));
            entry.insert("collections".into(), Value::object(collections.collect()));
            (database.clone(), Value::object(entry))
        })
        .collect();
    Value::object(databases)
}

/// Reads the stored form.
pub fn from_value(value: &Value) -> Grants {
    value
        .iter_object()
        .map(|(database, entry)| {
            let collections = entry
                .get("collections")
                .iter_object()
                .filter_map(|(name, c)| Some((name.into(), Level::from_value(&c.get("permissions"))?)))
                .collect();
            (database.into(), DatabaseGrant { level: Level::from_value(&entry.get("permissions")), collections })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grants() -> Grants {
        let plant = DatabaseGrant {
            level: Some(Level::Ro),
            collections: [("secret".into(), Level::None)].into_iter().collect(),
        };
        let any = DatabaseGrant { level: Some(Level::Rw), collections: BTreeMap::default() };
        [("plant".into(), plant), ("*".into(), any)].into_iter().collect()
    }

    #[test]
    fn a_database_grant_decides_before_the_wildcard() {
        assert_eq!(database_level(&grants(), "plant"), Level::Ro);
        assert_eq!(database_level(&grants(), "other"), Level::Rw);
    }

    #[test]
    fn a_collection_grant_decides_before_that_of_its_database() {
        assert_eq!(collection_level(&grants(), "plant", "secret"), Level::None);
        assert_eq!(collection_level(&grants(), "plant", "open"), Level::Ro);
    }

    #[test]
    fn nobody_reads_the_users_collection() {
        assert_eq!(collection_level(&grants(), "_system", "_users"), Level::None);
    }

    #[test]
    fn grants_survive_their_stored_form() {
        assert_eq!(from_value(&to_value(&grants())), grants());
    }
}
