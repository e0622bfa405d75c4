//! New work orders.

use std::sync::Arc;

use poem::http::StatusCode;
use poem_openapi::payload::Json;
use poem_openapi::types::ToJSON;
use poem_openapi::{Object, OpenApi};
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::jobs::templates::add_files;
use super::super::model::{NewWorkOrder, whole_job, whole_order};
use crate::api::filters::DayOrMoment;
use crate::api::product::{BomLineConsumptionOptions, TraceabilityLevel, documents};
use crate::api::{Answer, Area};
use crate::app::App;
use crate::aql::production::{CODE_TAKEN, INSERT_JOBS, INSERT_ORDER, PRODUCT_PARTS};
use crate::auth::{Caller, Scope};
use crate::error::{Error, Result};
use crate::events::noted::WorkOrderCreated;
use crate::events::units::Names;
use crate::events::{Call, Concerned};
use crate::openapi::{AsStored, Fails, Many, Name, Note};
use crate::production::bom::{self, Line, Parts};
use crate::production::jobs::{self, Plan, Template};
use crate::production::{quantities, queues};
use crate::store::{Access, Transaction, guards};
use crate::{aql, counters, events, transaction};

/// New work orders.
pub struct Create(pub Arc<App>);

/// How many codes of the counter are tried before somebody has to look at it.
const MOST_CODES: usize = 1_000;
/// Among what the codes of orders must differ.
const CODES: &str = "WorkOrder";

/// A line of a new bill of materials.
#[derive(Debug, Object)]
#[oai(rename = "WOBomLineInput")]
pub(crate) struct WoBomLineInput {
    component_key: String,
    /// Quantity in one product.
    #[oai(validator(minimum(value = "0")))]
    qt: f64,
    /// The last phase when absent.
    phase_key: Option<Name>,
    consumption_options: Option<BomLineConsumptionOptions>,
    /// The line of the product's bill of materials it comes from.
    bom_line_key: Option<String>,
    extra: Option<Value>,
}

impl From<&WoBomLineInput> for Line {
    fn from(line: &WoBomLineInput) -> Self {
        Self {
            component_key: line.component_key.clone(),
            qt: line.qt,
            phase_key: line.phase_key.clone().map(Into::into),
            consumption_options: line.consumption_options.to_json(),
            extra: line.extra.clone(),
            bom_line_key: line.bom_line_key.clone(),
        }
    }
}

/// A work order to be planned.
#[derive(Debug, Object)]
pub(crate) struct WorkOrderNew {
    /// From the counter of work orders when absent.
    wo_code: Option<Name>,
    /// The product; it or its code is needed.
    product_key: Option<Name>,
    product_code: Option<Name>,
    /// The product's when absent.
    product_description: Option<Note>,
    /// Ignored: the process of the product tells it.
    phase_sequence: Option<Vec<String>>,
    #[oai(validator(minimum(value = "0", exclusive = "true")))]
    qt_planned: f64,
    /// A mark for the pages.
    #[oai(default)]
    priority: Option<bool>,
    project_code: Option<Name>,
    /// A date or a time.
    start_from: Option<DayOrMoment>,
    /// A date or a time.
    due_by: Option<DayOrMoment>,
    /// The product's bill of materials when absent or empty.
    wo_bom: Option<Many<WoBomLineInput>>,
    /// Where its products come to.
    output_position_key: Option<Name>,
    /// Taken from the product, which must have one.
    traceability_level: Option<TraceabilityLevel>,
    /// Ignored: the product tells it.
    serial_code_on_creation: Option<bool>,
    notes: Option<Note>,
    extra: Option<Value>,
}

/// What a work order takes from its product.
#[derive(Deserialize)]
struct ProductParts {
    product: Value,
    templates: Vec<Template>,
    parameters: Value,
}

#[OpenApi(tag = "Area::Production")]
impl Create {
    /// Plan a work order with its jobs
    ///
    /// One job for each phase of the product's process, or one of phase `default` without a process; the order comes to the
    /// end of the site queue. 404 without such a product, 409 when the code is taken.
    #[oai(path = "/work-order", method = "post", operation_id = "create_work_order_work_order_post")]
    async fn create(
        &self,
        #[oai(scope = "Scope::ProductionWorkOrderCreate")] caller: Caller,
        body: Json<WorkOrderNew>,
        _fails: Fails<404, 409>,
    ) -> Result<Json<Answer<AsStored<NewWorkOrder>>>> {
        let wish = body.0;
        let _held = self.0.units.take(wish.units()).await?;
        let (order, jobs): (Value, Vec<Value>) = transaction!(self.0.store, access(), |trx| {
            let mut call = Call::of_operation(&self.0, trx, &caller);
            let planned = wish.plan(&mut call).await?;
            call.write(None).await.map(|()| planned)
        })?;
        let jobs: Vec<Value> = jobs.into_iter().map(whole_job).collect();
        let detail = AsStored::new(json!({"work_order": whole_order(order), "jobs": jobs}));
        Ok(Json(Answer::detail(detail).with_message("Work order and jobs created")))
    }
}

/// What a new order reads and writes. It holds nothing alone, since everything that is recorded of other orders would wait: of
/// two that take one code, the counter's next one or the last place of the queue, the later begins again.
pub(crate) fn access() -> Access<'static> {
    let own = [PRODUCT_PARTS, CODE_TAKEN, INSERT_ORDER, INSERT_JOBS, aql::product::BOM];
    let access = Access::of(&own).and(&bom::QUERIES).and(&queues::QUERIES).and(&events::QUERIES);
    counters::drawing_with_others(access)
}

impl WorkOrderNew {
    /// Plans the order with its jobs, and records it in a call.
    pub(crate) async fn plan(&self, call: &mut Call<'_>) -> Result<(Value, Vec<Value>)> {
        let (order, jobs) = self.insert(call).await?;
        let key = |name: &str| order[name].as_str().map(str::to_owned);
        let (work_order_key, product_key) = (key("_key"), key("product_key"));
        let created = WorkOrderCreated { work_order_key: work_order_key.clone().unwrap_or_default() };
        call.record(None, &created, Concerned { work_order_key, product_key, ..Concerned::default() });
        Ok((order, jobs))
    }

    async fn insert(&self, call: &Call<'_>) -> Result<(Value, Vec<Value>)> {
        if self.product_key.is_none() && self.product_code.is_none() {
            return Err(Error::invalid(&["body", "product_key"], "product_key or product_code is needed"));
        }
        let (trx, app, wish) = (call.trx, call.app, self);
        let mut found = wish.product(trx).await?;
        let product = &found.product;
        wish.check(product)?;
        if found.templates.is_empty() {
            found.templates.push(Template::without_process(found.parameters));
        }
        let sequence: Vec<String> = found.templates.iter().map(|template| template.phase_key.clone()).collect();
        let lines = wish.lines(trx, product).await?;
        let parts = Parts::read(trx, &lines, &sequence, wish.output_position_key.as_deref()).await?;
        let bom = parts.complete(&lines, &sequence, "wo_bom")?;
        let default_position = product["default_production_position_key"].as_str();
        let output = parts.output(wish.output_position_key.as_deref(), default_position, "output_position_key")?;
        for template in &mut found.templates {
            add_files(&app.settings, template).await?;
        }
        let docs = documents(&app.settings, product["_key"].as_str().unwrap_or_default()).await?;
        let code = code(call, wish.wo_code.as_deref()).await?;
        let mut order = wish.document(product, &code, &call.stored_time());
        order["phase_sequence"] = json!(sequence);
        order["wo_bom"] = json!(bom);
        order["output_position_key"] = json!(output);
        order["wo_docs"] = docs.to_json().unwrap_or_default();
        order["serial_fields"] = serial_fields(&found.templates);
        let missing = || Error::internal("The work order could not be stored.", "no row");
        let order = call.keys.of("WorkOrder", &code, order);
        let order: Value = trx.row(&INSERT_ORDER, json!({"order": order})).await?.ok_or_else(missing)?;
        let plan = Plan { quantity: wish.qt_planned, ..Plan::default() };
        let job = |template: &Template| call.keys.of("Job", &template.phase_key, jobs::new(&order, template, plan));
        let jobs: Vec<Value> = found.templates.iter().map(job).collect();
        let jobs = jobs::insert(trx, &jobs).await?;
        let mut queues = queues::Changes::default();
        queues.append_order(order["_key"].as_str().unwrap_or_default());
        queues.apply(trx).await?;
        Ok((order, jobs))
    }
}

/// The code that was asked for, or the next one of the counter that nobody has. 409 when there is none.
async fn code(call: &Call<'_>, wish: Option<&str>) -> Result<String> {
    if let Some(code) = wish {
        if is_taken(call.trx, code).await? {
            return Err(Error::message(StatusCode::CONFLICT, format!("Work order {code} exists already.")));
        }
        return Ok(code.to_owned());
    }
    for _ in 0..MOST_CODES {
        let code = counters::next_distinct_code(call.trx, &call.app.settings.time_zone(), "work_orders").await?;
        if !is_taken(call.trx, &code).await? {
            return Ok(code);
        }
    }
    Err(Error::message(StatusCode::CONFLICT, "The counter of work orders gives no code that is free."))
}

async fn is_taken(trx: &Transaction, code: &str) -> Result<bool> {
    let params = json!({"code": code, "guards": guards::keys([(CODES, code)]), "now": guards::now()});
    Ok(trx.row(&CODE_TAKEN, params).await? == Some(true))
}

impl WorkOrderNew {
    /// What calls of this process that create orders wait for.
    fn units(&self) -> Names {
        let code = self.wo_code.as_deref();
        let code = code.map_or_else(|| counters::unit_of_purpose("work_orders"), |code| guards::unit(CODES, code));
        Names::from([code, queues::UNIT.to_owned()])
    }

    /// The product, live and active. 404 without it, 422 when key and code name two.
    async fn product(&self, trx: &Transaction) -> Result<ProductParts> {
        let params = json!({"product_key": self.product_key.as_deref(), "product_code": self.product_code.as_deref()});
        let found: Option<ProductParts> = trx.row(&PRODUCT_PARTS, params).await?;
        let name = self.product_key.as_deref().or(self.product_code.as_deref()).unwrap_or_default();
        let missing = || {
            let message = format!("There is no active product {name}.");
            Error::answer(StatusCode::NOT_FOUND, json!({"status": 404, "message": message}))
        };
        let found = found.ok_or_else(missing)?;
        if self.product_code.as_deref().is_some_and(|code| found.product["code"] != code) {
            return Err(Error::invalid(&["body", "product_code"], "the product has another code"));
        }
        Ok(found)
    }

    /// 422 for what does not fit the product.
    fn check(&self, product: &Value) -> Result<()> {
        let is_traced = !product["traceability_level"].is_null();
        if self.traceability_level.is_some() && !is_traced {
            return Err(Error::invalid(&["body", "traceability_level"], "the product is not traced"));
        }
        if is_traced && !quantities::is_whole(self.qt_planned) {
            return Err(Error::invalid(&["body", "qt_planned"], "of a traced product whole pieces are made"));
        }
        Ok(())
    }

    /// The lines that were asked for, or those of the product.
    async fn lines(&self, trx: &Transaction, product: &Value) -> Result<Vec<Line>> {
        if let Some(lines) = self.wo_bom.as_ref().filter(|lines| !lines.0.is_empty()) {
            return Ok(lines.iter().map(Line::from).collect());
        }
        let lines: Vec<Value> = trx.rows(&aql::product::BOM, json!({"product_key": product["_key"]})).await?;
        let text = |line: &Value, name: &str| line[name].as_str().map(str::to_owned);
        let line = |line: Value| Line {
            component_key: text(&line, "component_key").unwrap_or_default(),
            qt: line["qt"].as_f64().unwrap_or_default(),
            phase_key: text(&line, "phase_key"),
            consumption_options: Some(line["consumption_options"].clone()),
            extra: Some(line["extra"].clone()),
            bom_line_key: text(&line, "bom_line_key"),
        };
        Ok(lines.into_iter().map(line).collect())
    }

    /// What is stored, but for what the process and the bill of materials add.
    fn document(&self, product: &Value, code: &str, now: &str) -> Value {
        let description = self.product_description.as_deref().filter(|text| !text.is_empty());
        json!({
            "wo_code": code, "product_key": product["_key"], "product_code": product["code"],
            "product_description": description.map_or_else(|| product["description"].clone(), Value::from),
            "qt_planned": quantities::rounded(self.qt_planned), "priority": self.priority.unwrap_or(false),
            "project_code": self.project_code, "start_from": self.start_from.to_json(),
            "due_by": self.due_by.to_json(), "traceability_level": product["traceability_level"],
            "serial_code_on_creation": product["serial_code_on_creation"] == true, "notes": self.notes,
            "extra": self.extra, "status": "created", "qt_completed": 0, "active": false, "on_time": true,
            "critical": false, "progress": 0, "created": now, "start": null, "end": null, "material_cost": null,
            "processing_time": 0, "processing_cost": 0, "last_event": null,
        })
    }
}

/// Every field of every step, as serials of the order get them.
fn serial_fields(templates: &[Template]) -> Value {
    let mut fields = Vec::new();
    for template in templates {
        for step in template.step_sequence.as_array().into_iter().flatten() {
            for field in step["form_fields"].as_array().into_iter().flatten() {
                fields.push(json!({
                    "form_field_key": field["_key"], "custom_field_key": field["custom_field_key"],
                    "label": field["label"], "hint": field["hint"], "mandatory": field["mandatory"] == true,
                    "phase_key": template.phase_key, "step_key": step["_key"],
                }));
            }
        }
    }
    fields.into()
}
