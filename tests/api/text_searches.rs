//! Every search for a text that may stand anywhere finds what testing every document finds.

use serde_json::{Value, json};
use tracewright_testkit::plans::is_embedded;
use tracewright_testkit::{ADMIN_PASSWORD, Service};

use crate::texts::{Random, Search};

/// Documents of each collection.
const DOCUMENTS: usize = 120;

/// A search by part of the text, in lower case.
const fn part(
    path: &'static str,
    parameter: &'static str,
    collection: &'static str,
    condition: &'static str,
) -> Search {
    Search { path, parameter, collection, condition, has_wildcards: false, among: "true" }
}

/// A search by a text with wildcards, as a regular expression.
const fn pattern(
    path: &'static str,
    parameter: &'static str,
    collection: &'static str,
    condition: &'static str,
) -> Search {
    Search { path, parameter, collection, condition, has_wildcards: true, among: "true" }
}

const SERIALS: &str = "/serial?limit=10000";
const ISSUES: &str = "/issue?limit=10000";
const MOVEMENTS: &str = "/movement?limit=10000";

/// Whatever the case: issues that are linked to a document with a text.
macro_rules! linked {
    ($collection:literal, $attribute:literal) => {
        concat!(
            "LENGTH(FOR v IN 1..1 OUTBOUND d issue_rel FILTER IS_SAME_COLLECTION('",
            $collection,
            "', v) AND CONTAINS(LOWER(v.",
            $attribute,
            "), LOWER(@text)) RETURN 1) > 0"
        )
    };
}

/// Documents that name another one whose code matches.
macro_rules! named {
    ($collection:literal, $attribute:literal, $by:literal) => {
        concat!(
            "LENGTH(FOR o IN ",
            $collection,
            " FILTER o._key == ",
            $by,
            " AND o.",
            $attribute,
            " != null AND REGEX_TEST(o.",
            $attribute,
            ", @text, true) RETURN 1) > 0"
        )
    };
}

const SEARCHES: &[Search] = &[
    part(ISSUES, "issue_key_search", "Issue", "CONTAINS(d._key, @text)"),
    part(ISSUES, "product_code_search", "Issue", linked!("Product", "code")),
    part(ISSUES, "work_order_code_search", "Issue", linked!("WorkOrder", "wo_code")),
    part(ISSUES, "project_search", "Issue", linked!("WorkOrder", "project_code")),
    part(ISSUES, "serial_search", "Issue", linked!("Serial", "code")),
    part(ISSUES, "phase_alias_search", "Issue", linked!("Phase", "alias")),
    pattern(SERIALS, "serial_search", "Serial", "REGEX_TEST(d.code, @text, true)"),
    pattern(SERIALS, "product_code_search", "Serial", named!("Product", "code", "d.product_key")),
    pattern(SERIALS, "work_order_search", "Serial", named!("WorkOrder", "wo_code", "d.wo_key")),
    pattern(SERIALS, "project_search", "Serial", named!("WorkOrder", "project_code", "d.wo_key")),
    pattern(
        SERIALS,
        "is_contained_in",
        "Serial",
        "LENGTH(FOR l IN contains FILTER l._to == d._id
            FOR o IN Serial FILTER o._id == l._from AND REGEX_TEST(o.code, @text, true) RETURN 1) > 0",
    ),
    pattern(
        SERIALS,
        "contains",
        "Serial",
        "LENGTH(FOR l IN contains FILTER l._from == d._id
            FOR o IN Serial FILTER o._id == l._to AND REGEX_TEST(o.code, @text, true) RETURN 1) > 0",
    ),
    part(
        "/serial-selection?include_unreleased=true&limit=10000",
        "search",
        "Serial",
        "CONTAINS(LOWER(d.code), LOWER(@text))",
    ),
    pattern(MOVEMENTS, "serial_search", "movement", named!("Serial", "code", "d.serial_key")),
    pattern(MOVEMENTS, "product_search", "movement", named!("Product", "code", "d.product_key")),
    pattern(MOVEMENTS, "work_order_search", "movement", named!("WorkOrder", "wo_code", "d.references.work_order_key")),
    part(
        MOVEMENTS,
        "list_search",
        "movement",
        "LENGTH(FOR o IN MovementList FILTER o._key == d.movement_list_key
            AND CONTAINS(LOWER(o.code), LOWER(@text)) RETURN 1) > 0",
    ),
    part("/movement-list?limit=10000", "search", "MovementList", "CONTAINS(LOWER(d.code), LOWER(@text))"),
    part(
        "/list?field_key=f&limit=10000",
        "search",
        "CustomListValue",
        "CONTAINS(LOWER(d.value), LOWER(@text)) OR CONTAINS(LOWER(d.ext_key), LOWER(@text))",
    ),
    part(
        "/custom-data",
        "search",
        "CustomData",
        "CONTAINS(LOWER(d._key), LOWER(@text)) OR CONTAINS(LOWER(d.description), LOWER(@text))",
    ),
    Search {
        among: "d._key NOT IN ['IN', 'OUT']",
        ..pattern("/position?limit=0", "search", "Position", "REGEX_TEST(d.code, @text, true)")
    },
    pattern("/product", "search_string", "Product", "REGEX_TEST(d.code, @text, true)"),
    pattern(
        "/product?search_description=true",
        "include_text",
        "Product",
        "REGEX_TEST(d.code, @text, true) OR REGEX_TEST(d.description, @text, true)",
    ),
    pattern(
        "/product?search_description=true",
        "exclude_text",
        "Product",
        "NOT (REGEX_TEST(d.code, @text, true) OR REGEX_TEST(d.description, @text, true))",
    ),
    pattern("/product/search", "text_to_include", "Product", "REGEX_TEST(d.code, @text, true)"),
    Search {
        among: "d.serial_key != null",
        ..pattern("/inventory?limit=10000", "serial_search", "is_in_position", named!("Serial", "code", "d.serial_key"))
    },
    Search {
        among: "d.serial_key != null",
        ..pattern(
            "/inventory?limit=10000",
            "position_search",
            "is_in_position",
            "LENGTH(FOR o IN Position FILTER o._id == d._to AND REGEX_TEST(o.code, @text, true) RETURN 1) > 0",
        )
    },
];

/// Documents that refer to each other by their numbers, with random texts.
async fn fill(service: &Service, random: &mut Random) -> Vec<String> {
    let mut texts = Vec::new();
    let mut text = || {
        let text = random.text();
        texts.push(text.clone());
        text
    };
    let mut documents: Vec<(&str, Vec<Value>)> = Vec::new();
    let mut add = |collection: &'static str, make: &mut dyn FnMut(usize) -> Value| {
        documents.push((collection, (0..DOCUMENTS).map(make).collect()));
    };
    let time = |n: usize| format!("2026-05-04T08:{:02}:{:02}.000000+00:00", n / 60, n % 60);
    add(
        "Product",
        &mut |n| json!({"_key": format!("p{n}"), "code": text(), "description": text(), "active": true, "trash": false}),
    );
    add("Phase", &mut |n| json!({"_key": format!("h{n}"), "alias": text(), "product_key": format!("p{n}")}));
    add(
        "WorkOrder",
        &mut |n| json!({"_key": format!("w{n}"), "wo_code": text(), "project_code": text(), "status": "started"}),
    );
    add("Serial", &mut |n| {
        json!({"_key": format!("s{n}"), "code": text(), "product_key": format!("p{n}"), "wo_key": format!("w{n}"),
            "created": time(n), "deleted": false})
    });
    add(
        "MovementList",
        &mut |n| json!({"_key": format!("l{n}"), "code": text(), "type": "transfer", "status": "completed"}),
    );
    add("Position", &mut |n| json!({"_key": format!("b{n}"), "code": text(), "fixed": true}));
    add(
        "CustomListValue",
        &mut |n| json!({"_key": format!("v{n}"), "field_key": "f", "value": text(), "ext_key": text()}),
    );
    add("CustomData", &mut |n| json!({"_key": format!("torque_{}_48{n}", n % 7), "value": n, "description": text()}));
    add(
        "Issue",
        &mut |n| json!({"_key": format!("Torque{}-0481{n}", n % 7), "open": true, "critical": false, "created": time(n)}),
    );
    add("issue_rel", &mut |n| {
        let target =
            [format!("Product/p{n}"), format!("WorkOrder/w{n}"), format!("Serial/s{n}"), format!("Phase/h{n}")];
        json!({"_key": format!("r{n}"), "_from": format!("Issue/Torque{}-0481{n}", n % 7), "_to": target[n % 4]})
    });
    add("contains", &mut |n| {
        json!({"_key": format!("c{n}"), "_from": format!("Serial/s{}", n / 2 * 2), "_to": format!("Serial/s{}", n / 2 * 2 + 1),
            "replaced": n % 2 == 1})
    });
    add("movement", &mut |n| {
        json!({"_key": format!("m{n}"), "_from": format!("Position/b{n}"), "_to": format!("Position/b{}", (n + 1) % DOCUMENTS),
            "type": "transfer", "status": "completed", "start": time(n), "end": time(n), "product_key": format!("p{n}"),
            "serial_key": format!("s{n}"), "movement_list_key": format!("l{n}"), "qt_planned": 1, "qt_confirmed": 1,
            "references": {"work_order_key": format!("w{n}")}})
    });
    add(
        "is_in_position",
        &mut |n| json!({"_key": format!("i{n}"), "_from": format!("Position/b{n}"), "_to": "Position/IN"}),
    );
    add("is_in_position", &mut |n| {
        json!({"_key": format!("k{n}"), "_from": format!("Product/p{n}"), "_to": format!("Position/b{n}"),
            "serial_key": format!("s{n}"), "quantity": 1})
    });
    for (collection, documents) in documents {
        service.seed(collection, json!(documents)).await;
    }
    texts.extend((0..DOCUMENTS).map(|n| format!("Torque{}-0481{n}", n % 7)));
    texts
}

#[tokio::test]
async fn every_search_finds_what_testing_every_document_finds() {
    let service = Service::start().await;
    let token = service.login("cadmin", ADMIN_PASSWORD).await;
    let mut random = Random(7);
    let texts = fill(&service, &mut random).await;
    for search in SEARCHES {
        search.compare(&service, &token, &mut random, &texts, 60).await;
    }
}

#[tokio::test]
async fn searches_read_what_they_find() {
    let service = Service::start().await;
    if !is_embedded(&service) {
        return;
    }
    let token = service.login("cadmin", ADMIN_PASSWORD).await;
    let all = 1_500;
    let mut documents: Vec<(&str, Vec<Value>)> = Vec::new();
    let mut add = |collection: &'static str, make: &dyn Fn(usize) -> Value| {
        documents.push((collection, (0..all).map(make).collect()));
    };
    add(
        "Product",
        &|n| json!({"_key": format!("p{n}"), "code": format!("PX{n:05}P"), "description": "a product", "active": true}),
    );
    add("Phase", &|n| json!({"_key": format!("h{n}"), "alias": format!("PH{n:05}H")}));
    add(
        "WorkOrder",
        &|n| json!({"_key": format!("w{n}"), "wo_code": format!("WO{n:05}W"), "project_code": format!("PJ{n:05}J")}),
    );
    add(
        "Serial",
        &|n| json!({"_key": format!("s{n}"), "code": format!("SN{n:05}S"), "product_key": format!("p{n}"), "wo_key": format!("w{n}"), "created": "2026"}),
    );
    add(
        "MovementList",
        &|n| json!({"_key": format!("l{n}"), "code": format!("ML{n:05}L"), "type": "transfer", "status": "completed"}),
    );
    add("Position", &|n| json!({"_key": format!("b{n}"), "code": format!("BX{n:05}B")}));
    add("CustomListValue", &|n| json!({"_key": format!("v{n}"), "field_key": "f", "value": format!("LV{n:05}V")}));
    add("CustomData", &|n| json!({"_key": format!("cd{n:05}d"), "value": n}));
    add("Issue", &|n| json!({"_key": format!("IS{n:05}I"), "open": true, "created": "2026"}));
    add("issue_rel", &|n| {
        let targets =
            [format!("Product/p{n}"), format!("WorkOrder/w{n}"), format!("Serial/s{n}"), format!("Phase/h{n}")];
        json!({"_from": format!("Issue/IS{n:05}I"), "_to": targets[n % 4]})
    });
    add("movement", &|n| {
        json!({"_from": format!("Position/b{n}"), "_to": "Position/OUT", "type": "transfer", "status": "completed",
            "start": "2026", "end": "2026", "product_key": format!("p{n}"), "serial_key": format!("s{n}"),
            "movement_list_key": format!("l{n}"), "references": {"work_order_key": format!("w{n}")}})
    });
    add("is_in_position", &|n| json!({"_from": format!("Position/b{n}"), "_to": "Position/IN"}));
    for (collection, documents) in documents {
        service.seed(collection, json!(documents)).await;
    }
    for path in [
        "/issue?issue_key_search=00481I",
        "/issue?product_code_search=00480p",
        "/issue?work_order_code_search=00481w",
        "/issue?project_search=00481j",
        "/issue?serial_search=00482s",
        "/issue?phase_alias_search=00483h",
        "/serial?serial_search=00481s",
        "/serial?product_code_search=00481p",
        "/serial?work_order_search=00481w",
        "/serial?project_search=00481j",
        "/serial-selection?include_unreleased=true&search=00481s",
        "/movement?serial_search=00481s",
        "/movement?product_search=00481p",
        "/movement?work_order_search=00481w",
        "/movement?list_search=00481l",
        "/movement-list?search=00481l",
        "/list?field_key=f&search=00481v",
        "/custom-data?search=00481d",
        "/position?search=00481b",
        "/product?search_string=00481p",
        "/product/search?text_to_include=00481p",
    ] {
        let before = service.app.store.meter().scanned();
        let (status, body) = service.get(path, &token).await;
        let looked_at = service.app.store.meter().scanned() - before;
        assert_eq!((status.as_u16(), body.as_array().map(Vec::len)), (200, Some(1)), "{path}: {body}");
        assert!(looked_at < 150, "{path}: {looked_at}");
    }
}
