//! What movements and their lists are made of.

use poem_openapi::Object;
use serde::{Deserialize, Serialize};

/// What a movement has to do with.
#[derive(Debug, Clone, Default, PartialEq, Object, Serialize, Deserialize)]
#[serde(default)]
#[oai(rename = "InventoryMovementReferences")]
pub struct References {
    /// The work order for which it is made.
    pub work_order_key: Option<String>,
    /// The job.
    pub job_key: Option<String>,
    /// The batch.
    pub batch_key: Option<String>,
    /// The movement that it undoes.
    pub origin_movement_key: Option<String>,
    /// The paper that goes along.
    pub transfer_doc: Option<String>,
    /// The order of a customer.
    pub sales_doc: Option<String>,
    /// The order at a supplier.
    pub purchase_doc: Option<String>,
    /// The customer or supplier by name.
    pub partner_name: Option<String>,
    /// The customer or supplier by code.
    pub partner_code: Option<String>,
    /// The count that it corrects stock by.
    pub inventory_count_session_key: Option<String>,
}

impl References {
    /// These, completed by those of the list.
    pub fn or(self, list: &Self) -> Self {
        Self {
            work_order_key: self.work_order_key.or_else(|| list.work_order_key.clone()),
            job_key: self.job_key.or_else(|| list.job_key.clone()),
            batch_key: self.batch_key.or_else(|| list.batch_key.clone()),
            origin_movement_key: self.origin_movement_key.or_else(|| list.origin_movement_key.clone()),
            transfer_doc: self.transfer_doc.or_else(|| list.transfer_doc.clone()),
            sales_doc: self.sales_doc.or_else(|| list.sales_doc.clone()),
            purchase_doc: self.purchase_doc.or_else(|| list.purchase_doc.clone()),
            partner_name: self.partner_name.or_else(|| list.partner_name.clone()),
            partner_code: self.partner_code.or_else(|| list.partner_code.clone()),
            inventory_count_session_key: self
                .inventory_count_session_key
                .or_else(|| list.inventory_count_session_key.clone()),
        }
    }
}
