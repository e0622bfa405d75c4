//! What generators of clients need of the document to make pleasant types.

use poem_openapi::registry::{MetaSchema, MetaSchemaRef, Registry};

/// Schemas whose values the service puts together itself, so that every member is always there. Answers that hand on a
/// stored document are not among them: documents of an older database may lack members.
const COMPLETE: &[&str] = &[
    "APIResponse",
    "APIResponse_Department",
    "APIResponse_NoneType_",
    "APIResponse_Tag_",
    "APIResponse_UserRow",
    "APIResponse_list_Department",
    "APIResponse_list_Tag__",
    "APIResponse_list_UserRow",
    "AqlAnswer",
    "AqlFunction",
    "AqlPlan",
    "AqlPlanIndex",
    "AqlPlanNode",
    "AuthAPIResponse",
    "BomLineRead",
    "ErrorResponse",
    "ExplorerHit",
    "InventoryPathItem",
    "InventorySearchResult",
    "RecallBatch",
    "RecallCount",
    "RecallOrigin",
    "RecallShipment",
    "RecallUnit",
    "SerialChild",
    "SerialParent",
    "SerialTreeNode",
];

/// Members whose form is demanded of requests alone: answers hand on what was stored before there was the rule, and a client
/// must be able to read it.
const DEMANDED_OF_REQUESTS: &[(&str, &str)] = &[("Counter", "frequency"), ("Tag", "color")];

/// Leaves out of the document what does not hold for answers. Requests are checked all the same.
pub(super) fn loosen_answers(registry: &mut Registry) {
    for (name, member) in DEMANDED_OF_REQUESTS {
        let properties = registry.schemas.get_mut(*name).into_iter().flat_map(|schema| &mut schema.properties);
        for (_, schema) in properties.filter(|(known, _)| known == member) {
            if let MetaSchemaRef::Inline(inline) = schema {
                inline.pattern = None;
            }
        }
    }
}

/// A reference with a description of its own stands as a single `allOf`: with a second entry, generators take the type
/// for a new one and give up on enumerations.
pub(super) fn name_plainly(schema: &mut MetaSchemaRef) {
    if let MetaSchemaRef::Inline(inline) = schema
        && let [MetaSchemaRef::Reference(_), MetaSchemaRef::Inline(_)] = inline.all_of.as_slice()
    {
        inline.all_of.truncate(1);
    }
}

/// The same for the members of a schema.
pub(super) fn name_members_plainly(schema: &mut MetaSchema) {
    schema.properties.iter_mut().for_each(|(_, member)| name_plainly(member));
}

/// Members of these schemas are required: a client then sees null or a value, and never has to ask whether a member is
/// there.
pub(super) fn complete_answers(registry: &mut Registry) {
    for name in COMPLETE {
        if let Some(schema) = registry.schemas.get_mut(*name) {
            schema.required = schema.properties.iter().map(|(member, _)| *member).collect();
        }
    }
}
