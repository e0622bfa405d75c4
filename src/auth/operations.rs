//! Which operation needs what. An operation that has no row here is not served.

/// What an operation demands of its caller, and which answers it has besides the usual ones.
#[derive(Debug, Clone, Copy)]
pub struct Operation {
    /// The operation id in the OpenAPI document.
    pub id: &'static str,
    /// The fine scope; `None` for a public operation.
    pub scope: Option<&'static str>,
    /// Which tokens it takes.
    pub tokens: Tokens,
    /// Error statuses of its own: those all operations share are added by the document. With 422 among them, that answer
    /// may also be a text: a rule is broken, not the form.
    pub errors: &'static [u16],
    /// Whether the user named first in the path may call it without the scope; the handler then says for what.
    pub or_own: bool,
}

/// Which tokens an operation takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tokens {
    /// Valid session tokens: every operation but the few below.
    Session,
    /// Session tokens even after their time.
    EvenExpired,
    /// Every valid token; the handler tells contexts apart.
    AnyContext,
    /// Password reset tokens only.
    Reset,
}

const fn public(id: &'static str) -> Operation {
    Operation { id, scope: None, tokens: Tokens::Session, errors: &[], or_own: false }
}

const fn scoped(id: &'static str, scope: &'static str) -> Operation {
    Operation { id, scope: Some(scope), tokens: Tokens::Session, errors: &[], or_own: false }
}

impl Operation {
    const fn takes(mut self, tokens: Tokens) -> Self {
        self.tokens = tokens;
        self
    }

    const fn or_own(mut self) -> Self {
        self.or_own = true;
        self
    }

    const fn errors(mut self, errors: &'static [u16]) -> Self {
        self.errors = errors;
        self
    }
}

/// The row of an operation.
pub fn find(id: &str) -> Option<&'static Operation> {
    OPERATIONS.iter().find(|operation| operation.id == id)
}

/// Every operation of the interface.
pub const OPERATIONS: &[Operation] = &[
    // Service
    public("hello_hello_get"),
    // Security
    public("authenticate_user_auth_post").errors(&[401, 429]),
    scoped("verify_user_password_user__user_key__verify_post", "auth:user:verify").errors(&[429]),
    scoped("get_current_user_whoami_get", "auth:session:whoami"),
    scoped("start_user_session_session_post", "auth:session:start").takes(Tokens::AnyContext),
    scoped("close_user_session_session__session_key__delete", "auth:session:close")
        .takes(Tokens::EvenExpired)
        .errors(&[404]),
    scoped("update_user_password_user__user_key__password_put", "auth:password:reset").takes(Tokens::Reset),
    scoped("reset_user_password_user__user_key__password_delete", "auth:password:reset").errors(&[404]),
    scoped("get_users_user_get", "org:user:read"),
    scoped("create_user_user_post", "org:user:create").errors(&[409]),
    scoped("update_user_user__user_key__patch", "org:user:write").or_own().errors(&[404, 409]),
    scoped("delete_user_user__user_key__delete", "org:user:delete").errors(&[400, 404]),
    // Administration
    scoped("reset_production_and_traceability_data_reset_prod_delete", "admin:operation:reset-prod"),
    scoped("reset_warehouse_data_reset_inventory_delete", "admin:operation:reset-inventory"),
    scoped(
        "force_delete_work_order_data_force_delete_work_order__work_order_key__delete",
        "admin:operation:force-delete-work-order",
    )
    .errors(&[404]),
    public("get_config_config_get"),
    scoped("update_config_config_patch", "admin:config:write"),
    scoped("update_config_file_config__key__file_put", "admin:config:write").errors(&[413]),
    scoped("list_custom_data_custom_data_get", "admin:custom-data:read"),
    scoped("get_custom_data_custom_data__key__get", "admin:custom-data:read").errors(&[404]),
    scoped("upsert_custom_data_custom_data__key__put", "admin:custom-data:write").errors(&[422]),
    scoped("delete_custom_data_custom_data__key__delete", "admin:custom-data:write").errors(&[404]),
    // Product
    scoped("get_product_bom_product__product_key__bom_get", "product:bom:read"),
    scoped("update_bom_product__product_key_or_code__bom_put", "product:bom:update").errors(&[404, 422]),
    // Attachments
    scoped("upload_files_files_post", "attachment:file:upload").errors(&[404, 413]),
    scoped("delete_files_files_delete", "attachment:file:delete").errors(&[404]),
    // Quality
    scoped("create_field_field_post", "quality:form:create").errors(&[409]),
    scoped("fetch_field_field_get", "quality:form:read"),
    scoped("replace_field_metadata_field__field_key__put", "quality:form:update").errors(&[404, 409]),
    scoped("delete_field_field__field_key__delete", "quality:form:update").errors(&[404]),
    scoped("fetch_custom_list_values_list_get", "quality:form:read"),
    scoped("create_or_update_custom_list_values_list__field_key__post", "quality:form:update"),
    scoped("delete_custom_list_value_list__field_key__delete", "quality:form:update"),
    // Serial
    scoped("fetch_field_serial_field_get", "serial:read"),
    scoped("get_serial_batch_serial_batch_get", "serial:read"),
    scoped("get_serial_batch_component_batch_get", "serial:read"),
    scoped("get_serial_parents_serial_parents_get", "serial:read"),
    scoped("get_serial_children_serial_children_get", "serial:read"),
    scoped("get_serial_hierarchy_serial_hierarchy_get", "serial:read").errors(&[404]),
    scoped("get_serial_wip_wip_serial_get", "serial:read"),
    scoped("get_serial_selection_serial_selection_get", "serial:read"),
    scoped("get_serial_from_key_serial__serial_key__get", "serial:read").errors(&[404]),
    scoped("get_serial_from_code_serial_code_get", "serial:read"),
    scoped("verify_serial_code_free_serial_code_verify_free_get", "serial:read"),
    scoped("search_serials_serial_get", "serial:read"),
    scoped("get_serial_where_used_serial__serial_key__where_used_get", "serial:read").errors(&[404]),
    scoped("get_where_used_where_used_get", "serial:read"),
    scoped("get_device_history_record_serial__serial_key__dhr_get", "serial:read").errors(&[404]),
    // Configuration
    scoped("get_tags_tag_get", "config:tag:read"),
    scoped("create_tag_tag_post", "config:tag:write"),
    scoped("connect_tags_tag_update_connections_post", "config:tag:write").errors(&[404]),
    // Collaboration
    scoped("get_issue_type_issue_type_get", "collaboration:issue-type:read"),
    scoped("create_issue_type_issue_type_post", "collaboration:issue-type:write").errors(&[409]),
    scoped("update_issue_type_issue_type__issue_type_key__patch", "collaboration:issue-type:write").errors(&[404, 409]),
    scoped("delete_issue_type_issue_type__issue_type_key__delete", "collaboration:issue-type:write").errors(&[404]),
    scoped("search_issues_issue_get", "collaboration:issue:read"),
    scoped("get_messages_message_get", "collaboration:message:read"),
    scoped("search_tasks_task_get", "collaboration:task:read"),
    scoped("get_task_data_task__task_key__get", "collaboration:task:read").errors(&[404]),
    scoped("get_task_types_task_type_get", "collaboration:task-type:read"),
    scoped("create_task_type_task_type_post", "collaboration:task-type:write").errors(&[409]),
    scoped("update_task_type_task_type__type_key__put", "collaboration:task-type:write").errors(&[404]),
    scoped("delete_task_type_task_type__type_key__delete", "collaboration:task-type:write").errors(&[404]),
    // Warehouse
    scoped("get_positions_position_get", "inventory:position:read"),
    scoped("create_position_position_post", "inventory:position:create").errors(&[400, 404]),
    scoped("get_position_details_position__position_key__get", "inventory:position:read").errors(&[404]),
    scoped("update_position_position__positions_key__patch", "inventory:position:update").errors(&[400, 404]),
    scoped("delete_position_position__position_key__delete", "inventory:position:delete").errors(&[400, 404]),
    scoped("get_position_hierarchy_position_hierarchy_get", "inventory:position:read"),
    scoped("search_inventory_journal_movement_get", "inventory:movement:read"),
    scoped("search_movement_lists_movement_post", "inventory:movement-list:read"),
    scoped("get_recent_movement_positions_movement_latest_positions_get", "inventory:movement:read"),
    scoped("get_recent_movement_products_movement_latest_products_get", "inventory:movement:read"),
    scoped("search_movement_lists_movement_list_get", "inventory:movement-list:read"),
    scoped("create_movement_list_movement_list_post", "inventory:movement-list:create").errors(&[400]),
    scoped("get_inventory_inventory_get", "inventory:inventory:read"),
    scoped("create_counting_session_inventory_count_session_post", "inventory:count:create").errors(&[400]),
    scoped("search_counting_sessions_inventory_count_session_get", "inventory:count:read"),
    scoped("delete_counting_session_inventory_count_session_delete", "inventory:count:delete").errors(&[404, 422]),
    scoped("get_counting_session_inventory_count_session__session_key__get", "inventory:count:read").errors(&[404]),
    scoped("update_counting_session_inventory_count_session__session_key__put", "inventory:count:update")
        .errors(&[404, 422]),
    scoped(
        "get_counting_session_processed_records_inventory_count_session__session_key__processed_records_get",
        "inventory:count:read",
    ),
    scoped(
        "get_session_completed_positions_inventory_count_session__session_key__completed_positions_get",
        "inventory:count:read",
    ),
    scoped("get_counting_assignment_inventory_count_assignment_get", "inventory:count:read"),
    scoped("create_counting_assignments_inventory_count_assignment_post", "inventory:count:create")
        .errors(&[400, 404, 422]),
    scoped("delete_counting_assignments_inventory_count_assignment_delete", "inventory:count:delete").errors(&[400]),
    scoped("get_counting_record_inventory_count_record_get", "inventory:count:read"),
    scoped("get_count_position_status_inventory_count_position_status_get", "inventory:count:read"),
    scoped("import_count_records_inventory_count_record_import_post", "inventory:count:apply")
        .errors(&[400, 404, 413, 422]),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::scopes::FINE;
    use std::collections::BTreeSet;

    #[test]
    fn every_operation_has_one_row() {
        let ids: BTreeSet<_> = OPERATIONS.iter().map(|operation| operation.id).collect();
        assert_eq!(ids.len(), OPERATIONS.len());
    }

    #[test]
    fn every_scope_an_operation_needs_has_a_meaning() {
        for scope in OPERATIONS.iter().filter_map(|operation| operation.scope) {
            assert!(FINE.iter().any(|(fine, _)| *fine == scope), "{scope}");
        }
    }
}
