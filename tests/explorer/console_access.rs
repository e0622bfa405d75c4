//! What the console lets nobody do, on the embedded engine and on a server: change anything, and read secrets.

use tracewright_testkit::database_server::{DatabaseServer, PASSWORD};
use tracewright_testkit::{ADMIN_PASSWORD, Service};

use crate::console_support::Plant;
use reqwest::Method;
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn everything_but_secrets_can_be_read() {
    for plant in Plant::both().await {
        for collection in
            tracewright::store::COLLECTIONS.iter().filter(|name| !["Change", "Token", "User"].contains(name))
        {
            let rows = plant.rows(&format!("FOR document IN {collection} LIMIT 1 RETURN 1")).await;
            assert!(rows.is_array(), "{collection}");
        }
        assert_eq!(plant.rows("FOR s IN Serial SORT s._key RETURN s.code").await, json!(["A", "B", "C"]));
        assert_eq!(
            plant.rows("WITH Serial FOR v IN 1..1 OUTBOUND 'Serial/a' contains RETURN v._key").await,
            json!(["b"])
        );
        assert_eq!(plant.rows("RETURN DOCUMENT('Serial/c').data[0].value").await, json!([7]));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_can_be_changed() {
    for plant in Plant::both().await {
        for query in [
            "INSERT {code: 'X'} INTO Serial",
            "FOR s IN Serial REMOVE s IN Serial",
            "FOR s IN Serial UPDATE s WITH {code: 'X'} IN Serial",
            "FOR s IN Serial REPLACE s WITH {code: 'X'} IN Serial",
            "UPSERT {code: 'A'} INSERT {code: 'A'} UPDATE {n: 1} IN Serial RETURN NEW",
            "LET changed = (FOR s IN Serial REMOVE s IN Serial RETURN OLD) RETURN LENGTH(changed)",
        ] {
            for explain in [false, true] {
                let (status, body) = plant.ask(json!({"query": query, "explain": explain})).await;
                assert_eq!((status.as_u16(), &body["detail"]["error_num"]), (403, &json!(1004)), "{query}: {body}");
                assert!(body["detail"]["message"].as_str().unwrap().contains("read only"), "{query}: {body}");
            }
        }
        for query in
            ["INSERT {} INTO Token", "FOR u IN User REMOVE u IN User", "FOR i IN 1..1 UPDATE 'mario' WITH {} IN User"]
        {
            let (status, body) = plant.query(query).await;
            assert_eq!((status.as_u16(), &body["detail"]["error_num"]), (403, &json!(11)), "{query}: {body}");
        }
        assert_eq!(plant.rows("FOR s IN Serial SORT s._key RETURN s.code").await, json!(["A", "B", "C"]));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_cannot_be_read_whichever_way_they_are_named() {
    for plant in Plant::both().await {
        let token = plant.service.token("victim", "admin").await;
        let queries = [
            "FOR u IN User RETURN u",
            "FOR u IN `User` RETURN u.psw_hash",
            "FOR t IN Token RETURN t.signature",
            "RETURN DOCUMENT('User/mario')",
            "RETURN DOCUMENT('User', 'mario')",
            "RETURN DOCUMENT(['Serial/a', 'User/mario'])",
            "LET id = CONCAT('Us', 'er/mario') RETURN DOCUMENT(id)",
            "LET name = CONCAT('Us', 'er') RETURN DOCUMENT(name, 'mario')",
            "RETURN COLLECTION_COUNT('User')",
            "RETURN LENGTH(User)",
            "RETURN COUNT(Token)",
            "RETURN SCHEMA_GET('Token')",
            "FOR s IN Serial FILTER s._key IN (FOR u IN User RETURN u._key) RETURN s",
            "LET users = (FOR s IN Serial LIMIT 1 FOR u IN User RETURN u) RETURN users",
            "RETURN FIRST(FOR t IN Token LIMIT 1 RETURN t)",
            "WITH User FOR v IN 1..1 OUTBOUND 'User/mario' message RETURN v",
            "FOR v IN 1..1 OUTBOUND 'User/mario' message RETURN v",
            "FOR v IN 0..1 ANY 'User/mario' message RETURN v.psw_hash",
            "FOR v, e, p IN 1..1 INBOUND 'User/mario' message RETURN p.vertices",
            "FOR v IN ANY SHORTEST_PATH 'User/mario' TO 'User/mario' message RETURN v",
            "FOR p IN ANY K_SHORTEST_PATHS 'User/mario' TO 'User/mario' message RETURN p",
            "FOR s IN Serial COLLECT k = s._key INTO g RETURN {k, u: DOCUMENT(CONCAT('User/', 'mario'))}",
            "RETURN [1][* RETURN DOCUMENT('User/mario')]",
            "RETURN NOTHING_BUT(User)",
            "RETURN APPLY('DOCUMENT', ['User/mario'])",
            "RETURN CALL('DOCUMENT', 'Token', ['x'])",
            "FOR u IN FULLTEXT(User, 'username', 'mario') RETURN u",
            "FOR u IN NEAR(User, 1, 2) RETURN u",
            "RETURN DOCUMENT('_users/root')",
        ];
        for query in queries {
            let (_, body) = plant.query(query).await;
            let text = body.to_string();
            assert!(!text.contains("$2b$secret") && !text.contains("mario"), "{query}: {text}");
            let signature = token.rsplit('.').next().unwrap();
            assert!(!text.contains(signature), "{query}: {text}");
            let found = &body["rows"];
            assert!(found.is_null() || found == &json!([]) || found == &json!([null]), "{query}: {text}");
        }
        for (name, key) in [("User", "mario"), ("Token", "x")] {
            let collection = json!({"query": "FOR d IN @@c RETURN d", "bind_vars": {"@c": name}});
            let document = json!({"query": "RETURN DOCUMENT(@c, @k)", "bind_vars": {"c": name, "k": key}});
            for body in [collection, document] {
                let (status, body) = plant.ask(body).await;
                assert_eq!((status.as_u16(), &body["detail"]["error_num"]), (403, &json!(11)), "{name}: {body}");
                let message = body["detail"]["message"].as_str().unwrap();
                assert!(message.contains(name) && message.contains("@users"), "{body}");
            }
        }
        assert_eq!(plant.rows("FOR c IN COLLECTIONS() FILTER c.name IN ['User', 'Token'] RETURN c").await, json!([]));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn users_are_bound_by_key_and_name_alone_where_a_query_asks_for_them() {
    for plant in Plant::both().await {
        let people = json!([{"_key": "rosa", "username": "rosa", "name": "Rosa", "surname": "Verdi", "email": "rosa@example.com",
            "hourly_cost": 31.5, "scope": "operator", "preferences": {"a": 1}, "psw_hash": "$2b$secret"}]);
        plant.service.seed("User", people).await;
        let rosa = json!([{"_id": "User/rosa", "_key": "rosa", "name": "Rosa", "surname": "Verdi"}]);
        assert_eq!(plant.rows("FOR user IN @users FILTER user._key == 'rosa' RETURN user").await, rosa);
        let joined = "FOR m IN message FOR user IN @users FILTER user._id == m._from RETURN [user._key, m.content]";
        assert_eq!(plant.rows(joined).await, json!([["mario", "hi"]]));
        let members = plant.rows("FOR user IN @users FOR name IN ATTRIBUTES(user) RETURN DISTINCT name").await;
        assert!(
            members
                .as_array()
                .unwrap()
                .iter()
                .all(|name| ["_id", "_key", "name", "surname"].contains(&name.as_str().unwrap())),
            "{members}"
        );
        let given = json!({"query": "RETURN @users", "bind_vars": {"users": 7}});
        assert_eq!(plant.ask(given).await.1["rows"], json!([7]), "what is given counts");
        assert_eq!(plant.rows("RETURN '@users' // @users").await, json!(["@users"]));
        let (status, body) = plant.query("RETURN @users +").await;
        assert_eq!((status.as_u16(), &body["detail"]["error_num"]), (400, &json!(1501)), "{body}");
        let (status, body) = plant.ask(json!({"query": "FOR u IN @users RETURN u._key", "explain": true})).await;
        assert_eq!(status, 200, "{body}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_console_needs_its_scope() {
    for plant in Plant::both().await {
        let without = plant.service.token("u", "production library operator quality warehouse task traceability").await;
        let requests = [
            (Method::POST, "/aql", json!({"query": "RETURN 1"})),
            (Method::DELETE, "/aql/q", json!({})),
            (Method::GET, "/aql/schema", json!({})),
        ];
        for (method, path, body) in requests {
            let (status, answer) = plant.service.send(method, path, &without, body).await;
            assert_eq!(
                (status.as_u16(), &answer["detail"]["required_scope"]),
                (403, &json!("data:aql:read")),
                "{path}"
            );
        }
        for scope in ["admin", "reporting"] {
            let token = plant.service.token("u", scope).await;
            let (status, body) = plant.service.send(Method::POST, "/aql", &token, json!({"query": "RETURN 1"})).await;
            assert_eq!((status.as_u16(), &body["rows"]), (200, &json!([1])), "{scope}");
        }
    }
}

/// A request to the database as its administrator.
async fn as_root(plant: &Plant, method: Method, path: &str, body: Value) {
    let settings = &plant.service.app.settings.database;
    if let Some(answer) = plant.service.ask_engine(method.clone(), path, &body) {
        assert!(answer.status().is_success(), "{path}: {answer:?}");
        return;
    }
    let url = format!("{}{path}", settings.url);
    let request = plant.service.client.request(method, url).basic_auth("root", Some(PASSWORD)).json(&body);
    let answer = request.send().await.unwrap();
    assert!(answer.status().is_success(), "{path}: {}", answer.text().await.unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_user_of_the_database_is_put_in_order_when_somebody_has_changed_it() {
    for plant in Plant::both().await {
        assert_eq!(plant.rows("RETURN 1").await, json!([1]));
        let user = format!("/_api/user/{}_aql", plant.service.app.settings.database.name);
        as_root(&plant, Method::PATCH, &user, json!({"passwd": "another"})).await;
        assert_eq!(plant.rows("RETURN 2").await, json!([2]));
        as_root(&plant, Method::DELETE, &user, json!({})).await;
        assert_eq!(plant.rows("RETURN 3").await, json!([3]));
        let (status, _) = plant.query("FOR u IN User RETURN u").await;
        assert_eq!(status, 403);
    }
}

/// A user of a server with a grant to each of some databases or collections.
async fn user(server: &DatabaseServer, name: &str, grants: &[(&str, &str)]) {
    let client = reqwest::Client::new();
    let send = async |method: Method, path: String, body: Value| {
        let request = client.request(method, format!("{}{path}", server.url)).basic_auth("root", Some(PASSWORD));
        let answer = request.json(&body).send().await.unwrap();
        assert!(answer.status().is_success(), "{path}: {}", answer.text().await.unwrap());
    };
    send(Method::POST, "/_api/user".to_owned(), json!({"user": name, "passwd": "secret"})).await;
    for (what, level) in grants {
        send(Method::PUT, format!("/_api/user/{name}/database/{what}"), json!({"grant": level})).await;
    }
}

/// The answer of a service over a server whose settings name a user for the console.
async fn asked_as(server: &DatabaseServer, service: Service, settings: &[(&str, &str)]) -> (u16, Value) {
    let mut all = vec![
        ("database.url", server.url.as_str()),
        ("database.password", PASSWORD),
        ("admin_password", ADMIN_PASSWORD),
    ];
    all.extend(settings);
    let service = service.restart(&all).await;
    let token = service.token("ada", "data:aql:read").await;
    let (status, body) = service.send(Method::POST, "/aql", &token, json!({"query": "RETURN CURRENT_USER()"})).await;
    (status.as_u16(), body)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_of_the_settings_is_taken_when_it_reads_no_secrets_and_writes_nothing() {
    let server = DatabaseServer::start().await;
    let service = server.service().await;
    let database = service.app.settings.database.name.clone();
    let [users, tokens, changes] = ["User", "Token", "Change"].map(|name| format!("{database}/{name}"));
    user(&server, "good", &[(&database, "ro"), (&users, "none"), (&tokens, "none"), (&changes, "none")]).await;
    let settings = [("aql.username", "good"), ("aql.password", "secret")];
    let (status, body) = asked_as(&server, service, &settings).await;
    assert_eq!((status, &body["rows"]), (200, &json!(["good"])), "{body}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_of_the_settings_that_could_do_harm_is_refused_with_what_to_do() {
    let server = DatabaseServer::start().await;
    let service = server.service().await;
    let database = service.app.settings.database.name.clone();
    let [users, tokens, changes] = ["User", "Token", "Change"].map(|name| format!("{database}/{name}"));
    user(&server, "curious", &[(&database, "ro"), (&users, "none"), (&changes, "none")]).await;
    user(&server, "writer", &[(&database, "rw"), (&users, "none"), (&tokens, "none"), (&changes, "none")]).await;
    let mut service = Some(service);
    for (name, password, expected) in [
        ("curious", "secret", "can read the collection Token"),
        ("writer", "secret", "access level \"rw\""),
        ("writer", "wrong", "does not take its user writer"),
    ] {
        let started = match service.take() {
            Some(service) => service,
            None => server.service().await,
        };
        // Each on the database that the grants name.
        let settings = [("aql.username", name), ("aql.password", password), ("database.name", database.as_str())];
        let (status, body) = asked_as(&server, started, &settings).await;
        let message = body["detail"]["message"].as_str().unwrap_or_default();
        assert_eq!(status, 503, "{name}: {body}");
        assert!(message.contains(expected) && message.contains("aql.username"), "{name}: {message}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn where_the_service_may_not_create_users_the_answer_says_what_to_do() {
    let server = DatabaseServer::start().await;
    let service = server.service().await;
    let database = service.app.settings.database.name.clone();
    user(&server, "plain", &[(&database, "rw")]).await;
    let settings = [("database.username", "plain"), ("database.password", "secret")];
    let (status, body) = asked_as(&server, service, &settings).await;
    let message = body["detail"]["message"].as_str().unwrap_or_default();
    assert_eq!(status, 503, "{body}");
    assert!(message.contains("could not create the database user") && message.contains("aql.username"), "{message}");
}
