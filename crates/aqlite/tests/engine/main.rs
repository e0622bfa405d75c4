//! The engine from outside: its language, its transactions on a real disk, its HTTP interface and its program.

mod aql;
mod aql_functions;
mod common;
mod dump;
mod edge_indexes;
mod failing_disk;
mod function_page;
mod generated;
mod graph;
mod http;
mod http_admin;
mod http_aqlited;
mod http_computed;
mod http_cursors;
mod http_drivers;
mod http_dump;
mod http_mode;
mod in_between;
mod isolation;
mod limits;
mod memory;
mod paths;
mod server;
mod statements;
mod turns;
mod window;
