//! Phases with their links and bills of materials.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};

use super::factory::Factory;

/// A phase as the file writes it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Phase {
    /// Its key.
    pub key: String,
    alias: String,
    product: String,
    operation: String,
    /// Minutes of work for one unit.
    pub minutes: u32,
    /// Units that are worked on together.
    pub batch: usize,
    steps: Vec<String>,
    /// Components and how many of each.
    pub uses: BTreeMap<String, u32>,
}

/// The phases of every product, in the order of the work.
pub struct Library {
    phases: Vec<Phase>,
}

impl Library {
    /// The phases of a product, in order.
    pub fn phases_of(&self, product: &str) -> Vec<&Phase> {
        self.phases.iter().filter(|phase| phase.product == product).collect()
    }

    /// A phase by its key.
    pub fn phase(&self, key: &str) -> Result<&Phase, String> {
        self.phases.iter().find(|phase| phase.key == key).ok_or_else(|| format!("there is no phase {key}"))
    }
}

impl Phase {
    /// What a job has of its phase.
    pub fn job_members(&self) -> Value {
        json!({"phase_key": self.key, "phase_alias": self.alias, "operation_key": self.operation})
    }

    /// The steps, whole, as jobs copy them.
    pub fn steps(&self, factory: &Factory) -> Result<Vec<Value>, String> {
        self.steps.iter().map(|key| factory.find("Step", key).cloned()).collect()
    }

    /// The lines of a work order's bill of materials that belong to this phase.
    pub fn bom_lines(&self, factory: &Factory) -> Result<Vec<Value>, String> {
        let line = |(component, quantity): (&String, &u32)| {
            let product = factory.find("Product", component)?;
            Ok(json!({
                "component_key": component, "component_code": product["code"],
                "component_description": product["description"], "qt": f64::from(*quantity), "phase_key": self.key,
                "phase_name": self.alias, "consumption_options": consumption_options(),
                "traceability_level": product["traceability_level"], "extra": null,
            }))
        };
        self.uses.iter().map(line).collect()
    }
}

/// Adds the phases and everything that links them.
pub fn expand(factory: &mut Factory) -> Result<Library, String> {
    let phases: Vec<Phase> = factory.rules("phase")?;
    for phase in &phases {
        let Phase { key, alias, product, operation, .. } = phase;
        let mut params = factory.find("Operation", operation)?["default_phase_parameters"].clone();
        params["production_batch_qt"] = phase.batch.into();
        params["std_processing_time"] = (phase.minutes * 60).into();
        factory.add(
            "Phase",
            json!({
                "key": key, "alias": alias, "product_key": product, "operation_key": operation, "params": params,
                "step_sequence": phase.steps,
            }),
        )?;
        let (phase_id, owner) = (format!("Phase/{key}"), format!("Product/{product}"));
        factory.add("requires", json!({"from": owner, "to": phase_id, "type": "ProductPhase"}))?;
        let operation = format!("Operation/{operation}");
        factory.add("requires", json!({"from": phase_id, "to": operation, "type": "PhaseOperation"}))?;
        for (component, quantity) in &phase.uses {
            let traceability = factory.find("Product", component)?["traceability_level"].clone();
            factory.add(
                "requires",
                json!({
                    "from": phase_id, "to": format!("Product/{component}"), "type": "BomLine",
                    "qt": f64::from(*quantity), "traceability_level": traceability,
                    "consumption_options": consumption_options(), "extra": null,
                }),
            )?;
        }
    }
    let library = Library { phases };
    for product in factory.documents.get_mut("Product").into_iter().flatten() {
        let owned = library.phases_of(product["_key"].as_str().unwrap_or_default());
        product["process_phases"] = owned.iter().map(|phase| phase.key.as_str()).collect();
    }
    Ok(library)
}

fn consumption_options() -> Value {
    json!({
        "consumption_position_key": null, "consumption_position_mandatory": false,
        "minimum_quantity_if_negative": false, "minimum_quantity": null,
    })
}
