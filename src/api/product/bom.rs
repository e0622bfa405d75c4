//! Bills of materials.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use poem::http::StatusCode;
use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::api::revision::{self, IfMatch, Tagged};
use crate::api::{Area, Envelope};
use crate::app::App;
use crate::aql::product::{self as stored, BOM, BOM_LOOPS, INSERT_BOM, REMOVE_BOM, TARGET_BY_CODE, TARGET_BY_KEY};
use crate::aql::rows::BomTarget;
use crate::auth::{Caller, Scope};
use crate::error::{Error, Invalid, Result};
use crate::openapi::{Fails, Query};
use crate::store::{Access, Transaction, held, typed};
use crate::transaction;

/// Bills of materials.
pub struct Bom(pub Arc<App>);

/// How a component is taken from stock.
#[derive(Debug, Clone, Serialize, Deserialize, Object)]
pub(crate) struct BomLineConsumptionOptions {
    /// Position it is taken from.
    consumption_position_key: Option<String>,
    /// Whether it may be taken from nowhere else.
    #[oai(default)]
    consumption_position_mandatory: bool,
    /// Whether the minimum applies when stock goes below zero.
    #[oai(default)]
    minimum_quantity_if_negative: bool,
    /// Least quantity taken at once.
    minimum_quantity: Option<f64>,
}

/// A line of a bill of materials.
#[derive(Debug, Deserialize, Object)]
struct BomLineRead {
    component_key: String,
    bom_line_key: String,
    component_code: Option<String>,
    component_description: Option<String>,
    /// Quantity in one product.
    qt: Option<f64>,
    phase_key: Option<String>,
    /// Alias of the phase.
    phase_name: Option<String>,
    /// Of the component.
    traceability_level: Option<String>,
    consumption_options: BomLineConsumptionOptions,
    extra: Option<Value>,
    /// Part of the revision of the whole bill of materials.
    #[oai(skip)]
    rev: String,
}

/// A line of a bill of materials to be written.
#[derive(Debug, Clone, Object)]
pub(crate) struct BomLineWriteIn {
    /// Ignored: every line is written anew.
    bom_line_key: Option<String>,
    /// The component; without `by_code` it is needed.
    component_key: Option<String>,
    /// The component; with `by_code` it is needed.
    component_code: Option<String>,
    /// Quantity in one product.
    qt: f64,
    /// The product's last phase when absent.
    phase_key: Option<String>,
    /// A line is stored as `BomLine` whatever is sent.
    #[oai(rename = "type", default = "bom_line")]
    kind: String,
    traceability_level: Option<String>,
    consumption_options: Option<BomLineConsumptionOptions>,
    extra: Option<Value>,
}

const BOM_LINE: &str = "BomLine";

fn bom_line() -> String {
    BOM_LINE.to_owned()
}

#[OpenApi(tag = "Area::Product")]
impl Bom {
    /// BoM lines of a product
    ///
    /// By its key. In the order of component codes, then phase aliases. Empty for a product that does not exist.
    #[oai(
        path = "/product/:product_key_or_code/bom",
        method = "get",
        operation_id = "get_product_bom_product__product_key__bom_get"
    )]
    async fn bom(
        &self,
        #[oai(scope = "Scope::ProductBomRead")] _caller: Caller,
        product_key_or_code: Path<String>,
    ) -> Result<Tagged<Json<Vec<BomLineRead>>>> {
        let params = stored::bom::Params { product_key: &product_key_or_code };
        let lines: Vec<BomLineRead> = stored::bom(&self.0.store, params).await?;
        Ok(Tagged { rev: Some(revision_of(&lines)), body: Json(lines) })
    }

    /// Replace the BoM of a product
    ///
    /// All lines or none: an unknown component, a phase of another product or a component that needs the product
    /// itself, at whatever depth, leaves the bill of materials as it was. Loops are answered with 403, the codes
    /// along each of them in `detail.data`. With `If-Match` only the bill of materials of that revision is replaced.
    #[oai(
        path = "/product/:product_key_or_code/bom",
        method = "put",
        operation_id = "update_bom_product__product_key_or_code__bom_put"
    )]
    async fn replace_bom(
        &self,
        #[oai(scope = "Scope::ProductBomUpdate")] caller: Caller,
        product_key_or_code: Path<String>,
        #[oai(default)] by_code: Query<bool>,
        #[oai(name = "If-Match")] if_match: IfMatch,
        lines: Json<Vec<BomLineWriteIn>>,
        _fails: Fails<404, 422>,
    ) -> Result<Json<Envelope>> {
        let components = components(&lines, *by_code)?;
        let access = access().and(&[if *by_code { TARGET_BY_CODE } else { TARGET_BY_KEY }, BOM]);
        transaction!(self.0.store.acting(caller.actor()), access, |trx| {
            let target = Target::find(trx, &product_key_or_code, &components, *by_code).await?;
            let target = target.ok_or_else(|| unknown_product(&product_key_or_code, *by_code))?;
            if if_match.is_given() {
                let params = stored::bom::Params { product_key: &target.0.key };
                if_match.check(Some(&revision_of(&stored::bom::<BomLineRead>(trx, params).await?)))?;
            }
            target.write(trx, &target.edges(&lines, &components, *by_code)?).await
        })?;
        Ok(Json(Envelope::message("BoM updated correctly")))
    }
}

/// What replacing a bill of materials reads, writes and holds.
pub(crate) fn access() -> Access<'static> {
    Access::of(&[TARGET_BY_KEY, REMOVE_BOM, INSERT_BOM, BOM_LOOPS]).exclusive(&held::BOM)
}

/// Gives a product a bill of materials whose lines name their components by keys.
pub(crate) async fn set(trx: &Transaction, product_key: &str, lines: &[BomLineWriteIn]) -> Result<()> {
    let components = components(lines, false)?;
    let target = Target::find(trx, product_key, &components, false).await?;
    let target = target.ok_or_else(|| unknown_product(product_key, false))?;
    target.write(trx, &target.edges(lines, &components, false)?).await
}

/// The revision of a bill of materials, which is no document of its own.
fn revision_of(lines: &[BomLineRead]) -> String {
    revision::of_parts(lines.iter().map(|line| line.rev.as_str()))
}

/// What each line names as its component.
fn components(lines: &[BomLineWriteIn], by_code: bool) -> Result<Vec<&str>> {
    let member = if by_code { "component_code" } else { "component_key" };
    let mut missing = Vec::new();
    let mut names = Vec::with_capacity(lines.len());
    for (index, line) in lines.iter().enumerate() {
        match if by_code { &line.component_code } else { &line.component_key } {
            Some(name) => names.push(name.as_str()),
            None => {
                missing.push(Invalid::new(&["body".into(), index.into(), member.into()], "missing", "Field required"));
            }
        }
    }
    if missing.is_empty() { Ok(names) } else { Err(Error::Validation(missing)) }
}

fn unknown_product(name: &str, by_code: bool) -> Error {
    if by_code {
        Error::not_found(format!("Product with code '{name}' not found"))
    } else {
        let message = format!("Product '{name}' not found");
        Error::message(StatusCode::UNAUTHORIZED, message)
    }
}

async fn refuse_loops(trx: &Transaction, product_key: &str) -> Result<()> {
    let params = stored::bom_loops::Params { product: &format!("Product/{product_key}") };
    let loops = stored::bom_loops(trx, params).await?;
    if loops.is_empty() {
        return Ok(());
    }
    let message = "The bill of materials contains a loop: a component needs the product itself.";
    let status = StatusCode::FORBIDDEN;
    let detail = Loops { status: status.as_u16(), message, data: loops };
    Err(Error::answer(status, typed::bound(&detail)?))
}

/// Components that need the product itself: the codes along each way.
#[derive(Serialize)]
struct Loops {
    status: u16,
    message: &'static str,
    data: Vec<String>,
}

/// The product whose bill of materials is replaced.
struct Target(BomTarget);

impl Target {
    /// The product of a name, by key or by code, with those components that exist.
    async fn find(trx: &Transaction, product: &str, components: &[&str], by_code: bool) -> Result<Option<Self>> {
        let names: HashSet<&str> = components.iter().copied().collect();
        let components = names.into_iter().collect();
        let found = if by_code {
            stored::target_by_code(trx, stored::target_by_code::Params { product, components }).await?
        } else {
            stored::target_by_key(trx, stored::target_by_key::Params { product, components }).await?
        };
        Ok(found.map(Self))
    }

    /// Writes the lines in place of those there were.
    async fn write(&self, trx: &Transaction, edges: &[Value]) -> Result<()> {
        let phases = self.phase_ids();
        let params = stored::remove_bom::Params { phases: phases.iter().collect() };
        let removed = stored::remove_bom(trx, params).await?;
        let inserted = stored::insert_bom(trx, stored::insert_bom::Params { lines: edges }).await?;
        note(trx, &self.0.key, &removed, &inserted);
        refuse_loops(trx, &self.0.key).await
    }

    /// The edges of the new lines.
    fn edges(&self, lines: &[BomLineWriteIn], components: &[&str], by_code: bool) -> Result<Vec<Value>> {
        let last_phase = self
            .0
            .process_phases
            .last()
            .ok_or_else(|| Error::rule("Product must have a production process to have a BoM"))?;
        let keys: HashMap<&str, &str> =
            self.0.components.iter().map(|component| (component.name.as_str(), component.key.as_str())).collect();
        let phases: HashSet<&str> = self.phases().collect();
        let edge = |(line, name): (&BomLineWriteIn, &&str)| -> Result<Value> {
            let component = keys.get(name).ok_or_else(|| unknown_component(name, by_code))?;
            let phase = line.phase_key.as_ref().unwrap_or(last_phase);
            if !phases.contains(phase.as_str()) {
                return Err(Error::rule(format!("Phase '{phase}' is not a phase of the product")));
            }
            line.edge(phase, component)
        };
        lines.iter().zip(components).map(edge).collect()
    }

    /// Every phase of the product: those of its process, and those that once were and may still have lines.
    fn phases(&self) -> impl Iterator<Item = &str> {
        self.0.process_phases.iter().chain(&self.0.owned_phases).map(String::as_str)
    }

    fn phase_ids(&self) -> HashSet<String> {
        self.phases().map(|key| format!("Phase/{key}")).collect()
    }
}

/// Notes what becomes of a bill of materials whose lines are written anew: a line is told by its component and its phase. What
/// stood there comes first, for what stands there now can be read.
pub(crate) fn note<'l>(
    trx: &Transaction,
    product_key: &str,
    old: impl IntoIterator<Item = &'l Value>,
    new: impl IntoIterator<Item = &'l Value>,
) {
    let (old, new) = (named(old), named(new));
    let (kept, added): (Map<String, Value>, Map<String, Value>) =
        new.into_iter().partition(|(name, _)| old.contains_key(name));
    let id = format!("Product/{product_key}");
    let bom = |lines: Map<String, Value>| Value::from_iter([("bom", lines)]);
    trx.wrote(id.clone(), &bom(old), &bom(kept));
    trx.wrote(id, &bom(Map::new()), &bom(added));
}

/// Lines by names that they keep when they are written anew.
fn named<'l>(lines: impl IntoIterator<Item = &'l Value>) -> Map<String, Value> {
    let text = |line: &Value, member: &str| line[member].as_str().unwrap_or_default().to_owned();
    let mut by_name: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for line in lines {
        let mut members = line.clone();
        if let Some(members) = members.as_object_mut() {
            members.retain(|name, _| !matches!(name.as_str(), "_id" | "_key" | "_rev" | "_from" | "_to" | "type"));
        }
        by_name.entry(format!("{} in {}", text(line, "_to"), text(line, "_from"))).or_default().push(members);
    }
    let mut named = Map::new();
    for (name, mut same) in by_name {
        same.sort_by_cached_key(Value::to_string);
        for (place, line) in same.into_iter().enumerate() {
            let name = if place == 0 { name.clone() } else { format!("{name} #{}", place + 1) };
            named.insert(name, line);
        }
    }
    named
}

fn unknown_component(name: &str, by_code: bool) -> Error {
    if by_code {
        Error::not_found(format!("Component with code '{name}' not found"))
    } else {
        Error::rule(format!("Component '{name}' not found"))
    }
}

impl BomLineWriteIn {
    fn edge(&self, phase: &str, component: &str) -> Result<Value> {
        Ok(typed::bound(&Edge {
            from: format!("Phase/{phase}"),
            to: format!("Product/{component}"),
            r#type: BOM_LINE,
            qt: self.qt,
            traceability_level: self.traceability_level.as_deref(),
            consumption_options: self.consumption_options.as_ref(),
            extra: self.extra.as_ref(),
        })?)
    }
}

/// What is stored of a line.
#[derive(Serialize)]
struct Edge<'a> {
    #[serde(rename = "_from")]
    from: String,
    #[serde(rename = "_to")]
    to: String,
    r#type: &'static str,
    qt: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    traceability_level: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    consumption_options: Option<&'a BomLineConsumptionOptions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    extra: Option<&'a Value>,
}
