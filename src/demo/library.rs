//! Phases with their steps and what they use.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

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

/// The process of a product and its bill of materials, as operations take them.
pub struct Process<'a> {
    /// Key of the product.
    pub product: String,
    /// Its phases.
    pub phases: Vec<PhaseBody<'a>>,
    /// What they use.
    pub lines: Vec<Line<'a>>,
}

/// A phase with its steps.
#[derive(Serialize)]
pub struct PhaseBody<'a> {
    #[serde(rename = "_key")]
    key: &'a str,
    alias: &'a str,
    operation_key: &'a str,
    params: Params,
    steps: Vec<&'a Value>,
}

#[derive(Serialize)]
struct Params {
    production_batch_qt: usize,
    std_processing_time: u32,
    max_offline: u32,
    auto_new_batch: bool,
}

/// A line of a bill of materials.
#[derive(Serialize)]
pub struct Line<'a> {
    component_key: &'a str,
    qt: f64,
    phase_key: &'a str,
    consumption_options: Consumption<'a>,
}

#[derive(Serialize)]
struct Consumption<'a> {
    consumption_position_key: Option<&'a str>,
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
    pub fn processes<'a>(&'a self, factory: &'a Factory) -> Result<Vec<Process<'a>>, String> {
        let mut products: Vec<&str> = self.phases.iter().map(|phase| phase.product.as_str()).collect();
        products.dedup();
        let process = |product: &str| {
            let phases = self.phases_of(product);
            Ok(Process {
                product: product.to_owned(),
                phases: phases.iter().map(|phase| phase.body(factory)).collect::<Result<_, _>>()?,
                lines: phases.iter().flat_map(|phase| phase.lines()).collect(),
            })
        };
        products.into_iter().map(process).collect()
    }
}

impl Phase {
    fn body<'a>(&'a self, factory: &'a Factory) -> Result<PhaseBody<'a>, String> {
        let steps = self.steps.iter().map(|key| factory.find("Step", key)).collect::<Result<_, _>>()?;
        // Nobody begins a batch but the operator, who chooses its units.
        let params = Params {
            production_batch_qt: self.batch,
            std_processing_time: self.minutes * 60,
            max_offline: 300,
            auto_new_batch: false,
        };
        Ok(PhaseBody { key: &self.key, alias: &self.alias, operation_key: &self.operation, params, steps })
    }

    fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        self.uses.iter().map(|(component, quantity)| Line {
            component_key: component,
            qt: f64::from(*quantity),
            phase_key: &self.key,
            consumption_options: Consumption { consumption_position_key: self.takes_from.as_deref() },
        })
    }
}
