"""When the client tries again, after how long, and what stays the same then; when it gives up."""

from __future__ import annotations

import random
import socket
import threading
import time
import unittest
import unittest.mock
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime

from scripted import Script, page, refusal, reply

import sluice
from sluice._http import AttemptError, Reply

RECORD = {"sar_id": "sar-1", "status": "PENDING", "timestamp": "2026-07-01T00:00:00Z"}
BROKEN = AttemptError("the reply broke off")


def back_at(script: Script, at: float, failure: AttemptError | Reply) -> None:
    """Has the service answer from then on."""
    script.answers = (failure if script.now < at else reply(201),)


def add(script: Script, **options: object) -> object:
    return script.client.customer_sars.add(RECORD, **options)  # type: ignore[arg-type]


class Retries(unittest.TestCase):
    def test_a_failure_that_may_pass_is_tried_again_under_the_same_key(self) -> None:
        half = Reply(409, None, None, True, b'{"code":')
        for failure in (
            BROKEN,
            half,
            page(200),
            refusal(40801),
            refusal(50001),
            page(502),
            refusal(50301),
            page(504),
            page(522),
        ):
            with self.subTest(failure), Script(failure, failure, reply(201)) as script:
                add(script)
                self.assertEqual(len(script.sent), 3)
                keys = {request.headers["Idempotency-Key"] for request in script.sent}
                self.assertRegex("".join(keys), r"^[0-9a-f]{32}$")
                self.assertEqual(len({request.body for request in script.sent}), 1)

    def test_waits_are_twice_as_long_each_time_up_to_ten_seconds(self) -> None:
        with Script(*[BROKEN] * 8, reply(201)) as script:
            add(script)
            self.assertEqual(script.waits, [0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10.0, 10.0])

    def test_a_restart_of_30_seconds_loses_no_call(self) -> None:
        for failure in (BROKEN, refusal(50301, "1"), page(502)):
            with self.subTest(failure), Script(failure) as script:
                script.jitter = random.Random(1).random
                for _ in range(200):
                    back = script.now + 30
                    script.on_send = lambda _, back=back: back_at(script, back, failure)
                    add(script)
                    self.assertLess(script.now, back + 11)

    def test_gives_up_after_its_time_and_says_how_to_make_sure(self) -> None:
        for failure in (BROKEN, refusal(50301, "1")):
            with self.subTest(failure), Script(failure) as script:
                begun = script.now
                with self.assertRaises(sluice.SluiceError) as raised:
                    add(script, idempotency_key="mine")
                self.assertEqual(script.now - begun, 120)
                self.assertEqual(raised.exception.idempotency_key, "mine")
        with Script(BROKEN, retry_for=0.5) as script:
            with self.assertRaises(sluice.SluiceNetworkError) as network:
                add(script)
            self.assertEqual([round(wait, 3) for wait in script.waits], [0.2, 0.3])
            self.assertEqual(network.exception.attempts, 3)
        for failure in (refusal(50301, "11"), refusal(42901, "11")):
            with self.subTest(failure), Script(failure, retry_for=10) as script:
                self.assertRaises(sluice.SluiceError, add, script)
                self.assertEqual(script.waits, [])

    def test_gives_up_soon_before_the_first_reply(self) -> None:
        options = {"api_key": None, "get_token": lambda: ("t", 0.0)}
        for answer in (BROKEN, page(200)):
            with self.subTest(answer), Script(answer, **options) as script:
                self.assertRaises(sluice.SluiceNetworkError, add, script)
                waits = [round(wait, 3) for wait in script.waits]
                self.assertEqual(waits, [0.2, 0.4, 0.8, 1.6, 2.0])
        with Script(BROKEN, refusal(50301), BROKEN, **options) as script:
            self.assertRaises(sluice.SluiceNetworkError, add, script)
            self.assertEqual(round(sum(script.waits), 3), 120)

    def test_says_why_there_is_no_reply(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
        address = f"http://127.0.0.1:{port}"
        client = sluice.Sluice(address, get_token=lambda: ("t", 0.0), retry_for=0)
        expected = r"^No complete reply arrived \(GET /v2/person\): Connection refused"
        with self.assertRaisesRegex(sluice.SluiceNetworkError, expected):
            client.persons.exists("p")

    def test_says_that_a_host_is_not_found(self) -> None:
        client = sluice.Sluice("http://sluice.invalid", get_token=lambda: ("t", 0.0), retry_for=0)
        expected = r"^No complete reply arrived \(GET /v2/person\): .*([Nn]ame|resol)"
        with self.assertRaisesRegex(sluice.SluiceNetworkError, expected):
            client.persons.exists("p")

    def test_says_that_a_port_speaks_no_tls(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:

            def answer() -> None:
                connection, _ = server.accept()
                with connection:
                    connection.recv(65_536)
                    connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

            thread = threading.Thread(target=answer)
            thread.start()
            address = f"https://127.0.0.1:{server.getsockname()[1]}"
            client = sluice.Sluice(address, get_token=lambda: ("t", 0.0), retry_for=0)
            expected = ": the TLS connection failed: .*; that port may speak HTTP without TLS"
            with self.assertRaisesRegex(sluice.SluiceNetworkError, expected):
                client.persons.exists("p")
            thread.join()

    def test_failures_before_an_answer_of_the_service_are_over(self) -> None:
        # Half a minute of failures, an answer, and more of them than are left of a minute since the first.
        failures = [BROKEN] * 8
        with Script(*failures, refusal(42901), *failures, reply(201), retry_for=60) as script:
            add(script)
            self.assertEqual(script.waits[9], 0.2)

    def test_tries_a_refusal_once(self) -> None:
        for code in (40000, 40104, 40301, 40901, 42201):
            with self.subTest(code), Script(refusal(code)) as script:
                with self.assertRaises(sluice.SluiceError) as raised:
                    add(script)
                self.assertEqual((raised.exception.code, len(script.sent)), (code, 1))

    def test_honours_retry_after_and_counts_it_as_no_failure(self) -> None:
        answers = [refusal(42901, "3")] * 4 + [refusal(40904), reply(201)]
        with Script(*answers, retry_for=5) as script:
            add(script)
            self.assertEqual(script.waits, [3.2, 3.4, 3.8, 4.0, 1.0])

    def test_reads_retry_after_as_a_date_and_refuses_to_wait_for_long(self) -> None:
        date = datetime.now(timezone.utc) + timedelta(seconds=30)
        with Script(refusal(50301, format_datetime(date, usegmt=True)), reply(201)) as script:
            add(script)
            self.assertTrue(28 < script.waits[0] <= 30.2)
        with Script(refusal(42901, "121")) as script:
            with self.assertRaises(sluice.SluiceError) as raised:
                add(script)
            self.assertEqual(raised.exception.retry_after, 121)

    def test_a_redirect_is_not_followed(self) -> None:
        with Script(page(302)) as script, self.assertRaisesRegex(sluice.SluiceError, "redirect"):
            add(script)

    def test_a_reply_to_another_request_is_not_taken(self) -> None:
        with Script(reply(201), reply(201)) as script:
            add(script)
            stale = script.sent[0].headers["X-Request-Id"]
            body = reply(201).body
            script.answers = (reply(201), Reply(201, stale, None, True, body), reply(201))
            add(script)
            self.assertEqual(len(script.sent), 3)

    def test_a_success_without_what_the_call_returns_is_none(self) -> None:
        empty = Reply(204, None, None, False, b"")
        for other in (reply(200, {"ok": True}), reply(200, []), empty):
            with self.subTest(other), Script(other, retry_for=0) as script:
                client = script.client
                for call in (
                    lambda: add(script),
                    lambda: client.customer_sars.exists("sar-1"),
                    lambda: list(client.customer_sars.add_all([RECORD])),
                    lambda: client.persons.delete("p", "a test"),
                    lambda: client.deletions.status("del_1"),
                ):
                    self.assertRaises(sluice.SluiceNetworkError, call)

    def test_a_call_ends_with_its_timeout_or_its_cancellation(self) -> None:
        cancel = sluice.Cancellation()
        with Script(BROKEN) as script:
            script.on_send = lambda _: cancel.cancel()
            with self.assertRaises(sluice.SluiceCancelledError):
                add(script, cancel=cancel)
            script.on_send = lambda _: time.sleep(0.02)
            with self.assertRaises(TimeoutError):
                add(script, timeout=0.01)


class Tokens(unittest.TestCase):
    def test_a_token_is_kept_until_a_minute_before_its_end(self) -> None:
        now = 1_000.0
        with Script(reply(201)) as script, unittest.mock.patch("sluice._session.time.monotonic", lambda: now):
            add(script)
            now += 3_539
            add(script)
            self.assertEqual(len(script.token_requests), 1)
            now += 2
            add(script)
            self.assertEqual(len(script.token_requests), 2)
        self.assertEqual(script.sent[2].headers["Authorization"], "Bearer sluice_token_secret_2")

    def test_a_stale_token_is_renewed_once_under_the_same_key(self) -> None:
        for code in (40102, 40103):
            with self.subTest(code), Script(refusal(code), reply(201)) as script:
                add(script)
                self.assertEqual(len(script.token_requests), 2)
                keys = {request.headers["Idempotency-Key"] for request in script.sent}
                self.assertEqual((len(script.sent), len(keys)), (2, 1))
        with Script(refusal(40103)) as script, self.assertRaises(sluice.SluiceError):
            add(script)

    def test_a_token_may_come_from_elsewhere(self) -> None:
        options = {"api_key": None, "organization_id": None}
        get_token = lambda: ("of-mine", time.time() + 600)  # noqa: E731
        with Script(reply(201), get_token=get_token, **options) as script:
            add(script)
        self.assertEqual(script.sent[0].headers["Authorization"], "Bearer of-mine")


if __name__ == "__main__":
    unittest.main()
