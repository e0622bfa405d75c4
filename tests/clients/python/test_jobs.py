"""Requests that run as jobs."""

import time

import pytest
from arango.exceptions import AsyncJobCancelError, AsyncJobResultError, AsyncJobStatusError

from conftest import fails, keys


def finished(job):
    for _ in range(600):
        if job.status() == "done":
            return job
        time.sleep(0.02)
    raise AssertionError("the job does not end")


def test_a_job_keeps_its_answer_until_it_is_fetched(db, numbers):
    job = db.begin_async_execution().aql.execute(f"FOR d IN {numbers.name} FILTER d.value < 3 RETURN d")
    assert keys(finished(job).result()) == ["n001", "n002"]
    with pytest.raises((AsyncJobResultError, AsyncJobStatusError)):
        job.result()


def test_a_job_without_a_result_just_runs(db, col):
    assert db.begin_async_execution(return_result=False).collection(col.name).insert({"_key": "a"}) is None
    for _ in range(600):
        if col.has("a"):
            break
        time.sleep(0.02)
    assert col.has("a")


def test_an_error_comes_with_the_result(db, col):
    col.insert({"_key": "a"})
    job = db.begin_async_execution().collection(col.name).insert({"_key": "a"})
    finished(job)
    with fails(1210, 409):
        job.result()


def test_jobs_are_listed_and_cleared(db):
    job = finished(db.begin_async_execution().version())
    assert job.id in db.async_jobs(status="done")
    assert db.clear_async_jobs() is True
    assert job.id not in db.async_jobs(status="done")
    with pytest.raises(AsyncJobStatusError) as caught:
        job.status()
    assert caught.value.http_code == 404


def test_a_running_job_is_cancelled(db):
    job = db.begin_async_execution().aql.execute("RETURN SLEEP(60)")
    assert job.status() == "pending"
    assert job.cancel() is True
    finished(job)
    with fails(21, 410):
        job.result()


def test_an_unknown_job_cannot_be_cancelled(db):
    job = finished(db.begin_async_execution().version())
    job.clear()
    with pytest.raises(AsyncJobCancelError) as caught:
        job.cancel()
    assert caught.value.http_code == 404


def test_a_batch_of_calls_runs_together(db, col):
    batch = db.begin_batch_execution()
    jobs = [batch.collection(col.name).insert({"_key": key}) for key in "abc"]
    batch.commit()
    assert [job.result()["_key"] for job in jobs] == ["a", "b", "c"]


def test_more_jobs_than_can_run_at_once_wait_for_their_turn(db):
    queue = db.begin_async_execution()
    jobs = [queue.aql.execute("RETURN SLEEP(0.05)") for _ in range(300)]
    assert all(list(finished(job).result()) == [None] for job in jobs)
