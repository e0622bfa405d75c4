//! Values against the schemas of the document. What FastAPI's clients send in another form but plainly mean (a number
//! or boolean as text) is put into the right one; everything else becomes an entry with FastAPI's name for it.

use std::collections::BTreeMap;

use poem_openapi::registry::{MetaSchema, MetaSchemaRef};
use regex::Regex;
use serde::Serialize;
use serde_json::Value;

use super::closed::is_closed;
use super::text::Kind;
use crate::clock;
use crate::error::Invalid;

/// The named schemas of the document.
pub type Schemas = BTreeMap<String, MetaSchema>;

/// Mistakes that are told. Nobody reads more, and a body of nothing but mistakes would be answered by a far larger one.
const MOST_ERRORS: usize = 1_000;

/// Checks one value and all below it.
pub struct Check<'a> {
    schemas: &'a Schemas,
    /// Where the value under examination stands.
    loc: Vec<Value>,
    /// What was found wrong.
    pub errors: Vec<Invalid>,
}

impl<'a> Check<'a> {
    /// A check of what stands there: the entries of mistakes begin with it.
    pub fn new(schemas: &'a Schemas, loc: &[Value]) -> Self {
        Self { schemas, loc: loc.to_vec(), errors: Vec::new() }
    }

    fn fail(&mut self, kind: &'static str, msg: impl Into<String>, input: &Value) {
        self.push(Invalid::new(&self.loc, kind, msg).input(input.clone()));
    }

    fn fail_with(&mut self, kind: &'static str, msg: impl Into<String>, input: &Value, ctx: impl Serialize) {
        self.push(Invalid::new(&self.loc, kind, msg).input(input.clone()).ctx(ctx));
    }

    fn push(&mut self, entry: Invalid) {
        if self.errors.len() < MOST_ERRORS {
            self.errors.push(entry);
        }
    }

    /// Checks `value` against `schema`, putting plain meanings into form.
    pub fn value(&mut self, value: &mut Value, schema: &MetaSchemaRef) {
        match schema {
            MetaSchemaRef::Inline(schema) => self.inline(value, schema),
            MetaSchemaRef::Reference(name) => {
                if let Some(schema) = self.schemas.get(name) {
                    self.inline(value, schema);
                }
            }
        }
    }

    fn inline(&mut self, value: &mut Value, schema: &MetaSchema) {
        for part in &schema.all_of {
            self.value(value, part);
        }
        let alternatives = if schema.any_of.is_empty() { &schema.one_of } else { &schema.any_of };
        // Which of many variants is meant, and whether it is in form, is told by the operation.
        if !alternatives.is_empty() && schema.discriminator.is_none() {
            self.alternatives(value, alternatives);
        }
        match schema.ty {
            "string" => self.string(value, schema),
            "integer" => self.integer(value, schema),
            "number" => self.number(value, schema),
            "boolean" => self.boolean(value),
            "array" => self.array(value, schema),
            "object" => self.object(value, schema),
            _ => {}
        }
    }

    fn alternatives(&mut self, value: &mut Value, alternatives: &[MetaSchemaRef]) {
        let mut first_errors = None;
        for alternative in alternatives {
            let mut attempt = Check::new(self.schemas, &self.loc);
            let mut candidate = value.clone();
            attempt.value(&mut candidate, alternative);
            if attempt.errors.is_empty() {
                *value = candidate;
                return;
            }
            first_errors.get_or_insert(attempt.errors);
        }
        self.errors.extend(first_errors.unwrap_or_default());
    }

    fn string(&mut self, value: &mut Value, schema: &MetaSchema) {
        let input = value.clone();
        let Value::String(text) = value else {
            return self.fail("string_type", "Input should be a valid string", &input);
        };
        if !schema.enum_items.is_empty() && !schema.enum_items.contains(&input) {
            let expected = listing(&schema.enum_items);
            return self.fail_with("enum", format!("Input should be {expected}"), &input, Bounds::Expected(&expected));
        }
        match schema.format {
            Some("date-time") if clock::parse(text).is_none() => {
                let error = "input is not a date with a time";
                let msg = format!("Input should be a valid datetime or date, {error}");
                self.fail_with("datetime_from_date_parsing", msg, &input, Bounds::Error(error));
            }
            // A time behind the day is cut off by those who read it.
            Some("date") if clock::parse(text).is_none() => {
                let error = "input is not a date";
                let msg = format!("Input should be a valid date or datetime, {error}");
                self.fail_with("date_from_datetime_parsing", msg, &input, Bounds::Error(error));
            }
            _ => {}
        }
        if let Some(kind) = Kind::of(schema) {
            *text = kind.clean(text).to_owned();
            if let Some(mistake) = kind.mistake(text) {
                self.fail("value_error", format!("Value error, {mistake}"), &input);
            }
        }
        let length = text.chars().count();
        if let Some(least) = schema.min_length.filter(|least| length < *least) {
            let msg = format!("String should have at least {}", counted(least, "character"));
            self.fail_with("string_too_short", msg, &input, Bounds::MinLength(least));
        }
        if let Some(most) = schema.max_length.filter(|most| length > *most) {
            let msg = format!("String should have at most {}", counted(most, "character"));
            self.fail_with("string_too_long", msg, &input, Bounds::MaxLength(most));
        }
        if let Some(pattern) = &schema.pattern
            && Regex::new(pattern).is_ok_and(|regex| !regex.is_match(text))
        {
            let msg = format!("String should match pattern '{pattern}'");
            self.fail_with("string_pattern_mismatch", msg, &input, Bounds::Pattern(pattern));
        }
    }

    fn integer(&mut self, value: &mut Value, schema: &MetaSchema) {
        let input = value.clone();
        match &input {
            Value::Number(number) if number.is_i64() || number.is_u64() => {}
            Value::Number(number) => match number.as_f64() {
                Some(float) if float.fract() == 0.0 && float.abs() < 9e15 => *value = (float as i64).into(),
                _ => {
                    let msg = "Input should be a valid integer, got a number with a fractional part";
                    return self.fail("int_from_float", msg, &input);
                }
            },
            Value::String(text) => match text.trim().parse::<i64>() {
                Ok(number) => *value = number.into(),
                Err(e)
                    if matches!(
                        e.kind(),
                        std::num::IntErrorKind::PosOverflow | std::num::IntErrorKind::NegOverflow
                    ) =>
                {
                    let msg = "Unable to parse input string as an integer, exceeded maximum size";
                    return self.fail("int_parsing_size", msg, &input);
                }
                Err(_) => {
                    let msg = "Input should be a valid integer, unable to parse string as an integer";
                    return self.fail("int_parsing", msg, &input);
                }
            },
            _ => return self.fail("int_type", "Input should be a valid integer", &input),
        }
        self.bounds(value, &input, schema);
    }

    fn number(&mut self, value: &mut Value, schema: &MetaSchema) {
        let input = value.clone();
        match &input {
            Value::Number(_) => {}
            Value::String(text) => {
                let Some(number) = text.trim().parse::<f64>().ok().filter(|number| number.is_finite()) else {
                    let msg = "Input should be a valid number, unable to parse string as a number";
                    return self.fail("float_parsing", msg, &input);
                };
                *value = number.into();
            }
            _ => return self.fail("float_type", "Input should be a valid number", &input),
        }
        self.bounds(value, &input, schema);
    }

    fn bounds(&mut self, value: &Value, input: &Value, schema: &MetaSchema) {
        let Some(number) = value.as_f64() else { return };
        if let Some(least) = schema.minimum {
            let bound = plain(least);
            if schema.exclusive_minimum == Some(true) && number <= least {
                let msg = format!("Input should be greater than {bound}");
                self.fail_with("greater_than", msg, input, Bounds::Gt(&bound));
            } else if number < least {
                let msg = format!("Input should be greater than or equal to {bound}");
                self.fail_with("greater_than_equal", msg, input, Bounds::Ge(&bound));
            }
        }
        if let Some(most) = schema.maximum {
            let bound = plain(most);
            if schema.exclusive_maximum == Some(true) && number >= most {
                self.fail_with("less_than", format!("Input should be less than {bound}"), input, Bounds::Lt(&bound));
            } else if number > most {
                let msg = format!("Input should be less than or equal to {bound}");
                self.fail_with("less_than_equal", msg, input, Bounds::Le(&bound));
            }
        }
    }

    fn boolean(&mut self, value: &mut Value) {
        let input = value.clone();
        let meaning = match &input {
            Value::Bool(boolean) => Some(*boolean),
            Value::Number(number) if number.as_i64() == Some(1) => Some(true),
            Value::Number(number) if number.as_i64() == Some(0) => Some(false),
            Value::String(text) => match text.trim().to_ascii_lowercase().as_str() {
                "true" | "1" | "yes" | "y" | "on" | "t" => Some(true),
                "false" | "0" | "no" | "n" | "off" | "f" => Some(false),
                _ => None,
            },
            Value::Number(_) => None,
            _ => return self.fail("bool_type", "Input should be a valid boolean", &input),
        };
        match meaning {
            Some(boolean) => *value = boolean.into(),
            None => {
                self.fail("bool_parsing", "Input should be a valid boolean, unable to interpret input", &input);
            }
        }
    }

    fn array(&mut self, value: &mut Value, schema: &MetaSchema) {
        let input = value.clone();
        let Value::Array(items) = value else {
            return self.fail("list_type", "Input should be a valid list", &input);
        };
        let count = items.len();
        if let Some(least) = schema.min_items.filter(|least| count < *least) {
            let msg = format!("List should have at least {} after validation, not {count}", counted(least, "item"));
            let ctx = ListBounds { min_length: Some(least), ..ListBounds::of(count) };
            self.fail_with("too_short", msg, &input, ctx);
        }
        if let Some(most) = schema.max_items.filter(|most| count > *most) {
            let msg = format!("List should have at most {} after validation, not {count}", counted(most, "item"));
            let ctx = ListBounds { max_length: Some(most), ..ListBounds::of(count) };
            self.fail_with("too_long", msg, &input, ctx);
        }
        if let Some(item_schema) = &schema.items {
            for (index, item) in items.iter_mut().enumerate() {
                self.loc.push(index.into());
                self.value(item, item_schema);
                self.loc.pop();
            }
        }
    }

    fn object(&mut self, value: &mut Value, schema: &MetaSchema) {
        let input = value.clone();
        let Value::Object(members) = value else {
            let (kind, msg) = if schema.properties.is_empty() {
                ("dict_type", "Input should be a valid dictionary")
            } else {
                ("model_attributes_type", "Input should be a valid dictionary or object to extract fields from")
            };
            return self.fail(kind, msg, &input);
        };
        for (name, member_schema) in &schema.properties {
            // Record metadata may be sent without its underscore.
            if let Some(plain_name) = name.strip_prefix('_')
                && !members.contains_key(*name)
                && !schema.properties.iter().any(|(other, _)| *other == plain_name)
                && let Some(member) = members.remove(plain_name)
            {
                members.insert((*name).to_owned(), member);
            }
            let required = schema.required.contains(name);
            self.loc.push((*name).into());
            match members.get_mut(*name) {
                Some(member) if is_blank_name(member, member_schema) => {
                    if required {
                        self.fail("missing", "Field required", &input);
                    }
                    *member = Value::Null;
                }
                Some(Value::Null) if !required => {}
                Some(member) => self.value(member, member_schema),
                None if required => self.fail("missing", "Field required", &input),
                None => {}
            }
            self.loc.pop();
        }
        if let Some(member_schema) = &schema.additional_properties {
            let is_closed = is_closed(schema);
            for (name, member) in members.iter_mut() {
                if schema.properties.iter().all(|(known, _)| known != name) {
                    self.loc.push(name.as_str().into());
                    if is_closed {
                        // Without its value, which may be a password under a name that we do not know.
                        self.push(Invalid::new(&self.loc, "extra_forbidden", "Extra inputs are not permitted"));
                    } else {
                        self.value(member, member_schema);
                    }
                    self.loc.pop();
                }
            }
        }
    }
}

/// Whether a value is a name of blanks alone, which counts as not given.
fn is_blank_name(value: &Value, schema: &MetaSchemaRef) -> bool {
    let MetaSchemaRef::Inline(schema) = schema else { return false };
    Kind::of(schema) == Some(Kind::Name) && value.as_str().is_some_and(|text| text.trim().is_empty())
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// What was violated, as FastAPI calls it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Bounds<'a> {
    /// The values there are.
    Expected(&'a str),
    /// What the parser says.
    Error(&'a str),
    /// Characters at least.
    MinLength(usize),
    /// Characters at most.
    MaxLength(usize),
    /// What the text does not match.
    Pattern(&'a str),
    /// More than that.
    Gt(&'a Value),
    /// That or more.
    Ge(&'a Value),
    /// Less than that.
    Lt(&'a Value),
    /// That or less.
    Le(&'a Value),
}

/// The same of a list.
#[derive(Debug, Serialize)]
struct ListBounds {
    field_type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    min_length: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_length: Option<usize>,
    actual_length: usize,
}

impl ListBounds {
    fn of(actual_length: usize) -> Self {
        Self { field_type: "List", min_length: None, max_length: None, actual_length }
    }
}

/// A bound without the `.0` of whole numbers.
fn plain(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() < 9e15 { (number as i64).into() } else { number.into() }
}

/// `'a', 'b' or 'c'`.
fn listing(items: &[Value]) -> String {
    let quoted: Vec<String> = items.iter().map(|item| format!("'{}'", item.as_str().unwrap_or_default())).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::openapi::{Many, Name, NoOthers, Note};
    use poem_openapi::types::Type;
    use poem_openapi::{Enum, Object};

    #[derive(Debug, Enum)]
    #[oai(rename_all = "lowercase")]
    enum Colour {
        Red,
        Green,
    }

    #[derive(Debug, Object)]
    struct Label {
        code: Name,
        alias: Option<Name>,
        text: Option<Note>,
        #[oai(validator(max_length = 3))]
        short: Option<Name>,
        others: Option<Many<i64>>,
        #[oai(flatten)]
        no_others: NoOthers,
    }

    #[derive(Debug, Object)]
    struct Part {
        #[oai(rename = "_key")]
        key: Option<String>,
        name: String,
        #[oai(validator(minimum(value = "1")))]
        count: i64,
        #[oai(default)]
        active: bool,
        colour: Option<Colour>,
        parts: Option<Vec<Part>>,
    }

    fn check_as<T: Type>(mut value: Value) -> (Value, Vec<Invalid>) {
        let mut registry = poem_openapi::registry::Registry::new();
        T::register(&mut registry);
        let mut check = Check::new(&registry.schemas, &["body".into()]);
        check.value(&mut value, &T::schema_ref());
        let errors = check.errors;
        (value, errors)
    }

    fn check(value: Value) -> (Value, Vec<Invalid>) {
        check_as::<Part>(value)
    }

    fn kinds(value: Value) -> Vec<(Value, &'static str)> {
        check(value).1.into_iter().map(|entry| (Value::Array(entry.loc), entry.kind)).collect()
    }

    fn label_kinds(value: Value) -> Vec<(Value, &'static str)> {
        check_as::<Label>(value).1.into_iter().map(|entry| (Value::Array(entry.loc), entry.kind)).collect()
    }

    #[test]
    fn names_are_trimmed_and_blank_ones_are_not_given() {
        let (value, errors) = check_as::<Label>(json!({"code": " A ", "alias": "  ", "text": "  ", "short": " abc "}));
        assert_eq!(errors, []);
        assert_eq!(value, json!({"code": "A", "alias": null, "text": "  ", "short": "abc"}));
        assert_eq!(label_kinds(json!({"code": " "})), [(json!(["body", "code"]), "missing")]);
    }

    #[test]
    fn control_characters_and_lengths_of_texts_are_told() {
        let found = label_kinds(json!({"code": "a\nb", "alias": "x".repeat(201), "text": "a\n\u{1}", "short": "abcd"}));
        let expected = [
            (json!(["body", "code"]), "value_error"),
            (json!(["body", "alias"]), "string_too_long"),
            (json!(["body", "text"]), "value_error"),
            (json!(["body", "short"]), "string_too_long"),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn an_array_beyond_its_end_is_too_long() {
        let found = label_kinds(json!({"code": "A", "others": vec![1; 10_001]}));
        assert_eq!(found, [(json!(["body", "others"]), "too_long")]);
        assert_eq!(label_kinds(json!({"code": "A", "others": vec![1; 10_000]})), []);
    }

    #[test]
    fn a_closed_body_refuses_members_it_does_not_know_without_repeating_them() {
        let (_, errors) = check_as::<Label>(json!({"code": "A", "colour": "secret"}));
        assert_eq!((&errors[0].loc, errors[0].kind), (&vec![json!("body"), json!("colour")], "extra_forbidden"));
        assert_eq!(errors[0].input, None);
    }

    #[test]
    fn several_mistakes_give_several_entries() {
        let found = kinds(json!({"count": "x", "colour": "blue", "active": 7}));
        let expected = vec![
            (json!(["body", "name"]), "missing"),
            (json!(["body", "count"]), "int_parsing"),
            (json!(["body", "active"]), "bool_parsing"),
            (json!(["body", "colour"]), "enum"),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn the_place_names_indexes_and_members() {
        let found =
            kinds(json!({"name": "a", "count": 1, "parts": [{"name": "b", "count": 1}, {"name": 3, "count": 1}]}));
        assert_eq!(found, [(json!(["body", "parts", 1, "name"]), "string_type")]);
    }

    #[test]
    fn plain_meanings_are_put_into_form() {
        let (value, errors) = check(json!({"key": "k", "name": "a", "count": "12", "active": "1"}));
        assert_eq!(errors, []);
        assert_eq!(value, json!({"_key": "k", "name": "a", "count": 12, "active": true}));
    }

    #[test]
    fn null_is_absence_where_a_member_is_optional_and_a_mistake_where_it_is_not() {
        assert_eq!(kinds(json!({"name": "a", "count": 1, "active": null, "colour": null})), []);
        assert_eq!(kinds(json!({"name": null, "count": 1})), [(json!(["body", "name"]), "string_type")]);
    }

    #[test]
    fn bounds_and_alternatives_are_told() {
        let (_, errors) = check(json!({"name": "a", "count": 0, "colour": "Red"}));
        assert_eq!(errors[0].msg, "Input should be greater than or equal to 1");
        assert_eq!(errors[0].ctx, Some(json!({"ge": 1})));
        assert_eq!(errors[1].msg, "Input should be 'red' or 'green'");
    }

    #[test]
    fn a_body_that_is_no_object_is_told_so() {
        assert_eq!(kinds(json!([])), [(json!(["body"]), "model_attributes_type")]);
        assert_eq!(kinds(json!(1.5)).len(), 1);
    }
}
