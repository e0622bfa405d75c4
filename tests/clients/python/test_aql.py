"""AQL and the options of a cursor."""

import time

import pytest
from arango.exceptions import AQLQueryExecuteError, CursorNextError

from conftest import fails, keys, name


def test_a_query_answers_with_its_rows(db):
    cursor = db.aql.execute("FOR n IN 1..3 RETURN n * @factor", bind_vars={"factor": 2})
    assert list(cursor) == [2, 4, 6]


def test_collections_are_bound_by_name(db, numbers):
    query = "FOR d IN @@c FILTER d.value > @least SORT d.value RETURN d.value"
    assert list(db.aql.execute(query, bind_vars={"@c": numbers.name, "least": 98})) == [99, 100]


def test_batches_are_fetched_as_they_are_needed(db, numbers):
    cursor = db.aql.execute(f"FOR d IN {numbers.name} RETURN d", batch_size=30, count=True)
    assert cursor.id is not None and cursor.has_more() is True
    assert len(cursor.batch()) == 30
    assert len(cursor) == cursor.count() == 100
    assert len(list(cursor)) == 100
    assert cursor.has_more() is False


def test_a_hundred_thousand_rows_are_paged_through(db):
    cursor = db.aql.execute("FOR n IN 1..100000 RETURN { n, text: CONCAT('row ', n) }", batch_size=1000, count=True)
    assert cursor.count() == 100_000
    seen = 0
    for row in cursor:
        seen += 1
        assert row["n"] == seen
    assert seen == 100_000


def test_a_hundred_thousand_rows_stream(db):
    cursor = db.aql.execute("FOR n IN 1..100000 RETURN n", batch_size=1000, stream=True)
    assert cursor.count() is None
    assert sum(cursor) == 100_000 * 100_001 // 2


def test_the_full_count_ignores_the_last_limit(db, numbers):
    cursor = db.aql.execute(f"FOR d IN {numbers.name} LIMIT 5 RETURN d", full_count=True, count=True)
    assert cursor.count() == 5
    assert cursor.statistics()["fullCount"] == 100


def test_a_cursor_can_be_closed(db):
    cursor = db.aql.execute("FOR n IN 1..10 RETURN n", batch_size=2)
    assert cursor.close() is True
    with fails(1600, 404):
        cursor.fetch()
    assert cursor.close(ignore_missing=True) is False


def test_a_cursor_is_gone_after_its_time_to_live(db):
    cursor = db.aql.execute("FOR n IN 1..10 RETURN n", batch_size=2, ttl=1)
    time.sleep(3.5)
    with pytest.raises(CursorNextError) as caught:
        cursor.fetch()
    assert caught.value.error_code == 1600


def test_a_batch_can_be_fetched_again(db):
    cursor = db.aql.execute("FOR n IN 1..10 RETURN n", batch_size=4, allow_retry=True)
    assert list(cursor) == list(range(1, 11))
    assert cursor.close() is True


def test_statistics_and_profile_are_shown(db, numbers):
    cursor = db.aql.execute(f"FOR d IN {numbers.name} FILTER d.odd RETURN d", profile=2)
    statistics = cursor.statistics()
    assert statistics["scanned_full"] == 100
    assert cursor.profile()["executing"] >= 0
    assert cursor.plan()["nodes"][0]["type"] == "SingletonNode"


def test_what_was_written_is_counted(db, col):
    cursor = db.aql.execute(f"FOR n IN 1..10 INSERT {{ n }} INTO {col.name}")
    assert cursor.statistics()["modified"] == 10
    assert col.count() == 10


def test_warnings_are_collected_and_can_be_errors(db):
    cursor = db.aql.execute("FOR i IN 1..3 RETURN 1 / (i - i)", max_warning_count=2)
    assert list(cursor) == [None, None, None]
    assert [w["code"] for w in cursor.warnings()] == [1562, 1562]
    with fails(1562, 400):
        db.aql.execute("FOR i IN 1..3 RETURN 1 / (i - i)", fail_on_warning=True)


def test_a_query_beyond_its_memory_is_ended(db):
    with fails(32, 500):
        db.aql.execute("LET a = (FOR n IN 1..100000 RETURN CONCAT('text ', n)) RETURN LENGTH(a)", memory_limit=100_000)


def test_a_query_beyond_its_time_is_ended(db):
    with fails(1500, 410):
        db.aql.execute("FOR a IN 1..100000 FOR b IN 1..100000 FILTER a == -b RETURN 1", max_runtime=0.2)


def test_options_of_a_cluster_are_accepted(db, numbers):
    cursor = db.aql.execute(
        f"FOR d IN {numbers.name} FILTER d.value == 1 RETURN d",
        cache=False,
        max_plans=5,
        optimizer_rules=["+all"],
        max_transaction_size=1_000_000,
        intermediate_commit_count=1000,
        intermediate_commit_size=100_000,
        satellite_sync_wait=1,
        skip_inaccessible_cols=True,
        fill_block_cache=False,
        allow_dirty_read=True,
    )
    assert keys(cursor) == ["n001"]


def test_a_write_beyond_the_size_of_a_transaction_fails_whole(db, col):
    with fails(32, 500):
        db.aql.execute(
            f"FOR n IN 1..5000 INSERT {{ text: 'some text that takes room' }} INTO {col.name}", max_transaction_size=10_000
        )
    assert col.count() == 0


def test_upserts_insert_or_update(db, col):
    query = "UPSERT { _key: @key } INSERT { _key: @key, n: 1 } UPDATE { n: OLD.n + 1 } IN @@c RETURN NEW.n"
    parameters = {"key": "a", "@c": col.name}
    assert [list(db.aql.execute(query, bind_vars=dict(parameters)))[0] for _ in range(3)] == [1, 2, 3]


def test_a_statement_is_all_or_nothing(db, col):
    with fails(1210, 409):
        db.aql.execute(f"FOR k IN ['a', 'b', 'a'] INSERT {{ _key: k }} INTO {col.name}")
    assert col.count() == 0


@pytest.mark.parametrize(
    ("query", "number", "status"),
    [
        ("FOR", 1501, 400),
        ("", 1502, 400),
        ("RETURN @missing", 1551, 400),
        ("RETURN nobody", 1203, 404),
        ("RETURN NO_SUCH_FUNCTION()", 1540, 400),
        ("RETURN LENGTH()", 1541, 400),
        ("FOR x IN nowhere_at_all RETURN x", 1203, 404),
        ("FOR x IN 5 RETURN x", 1563, 400),
        ("FOR x IN [1] FOR x IN [2] RETURN x", 1511, 400),
        ("RETURN FAIL('on purpose')", 1569, 400),
    ],
)
def test_errors_have_their_numbers(db, query, number, status):
    with pytest.raises(AQLQueryExecuteError) as caught:
        db.aql.execute(query)
    assert (caught.value.error_code, caught.value.http_code) == (number, status), caught.value


def test_an_undeclared_parameter_is_an_error(db):
    with fails(1552, 400):
        db.aql.execute("RETURN 1", bind_vars={"unused": 1})


def test_a_parse_error_says_where(db):
    with pytest.raises(AQLQueryExecuteError) as caught:
        db.aql.execute("FOR x IN [1]\n  RETURN x +")
    assert "2:" in caught.value.error_message


def test_a_query_is_explained(db, numbers):
    plan = db.aql.explain("FOR d IN @@c FILTER d._key == 'n001' RETURN d", bind_vars={"@c": numbers.name})
    assert {"IndexNode", "ReturnNode"} <= {node["type"] for node in plan["nodes"]}
    assert "use-indexes" in plan["rules"]
    assert plan["estimatedCost"] > 0
    plans = db.aql.explain(f"FOR d IN {numbers.name} RETURN d", all_plans=True, max_plans=5)
    assert 1 <= len(plans) <= 5


def test_a_query_is_parsed_without_running(db):
    parsed = db.aql.validate("FOR d IN somewhere FILTER d.a == @a RETURN d")
    assert parsed["collections"] == ["somewhere"]
    assert parsed["bind_vars"] == ["a"]
    assert parsed["ast"]
    with fails(1501, 400):
        db.aql.validate("RETURN (")


def test_a_running_query_is_listed_and_killed(db):
    job = db.begin_async_execution().aql.execute("RETURN SLEEP(60)")
    for _ in range(100):
        running = [q for q in db.aql.queries() if "SLEEP(60)" in q["query"]]
        if running:
            break
        time.sleep(0.05)
    assert db.aql.kill(running[0]["id"]) is True
    while job.status() == "pending":
        time.sleep(0.05)
    with fails(1500, 410):
        job.result()


def test_what_is_tracked_can_be_changed(db):
    before = db.aql.tracking()
    assert db.aql.set_tracking(slow_query_threshold=5, max_slow_queries=10)["slow_query_threshold"] == 5
    db.aql.set_tracking(
        slow_query_threshold=before["slow_query_threshold"], max_slow_queries=before["max_slow_queries"]
    )
    assert db.aql.clear_slow_queries() is True
    assert db.aql.slow_queries() == []


def test_slow_queries_are_remembered(db):
    db.aql.set_tracking(slow_query_threshold=0)
    db.aql.execute("RETURN 'remember me'")
    assert any("remember me" in q["query"] for q in db.aql.slow_queries())
    db.aql.set_tracking(slow_query_threshold=10)
    db.aql.clear_slow_queries()


def test_the_cache_and_the_rules_can_be_asked_for(db):
    assert db.aql.cache.properties()["mode"] in ("off", "on", "demand")
    assert db.aql.cache.clear() is True
    assert "use-indexes" in [rule["name"] for rule in db.aql.query_rules()]
    assert db.aql.functions() == []


def test_a_cached_result_is_replaced_when_its_collection_changes(db, col):
    db.aql.cache.configure(mode="demand")
    col.insert({"_key": "a"})
    query = f"FOR d IN {col.name} RETURN d._key"
    assert list(db.aql.execute(query, cache=True)) == ["a"]
    again = db.aql.execute(query, cache=True)
    assert again.cached() is True and list(again) == ["a"]
    assert any(query == entry["query"] for entry in db.aql.cache.entries())
    col.insert({"_key": "b"})
    fresh = db.aql.execute(query, cache=True)
    assert fresh.cached() is False and sorted(fresh) == ["a", "b"]
    db.aql.cache.clear()
    assert db.aql.cache.entries() == []
    db.aql.cache.configure(mode="off")


def test_an_unknown_collection_can_be_bound_but_not_read(db):
    with fails(1203, 404):
        db.aql.execute("FOR d IN @@c RETURN d", bind_vars={"@c": name("nowhere")})


def test_a_profile_tells_what_each_node_did(db, numbers):
    cursor = db.aql.execute(f"FOR d IN {numbers.name} FILTER d.odd SORT d.value RETURN d", profile=2)
    nodes = {node["id"]: node for node in cursor.statistics()["nodes"]}
    assert set(nodes) == {node["id"] for node in cursor.plan()["nodes"]}
    assert max(node["items"] for node in nodes.values()) == 50
    assert cursor.profile()["initializing"] > 0 and cursor.profile()["parsing"] > 0


def test_whole_documents_count_against_the_memory_limit(db, numbers):
    query = f"FOR n IN 1..100 FOR d IN {numbers.name} RETURN d"
    with fails(32, 500):
        db.aql.execute(query, memory_limit=100_000)
    assert db.aql.execute(query).statistics()["peak_memory_usage"] > 100_000
