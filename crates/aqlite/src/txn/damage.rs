//! Pages that are damaged: what stands in them, in words, and going to everything that is in use to find them.

use std::time::{Duration, Instant};

use super::store::load_catalog;
use crate::Result;
use crate::catalog::{Catalog, Collection};
use crate::storage::{Bounds, DataFile, ReadTables, Space, doc_key, id_from};

/// The key of a document is looked for no longer.
const LONGEST: Duration = Duration::from_millis(50);

/// What stands under a key, or under all keys of a collection or an index, where a damaged page was come to.
pub(super) fn name(tables: &ReadTables, catalog: &Catalog, space: Space, key: &[u8], page: u64) -> Option<String> {
    if space == Space::Meta {
        return None;
    }
    let (object, rest) = key.split_first_chunk()?;
    let object = u64::from_be_bytes(*object);
    let owner = catalog.name_of(object)?;
    let of_owner = format!("{} of {owner}", space.name());
    Some(match space {
        Space::Index => owner,
        Space::Primary if !rest.is_empty() => format!("{of_owner}, key {}", String::from_utf8_lossy(rest)),
        Space::Docs => match key_of(tables, object, id_from(rest), page) {
            Some(key) => format!("{of_owner}, among them key {key}"),
            None => of_owner,
        },
        _ => of_owner,
    })
}

/// The key of a document in a page: of the one with this id, or else of any.
fn key_of(tables: &ReadTables, object: u64, wanted: Option<u64>, page: u64) -> Option<String> {
    let end = Instant::now() + LONGEST;
    for entry in tables.range(Space::Primary, &Bounds::of_id(object)).ok()? {
        let (key, value) = entry.ok()?;
        let id = id_from(value.value())?;
        let is_it = match wanted {
            Some(wanted) => id == wanted,
            None => tables.is_behind(page, Space::Docs, &doc_key(object, id)),
        };
        if is_it {
            return Some(String::from_utf8_lossy(key.value().get(8..)?).into_owned());
        }
        if Instant::now() > end {
            break;
        }
    }
    None
}

/// Does something while the tables as they are on disk tell what is damaged: no store is open.
pub(super) fn named<T>(file: &DataFile, work: impl FnOnce() -> T) -> T {
    // a file that is just being made has none
    if let Ok(tables) = file.read()
        && let Ok(catalog) = load_catalog(&tables)
    {
        file.faults().name_by(move |space, key, page| name(&tables, &catalog, space, key, page));
    }
    let done = work();
    file.faults().name_no_more();
    done
}

/// Reads all that belongs to a collection, from both ends where something between them cannot be read; `false`: not all can.
/// `go_on` hears how many bytes were read, and ends it with an error.
pub(super) fn walk(
    tables: &ReadTables,
    collection: &Collection,
    go_on: &mut dyn FnMut(usize) -> Result<()>,
) -> Result<bool> {
    let object = collection.object();
    let of_collection = [Space::Docs, Space::Primary, Space::Edges].map(|space| (space, object));
    let of_indexes = collection.secondary().map(|index| (Space::Index, index.object()));
    let mut is_whole = true;
    for (space, object) in of_collection.into_iter().chain(of_indexes) {
        let bounds = Bounds::of_id(object);
        if !read_all(tables.range(space, &bounds), false, go_on)? {
            is_whole = false;
            read_all(tables.range(space, &bounds), true, go_on)?;
        }
    }
    Ok(is_whole)
}

fn read_all(
    range: Result<crate::storage::Range>,
    reverse: bool,
    go_on: &mut dyn FnMut(usize) -> Result<()>,
) -> Result<bool> {
    /// So many bytes are read before somebody hears of it.
    const STRIDE: usize = 1 << 18;
    let Ok(mut range) = range else { return Ok(false) };
    let mut read = 0;
    while let Some(entry) = if reverse { range.next_back() } else { range.next() } {
        let Ok((key, value)) = entry else { return Ok(false) };
        read += key.value().len() + value.value().len();
        if read > STRIDE {
            go_on(std::mem::take(&mut read))?;
        }
    }
    Ok(true)
}

/// Hands on the keys of documents that cannot be read, as long as `told` wants more and keys can be read.
pub(super) fn unreadable_documents(tables: &ReadTables, collection: &Collection, told: &mut dyn FnMut(String) -> bool) {
    let object = collection.object();
    let Ok(keys) = tables.range(Space::Primary, &Bounds::of_id(object)) else { return };
    for entry in keys {
        let Ok((key, value)) = entry else { return };
        let Some(id) = id_from(value.value()) else { continue };
        if tables.get(Space::Docs, &doc_key(object, id)).is_err()
            && !told(String::from_utf8_lossy(key.value().get(8..).unwrap_or_default()).into_owned())
        {
            return;
        }
    }
}
