//! What planned and completed movements say alike: what is moved, from where to where, and why.

use poem_openapi::Object;
use serde_json::Value;

use super::known::Known;
use super::movement::{Members, Movement};
use super::rules::Step;
use super::wanted::{self, Wanted};
use super::{MovementStatus, MovementType, References};
use crate::aql::rows::MovementDocument;
use crate::error::Result;
use crate::events::Call;
use crate::store::typed;

/// What is moved, from where to where, and why.
#[derive(Debug, Clone, Default, Object)]
pub struct Moving {
    /// What is moved; a transfer without it moves a whole position.
    pub product_key: Option<String>,
    /// The piece that is moved, of a traced product. When it is only planned, it may be named when that is confirmed.
    pub serial_key: Option<String>,
    /// The same by its code; a receipt brings unknown ones in.
    pub serial_code: Option<String>,
    /// Key of the position it begins at.
    pub position_from: Option<String>,
    /// Key of the position it ends at.
    pub position_to: Option<String>,
    /// The list it belongs to.
    pub movement_list_key: Option<String>,
    /// The item of the list.
    pub movement_list_item: Option<f64>,
    /// What it has to do with.
    pub references: Option<References>,
    /// Why.
    pub reason: Option<String>,
    /// Anything.
    pub extra: Option<Value>,
    /// Key of the user who is named in the movement, when it is not the user of the event.
    #[oai(skip)]
    pub moved_by: Option<String>,
}

impl Moving {
    /// What is asked for, as it was sent.
    pub(super) fn wanted(&self, kind: MovementType, quantity: f64) -> Wanted {
        let (from, to) =
            (wanted::position_key(self.position_from.as_ref()), wanted::position_key(self.position_to.as_ref()));
        Wanted {
            kind,
            quantity,
            product_key: wanted::given(self.product_key.as_ref()),
            serial_key: wanted::given(self.serial_key.as_ref()),
            serial_code: wanted::serial_code(self.serial_code.as_ref()),
            sent_from: from.clone(),
            sent_to: to.clone(),
            from,
            to,
            list_key: wanted::given(self.movement_list_key.as_ref()),
            item: self.movement_list_item,
            movement_key: None,
            movement: None,
        }
    }

    /// Who is named in the movement.
    pub(super) fn user_key<'a>(&'a self, call: &'a Call<'_>) -> &'a str {
        self.moved_by.as_deref().unwrap_or(call.user_key())
    }

    /// The movement as it is stored: planned and confirmed quantity, start and end are its own.
    pub(super) fn document(
        &self,
        call: &Call<'_>,
        (step, known): (&Step, &Known),
        status: MovementStatus,
        (planned, confirmed): (f64, f64),
        (start, end): (Option<String>, Option<String>),
    ) -> Result<MovementDocument> {
        let code = step.serial_key().and_then(|key| known.serial(key)).and_then(|serial| serial.code.clone());
        Ok(MovementDocument {
            key: None,
            from: format!("Position/{}", step.from),
            to: format!("Position/{}", step.to),
            r#type: step.kind.into(),
            product_key: step.product_key.clone(),
            product_code: None,
            serial_key: step.serial_key().map(str::to_owned),
            serial_code: code,
            qt_planned: planned.into(),
            qt_confirmed: confirmed,
            qt_reverted: 0,
            status: status.into(),
            created: call.stored_time(),
            start,
            end,
            inverse_movement_key: None,
            movement_list_key: wanted::given(self.movement_list_key.as_ref()),
            movement_list_item: self.movement_list_item.into(),
            references: typed::bound(&self.references.clone().unwrap_or_default())?,
            reason: self.reason.clone(),
            user_key: self.user_key(call).to_owned(),
            extra: self.extra.clone().unwrap_or_default(),
        })
    }

    /// Takes over what the movement has become.
    pub(super) fn settle(&mut self, movement: &Movement) {
        let Members { product_key, serial_key, serial_code, movement_list_key, .. } = movement.members();
        (self.product_key, self.serial_key) = (product_key.clone(), serial_key.clone());
        self.serial_code.clone_from(serial_code);
        let end = |key: &str| Some(key.to_owned()).filter(|key| !key.is_empty());
        (self.position_from, self.position_to) = (end(movement.from()), end(movement.to()));
        self.movement_list_key.clone_from(movement_list_key);
    }
}
