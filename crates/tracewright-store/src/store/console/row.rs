//! A value of a result, with the members of objects in the order in which the query wrote them.

use std::fmt;

use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Number, Value};

/// A value of a result.
#[derive(Debug, Clone, PartialEq)]
pub enum Row {
    /// Neither array nor object.
    Plain(Value),
    /// An array.
    List(Vec<Row>),
    /// An object.
    Object(Vec<(String, Row)>),
}

impl Serialize for Row {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Plain(value) => value.serialize(serializer),
            Self::List(items) => items.serialize(serializer),
            Self::Object(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (name, member) in members {
                    map.serialize_entry(name, member)?;
                }
                map.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Row {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(InOrder)
    }
}

struct InOrder;

impl<'de> Visitor<'de> for InOrder {
    type Value = Row;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Row, E> {
        Ok(Row::Plain(Value::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Row, E> {
        Ok(Row::Plain(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Row, E> {
        Ok(Row::Plain(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Row, E> {
        Ok(Row::Plain(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Row, E> {
        Ok(Row::Plain(Number::from_f64(value).map_or(Value::Null, Value::Number)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Row, E> {
        Ok(Row::Plain(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Row, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Row::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Row, A::Error> {
        let mut object = Vec::new();
        while let Some(member) = members.next_entry()? {
            object.push(member);
        }
        Ok(Row::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_keep_their_order_and_values_their_form() {
        let text = r#"[{"z":1,"a":[null,true,-7,2.5,"x"],"m":{"b":1,"a":18446744073709551615}}]"#;
        let row: Row = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&row).unwrap(), text);
    }
}
