//! The catalogue as Rust text: a module a folder, a constant a query.

use super::Entry;
use super::header::Named;

/// The text of the catalogue. The entries come folder by folder.
pub fn catalogue(entries: &[Entry]) -> String {
    let areas = entries.chunk_by(|one, next| one.area == next.area).flat_map(|area| {
        let folder = &area[0].area;
        let begin = format!("/// Queries of `aql/{folder}/`.\npub mod {folder} {{\n    use crate::store::Query;\n");
        [begin].into_iter().chain(area.iter().map(constant)).chain(["}\n\n".to_owned()])
    });
    let all =
        "/// Every stored query, in the order of their names.\npub const ALL: &[crate::store::Query] = &[\n".to_owned();
    let each = entries.iter().map(|entry| format!("    {}::{},\n", entry.area, name(entry)));
    areas.chain([all]).chain(each).chain(["];\n".to_owned()]).collect()
}

fn name(entry: &Entry) -> String {
    entry.name.to_uppercase()
}

fn constant(entry: &Entry) -> String {
    let Entry { area, header, lookups, .. } = entry;
    let file = format!("{area}/{}", entry.name);
    let path = format!("/aql/{file}.aql");
    let members = [
        ("name", format!("{file:?}")),
        ("text", format!("include_str!(concat!(env!(\"OUT_DIR\"), {path:?}))")),
        ("params", list(&header.params)),
        ("reads", list(&header.reads)),
        ("writes", list(&header.writes)),
        ("row", format!("{:?}", header.row)),
        ("lookups", lookups.to_string()),
    ];
    let members: Vec<String> = members.iter().map(|(name, value)| format!("        {name}: {value},\n")).collect();
    let (doc, name) = (doc(&header.purpose), name(entry));
    format!("\n    #[doc = {doc:?}]\n    pub const {name}: Query = Query {{\n{}    }};\n", members.concat())
}

fn list(names: &[Named]) -> String {
    let names: Vec<String> = names.iter().map(|(name, _)| format!("{name:?}")).collect();
    format!("&[{}]", names.join(", "))
}

/// The purpose as a sentence of the documentation, where brackets would be links.
fn doc(purpose: &str) -> String {
    let mut letters = purpose.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    let sentence = format!(" {first}{}.", letters.as_str().trim_end_matches('.'));
    sentence.replace('[', "\\[").replace('<', "\\<")
}
