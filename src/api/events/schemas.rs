//! Events in the document: a schema for each type, `Event_<TYPE>`, with the members that all have and those of its own, and
//! what is posted and what is read as one of them.

use std::borrow::Cow;

use poem_openapi::registry::{MetaSchema, MetaSchemaRef, Registry};
use poem_openapi::types::{ParseError, ParseFromJSON, ParseResult, ToJSON, Type};
use serde_json::Value;

use super::body::{EventBody, EventInfoModel};
use super::search::EventRow;
use crate::events::{EventType, registry};
use crate::openapi::variants;

/// The member that tells types apart.
const TYPE: &str = "event_type";

/// An event as it is posted.
#[derive(Debug)]
pub(super) struct PostedEvent(pub EventBody);

/// An event of the journal.
pub(super) struct RecordedEvent;

/// Name of the schema of a type.
fn schema_of(event_type: EventType) -> String {
    format!("Event_{}", event_type.name())
}

/// Registers the posted events, or all, and puts the members that every event has into their schemas.
fn register_types(registry: &mut Registry, is_all: bool) -> Vec<EventType> {
    EventBody::register(registry);
    EventRow::register(registry);
    let mut types = registry::register_posted(registry);
    if is_all {
        types.extend(registry::register_recorded(registry));
    }
    let sent = members_of::<EventInfoModel>(registry).into_iter().filter(|(name, _)| *name != "_key");
    let told = MetaSchema { read_only: true, ..MetaSchema::ANY };
    let shown = members_of::<EventRow>(registry).into_iter().map(|(name, schema)| (name, schema.merge(told.clone())));
    let common: Vec<_> = sent.chain(shown).collect();
    for event_type in &types {
        if let Some(schema) = registry.schemas.get_mut(&schema_of(*event_type)) {
            complete(schema, &[*event_type], &common);
        }
    }
    types
}

fn members_of<T: Type>(registry: &Registry) -> Vec<(&'static str, MetaSchemaRef)> {
    registry.schemas.get(T::name().as_ref()).map_or_else(Vec::new, |schema| schema.properties.clone())
}

/// Gives a schema the members that it does not have yet, and the types that it is for.
fn complete(schema: &mut MetaSchema, types: &[EventType], common: &[(&'static str, MetaSchemaRef)]) {
    let names = types.iter().map(|event_type| event_type.name().into()).collect();
    let own_type = MetaSchemaRef::Inline(Box::new(MetaSchema { enum_items: names, ..MetaSchema::new("string") }));
    schema.properties.retain(|(name, _)| *name != TYPE);
    schema.properties.insert(0, (TYPE, own_type));
    if !schema.required.contains(&TYPE) {
        schema.required.insert(0, TYPE);
    }
    for (name, member) in common {
        if schema.properties.iter().all(|(known, _)| known != name) {
            schema.properties.push((*name, member.clone()));
        }
    }
}

impl Type for PostedEvent {
    const IS_REQUIRED: bool = true;

    type RawValueType = Self;
    type RawElementValueType = Self;

    fn name() -> Cow<'static, str> {
        "PostedEvent".into()
    }

    fn schema_ref() -> MetaSchemaRef {
        MetaSchemaRef::Reference(Self::name().into_owned())
    }

    fn register(registry: &mut Registry) {
        let types = register_types(registry, false);
        let rows: Vec<_> = types.iter().map(|posted| (posted.name(), schema_of(*posted))).collect();
        let common = registry.schemas.get(EventInfoModel::name().as_ref()).cloned().unwrap_or(MetaSchema::ANY);
        registry.schemas.insert(Self::name().into_owned(), variants(TYPE, &rows, common));
    }

    fn as_raw_value(&self) -> Option<&Self> {
        Some(self)
    }

    fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self> + 'a> {
        Box::new(std::iter::once(self))
    }
}

impl ParseFromJSON for PostedEvent {
    fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
        EventBody::parse_from_json(value).map(Self).map_err(ParseError::propagate)
    }
}

impl Type for RecordedEvent {
    const IS_REQUIRED: bool = true;

    type RawValueType = Self;
    type RawElementValueType = Self;

    fn name() -> Cow<'static, str> {
        "RecordedEvent".into()
    }

    fn schema_ref() -> MetaSchemaRef {
        MetaSchemaRef::Reference(Self::name().into_owned())
    }

    /// What is not recorded any more, and may stand in an older journal, is an `EventRow`.
    fn register(registry: &mut Registry) {
        let types = register_types(registry, true);
        let (known, others): (Vec<EventType>, Vec<EventType>) =
            EventType::ALL.iter().partition(|event_type| types.contains(event_type));
        if let Some(schema) = registry.schemas.get_mut(EventRow::name().as_ref()) {
            complete(schema, &others, &[]);
        }
        let known = known.iter().map(|event_type| (event_type.name(), schema_of(*event_type)));
        let others = others.iter().map(|event_type| (event_type.name(), EventRow::name().into_owned()));
        let rows: Vec<_> = known.chain(others).collect();
        registry.schemas.insert(Self::name().into_owned(), variants(TYPE, &rows, MetaSchema::ANY));
    }

    fn as_raw_value(&self) -> Option<&Self> {
        Some(self)
    }

    fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self> + 'a> {
        Box::new(std::iter::once(self))
    }
}

impl ToJSON for RecordedEvent {
    fn to_json(&self) -> Option<Value> {
        None
    }
}
