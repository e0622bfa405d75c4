//! New work orders.

use std::sync::Arc;

use poem::http::StatusCode;
use poem_openapi::payload::Json;
use poem_openapi::types::ToJSON;
use poem_openapi::{Object, OpenApi};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::jobs::templates::add_files;
use super::super::model::{NewWorkOrder, key_of, whole_job, whole_order};
use crate::api::found::with_status;
use crate::api::product::{BomLineConsumptionOptions, documents};
use crate::api::{Answer, Area};
use crate::app::App;
use crate::aql::production::product_parts::{Product, Row as ProductParts};
use crate::aql::production::{
    CODE_TAKEN, INSERT_JOBS, INSERT_ORDER, PRODUCT_PARTS, code_taken, insert_order, product_parts,
};
use crate::auth::{Caller, Scope};
use crate::error::{Error, Result};
use crate::events::locks::LockNames;
use crate::events::noted::WorkOrderCreated;
use crate::events::{Call, Concerned};
use crate::openapi::{AsStored, Fails, Many, Name, Note};
use crate::production::bom::{self, Line, OrderLine, Parts};
use crate::production::jobs::{self, Plan, Template};
use crate::production::{part, quantities, queues};
use crate::store::{Access, Transaction, guards, typed};
use crate::{aql, counters, events, transaction};
use tracewright_model::DayOrMoment;
use tracewright_model::{TraceabilityLevel, WorkOrderStatus};

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

/// A work order and its jobs, as they are stored.
#[derive(Serialize)]
struct Planned {
    work_order: Value,
    jobs: Vec<Value>,
}

/// What is stored of a new work order.
#[derive(Serialize)]
struct Document<'a> {
    wo_code: &'a str,
    product_key: &'a str,
    product_code: Option<&'a str>,
    product_description: Option<Value>,
    qt_planned: f64,
    priority: bool,
    project_code: Option<&'a str>,
    start_from: Option<Value>,
    due_by: Option<Value>,
    traceability_level: Option<&'a Value>,
    serial_code_on_creation: bool,
    notes: Option<&'a str>,
    extra: Option<&'a Value>,
    status: WorkOrderStatus,
    qt_completed: u8,
    active: bool,
    on_time: bool,
    critical: bool,
    progress: u8,
    created: String,
    start: Option<String>,
    end: Option<String>,
    material_cost: Option<f64>,
    processing_time: u8,
    processing_cost: u8,
    last_event: Option<String>,
    phase_sequence: &'a [String],
    wo_bom: Vec<OrderLine>,
    output_position_key: String,
    wo_docs: Value,
    serial_fields: Vec<SerialField>,
}

/// A field that serials of the order get.
#[derive(Serialize)]
struct SerialField {
    form_field_key: Value,
    custom_field_key: Value,
    label: Value,
    hint: Value,
    mandatory: bool,
    phase_key: String,
    step_key: Value,
}

/// What is looked at of a step of a template.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Step {
    #[serde(rename = "_key")]
    key: Value,
    form_fields: Value,
}

/// What is looked at of a field of a step.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Field {
    #[serde(rename = "_key")]
    key: Value,
    custom_field_key: Value,
    label: Value,
    hint: Value,
    mandatory: Value,
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
        let _held = self.0.recorder.locks.take(wish.locks()).await?;
        let (order, jobs): (Value, Vec<Value>) = transaction!(self.0.store, access(), |trx| {
            let mut call = Call::of_operation(&self.0.recorder, trx, &caller);
            let planned = wish.plan(&mut call).await?;
            call.write(None).await.map(|()| planned)
        })?;
        let jobs: Vec<Value> = jobs.into_iter().map(whole_job).collect();
        let detail = AsStored::new(typed::bound(&Planned { work_order: whole_order(order), jobs })?);
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
        let (order, jobs, product_key) = self.insert(call).await?;
        let work_order_key = Some(key_of(&order).to_owned());
        let created = WorkOrderCreated { work_order_key: key_of(&order).to_owned() };
        let product_key = Some(product_key);
        call.record(None, &created, Concerned { work_order_key, product_key, ..Concerned::default() });
        Ok((order, jobs))
    }

    /// The order, its jobs and the key of its product.
    async fn insert(&self, call: &Call<'_>) -> Result<(Value, Vec<Value>, String)> {
        if self.product_key.is_none() && self.product_code.is_none() {
            return Err(Error::invalid(&["body", "product_key"], "product_key or product_code is needed"));
        }
        let (trx, settings, wish) = (call.trx, &call.recorder.settings, self);
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
        let default_position = product.default_production_position_key.as_deref();
        let output = parts.output(wish.output_position_key.as_deref(), default_position, "output_position_key")?;
        for template in &mut found.templates {
            add_files(settings, template).await?;
        }
        let docs = documents(settings, &product.key).await?;
        let code = code(call, wish.wo_code.as_deref()).await?;
        let order = Document {
            phase_sequence: &sequence,
            wo_bom: bom,
            output_position_key: output,
            wo_docs: docs.to_json().unwrap_or_default(),
            serial_fields: serial_fields(&found.templates),
            ..wish.document(product, &code, call.stored_time())
        };
        let order = call.keys.of("WorkOrder", &code, typed::bound(&order)?);
        let order = insert_order(trx, insert_order::Params { order: &order }).await?;
        let plan = Plan { quantity: wish.qt_planned, ..Plan::default() };
        let mut jobs = Vec::with_capacity(found.templates.len());
        for template in &found.templates {
            jobs.push(call.keys.of("Job", &template.phase_key, jobs::new(&order, template, plan)?));
        }
        let jobs = jobs::insert(trx, &jobs).await?;
        let mut queues = queues::Changes::default();
        queues.append_order(key_of(&order));
        queues.apply(trx).await?;
        Ok((order, jobs, found.product.key))
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
        let code = counters::next_distinct_code(call.trx, &call.recorder.settings.time_zone(), "work_orders").await?;
        if !is_taken(call.trx, &code).await? {
            return Ok(code);
        }
    }
    Err(Error::message(StatusCode::CONFLICT, "The counter of work orders gives no code that is free."))
}

async fn is_taken(trx: &Transaction, code: &str) -> Result<bool> {
    let guards = guards::keys([(CODES, code)]);
    let params = code_taken::Params { code, guards: (&guards).into(), now: guards::now() };
    Ok(code_taken(trx, params).await? == Some(true))
}

impl WorkOrderNew {
    /// What calls of this process that create orders wait for.
    fn locks(&self) -> LockNames {
        let code = self.wo_code.as_deref();
        let code = code.map_or_else(|| counters::unit_of_purpose("work_orders"), |code| guards::unit(CODES, code));
        LockNames::from([code, queues::UNIT.to_owned()])
    }

    /// The product, live and active. 404 without it, 422 when key and code name two.
    async fn product(&self, trx: &Transaction) -> Result<ProductParts> {
        let (product_key, product_code) = (self.product_key.as_deref(), self.product_code.as_deref());
        let found = product_parts(trx, product_parts::Params { product_key, product_code }).await?;
        let name = self.product_key.as_deref().or(self.product_code.as_deref()).unwrap_or_default();
        let missing = || with_status(StatusCode::NOT_FOUND, format!("There is no active product {name}."));
        let found = found.ok_or_else(missing)?;
        if product_code.is_some_and(|code| found.product.code.as_deref() != Some(code)) {
            return Err(Error::invalid(&["body", "product_code"], "the product has another code"));
        }
        Ok(found)
    }

    /// 422 for what does not fit the product.
    fn check(&self, product: &Product) -> Result<()> {
        let is_traced = product.traceability_level.is_some();
        if self.traceability_level.is_some() && !is_traced {
            return Err(Error::invalid(&["body", "traceability_level"], "the product is not traced"));
        }
        if is_traced && !quantities::is_whole(self.qt_planned) {
            return Err(Error::invalid(&["body", "qt_planned"], "of a traced product whole pieces are made"));
        }
        Ok(())
    }

    /// The lines that were asked for, or those of the product.
    async fn lines(&self, trx: &Transaction, product: &Product) -> Result<Vec<Line>> {
        if let Some(lines) = self.wo_bom.as_ref().filter(|lines| !lines.0.is_empty()) {
            return Ok(lines.iter().map(Line::from).collect());
        }
        #[derive(Deserialize)]
        struct OfProduct {
            component_key: String,
            qt: Option<f64>,
            phase_key: Option<String>,
            consumption_options: Value,
            extra: Value,
            bom_line_key: String,
        }
        let lines: Vec<OfProduct> =
            aql::product::bom(trx, aql::product::bom::Params { product_key: &product.key }).await?;
        let line = |line: OfProduct| Line {
            component_key: line.component_key,
            qt: line.qt.unwrap_or_default(),
            phase_key: line.phase_key,
            consumption_options: Some(line.consumption_options),
            extra: Some(line.extra),
            bom_line_key: Some(line.bom_line_key),
        };
        Ok(lines.into_iter().map(line).collect())
    }

    /// What is stored, but for what the process and the bill of materials add.
    fn document<'a>(&'a self, product: &'a Product, code: &'a str, created: String) -> Document<'a> {
        let description = self.product_description.as_deref().filter(|text| !text.is_empty());
        Document {
            wo_code: code,
            product_key: &product.key,
            product_code: product.code.as_deref(),
            product_description: description.map(Value::from).or_else(|| product.description.clone()),
            qt_planned: quantities::rounded(self.qt_planned),
            priority: self.priority.unwrap_or(false),
            project_code: self.project_code.as_deref(),
            start_from: self.start_from.to_json(),
            due_by: self.due_by.to_json(),
            traceability_level: product.traceability_level.as_ref(),
            serial_code_on_creation: product.serial_code_on_creation == Some(Value::Bool(true)),
            notes: self.notes.as_deref(),
            extra: self.extra.as_ref(),
            status: WorkOrderStatus::Created,
            qt_completed: 0,
            active: false,
            on_time: true,
            critical: false,
            progress: 0,
            created,
            start: None,
            end: None,
            material_cost: None,
            processing_time: 0,
            processing_cost: 0,
            last_event: None,
            phase_sequence: &[],
            wo_bom: Vec::new(),
            output_position_key: String::new(),
            wo_docs: Value::Null,
            serial_fields: Vec::new(),
        }
    }
}

/// Every field of every step, as serials of the order get them.
fn serial_fields(templates: &[Template]) -> Vec<SerialField> {
    let mut fields = Vec::new();
    for template in templates {
        for step in template.step_sequence.as_array().into_iter().flatten().map(part::<Step>) {
            for field in step.form_fields.as_array().into_iter().flatten().map(part::<Field>) {
                fields.push(SerialField {
                    form_field_key: field.key,
                    custom_field_key: field.custom_field_key,
                    label: field.label,
                    hint: field.hint,
                    mandatory: field.mandatory == true,
                    phase_key: template.phase_key.clone(),
                    step_key: step.key.clone(),
                });
            }
        }
    }
    fields
}
