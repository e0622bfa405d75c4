//! The OpenAPI document: what the handlers say of themselves, plus scopes and error answers from the table.

use poem_openapi::registry::{
    MetaApi, MetaMediaType, MetaOAuthFlow, MetaOAuthFlows, MetaOAuthScope, MetaOperation, MetaResponse,
    MetaSecurityScheme, Registry,
};
use poem_openapi::types::Type;
use poem_openapi::{Object, OpenApi, OpenApiService};
use serde_json::Value;

use crate::auth::operations::{self, Operation};
use crate::auth::scopes::{COARSE, FINE};

/// Name of the security scheme.
pub const SECURITY_SCHEME: &str = "OAuth2PasswordBearer";

const JSON: &str = "application/json; charset=utf-8";

/// The document and the routes of an API.
pub fn service<T: OpenApi>(api: T, root_path: &str) -> OpenApiService<T, ()> {
    let server = if root_path.is_empty() { "/" } else { root_path };
    OpenApiService::new(api, "Tracewright", "0.1.0")
        .summary("Production traceability service")
        .description("Products and their bills of materials, work orders, serials and what they contain, forms, tasks and issues, stock.")
        .server(server)
}

/// One thing that is wrong with a request.
#[derive(Object)]
struct ValidationError {
    /// Where it is wrong: `query`, `path`, `body` or `header`, then names and indexes.
    loc: Vec<Value>,
    /// What is wrong.
    msg: String,
    /// The kind of error.
    #[oai(rename = "type")]
    kind: String,
    /// The offending value.
    input: Option<Value>,
    /// The bounds that were violated.
    ctx: Option<Value>,
}

/// Everything that is wrong with a request.
#[derive(Object)]
#[oai(rename = "HTTPValidationError")]
struct HttpValidationError {
    /// One entry for each thing wrong.
    detail: Option<Vec<ValidationError>>,
}

/// Any other error.
#[derive(Object)]
struct ErrorResponse {
    /// A text, or an object with a `message`.
    detail: Value,
}

/// Adds scopes and error answers. Operations without a row in the table are left out: they are not served.
pub(super) fn describe(mut apis: Vec<MetaApi>) -> Vec<MetaApi> {
    for api in &mut apis {
        for path in &mut api.paths {
            path.operations.retain_mut(|described| {
                let Some(operation) = described.operation_id.and_then(operations::find) else { return false };
                describe_operation(described, operation);
                true
            });
        }
        api.paths.retain(|path| !path.operations.is_empty());
    }
    apis
}

fn describe_operation(described: &mut MetaOperation, operation: &Operation) {
    for response in &mut described.responses.responses {
        if response.description.is_empty() {
            response.description = "Successful Response";
        }
    }
    let mut errors: Vec<u16> = operation.errors.to_vec();
    if let Some(scope) = operation.scope {
        described.security = vec![[(SECURITY_SCHEME, vec![scope])].into()];
        errors.extend([401, 403]);
    }
    if !described.params.is_empty() || described.request.is_some() {
        errors.push(422);
    }
    errors.extend([500, 503]);
    errors.sort_unstable();
    errors.dedup();
    let known: Vec<Option<u16>> = described.responses.responses.iter().map(|response| response.status).collect();
    let missing = errors.into_iter().filter(|status| !known.contains(&Some(*status)));
    described.responses.responses.extend(missing.map(error_response));
}

fn error_response(status: u16) -> MetaResponse {
    let (description, schema) = match status {
        400 => ("The request breaks a rule of the operation", ErrorResponse::schema_ref()),
        401 => ("The token is missing or not valid", ErrorResponse::schema_ref()),
        403 => ("The token lacks the scope, or the change is not allowed", ErrorResponse::schema_ref()),
        404 => ("Not found", ErrorResponse::schema_ref()),
        409 => ("It exists already", ErrorResponse::schema_ref()),
        413 => ("The upload is too large", ErrorResponse::schema_ref()),
        422 => ("Validation Error", HttpValidationError::schema_ref()),
        429 => ("Too many failed attempts", ErrorResponse::schema_ref()),
        503 => ("The database cannot be reached; nothing was changed", ErrorResponse::schema_ref()),
        _ => ("Unexpected error", ErrorResponse::schema_ref()),
    };
    MetaResponse {
        description,
        status: Some(status),
        status_range: None,
        content: vec![MetaMediaType { content_type: JSON, schema }],
        headers: Vec::new(),
    }
}

/// Registers the schemas of the error answers and the security scheme.
pub(super) fn register(registry: &mut Registry) {
    HttpValidationError::register(registry);
    ErrorResponse::register(registry);
    let coarse = COARSE.iter().map(|scope| (scope.name, scope.meaning));
    let scopes = coarse.chain(FINE.iter().copied());
    let flow = MetaOAuthFlow {
        authorization_url: None,
        token_url: Some("/api/auth"),
        refresh_url: None,
        scopes: scopes.map(|(name, meaning)| MetaOAuthScope { name, description: Some(meaning) }).collect(),
    };
    let flows =
        MetaOAuthFlows { implicit: None, password: Some(flow), client_credentials: None, authorization_code: None };
    registry.create_security_scheme(
        SECURITY_SCHEME,
        MetaSecurityScheme {
            ty: "oauth2",
            description: None,
            name: None,
            key_in: None,
            scheme: None,
            bearer_format: None,
            flows: Some(flows),
            openid_connect_url: None,
        },
    );
}
