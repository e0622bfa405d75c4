//! The master data: people, products and how they are made, positions, forms. Each is the body of the operation that creates
//! it, held to the document and stored by that operation under the key that the file gives.

use std::collections::BTreeMap;

use poem_openapi::types::{ParseFromJSON, Type};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::factory::Factory;
use super::library::Library;
use crate::api::collaboration::{IssueType, TaskType};
use crate::api::counters::Counter;
use crate::api::custom_data::CustomData;
use crate::api::departments::DepartmentNew;
use crate::api::print::{AssignmentUpdate, NewTemplate};
use crate::api::process::{self, NewOperation, PhaseInput};
use crate::api::product::{self, BomLineWriteIn, ProductUpdate};
use crate::api::quality::{self, CustomField, CustomListValue};
use crate::api::setup::{self, Create};
use crate::api::tags::{self, ConnectionUpdate, Tag};
use crate::api::users::{self, UserNew};
use crate::api::warehouse::PositionNew;
use crate::api::{configuration, print};
use crate::app::App;
use crate::aql;
use crate::aql::rows::ListValueDocument;
use crate::error::Result;
use crate::store::{Access, Transaction};

/// Members of a product that the operation which creates it takes; the others are changes of it.
const OF_NEW_PRODUCTS: [&str; 6] =
    ["code", "description", "traceability_level", "counter_key", "manage_inventory", "serial_code_on_creation"];

/// Bodies with the keys under which they are stored.
struct Rows<T>(Vec<(String, T)>);

impl<T: Type + ParseFromJSON> Rows<T> {
    fn read(factory: &Factory, table: &str) -> Result<Self> {
        let rows = factory.master(table).into_iter().map(|row| {
            let (key, body) = without_key(row);
            Ok((key, setup::read(body)?))
        });
        Ok(Self(rows.collect::<Result<_>>()?))
    }
}

impl<T: Create> Rows<T> {
    fn access(&self, access: Access<'static>) -> Access<'static> {
        self.0.iter().fold(access, |access, (_, body)| access.joined(&body.access()))
    }

    async fn create(&self, app: &App, trx: &Transaction) -> Result<()> {
        for (key, body) in &self.0 {
            body.create(app, trx, Some(key)).await?;
        }
        Ok(())
    }
}

fn without_key(row: Value) -> (String, Value) {
    let Value::Object(mut members) = row else { return (String::new(), Value::Null) };
    let key = members.remove("_key").and_then(|key| key.as_str().map(str::to_owned)).unwrap_or_default();
    (key, members.into())
}

/// A product as it is created, and what is changed of it afterwards.
struct NewProduct {
    key: String,
    document: Value,
    changes: ProductUpdate,
}

impl NewProduct {
    fn read(row: Value) -> Result<Self> {
        let (key, body) = without_key(row);
        let members = body.as_object().cloned().unwrap_or_default();
        // Both parts are held to what may be written of a product.
        setup::read::<ProductUpdate>(body)?;
        let (mut first, later): (Map<String, Value>, Map<String, Value>) =
            members.into_iter().partition(|(name, _)| OF_NEW_PRODUCTS.contains(&name.as_str()));
        first.insert("_key".to_owned(), key.as_str().into());
        Ok(Self { key, document: product::document(first.into()), changes: setup::read(later.into())? })
    }
}

/// Everything that stands before the first work order does.
pub struct Setup {
    sites: Vec<Value>,
    departments: Rows<DepartmentNew>,
    users: Rows<UserNew>,
    tags: Rows<Tag>,
    tagged: Vec<ConnectionUpdate>,
    fields: Rows<CustomField>,
    lists: Vec<ListValueDocument>,
    custom_data: Rows<CustomData>,
    config: BTreeMap<String, Value>,
    counters: Rows<Counter>,
    positions: Rows<PositionNew>,
    products: Vec<NewProduct>,
    operations: Rows<NewOperation>,
    processes: Vec<(String, Vec<PhaseInput>, Vec<BomLineWriteIn>)>,
    templates: Rows<NewTemplate>,
    assignments: Vec<AssignmentUpdate>,
    issue_types: Rows<IssueType>,
    task_types: Rows<TaskType>,
}

impl Setup {
    /// Reads the bodies of all operations.
    pub fn read(factory: &Factory, library: &Library) -> Result<Self> {
        let products = factory.master("Product");
        let processes = library.processes(factory).map_err(super::unreadable)?;
        let processes = processes
            .into_iter()
            .map(|process| Ok((process.product, super::body(&process.phases)?, super::body(&process.lines)?)));
        Ok(Self {
            sites: factory.master("Site"),
            departments: Rows::read(factory, "Department")?,
            users: Rows::read(factory, "User")?,
            tags: Rows::read(factory, "Tag")?,
            tagged: tagged(factory)?,
            fields: Rows::read(factory, "CustomField")?,
            lists: lists(factory)?,
            custom_data: Rows::read(factory, "CustomData")?,
            config: config(factory),
            counters: Rows::read(factory, "Counter")?,
            positions: Rows::read(factory, "Position")?,
            products: products.into_iter().map(NewProduct::read).collect::<Result<_>>()?,
            processes: processes.collect::<Result<_>>()?,
            operations: Rows::read(factory, "Operation")?,
            templates: Rows::read(factory, "PrintTemplate")?,
            assignments: assignments(factory)?,
            issue_types: Rows::read(factory, "IssueType")?,
            task_types: Rows::read(factory, "TaskType")?,
        })
    }

    /// What all of them read, write and hold.
    pub fn access(&self) -> Access<'static> {
        let mut access = Access::of(&[aql::schema::INSERT_MISSING])
            .writing(&["Site"])
            .joined(&users::password_access())
            .joined(&tags::connecting())
            .joined(&quality::list_access())
            .joined(&CustomData::access())
            .joined(&configuration::access())
            .joined(&product::change_access())
            .joined(&process::process_access())
            .and(&[aql::process::UNKNOWN_OPERATIONS])
            .joined(&product::bom_access())
            .joined(&print::assigning(&self.assignments));
        access = self.users.0.iter().fold(access, |access, (_, user)| access.joined(&user.access()));
        for new in &self.products {
            access = access.joined(&product::insert_access(&new.document));
        }
        access = self.task_types.access(self.issue_types.access(self.templates.access(access)));
        access = self.operations.access(self.positions.access(self.counters.access(access)));
        self.fields.access(self.tags.access(self.departments.access(access)))
    }

    /// Creates everything, what others name before what names it.
    pub async fn create(&self, app: &App, trx: &Transaction, password_hash: &str) -> Result<()> {
        // No operation makes a site: there is one, whose name is all that a database can say of it.
        let sites = aql::schema::insert_missing::Params { collection: "Site", documents: &self.sites };
        aql::schema::insert_missing(trx, sites).await?;
        self.departments.create(app, trx).await?;
        for (key, user) in &self.users.0 {
            user.create(trx, password_hash, Some(key)).await?;
            users::store_password(trx, key, password_hash).await?;
        }
        configuration::change(trx, self.config.clone()).await?;
        for (key, entry) in &self.custom_data.0 {
            entry.store(trx, key).await?;
        }
        self.fields.create(app, trx).await?;
        quality::put_list(trx, &self.lists).await?;
        self.counters.create(app, trx).await?;
        self.positions.create(app, trx).await?;
        for new in &self.products {
            product::insert(trx, &new.document).await?;
            product::update(trx, &new.key, &new.changes).await?;
        }
        self.tags.create(app, trx).await?;
        tags::connect(trx, &self.tagged).await?;
        self.operations.create(app, trx).await?;
        for (product_key, phases, _) in &self.processes {
            process::set_up(trx, product_key, phases).await?;
        }
        for (product_key, _, lines) in &self.processes {
            product::set_bom(trx, product_key, lines).await?;
        }
        self.templates.create(app, trx).await?;
        print::assign(trx, &self.assignments).await?;
        self.issue_types.create(app, trx).await?;
        self.task_types.create(app, trx).await
    }
}

/// The key in an identifier.
fn key_of(id: &str) -> String {
    id.split_once('/').map(|(_, key)| key.to_owned()).unwrap_or_default()
}

/// A row of the file that is a link.
#[derive(Deserialize)]
struct Link {
    #[serde(rename = "_from")]
    from: String,
    #[serde(rename = "_to")]
    to: String,
    #[serde(rename = "type", default)]
    kind: String,
}

/// A link as the operations take it.
#[derive(Serialize)]
struct NewLink {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tag_key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    template_key: Option<String>,
    context: String,
    context_key: String,
}

fn links(factory: &Factory, table: &str) -> Result<Vec<Link>> {
    let link = |row| serde_json::from_value(row).map_err(|error| super::unreadable(format!("{table}: {error}")));
    factory.master(table).into_iter().map(link).collect()
}

fn tagged(factory: &Factory) -> Result<Vec<ConnectionUpdate>> {
    let update = |link: &Link| NewLink {
        kind: "add",
        tag_key: Some(key_of(&link.to)),
        template_key: None,
        context: "product".to_owned(),
        context_key: key_of(&link.from),
    };
    super::body(&links(factory, "has_tag")?.iter().map(update).collect::<Vec<_>>())
}

fn assignments(factory: &Factory) -> Result<Vec<AssignmentUpdate>> {
    let update = |link: &Link| NewLink {
        kind: "add",
        tag_key: None,
        template_key: Some(key_of(&link.to)),
        context: link.kind.clone(),
        context_key: key_of(&link.from),
    };
    super::body(&links(factory, "can_use_print_template")?.iter().map(update).collect::<Vec<_>>())
}

/// The values of choice fields, as they are stored.
fn lists(factory: &Factory) -> Result<Vec<ListValueDocument>> {
    let mut documents = Vec::new();
    for row in factory.master("CustomListValue") {
        let field_key = row.get("field_key").and_then(Value::as_str).unwrap_or_default().to_owned();
        let values: Vec<CustomListValue> = setup::read(Value::Array(vec![row]))?;
        documents.extend(quality::documents(&values, &field_key)?);
    }
    Ok(documents)
}

/// What the factory changes in the configuration.
fn config(factory: &Factory) -> BTreeMap<String, Value> {
    let entry = |row: Value| {
        let (key, body) = without_key(row);
        (key, body.get("value").cloned().unwrap_or_default())
    };
    factory.master("Config").into_iter().map(entry).collect()
}
