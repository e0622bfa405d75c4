//! The explorer's side of the service, by talking HTTP to it: its files, its search, the AQL console. A program beside
//! `tests/api`, so that who works on the explorer does not link the tests of everything else.

#[path = "../api/common/mod.rs"]
mod common;
#[path = "../api/database_server/mod.rs"]
#[expect(dead_code, reason = "what only the tests of operations ask for")]
mod database_server;
#[path = "../api/plan_support/mod.rs"]
#[expect(dead_code, reason = "what only the tests of operations ask for")]
mod plan_support;
#[path = "../api/program/mod.rs"]
#[expect(dead_code, reason = "what only the tests of the command line ask for")]
mod program;

mod console_access;
mod console_queries;
mod console_support;
mod explorer_files;
mod explorer_recall;
mod explorer_search;
