//! The engine's one error type: ArangoDB's error number, a message, and the HTTP status that goes with it.

use std::fmt;

/// What every fallible function of the engine returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error as ArangoDB reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// ArangoDB's `errorNum`, one of the constants of [`code`].
    pub num: u16,
    /// A message a person can act on.
    pub message: String,
    /// The HTTP status, where it is not the usual one of `num`.
    status: Option<u16>,
}

impl Error {
    /// An error with a message of its own.
    pub fn new(num: u16, message: impl Into<String>) -> Self {
        Self { num, message: message.into(), status: None }
    }

    /// An error with ArangoDB's standard message.
    pub fn plain(num: u16) -> Self {
        Self::new(num, code::message(num))
    }

    /// ArangoDB's standard message, a colon, and what it is about.
    pub fn detailed(num: u16, detail: impl fmt::Display) -> Self {
        Self::new(num, format!("{}: {detail}", code::message(num)))
    }

    /// The same error with another HTTP status than its number has by default.
    pub fn with_status(mut self, status: u16) -> Self {
        self.status = Some(status);
        self
    }

    /// The HTTP status to answer with.
    pub fn http_status(&self) -> u16 {
        self.status.unwrap_or_else(|| code::http_status(self.num))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (error {})", self.message, self.num)
    }
}

impl std::error::Error for Error {}

macro_rules! codes {
    ($($num:literal $status:literal $name:ident $message:literal;)*) => {
        /// ArangoDB's error numbers, their standard messages and HTTP statuses: one row each.
        #[allow(missing_docs)]
        pub mod code {
            $(pub const $name: u16 = $num;)*

            /// The standard message of a number.
            pub fn message(num: u16) -> &'static str {
                match num { $($num => $message,)* _ => "unknown error" }
            }

            /// The HTTP status ArangoDB answers with for a number.
            pub fn http_status(num: u16) -> u16 {
                match num { $($num => $status,)* _ => 500 }
            }
        }
    };
}

codes! {
    0 200 NO_ERROR "no error";
    1 500 FAILED "failed";
    2 500 SYS_ERROR "system error";
    3 500 OUT_OF_MEMORY "out of memory";
    4 500 INTERNAL "internal error";
    5 500 ILLEGAL_NUMBER "illegal number";
    6 500 NUMERIC_OVERFLOW "numeric overflow";
    7 500 ILLEGAL_OPTION "illegal option";
    8 500 DEAD_PID "dead process identifier";
    9 501 NOT_IMPLEMENTED "not implemented";
    10 400 BAD_PARAMETER "bad parameter";
    11 403 FORBIDDEN "forbidden";
    12 500 OUT_OF_MEMORY_MMAP "out of memory in mmap";
    13 500 CORRUPTED_CSV "csv is corrupt";
    14 500 FILE_NOT_FOUND "file not found";
    15 500 CANNOT_WRITE_FILE "cannot write file";
    16 500 CANNOT_OVERWRITE_FILE "cannot overwrite file";
    17 500 TYPE_ERROR "type error";
    18 500 LOCK_TIMEOUT "lock timeout";
    19 500 CANNOT_CREATE_DIRECTORY "cannot create directory";
    20 500 CANNOT_CREATE_TEMP_FILE "cannot create temporary file";
    21 500 REQUEST_CANCELED "canceled request";
    22 500 DEBUG "intentional debug error";
    25 500 IP_ADDRESS_INVALID "IP address is invalid";
    27 500 FILE_EXISTS "file exists";
    28 423 LOCKED "locked";
    29 500 DEADLOCK "deadlock detected";
    30 503 SHUTTING_DOWN "shutdown in progress";
    31 501 ONLY_ENTERPRISE "only enterprise version";
    32 503 RESOURCE_LIMIT "resource limit exceeded";
    33 500 ICU_ERROR "icu error: %s";
    34 500 CANNOT_READ_FILE "cannot read file";
    35 500 INCOMPATIBLE_VERSION "incompatible server version";
    36 403 DISABLED "disabled";
    37 400 MALFORMED_JSON "malformed json";
    38 500 STARTING_UP "startup ongoing";
    400 400 HTTP_BAD_PARAMETER "bad parameter";
    401 401 HTTP_UNAUTHORIZED "unauthorized";
    403 403 HTTP_FORBIDDEN "forbidden";
    404 404 HTTP_NOT_FOUND "not found";
    405 405 HTTP_METHOD_NOT_ALLOWED "method not supported";
    406 406 HTTP_NOT_ACCEPTABLE "request not acceptable";
    408 408 HTTP_REQUEST_TIMEOUT "request timeout";
    409 409 HTTP_CONFLICT "conflict";
    410 410 HTTP_GONE "content permanently deleted";
    412 412 HTTP_PRECONDITION_FAILED "precondition failed";
    429 429 HTTP_TOO_MANY_REQUESTS "too many requests";
    500 500 HTTP_SERVER_ERROR "internal server error";
    501 501 HTTP_NOT_IMPLEMENTED "not implemented";
    503 503 HTTP_SERVICE_UNAVAILABLE "service unavailable";
    504 504 HTTP_GATEWAY_TIMEOUT "gateway timeout";
    600 400 HTTP_CORRUPTED_JSON "invalid JSON object";
    601 400 HTTP_SUPERFLUOUS_SUFFICES "superfluous URL suffices";
    1004 403 READ_ONLY "read only";
    1007 500 DATAFILE_EMPTY "datafile empty";
    1200 409 CONFLICT "conflict";
    1104 503 FILESYSTEM_FULL "filesystem full";
    1201 500 DATADIR_INVALID "invalid database directory";
    1202 404 DOCUMENT_NOT_FOUND "document not found";
    1203 404 DATA_SOURCE_NOT_FOUND "collection or view not found";
    1204 400 COLLECTION_PARAMETER_MISSING "parameter 'collection' not found";
    1205 400 DOCUMENT_HANDLE_BAD "illegal document identifier";
    1206 500 MAXIMAL_SIZE_TOO_SMALL "maximal size of journal too small";
    1207 409 DUPLICATE_NAME "duplicate name";
    1208 400 ILLEGAL_NAME "illegal name";
    1209 400 NO_INDEX "no suitable index known";
    1210 409 UNIQUE_CONSTRAINT_VIOLATED "unique constraint violated";
    1212 404 INDEX_NOT_FOUND "index not found";
    1213 400 CROSS_COLLECTION_REQUEST "cross collection request not allowed";
    1214 400 INDEX_HANDLE_BAD "illegal index identifier";
    1216 400 DOCUMENT_TOO_LARGE "document too large";
    1217 400 COLLECTION_NOT_UNLOADED "collection must be unloaded";
    1218 400 COLLECTION_TYPE_INVALID "collection type invalid";
    1220 400 ATTRIBUTE_PARSER_FAILED "parsing attribute name definition failed";
    1221 400 DOCUMENT_KEY_BAD "illegal document key";
    1222 400 DOCUMENT_KEY_UNEXPECTED "unexpected document key";
    1224 500 DATADIR_NOT_WRITABLE "server database directory not writable";
    1225 500 OUT_OF_KEYS "out of keys";
    1226 400 DOCUMENT_KEY_MISSING "missing document key";
    1227 400 DOCUMENT_TYPE_INVALID "invalid document type";
    1228 404 DATABASE_NOT_FOUND "database not found";
    1229 400 DATABASE_NAME_INVALID "database name invalid";
    1230 403 USE_SYSTEM_DATABASE "operation only allowed in system database";
    1232 400 INVALID_KEY_GENERATOR "invalid key generator";
    1233 400 INVALID_EDGE_ATTRIBUTE "edge attribute missing or invalid";
    1235 500 INDEX_CREATION_FAILED "index creation failed";
    1236 500 WRITE_THROTTLE_TIMEOUT "write-throttling timeout";
    1237 400 COLLECTION_TYPE_MISMATCH "collection type mismatch";
    1238 400 COLLECTION_NOT_LOADED "collection not loaded";
    1239 400 DOCUMENT_REV_BAD "illegal document revision";
    1240 500 INCOMPLETE_READ "incomplete read";
    1500 410 QUERY_KILLED "query killed";
    1501 400 QUERY_PARSE "%s";
    1502 400 QUERY_EMPTY "query is empty";
    1503 400 QUERY_SCRIPT "runtime error '%s'";
    1504 400 QUERY_NUMBER_OUT_OF_RANGE "number out of range";
    1505 400 QUERY_INVALID_GEO_VALUE "invalid geo coordinate value";
    1510 400 QUERY_VARIABLE_NAME_INVALID "variable name '%s' has an invalid format";
    1511 400 QUERY_VARIABLE_REDECLARED "variable '%s' is assigned multiple times";
    1512 400 QUERY_VARIABLE_NAME_UNKNOWN "unknown variable '%s'";
    1521 500 QUERY_COLLECTION_LOCK_FAILED "unable to read-lock collection %s";
    1522 400 QUERY_TOO_MANY_COLLECTIONS "too many collections/shards";
    1524 400 QUERY_TOO_MUCH_NESTING "too much nesting or too many objects";
    1539 400 QUERY_INVALID_OPTIONS_ATTRIBUTE "unknown OPTIONS attribute used";
    1540 400 QUERY_FUNCTION_NAME_UNKNOWN "usage of unknown function '%s()'";
    1541 400 QUERY_FUNCTION_ARGUMENT_NUMBER_MISMATCH "invalid number of arguments for function '%s()', expected number of arguments: minimum: %d, maximum: %d";
    1542 400 QUERY_FUNCTION_ARGUMENT_TYPE_MISMATCH "invalid argument type in call to function '%s()'";
    1543 400 QUERY_INVALID_REGEX "invalid regex value";
    1550 400 QUERY_BIND_PARAMETERS_INVALID "invalid structure of bind parameters";
    1551 400 QUERY_BIND_PARAMETER_MISSING "no value specified for declared bind parameter '%s'";
    1552 400 QUERY_BIND_PARAMETER_UNDECLARED "bind parameter '%s' was not declared in the query";
    1553 400 QUERY_BIND_PARAMETER_TYPE "bind parameter '%s' has an invalid value or type";
    1561 400 QUERY_INVALID_ARITHMETIC_VALUE "invalid arithmetic value";
    1562 400 QUERY_DIVISION_BY_ZERO "division by zero";
    1563 400 QUERY_ARRAY_EXPECTED "array expected";
    1568 400 QUERY_COLLECTION_USED_IN_EXPRESSION "collection '%s' used as expression operand";
    1569 400 QUERY_FAIL_CALLED "FAIL(%s) called";
    1570 400 QUERY_GEO_INDEX_MISSING "no suitable geo index found for geo restriction on '%s'";
    1571 400 QUERY_FULLTEXT_INDEX_MISSING "no suitable fulltext index found for fulltext query on '%s'";
    1572 400 QUERY_INVALID_DATE_VALUE "invalid date value";
    1573 400 QUERY_MULTI_MODIFY "multi-modify query";
    1574 400 QUERY_INVALID_AGGREGATE_EXPRESSION "invalid aggregate expression";
    1575 400 QUERY_COMPILE_TIME_OPTIONS "query options must be readable at query compile time";
    1577 400 QUERY_FORCED_INDEX_HINT_UNUSABLE "could not use forced index hint";
    1578 400 QUERY_DISALLOWED_DYNAMIC_CALL "disallowed dynamic call to '%s'";
    1579 400 QUERY_ACCESS_AFTER_MODIFICATION "access after data-modification by %s";
    1580 400 QUERY_FUNCTION_INVALID_NAME "invalid user function name";
    1581 400 QUERY_FUNCTION_INVALID_CODE "invalid user function code";
    1582 400 QUERY_FUNCTION_NOT_FOUND "user function '%s()' not found";
    1583 400 QUERY_FUNCTION_RUNTIME_ERROR "user function runtime error: %s";
    1590 400 QUERY_BAD_JSON_PLAN "bad execution plan JSON";
    1591 404 QUERY_NOT_FOUND "query ID not found";
    1593 400 QUERY_USER_ASSERT "%s";
    1594 400 QUERY_USER_WARN "%s";
    1595 400 QUERY_WINDOW_AFTER_MODIFICATION "window operation after data-modification";
    1600 404 CURSOR_NOT_FOUND "cursor not found";
    1601 409 CURSOR_BUSY "cursor is busy";
    1620 400 VALIDATION_FAILED "schema validation failed";
    1621 400 VALIDATION_BAD_PARAMETER "invalid schema validation parameter";
    1650 500 TRANSACTION_INTERNAL "internal transaction error";
    1651 400 TRANSACTION_NESTED "nested transactions detected";
    1652 400 TRANSACTION_UNREGISTERED_COLLECTION "unregistered collection used in transaction";
    1653 400 TRANSACTION_DISALLOWED_OPERATION "disallowed operation inside transaction";
    1654 410 TRANSACTION_ABORTED "transaction aborted";
    1655 404 TRANSACTION_NOT_FOUND "transaction not found";
    1700 400 USER_INVALID_NAME "invalid user name";
    1702 409 USER_DUPLICATE "duplicate user";
    1703 404 USER_NOT_FOUND "user not found";
    1705 400 USER_EXTERNAL "user is external";
    1852 404 TASK_NOT_FOUND "task not found";
    1901 400 GRAPH_INVALID_GRAPH "invalid graph";
    1906 400 GRAPH_INVALID_EDGE "invalid edge";
    1909 400 GRAPH_TOO_MANY_ITERATIONS "too many iterations - try increasing the value of 'maxIterations'";
    1910 400 GRAPH_INVALID_FILTER_RESULT "invalid filter result";
    1920 400 GRAPH_COLLECTION_MULTI_USE "multi use of edge collection in edge def";
    1921 400 GRAPH_COLLECTION_USE_IN_MULTI_GRAPHS "edge collection already used in edge def";
    1922 400 GRAPH_CREATE_MISSING_NAME "missing graph name";
    1923 400 GRAPH_CREATE_MALFORMED_EDGE_DEFINITION "malformed edge definition";
    1924 404 GRAPH_NOT_FOUND "graph '%s' not found";
    1925 409 GRAPH_DUPLICATE "graph already exists";
    1926 404 GRAPH_VERTEX_COL_DOES_NOT_EXIST "vertex collection does not exist or is not part of the graph";
    1927 400 GRAPH_WRONG_COLLECTION_TYPE_VERTEX "collection not a vertex collection";
    1928 404 GRAPH_NOT_IN_ORPHAN_COLLECTION "collection is not in list of orphan collections";
    1929 400 GRAPH_COLLECTION_USED_IN_EDGE_DEF "collection already used in edge def";
    1930 404 GRAPH_EDGE_COLLECTION_NOT_USED "edge collection not used in graph";
    1932 404 GRAPH_NO_GRAPH_COLLECTION "collection _graphs does not exist";
    1935 400 GRAPH_INVALID_NUMBER_OF_ARGUMENTS "Invalid number of arguments. Expected:";
    1936 400 GRAPH_INVALID_PARAMETER "Invalid parameter type.";
    1938 400 GRAPH_COLLECTION_USED_IN_ORPHANS "collection used in orphans";
    1939 404 GRAPH_EDGE_COL_DOES_NOT_EXIST "edge collection does not exist or is not part of the graph";
    1940 400 GRAPH_EMPTY "empty graph";
    1941 400 GRAPH_INTERNAL_DATA_CORRUPT "internal graph data corrupt";
    1943 400 GRAPH_CREATE_MALFORMED_ORPHAN_LIST "malformed orphan list";
    1944 400 GRAPH_EDGE_DEFINITION_IS_DOCUMENT "edge definition collection is a document collection";
    1945 404 GRAPH_COLLECTION_IS_INITIAL "initial collection is not allowed to be removed manually";
    1946 400 GRAPH_NO_INITIAL_COLLECTION "no valid initial collection found";
    1947 400 GRAPH_REFERENCED_VERTEX_COLLECTION_NOT_USED "referenced vertex collection is not part of the graph";
    1948 400 GRAPH_NEGATIVE_EDGE_WEIGHT "negative edge weight found";
    1950 500 SESSION_UNKNOWN "unknown session";
    1951 500 SESSION_EXPIRED "session expired";
}
