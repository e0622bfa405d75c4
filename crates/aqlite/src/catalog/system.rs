//! The collections every database begins with.

use super::{CollectionDefinition, CollectionKind, IndexDefinition, SYSTEM};
use crate::Result;

const EVERYWHERE: &[&str] =
    &["_graphs", "_analyzers", "_aqlfunctions", "_queues", "_jobs", "_apps", "_appbundles", "_frontend"];
const SYSTEM_ONLY: &[&str] = &["_users", "_statistics", "_statistics15", "_statisticsRaw"];

/// The collections a new database of that name gets, each with the indexes it begins with.
pub(crate) fn system_collections(database: &str) -> Result<Vec<(CollectionDefinition, Vec<IndexDefinition>)>> {
    let more = if database == SYSTEM { SYSTEM_ONLY } else { &[] };
    more.iter()
        .chain(EVERYWHERE)
        .map(|name| {
            let mut definition = CollectionDefinition::new(name, CollectionKind::Document);
            definition.properties.is_system = true;
            let indexes = match *name {
                "_users" => vec![IndexDefinition::persistent(&["user"])?.unique().sparse()],
                _ => Vec::new(),
            };
            Ok((definition, indexes))
        })
        .collect()
}
