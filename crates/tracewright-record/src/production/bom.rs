//! The bill of materials of a work order: what it asks for, completed by what is known of components and places.

use std::collections::{BTreeSet, HashMap};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::jobs::DEFAULT_PHASE;
use super::part;
use super::refusal::Refusal;
pub use crate::aql::production::bom_parts::Row as Parts;
use crate::aql::production::bom_parts::{self, Components as Component};
use crate::aql::production::{self as stored, BOM_PARTS};
use crate::error::Result;
use crate::store::{Query, Transaction};

/// Everything that bills of materials run.
pub const QUERIES: [Query; 1] = [BOM_PARTS];
/// Where stock lies when nothing else is said.
pub const ROOT_POSITION: &str = "IN";

/// A line as it is asked for.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Line {
    /// What is consumed.
    pub component_key: String,
    /// Quantity in one product.
    pub qt: f64,
    /// Where; in the last phase when absent.
    pub phase_key: Option<String>,
    /// How it is taken from stock.
    pub consumption_options: Option<Value>,
    /// Whatever else the line carries.
    pub extra: Option<Value>,
    /// The line of the product's bill of materials it comes from.
    pub bom_line_key: Option<String>,
}

impl Line {
    fn options(&self) -> Options {
        self.consumption_options.as_ref().map(part).unwrap_or_default()
    }

    fn position_key(&self) -> Option<String> {
        self.options().consumption_position_key.as_str().filter(|key| !key.is_empty()).map(str::to_owned)
    }
}

/// How a component is taken from stock, as it is asked for: whatever a client sent.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Options {
    consumption_position_key: Value,
    consumption_position_mandatory: Value,
    minimum_quantity_if_negative: Value,
    minimum_quantity: Value,
}

/// A line as it is stored.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OrderLine {
    component_key: String,
    component_code: Option<String>,
    component_description: Option<String>,
    qt: f64,
    phase_key: Option<String>,
    phase_name: Option<String>,
    consumption_options: ConsumptionOptions,
    traceability_level: Value,
    manage_inventory: bool,
    extra: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bom_line_key: Option<String>,
}

/// How a component is taken from stock.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct ConsumptionOptions {
    consumption_position_key: String,
    consumption_position_mandatory: bool,
    minimum_quantity_if_negative: bool,
    minimum_quantity: Value,
}

impl Parts {
    /// Reads what lines and an output position name.
    pub async fn read(trx: &Transaction, lines: &[Line], sequence: &[String], output: Option<&str>) -> Result<Self> {
        let components: BTreeSet<&str> = lines.iter().map(|line| line.component_key.as_str()).collect();
        let of_lines = lines.iter().filter_map(Line::position_key);
        let positions: BTreeSet<String> = of_lines.chain(output.map(str::to_owned)).collect();
        let params = bom_parts::Params {
            component_keys: components.into_iter().collect(),
            phase_keys: sequence.into(),
            position_keys: positions.iter().collect(),
        };
        stored::bom_parts(trx, params).await
    }

    /// The lines as they are stored. `member` is where they stand in the body.
    pub fn complete(&self, lines: &[Line], sequence: &[String], member: &str) -> Result<Vec<OrderLine>, Refusal> {
        let components: HashMap<&str, &Component> =
            self.components.iter().map(|component| (component.key.as_str(), component)).collect();
        let (mut whole, mut wrong) = (Vec::with_capacity(lines.len()), Vec::new());
        for (index, line) in lines.iter().enumerate() {
            let component = components.get(line.component_key.as_str()).filter(|component| component.is_live);
            match component.ok_or_else(|| ("component_key", format!("Component {} not found", line.component_key))) {
                Ok(component) => match self.mistake(line, sequence) {
                    None => whole.push(self.line(line, component, sequence)),
                    Some((name, text)) => wrong.push((vec![member.into(), index.into(), name.into()], text)),
                },
                Err((name, text)) => wrong.push((vec![member.into(), index.into(), name.into()], text)),
            }
        }
        if wrong.is_empty() { Ok(whole) } else { Err(Refusal::Wrong(wrong)) }
    }

    /// What is wrong with a line whose component is known.
    fn mistake(&self, line: &Line, sequence: &[String]) -> Option<(&'static str, String)> {
        if line.qt < 0.0 {
            return Some(("qt", "The quantity must not be below 0".to_owned()));
        }
        if let Some(key) = line.phase_key.as_ref().filter(|key| !sequence.contains(key)) {
            return Some(("phase_key", format!("Phase {key} is not a phase of the work order")));
        }
        let position = line.position_key().filter(|key| !self.positions.contains(key))?;
        Some(("consumption_options", format!("Position {position} not found")))
    }

    fn line(&self, line: &Line, component: &Component, sequence: &[String]) -> OrderLine {
        let phase_key = line.phase_key.as_ref().or_else(|| sequence.last());
        let alias = phase_key.and_then(|key| self.phases.get(key)?.as_str().map(str::to_owned));
        let is_default = phase_key.is_some_and(|key| key == DEFAULT_PHASE);
        let (given, own) = (line.options(), component.position_key.clone());
        let position = line.position_key().or(own).or_else(|| self.consumption_position.clone());
        OrderLine {
            component_key: component.key.clone(),
            component_code: component.code.clone(),
            component_description: component.description.clone(),
            qt: line.qt,
            phase_key: phase_key.cloned(),
            phase_name: alias.or_else(|| is_default.then(|| "Production".to_owned())),
            consumption_options: ConsumptionOptions {
                consumption_position_key: position.unwrap_or_else(|| ROOT_POSITION.to_owned()),
                consumption_position_mandatory: given.consumption_position_mandatory == true,
                minimum_quantity_if_negative: given.minimum_quantity_if_negative == true,
                minimum_quantity: given.minimum_quantity,
            },
            traceability_level: component.traceability_level.clone(),
            manage_inventory: component.manage_inventory,
            extra: line.extra.clone(),
            bom_line_key: line.bom_line_key.clone(),
        }
    }

    /// The position that finished products come to: the one that is wished and known, else what the configuration gives.
    /// `member` is where the wish stands in the body.
    pub fn output(&self, wish: Option<&str>, fallback: Option<&str>, member: &str) -> Result<String, Refusal> {
        let Some(key) = wish else {
            let known = fallback.or(self.production_position.as_deref()).filter(|key| !key.is_empty());
            return Ok(known.unwrap_or(ROOT_POSITION).to_owned());
        };
        if self.positions.iter().any(|known| known == key) {
            return Ok(key.to_owned());
        }
        Err(Refusal::member(member, format!("Position {key} not found")))
    }
}
