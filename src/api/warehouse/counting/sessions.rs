//! Counting sessions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use serde::Serialize;
use serde_json::Value;

use super::assignments;
use super::types::Session;
use crate::api::filters::page_start;
use crate::api::{Area, Envelope, wildcard};
use crate::app::App;
use crate::aql::counting as stored;
use crate::aql::counting::session::Assignment as Summary;
use crate::aql::rows::{CountAssignmentDocument, CountSessionDocument};
use crate::auth::{Caller, Scope};
use crate::error::{Error, Invalid, Result};
use crate::events::Keys;
use crate::events::counting::ASSIGNMENTS_OF;
use crate::openapi::{AsStored, Fails, Query};
use crate::store::{Access, Transaction, guards, typed};
use crate::{aql, clock, counters, transaction};
use tracewright_model::{CountAssignmentStatus, CountSessionStatus, CountTarget, Moment, Word};

/// Counting sessions.
pub struct Sessions(pub Arc<App>);

/// A session and who counts what in it.
#[derive(Debug, Object)]
#[oai(rename = "Body_create_counting_session_inventory_count_session_post")]
pub(crate) struct NewSession {
    count_session: Session,
    assignments: Vec<InventoryCountAssignmentNew>,
}

/// What a user counts.
#[derive(Debug, Object)]
pub(crate) struct InventoryCountAssignmentNew {
    user_key: String,
    /// Keys of positions or products, as the session counts by.
    target_keys: Option<Vec<String>>,
    /// The same, saying of each whether the positions in it are to be counted too.
    targets: Option<Vec<InventoryCountTarget>>,
}

/// Something to count.
#[derive(Debug, Object)]
pub(crate) struct InventoryCountTarget {
    target_key: String,
    include_children: Option<bool>,
}

/// What can be changed in a session.
#[derive(Debug, Object)]
#[oai(rename = "InventoryCountSessionUpdate")]
struct SessionUpdate {
    code: Option<String>,
    description: Option<String>,
    #[oai(rename = "type")]
    kind: Option<CountTarget>,
    blind_quantities: Option<bool>,
    blind_serials: Option<bool>,
    scheduled_start: Option<Moment>,
    scheduled_end: Option<Moment>,
    notes: Option<String>,
}

/// A session with what is to be counted in it.
#[derive(Debug, Object)]
struct InventoryCountSessionDetails {
    #[oai(flatten)]
    session: Session,
    /// By the key of the user who counts.
    assignments: BTreeMap<String, Vec<AssignmentSummary>>,
}

/// An assignment within its session.
#[derive(Debug, Object)]
#[oai(rename = "InventoryCountAssignmentSummary")]
struct AssignmentSummary {
    #[oai(rename = "_key")]
    key: String,
    target_key: String,
    status: CountAssignmentStatus,
    target_data: TargetData,
    include_children: bool,
}

/// What is to be counted.
#[derive(Debug, Object)]
#[oai(rename = "InventoryCountTargetData")]
struct TargetData {
    code: Option<String>,
    description: Option<String>,
}

fn page_size() -> i64 {
    500
}

#[OpenApi(tag = "Area::Warehouse")]
impl Sessions {
    /// Create a counting session
    ///
    /// It is planned: another `status` is refused, and what belongs to later states (beginning, end, snapshots, list of
    /// adjustments) is not taken over.
    #[oai(
        path = "/inventory/count-session",
        method = "post",
        operation_id = "create_counting_session_inventory_count_session_post"
    )]
    async fn create(
        &self,
        #[oai(scope = "Scope::InventoryCountCreate")] caller: Caller,
        body: Json<NewSession>,
        _fails: Fails<400>,
    ) -> Result<Json<Envelope>> {
        let (now, keys) = (clock::now(), Keys::default());
        let (key, code) = transaction!(self.0.store.acting(caller.actor()), NewSession::access(), |trx| {
            body.create(&self.0, trx, (caller.user_key(), &now), &keys).await
        })?;
        let message = format!("Counting session {code} created successfully");
        Ok(Json(Envelope::of(&Planned { count_session_key: key, code }).with_message(message)))
    }

    /// Search counting sessions
    ///
    /// The newest first.
    #[oai(
        path = "/inventory/count-session",
        method = "get",
        operation_id = "search_counting_sessions_inventory_count_session_get"
    )]
    async fn search(
        &self,
        #[oai(scope = "Scope::InventoryCountRead")] _caller: Caller,
        search: Query<Option<String>>,
        status: Query<Option<CountSessionStatus>>,
        #[oai(name = "type")] kind: Query<Option<CountTarget>>,
        #[oai(default = "page_size", validator(minimum(value = "1"), maximum(value = "10000")))] limit: Query<i64>,
        #[oai(default, validator(minimum(value = "0")))] offset: Query<i64>,
    ) -> Result<Json<Vec<AsStored<Session>>>> {
        let search = wildcard::regex(search.0.as_deref());
        let params = stored::sessions::Params {
            search: search.as_deref(),
            status: status.0,
            r#type: kind.0,
            offset: page_start(*offset),
            limit: *limit,
        };
        Ok(Json(stored::sessions(&self.0.store, params).await?))
    }

    /// One counting session
    #[oai(
        path = "/inventory/count-session/:session_key",
        method = "get",
        operation_id = "get_counting_session_inventory_count_session__session_key__get"
    )]
    async fn session(
        &self,
        #[oai(scope = "Scope::InventoryCountRead")] _caller: Caller,
        session_key: Path<String>,
        _fails: Fails<404>,
    ) -> Result<Json<AsStored<InventoryCountSessionDetails>>> {
        let row = stored::session(&self.0.store, stored::session::Params { session_key: &session_key }).await?;
        let stored::session::Row { mut session, assignments } = row.ok_or_else(unknown)?;
        let mut by_user: BTreeMap<String, Vec<Summary>> = BTreeMap::new();
        for stored::session::Assignments { assigned_to, assignment } in assignments {
            by_user.entry(assigned_to.unwrap_or_else(|| "null".to_owned())).or_default().push(assignment);
        }
        session.insert("assignments".to_owned(), typed::bound(&by_user)?);
        Ok(Json(AsStored::of(session)))
    }

    /// Update a counting session
    ///
    /// Once it has begun, only description, end and notes can change.
    #[oai(
        path = "/inventory/count-session/:session_key",
        method = "put",
        operation_id = "update_counting_session_inventory_count_session__session_key__put"
    )]
    async fn update(
        &self,
        #[oai(scope = "Scope::InventoryCountUpdate")] caller: Caller,
        session_key: Path<String>,
        body: Json<SessionUpdate>,
        _fails: Fails<404, 422>,
    ) -> Result<Json<Envelope>> {
        let changes = typed::members(&body.0.changes())?;
        let fixed = ["code", "type", "blind_quantities", "blind_serials", "scheduled_start"];
        let access = Access::of(&[aql::counting::SESSION_STATUSES, aql::counting::UPDATE_SESSION])
            .in_turn(&["InventoryCountSession"]);
        transaction!(self.0.store.acting(caller.actor()), access, |trx| {
            let status = status(trx, &session_key).await?;
            if let Some(name) = fixed.iter().find(|name| changes.contains_key(**name))
                && status != CountSessionStatus::Planned
            {
                return Err(Error::rule(format!("{name} cannot be changed once the counting session has started")));
            }
            trx.watch("InventoryCountSession", [&*session_key]).await?;
            let params = stored::update_session::Params { session_key: &session_key, changes: &changes };
            stored::update_session(trx, params).await
        })?;
        Ok(Json(Envelope::message("Counting session updated successfully")))
    }

    /// Delete a planned counting session
    #[oai(
        path = "/inventory/count-session",
        method = "delete",
        operation_id = "delete_counting_session_inventory_count_session_delete"
    )]
    async fn delete(
        &self,
        #[oai(scope = "Scope::InventoryCountDelete")] caller: Caller,
        counting_session_key: Query<String>,
        _fails: Fails<404, 422>,
    ) -> Result<Json<Envelope>> {
        let key = counting_session_key.0;
        let queries = [aql::guards::TOUCH, aql::counting::SESSION_STATUSES, aql::counting::DELETE_SESSION];
        let access = Access::of(&queries).in_turn(&["InventoryCountSession", "InventoryCountAssignment"]);
        transaction!(self.0.store.acting(caller.actor()), access, |trx| {
            guards::touch(trx, [(ASSIGNMENTS_OF, key.as_str())]).await?;
            if status(trx, &key).await? != CountSessionStatus::Planned {
                return Err(Error::rule("Only planned counting sessions can be deleted"));
            }
            trx.watch("InventoryCountSession", [&key]).await?;
            let removed = stored::delete_session(trx, stored::delete_session::Params { session_key: &key }).await?;
            trx.removed("InventoryCountAssignment", removed.into_iter().flatten());
            Ok(())
        })?;
        Ok(Json(Envelope::message("Counting session deleted successfully")))
    }

    /// Number of processed records
    #[oai(
        path = "/inventory/count-session/:session_key/processed-records",
        method = "get",
        operation_id = "get_counting_session_processed_records_inventory_count_session__session_key__processed_records_get"
    )]
    async fn processed_records(
        &self,
        #[oai(scope = "Scope::InventoryCountRead")] _caller: Caller,
        session_key: Path<String>,
    ) -> Result<Json<i64>> {
        let params = stored::processed_records::Params { session_key: &session_key };
        Ok(Json(stored::processed_records(&self.0.store, params).await?))
    }

    /// Keys of completed positions
    #[oai(
        path = "/inventory/count-session/:session_key/completed-positions",
        method = "get",
        operation_id = "get_session_completed_positions_inventory_count_session__session_key__completed_positions_get"
    )]
    async fn completed_positions(
        &self,
        #[oai(scope = "Scope::InventoryCountRead")] _caller: Caller,
        session_key: Path<String>,
    ) -> Result<Json<Vec<String>>> {
        let params = stored::completed_positions::Params { session_key: &session_key };
        Ok(Json(stored::completed_positions(&self.0.store, params).await?))
    }
}

impl NewSession {
    /// What storing a session reads, writes and holds.
    pub(crate) fn access() -> Access<'static> {
        counters::drawing(Access::of(&[aql::counting::INSERT_SESSION, aql::counting::INSERT_ASSIGNMENTS]))
    }

    /// Stores the session and its assignments, made by a user at a time. Gives its key and its code.
    pub(crate) async fn create(
        &self,
        app: &App,
        trx: &Transaction,
        (user_key, now): (&str, &str),
        keys: &Keys,
    ) -> Result<(String, String)> {
        let new = &self.count_session;
        check_planned(new)?;
        let targets = targets(&self.assignments)?;
        let code = match new.code.as_deref().map(str::trim).filter(|code| !code.is_empty()) {
            Some(code) => code.to_owned(),
            None => counters::next_code(trx, &app.settings.time_zone(), "counting_sessions").await?,
        };
        let session = CountSessionDocument {
            key: keys.chosen("InventoryCountSession", &code).map(str::to_owned),
            ..document(new, &code, user_key, now)
        };
        let key = stored::insert_session(trx, stored::insert_session::Params { session: &session }).await?;
        trx.created("InventoryCountSession", [key.as_str()]);
        let of = |((counted_by, target_key), include_children): (&(&str, &str), &bool)| CountAssignmentDocument {
            key: keys.chosen("InventoryCountAssignment", target_key).map(str::to_owned),
            inventory_count_session_key: key.clone(),
            target_type: new.kind.into(),
            target_key: (*target_key).to_owned(),
            include_children: *include_children,
            assigned_to: Some((*counted_by).to_owned()),
            status: CountAssignmentStatus::Planned.into(),
            created: now.to_owned(),
            created_by: user_key.to_owned(),
            started: None,
            completed: None,
            notes: None,
            extra: Value::Null,
        };
        let assignments: Vec<CountAssignmentDocument> = targets.iter().map(of).collect();
        assignments::insert(trx, &assignments).await?;
        Ok((key, code))
    }
}

/// What is answered of a new session.
#[derive(Debug, Serialize)]
struct Planned {
    count_session_key: String,
    code: String,
}

fn unknown() -> Error {
    Error::not_found("Counting session not found")
}

/// The status of a session that must exist.
async fn status(trx: &Transaction, session_key: &str) -> Result<Word<CountSessionStatus>> {
    let params = stored::session_statuses::Params { session_keys: [session_key].into_iter().collect() };
    let row = stored::session_statuses(trx, params).await?.pop();
    Ok(row.ok_or_else(unknown)?.status)
}

/// 422 when a new session is to have another state than the first.
fn check_planned(new: &Session) -> Result<()> {
    match new.status {
        None | Some(CountSessionStatus::Planned) => Ok(()),
        Some(status) => {
            let loc = ["body".into(), "count_session".into(), "status".into()];
            let msg = "Value error, a new counting session is planned";
            Err(Error::Validation(vec![Invalid::new(&loc, "value_error", msg).input(status.name().into())]))
        }
    }
}

/// Each user with each target once, and whether what is in the target counts too.
fn targets(assignments: &[InventoryCountAssignmentNew]) -> Result<BTreeMap<(&str, &str), bool>> {
    let mut targets = BTreeMap::new();
    for assignment in assignments {
        let user = assignment.user_key.as_str();
        let plain = assignment.target_keys.iter().flatten().map(|key| (key.as_str(), false));
        let detailed = assignment.targets.iter().flatten();
        let detailed = detailed.map(|target| (target.target_key.as_str(), target.include_children.unwrap_or(false)));
        let named: BTreeSet<(&str, bool)> = plain.chain(detailed).collect();
        if named.is_empty() {
            return Err(Error::bad_request(format!("The assignment of user {user} has no targets")));
        }
        for (target, include_children) in named {
            *targets.entry((user, target)).or_insert(false) |= include_children;
        }
    }
    Ok(targets)
}

fn document(new: &Session, code: &str, user_key: &str, now: &str) -> CountSessionDocument {
    let time = |moment: &Option<Moment>| moment.as_ref().map(|moment| moment.0.clone());
    CountSessionDocument {
        key: None,
        code: code.to_owned(),
        description: new.description.clone(),
        r#type: new.kind.into(),
        status: CountSessionStatus::Planned.into(),
        blind_quantities: new.blind_quantities.unwrap_or(true),
        blind_serials: new.blind_serials.unwrap_or(true),
        coverage_percentage: new.coverage_percentage,
        scheduled_start: time(&new.scheduled_start),
        scheduled_end: time(&new.scheduled_end),
        created: now.to_owned(),
        created_by: user_key.to_owned(),
        started: None,
        completed: None,
        baseline_snapshot_key: None,
        post_count_snapshot_key: None,
        post_adjustment_snapshot_key: None,
        adjustment_list_key: None,
        notes: new.notes.clone(),
        extra: new.extra.clone().unwrap_or_default(),
    }
}

/// What is written of a session: what was sent.
#[derive(Debug, Serialize)]
struct Changes {
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<CountTarget>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blind_quantities: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blind_serials: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scheduled_start: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scheduled_end: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    notes: Option<String>,
}

impl SessionUpdate {
    fn changes(self) -> Changes {
        Changes {
            code: self.code,
            description: self.description,
            kind: self.kind,
            blind_quantities: self.blind_quantities,
            blind_serials: self.blind_serials,
            scheduled_start: self.scheduled_start.map(|moment| moment.0),
            scheduled_end: self.scheduled_end.map(|moment| moment.0),
            notes: self.notes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assignment(keys: &[&str], targets: &[(&str, bool)]) -> InventoryCountAssignmentNew {
        InventoryCountAssignmentNew {
            user_key: "u".to_owned(),
            target_keys: Some(keys.iter().map(|key| (*key).to_owned()).collect()),
            targets: Some(
                targets
                    .iter()
                    .map(|(key, include)| InventoryCountTarget {
                        target_key: (*key).to_owned(),
                        include_children: Some(*include),
                    })
                    .collect(),
            ),
        }
    }

    #[test]
    fn targets_are_taken_in_both_forms_each_once() {
        let assignments = [assignment(&["a", "b"], &[("b", true)]), assignment(&["a"], &[])];
        let found: Vec<_> = targets(&assignments).unwrap().into_iter().collect();
        assert_eq!(found, [(("u", "a"), false), (("u", "b"), true)]);
    }

    #[test]
    fn an_assignment_without_targets_is_refused() {
        assert!(targets(&[assignment(&[], &[])]).is_err());
        assert!(targets(&[]).unwrap().is_empty());
    }
}
