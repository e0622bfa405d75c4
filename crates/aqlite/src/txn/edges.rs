//! The edges at a vertex, and documents by their keys: looked up in the tables, or known from an earlier look.

use std::sync::Arc;

use smol_str::SmolStr;

use super::DocId;
use super::view::{View, entry_id};
use crate::catalog::Collection;
use crate::error::code;
use crate::storage::{
    Bounds, Cursor, Lookup, Neighbor, Neighbors, Onward, Overlay, Space, damaged, edge_prefix, prefixed,
};
use crate::value::Value;
use crate::{Error, Result};

/// The edges of a vertex with more of them are not kept.
const MOST_KNOWN: usize = 512;

/// Where it is damage, tells which document it is about.
fn unreadable(error: Error, c: &Collection, key: &str) -> Error {
    if error.num != code::DATADIR_INVALID {
        return error;
    }
    Error::new(error.num, format!("document {}/{key} cannot be read: {}", c.name, error.message))
}

impl View {
    /// The document with a key.
    pub fn by_key(&self, c: &Collection, key: &str) -> Result<Option<Value>> {
        Ok(self.find_key(c, key)?.map(|(_, document)| document))
    }

    /// The document with a key and its id.
    pub fn find_key(&self, c: &Collection, key: &str) -> Result<Option<(DocId, Value)>> {
        let object = self.object(c);
        let found = if self.is_key_written(object, key) {
            let id = self.id_of_key(c, key)?;
            return Ok(match id {
                Some(id) => self.by_id(c, id)?.map(|document| (id, document)),
                None => None,
            });
        } else {
            self.stored_by_key(c, object, key).map_err(|error| unreadable(error, c, key))?
        };
        Ok(found.map(|(id, bytes)| (id, Value::from_stored(bytes))))
    }

    /// Is what a key stands for only in memory?
    fn is_key_written(&self, object: u64, key: &str) -> bool {
        let mut written = self.layers().filter(|memtable| !memtable.space(Space::Primary).is_empty()).peekable();
        if written.peek().is_none() {
            return false;
        }
        let place = prefixed(object, key.as_bytes());
        written.any(|memtable| memtable.get(Space::Primary, &place).is_some())
    }

    /// What the tables have for a key.
    fn stored_by_key(&self, c: &Collection, object: u64, key: &str) -> Result<Option<(DocId, Arc<[u8]>)>> {
        let (lookups, version) = (&self.shared.lookups, self.snapshot.version);
        if let Some(found) = lookups.document(object, key, version) {
            return Ok(Some(found));
        }
        let Some(id) = self.snapshot.tables.id(Space::Primary, &prefixed(object, key.as_bytes()))? else {
            return Ok(None);
        };
        let Some(bytes) = self.bytes_by_id(c, id)? else { return Ok(None) };
        lookups.put_document(object, key, version, (id, Arc::clone(&bytes)));
        Ok(Some((id, bytes)))
    }

    /// The document of the vertex an edge leads to, which has that key in that collection, and whether it is known that there are
    /// none of the edges `onward`.
    pub(crate) fn vertex_behind(
        &self,
        edge: &KnownEdge,
        (c, key): (&Collection, &str),
        onward: Option<WayOn<'_>>,
    ) -> Result<(Option<Value>, bool)> {
        let object = self.object(c);
        let Some(neighbor) = edge.get().filter(|_| !self.is_key_written(object, key)) else {
            return Ok((self.by_key(c, key)?, onward.is_some_and(|onward| self.is_end_behind(edge, onward))));
        };
        let (lookups, version) = (&self.shared.lookups, self.snapshot.version);
        let onward = onward.filter(|_| !self.has_written_edges()).map(|onward| self.place_of(onward));
        let (document, is_end) = neighbor.document_behind(lookups, object, onward, version);
        if let Some(bytes) = document {
            return Ok((Some(Value::from_stored(bytes)), is_end));
        }
        let Some((_, bytes)) = self.stored_by_key(c, object, key)? else { return Ok((None, is_end)) };
        neighbor.put_document_behind(object, key, version, Arc::clone(&bytes));
        Ok((Some(Value::from_stored(bytes)), is_end))
    }

    /// The edges at a vertex: outbound those whose `_from` it is, else those whose `_to` it is.
    pub fn edges(&self, c: &Collection, vertex: &str, outbound: bool) -> Result<EdgeScan> {
        self.edges_of(c, vertex, outbound, None)
    }

    /// The same at the vertex that an edge leads to.
    pub(crate) fn edges_behind(
        &self,
        edge: &KnownEdge,
        c: &Collection,
        vertex: &str,
        outbound: bool,
    ) -> Result<EdgeScan> {
        self.edges_of(c, vertex, outbound, edge.get())
    }

    /// Is it known that there are none? That there may be some is said too often where edges were written lately.
    pub(crate) fn is_end_behind(&self, edge: &KnownEdge, onward: WayOn<'_>) -> bool {
        let (lookup, object) = self.place_of(onward);
        let is_end = |edge: &Neighbor| edge.is_end(&self.shared.lookups, lookup, object, self.snapshot.version);
        !self.has_written_edges() && edge.get().is_some_and(is_end)
    }

    fn place_of(&self, WayOn { collection, outbound }: WayOn<'_>) -> (Lookup, u64) {
        (if outbound { Lookup::Outbound } else { Lookup::Inbound }, self.object(collection))
    }

    /// Are some edges only in memory?
    fn has_written_edges(&self) -> bool {
        self.layers().any(|memtable| !memtable.space(Space::Edges).is_empty())
    }

    fn edges_of(&self, c: &Collection, vertex: &str, outbound: bool, from: Option<&Neighbor>) -> Result<EdgeScan> {
        let object = self.object(c);
        let bounds = || Bounds::prefix(edge_prefix(object, outbound, vertex));
        let read = || Ok(EdgeScan(Edges::Read(Box::new(self.cursor(Space::Edges, &bounds(), false)?))));
        if self.has_written_edges() && Overlay::new(self.layers(), Space::Edges, &bounds()).is_some() {
            return read();
        }
        let lookup = if outbound { Lookup::Outbound } else { Lookup::Inbound };
        let (lookups, version) = (&self.shared.lookups, self.snapshot.version);
        match from.and_then(|edge| edge.edges_behind(lookups, lookup, object, version)) {
            Some(Onward::Some(edges)) => return Ok(EdgeScan(Edges::Known(edges, 0))),
            Some(Onward::None) => return Ok(EdgeScan(Edges::None)),
            None => {}
        }
        let known = if let Some(edges) = lookups.edges(object, lookup, vertex, version) {
            edges
        } else {
            let mut cursor = self.cursor(Space::Edges, &bounds(), false)?;
            let mut edges = Vec::new();
            while cursor.advance()? {
                if edges.len() >= MOST_KNOWN {
                    return read();
                }
                let edge = Neighbor::of_entry(cursor.key(), cursor.value());
                edges.push(edge.ok_or_else(|| damaged("an edge without an id or a vertex"))?);
            }
            let edges: Arc<Neighbors> = Arc::new(edges.into());
            lookups.put_edges(object, lookup, vertex, version, Arc::clone(&edges));
            edges
        };
        if let Some(edge) = from {
            edge.put_edges_behind(lookup, object, version, &known);
        }
        Ok(EdgeScan(Edges::Known(known, 0)))
    }
}

/// The edges with which a walk goes on from a vertex.
#[derive(Clone, Copy)]
pub(crate) struct WayOn<'c> {
    pub collection: &'c Collection,
    /// Those whose `_from` the vertex is, else those whose `_to` it is.
    pub outbound: bool,
}

/// An edge that is kept in memory: what lies behind it is kept beside it.
#[derive(Clone)]
pub(crate) struct KnownEdge {
    list: Arc<Neighbors>,
    at: usize,
}

impl KnownEdge {
    fn get(&self) -> Option<&Neighbor> {
        self.list.get(self.at)
    }
}

/// See [`View::edges`].
pub struct EdgeScan(Edges);

enum Edges {
    None,
    Read(Box<Cursor>),
    /// With the number of those that were given.
    Known(Arc<Neighbors>, usize),
}

impl EdgeScan {
    /// The next edge and the id of the vertex at its other end, read in place.
    pub fn next_raw(&mut self) -> Result<Option<(DocId, &str)>> {
        match &mut self.0 {
            Edges::None => Ok(None),
            Edges::Known(edges, given) => {
                *given += 1;
                Ok(edges.get(*given - 1).map(|edge| (edge.edge, edge.other.as_str())))
            }
            Edges::Read(cursor) => {
                if !cursor.advance()? {
                    return Ok(None);
                }
                let id = entry_id(cursor.key())?;
                let other = std::str::from_utf8(cursor.value()).map_err(|_| damaged("a vertex id that is no text"))?;
                Ok(Some((id, other)))
            }
        }
    }

    /// How many there are, when none was given.
    pub(crate) fn count_all(mut self) -> Result<usize> {
        if let Edges::Known(edges, _) = &self.0 {
            return Ok(edges.len());
        }
        let mut count = 0;
        while self.next_raw()?.is_some() {
            count += 1;
        }
        Ok(count)
    }

    /// Is a part of the tables held open for it?
    pub(crate) fn is_open(&self) -> bool {
        matches!(self.0, Edges::Read(_))
    }

    /// The edge that was given last, where it is kept in memory.
    pub(crate) fn known(&self) -> Option<KnownEdge> {
        let Edges::Known(list, given) = &self.0 else { return None };
        Some(KnownEdge { list: Arc::clone(list), at: given.checked_sub(1)? })
    }

    /// The document of the edge that was given last, where it stands beside the edge.
    pub(crate) fn document(&self, view: &View, c: &Collection) -> Result<Option<Value>> {
        let Edges::Known(edges, given) = &self.0 else { return Ok(None) };
        let Some(edge) = given.checked_sub(1).and_then(|at| edges.get(at)) else { return Ok(None) };
        if let Some(bytes) = edge.document.get() {
            return Ok(Some(Value::from_stored(Arc::clone(bytes))));
        }
        let Some(bytes) = view.bytes_by_id(c, edge.edge)? else { return Ok(None) };
        let _ = edge.document.set(Arc::clone(&bytes));
        Ok(Some(Value::from_stored(bytes)))
    }
}

impl Iterator for EdgeScan {
    type Item = Result<(DocId, SmolStr)>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Edges::Known(edges, given) = &mut self.0 {
            *given += 1;
            return edges.get(*given - 1).map(|edge| Ok((edge.edge, edge.other.clone())));
        }
        self.next_raw().map(|edge| edge.map(|(id, other)| (id, SmolStr::new(other)))).transpose()
    }
}
