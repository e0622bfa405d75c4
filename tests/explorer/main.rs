//! The explorer's side of the service, by talking HTTP to it: its files, its search, the AQL console. A program beside
//! `tests/api`, so that who works on the explorer does not link the tests of everything else.

mod console_access;
mod console_queries;
mod console_support;
mod explorer_files;
mod explorer_recall;
mod explorer_search;
