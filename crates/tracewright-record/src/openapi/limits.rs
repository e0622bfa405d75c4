//! How large the body of a request may be, operation by operation. Beyond it the answer is 413. No body may be larger than the
//! setting `upload_limit_bytes` either.

use poem_openapi::registry::MetaOperation;

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;

/// What an operation takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Forms: a login, which everybody may send.
    Form,
    /// JSON, unless the operation stands in `LARGER`.
    Json,
    /// One event.
    Event,
    /// Whole lists and documents of many parts.
    Large,
    /// Files, which are not held in memory.
    Upload,
}

/// The operations whose JSON may be larger than most.
const LARGER: &[(&str, Limit)] = &[
    ("record_event_event_post", Limit::Event),
    ("record_events_bulk_event_bulk_post", Limit::Large),
    ("upsert_custom_data_custom_data__key__put", Limit::Large),
    ("update_bom_product__product_key_or_code__bom_put", Limit::Large),
    ("create_or_update_custom_list_values_list__field_key__post", Limit::Large),
    ("connect_tags_tag_update_connections_post", Limit::Large),
    ("create_movement_list_movement_list_post", Limit::Large),
    ("create_counting_session_inventory_count_session_post", Limit::Large),
    ("create_counting_assignments_inventory_count_assignment_post", Limit::Large),
    ("update_process_product__product_key__process_put", Limit::Large),
    ("create_print_template_print_template_post", Limit::Large),
    ("update_print_template_print_template_put", Limit::Large),
    ("create_print_job_print_job_post", Limit::Large),
    ("create_work_order_work_order_post", Limit::Large),
    ("update_work_order_work_order__wo_key__patch", Limit::Large),
    ("update_work_order_quantities_work_order__wo_key__update_quantities_patch", Limit::Large),
    ("update_jobs_job_update_post", Limit::Large),
];

impl Limit {
    /// That of an operation; `None` when it takes no body.
    pub fn of(operation: &MetaOperation) -> Option<Self> {
        let media = operation.request.as_ref()?.content.first()?;
        Some(match media.content_type.split(';').next().unwrap_or_default() {
            "application/x-www-form-urlencoded" => Self::Form,
            "application/json" => {
                let row = LARGER.iter().find(|(id, _)| Some(*id) == operation.operation_id);
                row.map_or(Self::Json, |(_, limit)| *limit)
            }
            _ => Self::Upload,
        })
    }

    /// In bytes, where files may have `upload`.
    pub fn bytes(self, upload: u64) -> u64 {
        let own = match self {
            Self::Form => 16 * KIB,
            Self::Json => MIB,
            Self::Event => 2 * MIB,
            Self::Large => 16 * MIB,
            Self::Upload => upload,
        };
        own.min(upload)
    }

    /// What the document says of it.
    pub(super) fn description(self) -> &'static str {
        match self {
            Self::Form => "The body has more than 16 KiB",
            Self::Json => "The body has more than 1 MiB",
            Self::Event => "The body has more than 2 MiB",
            Self::Large => "The body has more than 16 MiB",
            Self::Upload => "The upload is too large",
        }
    }
}
