"""Analyzers, views and inverted indexes, and searching by them."""

import pytest

from conftest import fails, keys, name

TEXTS = [
    {"_key": "a", "title": "Red bicycle", "text": "A quick red bicycle for the city", "price": 300},
    {"_key": "b", "title": "Blue bicycle", "text": "A heavy blue bicycle, quick to repair", "price": 200},
    {"_key": "c", "title": "Red lamp", "text": "Lamps light the way", "price": 20},
]


@pytest.fixture
def texts(col):
    col.insert_many(TEXTS)
    return col


@pytest.fixture
def view(db, texts):
    links = {texts.name: {"fields": {"text": {"analyzers": ["text_en"]}, "title": {}, "price": {}}}}
    made = db.create_arangosearch_view(name("view"), {"links": links})
    yield made["name"]
    db.delete_view(made["name"], ignore_missing=True)


def found(db, view, condition, **bind_vars):
    query = f"FOR d IN {view} SEARCH {condition} SORT d._key RETURN d"
    return keys(db.aql.execute(query, bind_vars=bind_vars))


def test_a_view_is_made_listed_and_described(db, col):
    view = name("view")
    made = db.create_view(view, "arangosearch", {"consolidationIntervalMsec": 50000, "links": {col.name: {}}})
    assert made["name"] == view and made["type"] == "arangosearch" and col.name in made["links"]
    assert made["consolidation_interval_msec"] == 50000
    with fails(1207, 409):
        db.create_view(view, "arangosearch")
    assert (made["id"], view) in [(v["id"], v["name"]) for v in db.views()]
    assert db.view_info(view)["id"] == made["id"]
    assert db.view(view)["consolidation_interval_msec"] == 50000
    for read in (db.view, db.view_info):
        with fails(1203, 404):
            read("nowhere")
    assert db.delete_view(view) is True
    with fails(1203, 404):
        db.delete_view(view)
    assert db.delete_view(view, ignore_missing=True) is False


def test_a_view_is_changed_replaced_and_renamed(db, col):
    view, renamed = name("view"), name("view")
    made = db.create_arangosearch_view(view, {"links": {col.name: {}}, "consolidationIntervalMsec": 50000})
    changed = db.update_view(view, {"commitIntervalMsec": 70})
    assert changed["commit_interval_msec"] == 70 and changed["consolidation_interval_msec"] == 50000
    assert col.name in changed["links"]
    replaced = db.replace_arangosearch_view(view, {"consolidationIntervalMsec": 40000})
    assert replaced["consolidation_interval_msec"] == 40000 and replaced["commit_interval_msec"] == 1000
    assert replaced["links"] == {} and replaced["id"] == made["id"]
    assert db.rename_view(view, renamed) is True
    assert db.view_info(renamed)["id"] == made["id"]
    with fails(1203, 404):
        db.rename_view(view, renamed)
    db.delete_view(renamed)


def test_a_view_keeps_what_it_is_told(db, col):
    settings = {
        "links": {col.name: {"fields": {"value": {"nested": {"inner": {"nested": {"deep": {}}}}}}}},
        "optimizeTopK": ["BM25(@doc) DESC"],
        "primarySort": [{"field": "a", "direction": "desc"}],
        "primarySortCache": True,
        "primaryKeyCache": True,
        "storedValues": ["a", {"fields": ["b", "c"], "compression": "none"}],
    }
    view = db.create_arangosearch_view(name("view"), settings)
    assert view["optimizeTopK"] == settings["optimizeTopK"]
    assert view["primarySortCache"] is True and view["primaryKeyCache"] is True
    assert view["primary_sort"] == [{"field": "a", "asc": False}]
    assert [stored["fields"] for stored in view["stored_values"]] == [["a"], ["b", "c"]]
    assert "inner" in view["links"][col.name]["fields"]["value"]["nested"]
    db.delete_view(view["name"])


def test_a_search_finds_words_phrases_prefixes_and_ranges(db, view):
    assert found(db, view, "ANALYZER(d.text == 'bicycl', 'text_en')") == ["a", "b"]
    assert found(db, view, "PHRASE(d.text, 'red bicycle', 'text_en')") == ["a"]
    assert found(db, view, "STARTS_WITH(d.title, @prefix)", prefix="Red") == ["a", "c"]
    assert found(db, view, "d.price >= 200 AND d.price < 300") == ["b"]
    assert found(db, view, "d.title IN @titles", titles=["Red lamp", "nothing"]) == ["c"]
    assert found(db, view, "ANALYZER(LEVENSHTEIN_MATCH(d.text, 'lump', 1), 'text_en')") == ["c"]
    assert found(db, view, "NOT (d.price == 20)") == ["a", "b"]


def test_a_search_ranks_and_sees_what_was_just_written(db, view, texts):
    texts.insert({"_key": "d", "text": "quick quick quick"})
    query = f"""FOR d IN {view} SEARCH ANALYZER(d.text == 'quick', 'text_en')
                SORT BM25(d) DESC LIMIT 1 RETURN d._key"""
    assert list(db.aql.execute(query)) == ["d"]
    transaction = db.begin_transaction(write=texts.name)
    transaction.collection(texts.name).delete("d")
    assert list(transaction.aql.execute(query)) != ["d"] and list(db.aql.execute(query)) == ["d"]
    transaction.abort_transaction()


def test_an_analyzer_is_made_shown_used_and_dropped(db):
    analyzer = name("words")
    made = db.create_analyzer(analyzer, "delimiter", {"delimiter": ","}, ["frequency"])
    assert made["name"] == f"{db.name}::{analyzer}" and made["type"] == "delimiter"
    assert made["properties"] == {"delimiter": ","} and made["features"] == ["frequency"]
    assert db.analyzer(analyzer)["properties"] == {"delimiter": ","}
    assert made["name"] in [a["name"] for a in db.analyzers()]
    assert list(db.aql.execute("RETURN TOKENS('a,b', @a)", bind_vars={"a": analyzer})) == [["a", "b"]]
    assert db.delete_analyzer(analyzer, force=True) is True
    with fails(1202, 404):
        db.analyzer(analyzer)
    with fails(1202, 404):
        db.delete_analyzer(analyzer)
    assert db.delete_analyzer(analyzer, ignore_missing=True) is False


@pytest.mark.parametrize(
    "kind, properties",
    [
        ("identity", {}),
        ("multi_delimiter", {"delimiters": [",", "."]}),
        ("stem", {"locale": "en"}),
        ("norm", {"locale": "en", "case": "lower", "accent": False}),
        ("ngram", {"min": 2, "max": 3, "preserveOriginal": True, "streamType": "utf8"}),
        ("text", {"locale": "en", "case": "lower", "stopwords": ["a"], "accent": False, "stemming": True}),
        ("segmentation", {"break": "all", "case": "lower"}),
        ("stopwords", {"stopwords": ["a"], "hex": False}),
        ("collation", {"locale": "en"}),
        ("pipeline", {"pipeline": [{"type": "norm", "properties": {"locale": "en", "case": "upper", "accent": True}}]}),
        ("minhash", {"analyzer": {"type": "delimiter", "properties": {"delimiter": " "}}, "numHashes": 10}),
        ("wildcard", {"ngramSize": 4}),
        ("geojson", {"type": "shape"}),
        ("geopoint", {"latitude": ["lat"], "longitude": ["lng"]}),
        ("geo_s2", {"format": "latLngDouble", "type": "shape"}),
    ],
)
def test_analyzers_of_all_kinds_are_kept(db, kind, properties):
    made = db.create_analyzer(name(kind), kind, properties)
    assert made["type"] == kind and made["features"] == []
    assert {**made["properties"], **properties} == made["properties"]


def test_an_inverted_index_is_made_used_and_dropped(db, texts):
    made = texts.add_index(
        {
            "type": "inverted",
            "name": "words",
            "fields": [{"name": "text", "analyzer": "text_en", "cache": True}, "price"],
            "storedValues": [{"fields": ["title"], "compression": "lz4", "cache": True}],
            "primarySort": {"fields": [{"field": "price", "direction": "asc"}], "cache": True},
            "cache": True,
            "primaryKeyCache": True,
        },
        formatter=True,
    )
    assert made["type"] == "inverted" and made["new"] is True
    for key in ("primary_sort", "analyzer", "include_all_fields", "search_field", "cache", "primaryKeyCache"):
        assert key in made, key
    assert made["id"] in [i["id"] for i in texts.indexes()]
    query = """FOR d IN @@c OPTIONS { indexHint: 'words', forceIndexHint: true }
               FILTER PHRASE(d.text, 'red bicycle') OR d.price == 20 RETURN d"""
    assert keys(db.aql.execute(query, bind_vars={"@c": texts.name})) == ["a", "c"]
    plan = db.aql.explain(query, bind_vars={"@c": texts.name})
    assert [i["type"] for n in plan["nodes"] for i in n.get("indexes", [])] == ["inverted"]
    assert texts.delete_index(made["id"]) is True


def test_an_alias_searches_inverted_indexes(db, texts):
    texts.add_index({"type": "inverted", "name": "words", "fields": [{"name": "text", "analyzer": "text_en"}]})
    texts.add_index({"type": "inverted", "name": "prices", "fields": ["price"]})
    texts.add_index({"type": "inverted", "name": "again", "fields": ["price", "title"]})
    entry = lambda index: {"collection": texts.name, "index": index}
    view = name("alias")
    made = db.create_view(view, "search-alias", {"indexes": [entry("words")]})
    assert made["type"] == "search-alias" and made["indexes"] == [entry("words")]
    assert found(db, view, "PHRASE(d.text, 'red bicycle')") == ["a"]
    changed = db.update_view(view, {"indexes": [entry("prices")]})
    assert changed["indexes"] == [entry("words"), entry("prices")]
    assert found(db, view, "d.price == 20 OR PHRASE(d.text, 'heavy blue')") == ["b", "c"]
    with fails(10, 400):
        db.update_view(view, {"indexes": [entry("again")]})
    db.update_view(view, {"indexes": [{**entry("words"), "operation": "del"}]})
    assert db.view(view)["indexes"] == [entry("prices")]
    assert db.replace_view(view, {"indexes": [entry("again")]})["indexes"] == [entry("again")]
    assert found(db, view, "d.title == 'Red lamp'") == ["c"]
    db.delete_view(view)


def test_matches_are_located(db, texts):
    features = ["frequency", "norm", "position", "offset"]
    field = {"name": "text", "analyzer": "text_en", "features": features}
    texts.add_index({"type": "inverted", "name": "words", "fields": [field]})
    view = name("alias")
    db.create_view(view, "search-alias", {"indexes": [{"collection": texts.name, "index": "words"}]})
    query = f"FOR d IN {view} SEARCH d.text == 'red' RETURN OFFSET_INFO(d, 'text')[0].offsets"
    assert list(db.aql.execute(query)) == [[[8, 3]]]
    db.delete_view(view)
