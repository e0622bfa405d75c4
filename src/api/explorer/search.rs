//! One box for every code: what a scanner has read, or somebody has typed.

use std::sync::Arc;

use futures_util::future::try_join_all;
use poem_openapi::payload::Json;
use poem_openapi::{Enum, Object, OpenApi};
use serde::{Deserialize, Serialize};

use super::text;
use crate::api::{Area, wildcard};
use crate::app::App;
use crate::aql;
use crate::auth::{ByFilter, Scope};
use crate::error::{Error, Result};
use crate::openapi::Query;
use crate::store::{self, typed::bound};

/// One box for every code.
pub struct Search(pub Arc<App>);

/// What a text was found as.
#[derive(Debug, Object)]
struct ExplorerHits {
    /// What was looked for, without blanks at its ends.
    q: String,
    /// The kinds of which there are hits.
    groups: Vec<ExplorerHitGroup>,
}

/// The hits of one kind.
#[derive(Debug, Object)]
struct ExplorerHitGroup {
    kind: HitKind,
    /// Those with exactly this code first, then by code.
    hits: Vec<ExplorerHit>,
    /// Whether there are more than the limit.
    more: bool,
}

/// A document with a code.
#[derive(Debug, Object)]
struct ExplorerHit {
    key: String,
    /// Its code; the key of an issue, which has no other.
    code: Option<String>,
    /// Description of the product, title of a task, type of an issue, notes of a movement list.
    title: Option<String>,
    /// The product of a serial, lot or work order, or the product itself.
    product_key: Option<String>,
    product_code: Option<String>,
    /// `in_production` or `released` of a serial and a lot, `open` or `closed` of an issue, the status of others.
    state: Option<String>,
    /// Whether its code is the one that was looked for, whatever the case.
    exact: bool,
}

/// What has a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename = "ExplorerHitKind", rename_all = "snake_case")]
enum HitKind {
    Serial,
    /// A serial that stands for several pieces.
    Lot,
    Product,
    WorkOrder,
    Position,
    MovementList,
    Task,
    Issue,
}

/// A kind, who may see it, and how it is looked up: by the index of its codes.
struct Lookup {
    kind: HitKind,
    scope: Scope,
    query: store::Query,
}

/// In the order of the answer. Lots are serials: both come of one query.
const LOOKUPS: [Lookup; 7] = [
    Lookup { kind: HitKind::Serial, scope: Scope::SerialRead, query: aql::explorer::SERIALS },
    Lookup { kind: HitKind::Product, scope: Scope::ProductCatalogueRead, query: aql::explorer::PRODUCTS },
    Lookup { kind: HitKind::WorkOrder, scope: Scope::ProductionWorkOrderRead, query: aql::explorer::WORK_ORDERS },
    Lookup { kind: HitKind::Position, scope: Scope::InventoryPositionRead, query: aql::explorer::POSITIONS },
    Lookup {
        kind: HitKind::MovementList,
        scope: Scope::InventoryMovementListRead,
        query: aql::explorer::MOVEMENT_LISTS,
    },
    Lookup { kind: HitKind::Task, scope: Scope::CollaborationTaskRead, query: aql::explorer::TASKS },
    Lookup { kind: HitKind::Issue, scope: Scope::CollaborationIssueRead, query: aql::explorer::ISSUES },
];

/// What the lookups by codes take.
#[derive(Serialize)]
struct Beginning {
    search: String,
    limit: usize,
    upper: Option<String>,
    lower: Option<String>,
    last: Option<String>,
}

/// A hit as the database tells it.
#[derive(Debug, Deserialize)]
struct HitRow {
    key: String,
    #[serde(deserialize_with = "text")]
    code: Option<String>,
    #[serde(deserialize_with = "text")]
    title: Option<String>,
    #[serde(deserialize_with = "text")]
    product_key: Option<String>,
    #[serde(deserialize_with = "text")]
    product_code: Option<String>,
    #[serde(deserialize_with = "text")]
    state: Option<String>,
    #[serde(default)]
    is_lot: bool,
}

fn page_size() -> usize {
    10
}

#[OpenApi(tag = "Area::Explorer")]
impl Search {
    /// What a code is
    ///
    /// Serials, lots, products, work orders, positions, movement lists and tasks whose code is the text or begins with it,
    /// whatever the case, and the issue with that key. `*` stands for any run of characters and `?` for one; the first
    /// character is none of them (422). Only kinds that the caller may read are looked for; without any it is 403.
    #[oai(path = "/explore/search", method = "get", operation_id = "search_codes_explore_search_get")]
    async fn codes(
        &self,
        #[oai(scope = "Scope::SerialRead")] caller: ByFilter,
        #[oai(default, validator(max_length = 200))] q: Query<String>,
        #[oai(default = "page_size", validator(minimum(value = "1"), maximum(value = "50")))] limit: Query<usize>,
    ) -> Result<Json<ExplorerHits>> {
        let lookups: Vec<&Lookup> = LOOKUPS.iter().filter(|lookup| caller.require(lookup.scope).is_ok()).collect();
        if lookups.is_empty() {
            caller.require(Scope::SerialRead)?;
        }
        let sought = Sought::of(&q, *limit)?;
        let found = try_join_all(lookups.iter().map(|lookup| sought.groups(&self.0.store, lookup))).await?;
        Ok(Json(ExplorerHits { groups: found.into_iter().flatten().collect(), q: sought.text }))
    }
}

/// What is looked for.
struct Sought {
    text: String,
    limit: usize,
    has_wildcards: bool,
}

impl Sought {
    fn of(given: &str, limit: usize) -> Result<Self> {
        let text = given.trim().to_owned();
        if text.is_empty() || text.starts_with(['*', '?']) {
            let expected = "a code is expected, or the beginning of one";
            return Err(Error::invalid(&["query", "q"], expected));
        }
        Ok(Self { has_wildcards: text.contains(['*', '?']), text, limit })
    }

    /// The hits of a lookup: one group, for serials also one of lots.
    async fn groups(&self, store: &store::Store, lookup: &Lookup) -> Result<Vec<ExplorerHitGroup>> {
        if lookup.kind == HitKind::Issue && self.has_wildcards {
            return Ok(Vec::new());
        }
        // Twice as many, so that neither serials nor lots hide the others; one more tells that there are more.
        let wanted = self.limit * 2 + 1;
        let found: Vec<HitRow> = if lookup.kind == HitKind::Issue {
            let keys = [self.text.clone(), self.text.to_uppercase(), self.text.to_lowercase()];
            aql::explorer::issues(store, aql::explorer::issues::Params { keys: (&keys[..]).into() }).await?
        } else {
            store.rows(&lookup.query, bound(&self.beginning(wanted))?).await?
        };
        let is_cut = found.len() == wanted;
        let (lots, others): (Vec<HitRow>, Vec<HitRow>) = found.into_iter().partition(|found| found.is_lot);
        let groups = [(lookup.kind, others), (HitKind::Lot, lots)];
        let groups = groups.into_iter().filter(|(_, found)| !found.is_empty());
        Ok(groups.map(|(kind, found)| self.group(kind, found, is_cut)).collect())
    }

    fn beginning(&self, limit: usize) -> Beginning {
        let [upper, lower, last] = wildcard::bounds(wildcard::first_literals(&self.text).as_deref());
        Beginning { search: wildcard::starting_regex(&self.text), limit, upper, lower, last }
    }

    fn group(&self, kind: HitKind, found: Vec<HitRow>, is_cut: bool) -> ExplorerHitGroup {
        let more = is_cut || found.len() > self.limit;
        let mut hits: Vec<ExplorerHit> = found.into_iter().map(|found| self.hit(found)).collect();
        hits.sort_by_key(|hit| !hit.exact);
        hits.truncate(self.limit);
        ExplorerHitGroup { kind, hits, more }
    }

    fn hit(&self, found: HitRow) -> ExplorerHit {
        let is_sought = |code: &String| code.trim().to_uppercase() == self.text.to_uppercase();
        ExplorerHit {
            exact: found.code.as_ref().is_some_and(is_sought),
            key: found.key,
            code: found.code,
            title: found.title,
            product_key: found.product_key,
            product_code: found.product_code,
            state: found.state,
        }
    }
}
