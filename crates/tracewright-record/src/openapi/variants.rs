//! Values of many types that one member tells apart.

use poem_openapi::registry::{MetaDiscriminatorObject, MetaSchema, MetaSchemaRef, Registry};

/// The schema of a value that is one of many, told apart by `member`: a row says which of its values means which named
/// schema. The document shows just that. The guard holds the value to `common`, what all of them have; the rest is checked
/// by the operation, which knows when its turn is.
pub fn variants(member: &'static str, rows: &[(&str, String)], common: MetaSchema) -> MetaSchema {
    let mut names: Vec<&String> = rows.iter().map(|(_, name)| name).collect();
    names.dedup();
    let mapping = rows.iter().map(|(value, name)| ((*value).to_owned(), format!("#/components/schemas/{name}")));
    MetaSchema {
        one_of: names.into_iter().map(|name| MetaSchemaRef::Reference(name.clone())).collect(),
        discriminator: Some(MetaDiscriminatorObject { property_name: member, mapping: mapping.collect() }),
        ..common
    }
}

/// Takes what the guard checks out of what the document shows: each variant has it.
pub(super) fn show(registry: &mut Registry) {
    for schema in registry.schemas.values_mut().filter(|schema| schema.discriminator.is_some()) {
        let whole = std::mem::replace(schema, MetaSchema::ANY);
        *schema = MetaSchema {
            description: whole.description,
            one_of: whole.one_of,
            discriminator: whole.discriminator,
            ..MetaSchema::ANY
        };
    }
}
