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

    /// The process of each product and its bill of materials, as operations take them.
    pub fn processes(&self, factory: &Factory) -> Result<Vec<(String, Value, Value)>, String> {
        let mut products: Vec<&str> = self.phases.iter().map(|phase| phase.product.as_str()).collect();
        products.dedup();
        let process = |product: &str| {
            let phases = self.phases_of(product);
            let bodies = phases.iter().map(|phase| phase.body(factory)).collect::<Result<_, _>>()?;
            let lines = phases.iter().flat_map(|phase| phase.lines()).collect();
            Ok((product.to_owned(), Value::Array(bodies), Value::Array(lines)))
        };
        products.into_iter().map(process).collect()
    }

    /// A phase by its key.
    pub fn phase(&self, key: &str) -> Result<&Phase, String> {
        self.phases.iter().find(|phase| phase.key == key).ok_or_else(|| format!("there is no phase {key}"))
    }
}

impl Phase {
    /// How it is worked on. Nobody begins a batch but the operator, who chooses its units.
    pub fn parameters(&self) -> Value {
        json!({
            "parallel_job_allowed": true, "step_check": false, "step_check_force_order": false,
            "production_batch_qt": self.batch, "max_offline": 300, "auto_new_batch": false,
            "std_processing_time": self.minutes * 60, "unsupervised_work_allowed": false, "display_job_timer": false,
        })
    }

    fn body(&self, factory: &Factory) -> Result<Value, String> {
        Ok(json!({
            "_key": self.key, "alias": self.alias, "operation_key": self.operation, "params": self.parameters(),
            "steps": self.steps(factory)?,
        }))
    }

    fn lines(&self) -> impl Iterator<Item = Value> + '_ {
        self.uses.iter().map(|(component, quantity)| {
            json!({"component_key": component, "qt": f64::from(*quantity), "phase_key": self.key})
        })
    }

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

/// Reads the phases.
pub fn read(factory: &mut Factory) -> Result<Library, String> {
    Ok(Library { phases: factory.rules("phase")? })
}
fn consumption_options() -> Value {
    json!({
        "consumption_position_key": null, "consumption_position_mandatory": false,
        "minimum_quantity_if_negative": false, "minimum_quantity": null,
    })
}
