//! Stored queries: one file each below `aql/`, part of the binary, found by name when it is built. What several share is a
//! file below `aql/fragments/`, put in at the line `// Include: name`.

use std::collections::BTreeSet;

/// A stored query, made by [`query!`](crate::query).
#[derive(Debug, Clone, Copy)]
pub struct Query {
    /// Path below `aql/` without the extension.
    pub name: &'static str,
    /// The file with its header and its fragments.
    pub text: &'static str,
}

/// Names a stored query: `query!("serial/children")` is `aql/serial/children.aql`. A name without a file does not
/// compile.
#[macro_export]
macro_rules! query {
    ($name:literal) => {
        $crate::store::Query { name: $name, text: include_str!(concat!(env!("OUT_DIR"), "/aql/", $name, ".aql")) }
    };
}

/// What the header of a stored query declares.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Header {
    /// What the query is for.
    pub purpose: String,
    /// Its bind parameters; `@name` for a collection.
    pub params: BTreeSet<String>,
    /// Collections it reads.
    pub reads: BTreeSet<String>,
    /// Collections it writes.
    pub writes: BTreeSet<String>,
    /// Shape of a row.
    pub row: String,
}

impl Header {
    /// Reads the comment lines `// Purpose:`, `// Params:`, `// Reads:`, `// Writes:` and `// Row:` at the top.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut fields: Vec<(String, String)> = Vec::new();
        for line in text.lines().map_while(|line| line.strip_prefix("//")) {
            match line.trim().split_once(':') {
                Some((name, value)) if KEYS.contains(&name) => fields.push((name.to_owned(), value.trim().to_owned())),
                _ => match fields.last_mut() {
                    Some((_, value)) => {
                        value.push(' ');
                        value.push_str(line.trim());
                    }
                    None => return Err("the first line must be `// Purpose: ...`".to_owned()),
                },
            }
        }
        let field = |key: &str| {
            let mut values = fields.iter().filter(|(name, _)| name == key).map(|(_, value)| value.trim().to_owned());
            match (values.next(), values.next()) {
                (Some(value), None) if !value.is_empty() => Ok(value),
                (Some(_), Some(_)) => Err(format!("`// {key}:` stands twice")),
                _ => Err(format!("`// {key}: ...` is missing")),
            }
        };
        Ok(Self {
            purpose: field("Purpose")?,
            params: names(&field("Params")?),
            reads: names(&field("Reads")?),
            writes: names(&field("Writes")?),
            row: field("Row")?,
        })
    }
}

const KEYS: [&str; 5] = ["Purpose", "Params", "Reads", "Writes", "Row"];

fn names(list: &str) -> BTreeSet<String> {
    list.split(',').map(str::trim).filter(|name| !matches!(*name, "" | "-")).map(str::to_owned).collect()
}

/// The collections a transaction declares.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Access {
    /// Read only.
    pub read: BTreeSet<String>,
    /// Written, together with other transactions.
    pub write: BTreeSet<String>,
    /// Written by this transaction alone while it lasts.
    pub exclusive: BTreeSet<String>,
}

impl Access {
    /// What the headers of these queries declare. Bound collections (`@name`) are left to [`Access::writing`].
    pub fn of(queries: &[Query]) -> Self {
        let mut access = Self::default();
        for query in queries {
            // A test holds every header to its form, so an unreadable one cannot come up here.
            let header = Header::parse(query.text).unwrap_or_default();
            access.read.extend(header.reads.into_iter().filter(|name| !name.starts_with('@')));
            access.write.extend(header.writes.into_iter().filter(|name| !name.starts_with('@')));
        }
        access
    }

    /// The same with what other queries declare.
    pub fn and(mut self, queries: &[Query]) -> Self {
        let other = Self::of(queries);
        self.read.extend(other.read);
        self.write.extend(other.write);
        self
    }

    /// Whether nothing is written.
    pub fn only_reads(&self) -> bool {
        self.write.is_empty() && self.exclusive.is_empty()
    }

    /// Whether what it writes is among what another one holds alone.
    pub(super) fn is_part_of(&self, other: &Self) -> bool {
        self.write.is_subset(&other.exclusive) && self.exclusive.is_subset(&other.exclusive)
    }

    /// The same, reading these collections too.
    pub fn reading(mut self, collections: &[&str]) -> Self {
        self.read.extend(collections.iter().map(|name| (*name).to_owned()));
        self
    }

    /// The same, writing these collections too.
    pub fn writing(mut self, collections: &[&str]) -> Self {
        self.write.extend(collections.iter().map(|name| (*name).to_owned()));
        self
    }

    /// The same, holding these collections alone: two transactions that check and then write never both pass.
    pub fn exclusive(mut self, collections: &[&str]) -> Self {
        for name in collections {
            self.write.remove(*name);
            self.exclusive.insert((*name).to_owned());
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "// Purpose: one thing\n//   and its rest\n// Params: key, @collection\n// Reads: Serial, contains\n\
                        // Writes: -\n// Row: string\nRETURN 1";

    #[test]
    fn a_header_declares_parameters_and_collections() {
        let header = Header::parse(TEXT).unwrap();
        assert_eq!(header.purpose, "one thing and its rest");
        assert_eq!(header.params, names("key, @collection"));
        assert_eq!(header.reads, names("Serial, contains"));
        assert!(header.writes.is_empty());
    }

    #[test]
    fn a_header_without_a_field_says_which() {
        let text = TEXT.replace("// Writes: -\n", "");
        assert!(Header::parse(&text).unwrap_err().contains("Writes"));
    }

    #[test]
    fn an_exclusive_collection_is_not_declared_twice() {
        let access = Access::default().writing(&["A", "B"]).exclusive(&["B", "C"]);
        assert_eq!(access.write, names("A"));
        assert_eq!(access.exclusive, names("B, C"));
    }
}
