//! What is planned and recorded, by talking HTTP to the service: one module a subject. A program beside `tests/api`, so that who
//! works on recording does not link the tests of everything else.

#[path = "../api/common/mod.rs"]
mod common;
#[path = "../api/dhr_support/mod.rs"]
mod dhr_support;
#[path = "../api/program/mod.rs"]
#[expect(dead_code, reason = "what only the tests of the command line ask for")]
mod program;
#[path = "../api/warehouse_support/mod.rs"]
#[expect(dead_code, reason = "what only the tests of operations ask for")]
mod warehouse_support;

mod audit;
mod audit_changes;
mod audit_tampering;
mod bulk_together;
mod collaboration_issue_marks;
mod collaboration_issues;
mod collaboration_messages;
mod collaboration_new_tasks;
mod collaboration_support;
mod collaboration_task_links;
mod collaboration_tasks;
mod counting_applying;
mod counting_arrivals;
mod counting_confirmation;
mod counting_counts;
mod counting_failures;
mod counting_positions;
mod counting_session_events;
mod counting_support;
mod demo;
mod demo_history;
mod events;
mod floor_administration;
mod floor_batches;
mod floor_failures;
mod floor_goods;
mod floor_history;
mod floor_jobs;
mod floor_serials;
mod floor_support;
mod floor_together;
mod frontend_app;
mod frontend_calls;
mod frontend_journey;
mod frontend_journey_floor;
mod frontend_journey_stock;
mod frontend_journey_work;
mod journal;
mod notifications;
mod notifications_access;
mod notifications_events;
mod notifications_processes;
mod production_batches;
mod production_changes;
mod production_meets_events;
mod production_orders;
mod production_queues;
mod production_reads;
mod production_support;
mod published_files;
mod serials_at_once;
mod serials_changes;
mod serials_created;
mod serials_deleted;
mod serials_links;
mod serials_links_stock;
mod serials_sets;
mod serials_support;
mod simulate;
mod sse;
mod stock_completed;
mod stock_lists;
mod stock_planned;
mod stock_support;
mod stock_writers;
mod way_of_a_bike;
