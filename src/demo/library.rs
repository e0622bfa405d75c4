//! Phases with their steps and what they use.

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
    /// Keys of its steps.
    pub steps: Vec<String>,
    /// Components and how many of each.
    uses: BTreeMap<String, u32>,
    /// Where goods that nobody numbers are taken from.
    takes_from: Option<String>,
}

/// The phases of every product, in the order of the work.
pub struct Library {
    phases: Vec<Phase>,
}

impl Library {
    /// Reads the phases.
    pub fn read(factory: &mut Factory) -> Result<Self, String> {
        Ok(Self { phases: factory.rules("phase")? })
    }

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
}

impl Phase {
    fn body(&self, factory: &Factory) -> Result<Value, String> {
        let steps: Vec<&Value> = self.steps.iter().map(|key| factory.find("Step", key)).collect::<Result<_, _>>()?;
        // Nobody begins a batch but the operator, who chooses its units.
        let params = json!({
            "production_batch_qt": self.batch, "std_processing_time": self.minutes * 60, "max_offline": 300,
            "auto_new_batch": false,
        });
        Ok(json!({
            "_key": self.key, "alias": self.alias, "operation_key": self.operation, "params": params, "steps": steps,
        }))
    }

    fn lines(&self) -> impl Iterator<Item = Value> + '_ {
        self.uses.iter().map(|(component, quantity)| {
            json!({
                "component_key": component, "qt": f64::from(*quantity), "phase_key": self.key,
                "consumption_options": {"consumption_position_key": self.takes_from},
            })
        })
    }
}
