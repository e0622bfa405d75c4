//! What became of a serial: where it lies, or what it is part of.

use std::collections::HashMap;

use poem_openapi::{Enum, Object};
use serde::Deserialize;

use crate::aql::serial as stored;
use crate::error::Result;
use crate::store::Transaction;

/// Position that stands for the outside world.
const OUTSIDE: &str = "OUT";

/// What became of a serial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub(in crate::api) enum SerialState {
    /// It was deleted.
    Deleted,
    /// Another serial contains it.
    Installed,
    /// It lies in stock.
    InStock,
    /// It is not released yet.
    InProduction,
    /// It was released and has left the stock.
    Gone,
}

/// A position on the way from the root to where a serial lies.
#[derive(Debug, Deserialize, Object)]
pub(in crate::api) struct StockPosition {
    position_key: String,
    position_code: Option<String>,
}

/// What became of a serial, as the database tells it.
#[derive(Debug, Deserialize)]
pub(in crate::api) struct Whereabouts {
    pub(in crate::api) serial_key: String,
    pub(in crate::api) wo_key: Option<String>,
    pub(in crate::api) wo_code: Option<String>,
    pub(in crate::api) project_code: Option<String>,
    pub(in crate::api) released: Option<String>,
    deleted: bool,
    pub(in crate::api) installed: bool,
    pub(in crate::api) positions: Vec<StockPosition>,
}

impl Whereabouts {
    /// Of some serials, by their keys.
    pub(in crate::api) async fn of(trx: &Transaction, serial_keys: &[&str]) -> Result<HashMap<String, Self>> {
        let params = stored::whereabouts::Params { serial_keys: serial_keys.into() };
        let found: Vec<Self> = stored::whereabouts(trx, params).await?;
        Ok(found.into_iter().map(|whereabouts| (whereabouts.serial_key.clone(), whereabouts)).collect())
    }

    /// What became of the serial.
    pub(in crate::api) fn state(&self) -> SerialState {
        let is_outside = self.positions.first().is_some_and(|root| root.position_key == OUTSIDE);
        if self.deleted {
            SerialState::Deleted
        } else if self.installed {
            SerialState::Installed
        } else if !self.positions.is_empty() && !is_outside {
            SerialState::InStock
        } else if self.released.is_none() {
            SerialState::InProduction
        } else {
            SerialState::Gone
        }
    }
}
