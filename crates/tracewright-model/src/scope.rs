//! The fine scopes: each opens some operations, which name theirs at their handlers.

use poem_openapi::OAuthScopes;

/// A fine scope. Its comment is its meaning in the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, OAuthScopes)]
pub enum Scope {
    /// wipe production and traceability data
    #[oai(rename = "admin:operation:reset-prod")]
    AdminOperationResetProd,
    /// wipe movements, lists and stock
    #[oai(rename = "admin:operation:reset-inventory")]
    AdminOperationResetInventory,
    /// delete a work order with all its data
    #[oai(rename = "admin:operation:force-delete-work-order")]
    AdminOperationForceDeleteWorkOrder,
    /// read who did what
    #[oai(rename = "admin:audit:read")]
    AdminAuditRead,
    /// change the configuration
    #[oai(rename = "admin:config:write")]
    AdminConfigWrite,
    /// read custom data
    #[oai(rename = "admin:custom-data:read")]
    AdminCustomDataRead,
    /// change custom data
    #[oai(rename = "admin:custom-data:write")]
    AdminCustomDataWrite,
    /// check a user's password
    #[oai(rename = "auth:user:verify")]
    AuthUserVerify,
    /// ask who the token belongs to
    #[oai(rename = "auth:session:whoami")]
    AuthSessionWhoami,
    /// open a session
    #[oai(rename = "auth:session:start")]
    AuthSessionStart,
    /// close a session
    #[oai(rename = "auth:session:close")]
    AuthSessionClose,
    /// set a new password with a reset token
    #[oai(rename = "auth:password:reset")]
    AuthPasswordReset,
    /// ask the database in AQL
    #[oai(rename = "data:aql:read")]
    DataAqlRead,
    /// read departments
    #[oai(rename = "org:department:read")]
    OrgDepartmentRead,
    /// create, change and delete departments
    #[oai(rename = "org:department:write")]
    OrgDepartmentWrite,
    /// read users
    #[oai(rename = "org:user:read")]
    OrgUserRead,
    /// create users
    #[oai(rename = "org:user:create")]
    OrgUserCreate,
    /// change users
    #[oai(rename = "org:user:write")]
    OrgUserWrite,
    /// delete users
    #[oai(rename = "org:user:delete")]
    OrgUserDelete,
    /// change the own preferences
    #[oai(rename = "org:user:preferences")]
    OrgUserPreferences,
    /// record events in the name of others
    #[oai(rename = "org:user:act-as")]
    OrgUserActAs,
    /// create API tokens
    #[oai(rename = "org:api-token:create")]
    OrgApiTokenCreate,
    /// read API tokens
    #[oai(rename = "org:api-token:read")]
    OrgApiTokenRead,
    /// revoke API tokens
    #[oai(rename = "org:api-token:revoke")]
    OrgApiTokenRevoke,
    /// read bills of materials
    #[oai(rename = "product:bom:read")]
    ProductBomRead,
    /// change bills of materials
    #[oai(rename = "product:bom:update")]
    ProductBomUpdate,
    /// read products
    #[oai(rename = "product:catalogue:read")]
    ProductCatalogueRead,
    /// create products
    #[oai(rename = "product:catalogue:create")]
    ProductCatalogueCreate,
    /// change products
    #[oai(rename = "product:catalogue:update")]
    ProductCatalogueUpdate,
    /// delete products
    #[oai(rename = "product:catalogue:delete")]
    ProductCatalogueDelete,
    /// read process templates
    #[oai(rename = "process:template:read")]
    ProcessTemplateRead,
    /// create process templates
    #[oai(rename = "process:template:create")]
    ProcessTemplateCreate,
    /// change process templates
    #[oai(rename = "process:template:update")]
    ProcessTemplateUpdate,
    /// change the phases of products
    #[oai(rename = "process:phase:configure")]
    ProcessPhaseConfigure,
    /// create work orders
    #[oai(rename = "production:work-order:create")]
    ProductionWorkOrderCreate,
    /// read work orders
    #[oai(rename = "production:work-order:read")]
    ProductionWorkOrderRead,
    /// change work orders
    #[oai(rename = "production:work-order:update")]
    ProductionWorkOrderUpdate,
    /// delete work orders
    #[oai(rename = "production:work-order:delete")]
    ProductionWorkOrderDelete,
    /// change quantities of work orders
    #[oai(rename = "production:work-order:update-quantities")]
    ProductionWorkOrderUpdateQuantities,
    /// read queues
    #[oai(rename = "production:queue:read")]
    ProductionQueueRead,
    /// change queues
    #[oai(rename = "production:queue:update")]
    ProductionQueueUpdate,
    /// read jobs
    #[oai(rename = "production:job:read")]
    ProductionJobRead,
    /// change jobs
    #[oai(rename = "production:job:update")]
    ProductionJobUpdate,
    /// record what happens to jobs
    #[oai(rename = "production:job:record")]
    ProductionJobRecord,
    /// correct what was recorded of production
    #[oai(rename = "production:override:record")]
    ProductionOverrideRecord,
    /// read work sessions
    #[oai(rename = "production:work-session:read")]
    ProductionWorkSessionRead,
    /// upload files
    #[oai(rename = "attachment:file:upload")]
    AttachmentFileUpload,
    /// delete files
    #[oai(rename = "attachment:file:delete")]
    AttachmentFileDelete,
    /// upload media
    #[oai(rename = "attachment:media:upload")]
    AttachmentMediaUpload,
    /// read media
    #[oai(rename = "attachment:media:read")]
    AttachmentMediaRead,
    /// delete media
    #[oai(rename = "attachment:media:delete")]
    AttachmentMediaDelete,
    /// create form fields
    #[oai(rename = "quality:form:create")]
    QualityFormCreate,
    /// read form fields and their lists
    #[oai(rename = "quality:form:read")]
    QualityFormRead,
    /// change form fields and their lists
    #[oai(rename = "quality:form:update")]
    QualityFormUpdate,
    /// read print templates
    #[oai(rename = "quality:print-template:read")]
    QualityPrintTemplateRead,
    /// create print templates
    #[oai(rename = "quality:print-template:create")]
    QualityPrintTemplateCreate,
    /// say what may be printed with a template
    #[oai(rename = "quality:print-template:assign")]
    QualityPrintTemplateAssign,
    /// print
    #[oai(rename = "quality:print-job:create")]
    QualityPrintJobCreate,
    /// read serials
    #[oai(rename = "serial:read")]
    SerialRead,
    /// record what happens to serials
    #[oai(rename = "serial:record")]
    SerialRecord,
    /// delete serials and take back their release
    #[oai(rename = "serial:delete")]
    SerialDelete,
    /// read tags
    #[oai(rename = "config:tag:read")]
    ConfigTagRead,
    /// create and connect tags
    #[oai(rename = "config:tag:write")]
    ConfigTagWrite,
    /// read issue types
    #[oai(rename = "collaboration:issue-type:read")]
    CollaborationIssueTypeRead,
    /// change issue types
    #[oai(rename = "collaboration:issue-type:write")]
    CollaborationIssueTypeWrite,
    /// read issues
    #[oai(rename = "collaboration:issue:read")]
    CollaborationIssueRead,
    /// delete others' issues
    #[oai(rename = "collaboration:issue:delete")]
    CollaborationIssueDelete,
    /// read messages
    #[oai(rename = "collaboration:message:read")]
    CollaborationMessageRead,
    /// delete others' messages
    #[oai(rename = "collaboration:message:moderate")]
    CollaborationMessageModerate,
    /// read tasks
    #[oai(rename = "collaboration:task:read")]
    CollaborationTaskRead,
    /// cancel and delete others' tasks
    #[oai(rename = "collaboration:task:delete")]
    CollaborationTaskDelete,
    /// read task types
    #[oai(rename = "collaboration:task-type:read")]
    CollaborationTaskTypeRead,
    /// change task types
    #[oai(rename = "collaboration:task-type:write")]
    CollaborationTaskTypeWrite,
    /// read positions
    #[oai(rename = "inventory:position:read")]
    InventoryPositionRead,
    /// create positions
    #[oai(rename = "inventory:position:create")]
    InventoryPositionCreate,
    /// change positions
    #[oai(rename = "inventory:position:update")]
    InventoryPositionUpdate,
    /// delete positions
    #[oai(rename = "inventory:position:delete")]
    InventoryPositionDelete,
    /// read movements
    #[oai(rename = "inventory:movement:read")]
    InventoryMovementRead,
    /// read movement lists
    #[oai(rename = "inventory:movement-list:read")]
    InventoryMovementListRead,
    /// create movement lists
    #[oai(rename = "inventory:movement-list:create")]
    InventoryMovementListCreate,
    /// read stock
    #[oai(rename = "inventory:inventory:read")]
    InventoryInventoryRead,
    /// read counts
    #[oai(rename = "inventory:count:read")]
    InventoryCountRead,
    /// plan counts
    #[oai(rename = "inventory:count:create")]
    InventoryCountCreate,
    /// change counts
    #[oai(rename = "inventory:count:update")]
    InventoryCountUpdate,
    /// delete counts
    #[oai(rename = "inventory:count:delete")]
    InventoryCountDelete,
    /// import and apply counts
    #[oai(rename = "inventory:count:apply")]
    InventoryCountApply,
    /// declare events
    #[oai(rename = "traceability:event:create")]
    TraceabilityEventCreate,
    /// read events
    #[oai(rename = "traceability:event:read")]
    TraceabilityEventRead,
    /// read batch execution records
    #[oai(rename = "traceability:batch-execution-record:read")]
    TraceabilityBatchExecutionRecordRead,
    /// change batch execution records
    #[oai(rename = "traceability:batch-execution-record:write")]
    TraceabilityBatchExecutionRecordWrite,
    /// read counters
    #[oai(rename = "traceability:counter:read")]
    TraceabilityCounterRead,
    /// change counters
    #[oai(rename = "traceability:counter:write")]
    TraceabilityCounterWrite,
    /// receive notifications
    #[oai(rename = "notification:stream:subscribe")]
    NotificationStreamSubscribe,
}
