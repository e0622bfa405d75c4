//! The catalogue as Rust text: a module a folder, a constant a query.

use super::header::Named;
use super::shared::Shared;
use super::{Checked, owners, rust};

/// The text of the catalogue of a crate. The queries come folder by folder; of those of lower crates only the list of all knows.
pub fn catalogue(queries: &[Checked], rows: &Shared, owner: &str) -> String {
    let areas = queries.chunk_by(|one, next| one.area == next.area);
    let mut text: String = areas.filter(|area| owners::owner(&area[0].area) == owner).flat_map(module).collect();
    if owner == owners::OF_ROWS {
        text += &rust::shared(rows);
    }
    if owner == owners::SERVICE {
        text += "/// Every stored query, in the order of their names.\npub const ALL: &[crate::store::Query] = &[\n";
        text.extend(queries.iter().map(|query| format!("    {}::{},\n", query.area, name(query))));
        text += "];\n";
    }
    text
}

fn module(area: &[Checked]) -> impl Iterator<Item = String> {
    let folder = &area[0].area;
    let begin = format!("/// Queries of `aql/{folder}/`.\npub mod {folder} {{\n    use crate::store::Query;\n");
    [begin].into_iter().chain(area.iter().map(query)).chain(["}\n\n".to_owned()])
}

fn name(query: &Checked) -> String {
    query.name.to_uppercase()
}

/// The constant of a query, and the types and the function of one that is typed.
fn query(query: &Checked) -> String {
    let typed = query.header.typed.as_ref().map(|typed| rust::typed(query, typed));
    constant(query) + &typed.unwrap_or_default()
}

fn constant(query: &Checked) -> String {
    let Checked { area, header, lookups, .. } = query;
    let file = format!("{area}/{}", query.name);
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
    let (doc, name) = (doc(&header.purpose), name(query));
    format!("\n    #[doc = {doc:?}]\n    pub const {name}: Query = Query {{\n{}    }};\n", members.concat())
}

fn list(names: &[Named]) -> String {
    let names: Vec<String> = names.iter().map(|(name, _)| format!("{name:?}")).collect();
    format!("&[{}]", names.join(", "))
}

/// The purpose as a sentence of the documentation, where brackets would be links.
pub fn doc(purpose: &str) -> String {
    let mut letters = purpose.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    let sentence = format!(" {first}{}.", letters.as_str().trim_end_matches('.'));
    sentence.replace('[', "\\[").replace('<', "\\<")
}
