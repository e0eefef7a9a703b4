"""When concurrent calls become a list and when not, what becomes of cancelled ones, and what each gets if the list fails."""

from __future__ import annotations

import asyncio
import json
import threading
import unittest
import unittest.mock
from typing import Any, Awaitable, Sequence

from scripted import KEY, WRITTEN, Script, page, refusal, reply

import sluice
from sluice._http import AttemptError, Reply, Request

LIST = "/v2/customer_sar"
PREFERENCE = "handling=lenient, verdicts=single"


def record(id: str) -> Any:
    return {"sar_id": id, "status": "PENDING", "timestamp": "2026-07-01T00:00:00Z"}


def ids_in(request: Request) -> Sequence[str]:
    sent = json.loads(request.body or b"")
    return [each["sar_id"] for each in (sent if isinstance(sent, list) else [sent])]


def accept(request: Request) -> Reply:
    """As the service answers."""
    if request.headers.get("Prefer") != PREFERENCE:
        return reply(201)
    results = [
        {"index": at, "id": id, "status": "created", "message": "1."}
        for at, id in enumerate(ids_in(request))
    ]
    return reply(201, {**WRITTEN, "write_count": len(results), "results": results})


class Accepting(Script):
    """Answers the first requests from the script, and then as the service does."""

    def __init__(self, *first: Any, **options: Any) -> None:
        super().__init__(reply(201))
        self.first = list(first)
        self.asynchronous = sluice.AsyncSluice(
            "https://sluice.invalid", api_key=KEY, organization_id="o", **options
        )
        self.sars = self.asynchronous.customer_sars
        self.on_send = self.choose
        self.arrived = threading.Event()
        self.waiting = 0
        self.held = threading.Event()
        self.held.set()

    def __enter__(self) -> Accepting:
        # The event loop needs the real time.
        self._patches = [unittest.mock.patch("sluice._http.Transport.send", self._send)]
        self._patches[0].start()
        return self

    def choose(self, request: Request) -> None:
        if request.path != "/auth/token":
            self.waiting += 1
            self.arrived.set()
            self.held.wait()
            self.answers = (self.first.pop(0) if self.first else accept(request),)

    async def outcomes(self, calls: Sequence[Awaitable[Any]]) -> Sequence[Any]:
        try:
            return await asyncio.gather(*calls, return_exceptions=True)
        finally:
            await self.asynchronous.aclose()


class ConcurrentCalls(unittest.IsolatedAsyncioTestCase):
    async def test_are_one_list(self) -> None:
        with Accepting() as script:
            ids = [f"sar-{at}" for at in range(64)]
            outcomes = await script.outcomes([script.sars.add(record(id)) for id in ids])
            self.assertEqual(outcomes, [WRITTEN] * 64)
            (request,) = script.sent
            self.assertEqual((request.method, request.path), ("POST", LIST))
            self.assertEqual(ids_in(request), ids)

    async def test_are_single_requests_if_batching_is_off(self) -> None:
        with Accepting(batching=False) as script:
            await script.outcomes([script.sars.add(record(id)) for id in ("a", "b")])
            self.assertEqual([request.headers.get("Prefer") for request in script.sent], [None] * 2)

    async def test_are_sent_alone_with_a_key_of_the_caller(self) -> None:
        with Accepting() as script:
            keyed = script.sars.add(record("a"), idempotency_key="mine")
            await script.outcomes([keyed, script.sars.add(record("b"))])
            keys = {ids_in(request)[0]: request.headers["Idempotency-Key"] for request in script.sent}
            self.assertEqual((keys["a"], sorted(keys)), ("mine", ["a", "b"]))

    async def test_wait_for_nothing_if_there_is_only_one(self) -> None:
        with Accepting() as script:
            loop = asyncio.get_running_loop()
            with unittest.mock.patch.object(loop, "call_later") as later:
                for id in ("a", "b"):
                    await script.sars.add(record(id))
                later.assert_not_called()
            self.assertEqual([ids_in(request) for request in script.sent], [["a"], ["b"]])
            self.assertNotIn("Prefer", script.sent[0].headers)
            await script.asynchronous.aclose()

    async def test_for_one_record_keep_their_order(self) -> None:
        with Accepting() as script:
            script.held.clear()
            made = [
                asyncio.ensure_future(script.sars.add(record("a"))),
                asyncio.ensure_future(script.sars.update(record("a"))),
                asyncio.ensure_future(script.sars.add(record("b"))),
                asyncio.ensure_future(script.sars.add(record("a"))),
            ]
            await asyncio.to_thread(script.arrived.wait)
            # One that has another record is sent meanwhile.
            made.append(asyncio.ensure_future(script.sars.add(record("c"))))
            while script.waiting < 2:
                await asyncio.sleep(0.001)
            script.held.set()
            await script.outcomes(made)
            sent = [(request.method, *ids_in(request)) for request in script.sent]
            self.assertIn(("POST", "c"), sent)
            sent.remove(("POST", "c"))
            self.assertEqual(sent, [("POST", "a", "b"), ("PUT", "a"), ("POST", "a")])

    async def test_are_not_sent_if_they_are_cancelled_before(self) -> None:
        with Accepting() as script:
            made = [asyncio.ensure_future(script.sars.add(record(id))) for id in "abc"]
            # The tasks have begun, and nothing is sent before the end of the tick.
            asyncio.get_running_loop().call_soon(made[1].cancel)
            await script.outcomes(made)
            self.assertTrue(made[1].cancelled())
            self.assertEqual([ids_in(request) for request in script.sent], [["a", "c"]])

    async def test_get_the_error_of_their_list_with_the_key_of_their_item(self) -> None:
        network, limited = AttemptError("the reply broke off"), refusal(42901, "7")
        for failure in (network, limited, refusal(40104)):
            with self.subTest(failure), Accepting(failure, retry_for=0) as script:
                errors = await script.outcomes([script.sars.add(record(id)) for id in "ab"])
                key = script.sent[0].headers["Idempotency-Key"]
                self.assertEqual(
                    [error.idempotency_key for error in errors], [f"{key}.0", f"{key}.1"]
                )
                if failure is limited:
                    self.assertEqual([error.retry_after for error in errors], [7.0, 7.0])

    async def test_are_sent_one_by_one_if_their_list_is_refused_for_its_size(self) -> None:
        for failure in (page(413), refusal(41301)):
            with self.subTest(failure), Accepting(failure) as script:
                outcomes = await script.outcomes([script.sars.add(record(id)) for id in "ab"])
                self.assertEqual(outcomes, [WRITTEN] * 2)
                key = script.sent[0].headers["Idempotency-Key"]
                alone = {r.headers["Idempotency-Key"]: ids_in(r) for r in script.sent[1:]}
                self.assertEqual(alone, {f"{key}.0": ["a"], f"{key}.1": ["b"]})

    async def test_fail_without_verdicts_and_are_single_requests_then(self) -> None:
        with Accepting(reply(201)) as script:
            first = [script.sars.add(record(id)) for id in "ab"]
            errors = await asyncio.gather(*first, return_exceptions=True)
            self.assertEqual({type(error) for error in errors}, {sluice.SluiceNetworkError})
            await script.outcomes([script.sars.add(record(id)) for id in "ab"])
            self.assertEqual(sorted(ids_in(r) for r in script.sent[1:]), [["a"], ["b"]])

    async def test_are_single_requests_after_a_strict_list_was_refused(self) -> None:
        with Accepting(refusal(40901)) as script:
            first = await asyncio.gather(*(script.sars.add(record(id)) for id in "ab"))
            self.assertEqual(first, [WRITTEN] * 2)
            again = await script.outcomes([script.sars.add(record(id)) for id in "ab"])
            self.assertEqual(again, [WRITTEN] * 2)
            sent = [ids_in(request) for request in script.sent]
            self.assertEqual([sent[0], *sorted(sent[1:])], [["a", "b"], ["a"], ["a"], ["b"], ["b"]])
