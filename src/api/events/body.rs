//! What is posted: one flat object an event, of which every type has members of its own.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use poem_openapi::Object;
use poem_openapi::registry::{MetaSchema, MetaSchemaRef, Registry};
use poem_openapi::types::{ParseError, ParseFromJSON, ParseResult, Type};
use serde::Serialize;
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::api::found::no_mistakes;
use crate::clock;
use crate::error::{Error, Invalid, Result};
use crate::events::{Common, EventType, Posted, Refusal, Row, of_row};
use crate::openapi::Forms;
use crate::store::typed;
use tracewright_model::Moment;

/// The most characters of a remark.
const LONGEST_REMARK: usize = 4_000;
/// The most events of one call.
const MOST_ROWS: usize = 1_000;

/// The members that every event has. The others depend on the type, see `Event_<TYPE>`.
#[derive(Debug, Clone, Object)]
pub(super) struct EventInfoModel {
    /// A member of some types; never the key of the event.
    #[oai(rename = "_key")]
    key: Option<String>,
    event_type: EventType,
    /// A UUID that stands for this event: sent again, it is not recorded again.
    event_key: Option<String>,
    /// A UUID that events of one action have in common.
    event_group: Option<String>,
    primary: Option<bool>,
    /// `task`, or nothing.
    context_type: Option<String>,
    context_key: Option<String>,
    /// The user it is recorded for; another one than the caller needs `org:user:act-as`.
    user_key: Option<String>,
    user_session_key: Option<String>,
    /// When it happened; without it now.
    timestamp: Option<Moment>,
    description: Option<String>,
}

/// An event as it is posted.
#[derive(Debug, Clone)]
pub(super) struct EventBody {
    common: EventInfoModel,
    members: Map<String, Value>,
}

impl Type for EventBody {
    const IS_REQUIRED: bool = true;

    type RawValueType = Self;
    type RawElementValueType = Self;

    fn name() -> Cow<'static, str> {
        EventInfoModel::name()
    }

    fn schema_ref() -> MetaSchemaRef {
        EventInfoModel::schema_ref()
    }

    fn register(registry: &mut Registry) {
        EventInfoModel::register(registry);
        if let Some(schema) = registry.schemas.get_mut(EventInfoModel::name().as_ref()) {
            schema.additional_properties = Some(Box::new(MetaSchemaRef::Inline(Box::new(MetaSchema::ANY))));
        }
    }

    fn as_raw_value(&self) -> Option<&Self> {
        Some(self)
    }

    fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self> + 'a> {
        Box::new(std::iter::once(self))
    }
}

impl ParseFromJSON for EventBody {
    fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
        let Some(Value::Object(members)) = value else {
            return Err(ParseError::expected_type(value.unwrap_or_default()));
        };
        let common = EventInfoModel::parse_from_json(Some(Value::Object(members.clone())));
        Ok(Self { common: common.map_err(ParseError::propagate)?, members })
    }
}

impl EventBody {
    /// The event, held to what no schema says of the members that every event has.
    pub(super) fn posted(mut self) -> Result<Posted> {
        let mut mistakes = Vec::new();
        self.check(&mut mistakes);
        no_mistakes(mistakes)?;
        // However a key is written, it is the same.
        if let Some(key) = uuid(self.common.event_key.as_ref()) {
            self.members.insert("event_key".to_owned(), key.into());
        }
        Ok(Posted {
            event_type: self.common.event_type,
            event_key: uuid(self.common.event_key.as_ref()),
            event_group: uuid(self.common.event_group.as_ref()),
            body: Value::Object(self.members.clone()),
            rows: vec![self.row()],
        })
    }

    fn check(&self, mistakes: &mut Vec<Invalid>) {
        let common = &self.common;
        for (name, value) in [("event_key", &common.event_key), ("event_group", &common.event_group)] {
            if let Some(text) = value.as_deref().filter(|text| Uuid::try_parse(text).is_err()) {
                let entry = Invalid::new(&["body".into(), name.into()], "uuid_parsing", "Input should be a valid UUID");
                mistakes.push(entry.input(text.into()));
            }
        }
        let remark = common.description.as_deref().filter(|_| !common.event_type.has_own_description());
        if remark.is_some_and(|text| text.chars().count() > LONGEST_REMARK) {
            let text = format!("String should have at most {LONGEST_REMARK} characters");
            let entry = Invalid::new(&["body".into(), "description".into()], "string_too_long", text);
            mistakes.push(entry.bound("max_length", LONGEST_REMARK));
        }
    }

    fn row(self) -> Row {
        let common = self.common;
        Row {
            common: Common {
                primary: common.primary,
                context_type: given(common.context_type),
                context_key: given(common.context_key),
                user_key: given(common.user_key),
                user_session_key: given(common.user_session_key),
                timestamp: common.timestamp.and_then(|time| clock::parse(&time.0)),
                description: given(common.description).filter(|_| !common.event_type.has_own_description()),
            },
            members: self.members,
        }
    }
}

/// An empty text names nothing.
fn given(text: Option<String>) -> Option<String> {
    text.filter(|text| !str::is_empty(text))
}

/// A UUID in its usual form.
fn uuid(text: Option<&String>) -> Option<String> {
    text.and_then(|text| Uuid::try_parse(text).ok()).map(|uuid| uuid.to_string())
}

/// Events of one type, and what they have in common.
#[derive(Debug, Object)]
#[oai(rename = "BulkEventRequest", write_only_all)]
pub(super) struct BulkBody {
    shared_data: EventBody,
    /// What each event says beside it, 1 to 1,000 of them; what stands here wins.
    events: Vec<HashMap<String, Value>>,
}

/// The form of the members that every event has.
static FORMS: LazyLock<Forms> = LazyLock::new(|| Forms::new(EventInfoModel::register_alone));

impl EventInfoModel {
    fn register_alone(registry: &mut Registry) {
        <Self as Type>::register(registry);
    }
}

/// All of a call of many, as it was sent.
#[derive(Serialize)]
struct Sent<'a> {
    shared_data: &'a Value,
    events: &'a [HashMap<String, Value>],
}

impl BulkBody {
    /// The events, each with what they have in common.
    pub(super) fn posted(self) -> Result<Posted> {
        let mut posted = self.shared_data.clone().posted()?;
        let total = self.events.len();
        if !(1..=MOST_ROWS).contains(&total) {
            let refused = Refusal::Value.says(format!("1 to {MOST_ROWS} events can be recorded at once, not {total}"));
            return Err(of_row(refused, total, None));
        }
        posted.body = typed::bound(&Sent { shared_data: &posted.body, events: &self.events })?;
        let rows = self
            .events
            .into_iter()
            .enumerate()
            .map(|(index, row)| merged(&self.shared_data, row).map_err(|error| of_row(error, total, Some(index))));
        posted.rows = rows.collect::<Result<_>>()?;
        Ok(posted)
    }
}

/// A row over what all have in common.
fn merged(shared: &EventBody, row: HashMap<String, Value>) -> Result<Row> {
    if row.contains_key("event_key") {
        return Err(Refusal::Value.says("An event_key stands for the whole call: give it in shared_data"));
    }
    let own_type = shared.common.event_type.name();
    if row.get("event_type").is_some_and(|other| !other.is_null() && *other != own_type) {
        return Err(Refusal::Value.says(format!("All events of a call are of one type: {own_type}")));
    }
    let has_context = shared.common.context_type.is_some() || shared.common.context_key.is_some();
    let is_own = |name: &str| name != "event_type" && !(has_context && matches!(name, "context_type" | "context_key"));
    let mut members = shared.members.clone();
    members.extend(row.into_iter().filter(|(name, _)| is_own(name)));
    let mut value = Value::Object(members);
    let mut mistakes = FORMS.check(&mut value, &EventInfoModel::schema_ref());
    let body = match EventBody::parse_from_json(Some(value)) {
        Ok(body) if mistakes.is_empty() => body,
        Ok(_) => return Err(Error::Validation(mistakes)),
        Err(error) => {
            if mistakes.is_empty() {
                mistakes.push(Invalid::new(&["body".into()], "value_error", error.into_message()));
            }
            return Err(Error::Validation(mistakes));
        }
    };
    body.check(&mut mistakes);
    no_mistakes(mistakes)?;
    Ok(body.row())
}
