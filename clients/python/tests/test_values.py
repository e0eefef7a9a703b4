"""What is sent, what is shown, and which options are refused."""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import unittest
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any, AsyncIterator, Iterator
from unittest import mock

from scripted import KEY, Script, refusal, reply

import sluice
from sluice._json import to_json


class Json(unittest.TestCase):
    def test_says_what_python_has_types_for(self) -> None:
        zone = timezone(timedelta(hours=2))
        value = [
            datetime(2026, 1, 31, 9, 30, tzinfo=zone),
            date(2026, 1, 31),
            Decimal("1250.50"),
            "ü",
        ]
        expected = '["2026-01-31T09:30:00+02:00","2026-01-31",1250.5,"ü"]'
        self.assertEqual(to_json(value).decode(), expected)

    def test_refuses_what_would_arrive_as_something_else(self) -> None:
        for value in (
            float("nan"),
            float("inf"),
            Decimal("NaN"),
            Decimal("0.12345678901234567891"),
            datetime(2026, 1, 31),
            {1, 2},
            "\ud800",
        ):
            with self.subTest(value):
                with self.assertRaisesRegex((TypeError, ValueError), "^1: amount: [^:]+"):
                    to_json([{}, {"status": "PENDING", "amount": value}])


class Arguments(unittest.TestCase):
    def test_takes_no_text_for_a_list_of_records(self) -> None:
        for records in (None, 5, "person", b"person"):
            with self.subTest(records), Script() as script:
                with self.assertRaisesRegex(ValueError, "^records must be a record, or a list"):
                    script.client.persons.add(records)  # type: ignore[call-overload]
                self.assertEqual(script.sent, [])


class Options(unittest.TestCase):
    def test_names_what_is_wrong_and_repeats_no_value(self) -> None:
        good: dict[str, Any] = {
            "base_url": "https://a.example",
            "api_key": KEY,
            "organization_id": "o",
        }
        wrong: list[tuple[str, object]] = [
            ("base_url", "https://user:hidden@a.example"),
            ("base_url", "https://a.example/hidden"),
            ("api_key", "hidden key"),
            ("organization_id", ""),
            ("expiry_seconds", 299),
            ("retry_for", -1),
            ("timeout", 0),
            ("scopes", "transactions:write"),
        ]
        for name, value in wrong:
            with (
                self.subTest(name),
                self.assertRaisesRegex(ValueError, f"^{name} must be") as raised,
            ):
                sluice.Sluice(**{**good, name: value})
            self.assertNotIn("hidden", str(raised.exception))

    def test_exclude_another_credential(self) -> None:
        for name in ("token_source", "get_token"):
            options: dict[str, Any] = {"api_key": KEY, "organization_id": "o", name: lambda: "t"}
            expected = f"^api_key and {name} exclude each other"
            with self.subTest(name), self.assertRaisesRegex(ValueError, expected):
                sluice.Sluice("https://a.example", **options)

    def test_says_why_a_proxy_is_refused(self) -> None:
        for address, why in {
            "http://hidden:hidden@proxy.example:3128": "has a user",
            "https://proxy.example:3128": "must begin with http://",
            "http://proxy.example:hidden": "must be an address such as",
            "http://[hidden": "must be an address such as",
        }.items():
            with (
                self.subTest(address),
                mock.patch.dict(os.environ, {"https_proxy": address, "no_proxy": ""}),
                self.assertRaisesRegex(ValueError, f"^HTTPS_PROXY {why}") as raised,
            ):
                sluice.Sluice("https://a.example", api_key=KEY, organization_id="o")
            self.assertNotIn("hidden", str(raised.exception))

    def test_shows_no_secret(self) -> None:
        with Script(refusal(40000)) as script:
            with self.assertRaises(sluice.SluiceError) as raised:
                script.client.transactions.add({"tx_id": "t"})  # type: ignore[typeddict-item]
            shown = repr(script.client) + repr(vars(script.client)) + repr(script.sent)
            shown += repr(vars(script.client._session._tokens)) + repr(vars(raised.exception))
        self.assertNotIn(KEY, shown)
        self.assertNotIn("token_secret", shown)
        with self.assertRaises(TypeError):
            pickle.dumps(script.client._settings.api_key)


def records(count: int) -> Iterator[Any]:
    for nth in range(count):
        yield {"tx_id": f"tx-{nth}"}


class Uploads(unittest.TestCase):
    def test_reads_no_further_than_one_list(self) -> None:
        read: list[int] = []

        def source() -> Iterator[Any]:
            for nth in range(100):
                read.append(nth)
                yield {"tx_id": f"tx-{nth}"}

        results = [{"index": 0, "status": "refused", "code": 40901, "message": "No."}]
        with Script(reply(200, {"write_count": 9, "results": results})) as script:
            upload = script.client.transactions.add_all(source(), batch_size=10)
            first = next(iter(upload))
            self.assertEqual((first.index, first.code, len(read)), (0, 40901, 10))
            self.assertEqual(
                vars(upload.tally), {"received": 10, "written": 9, "unchanged": 0, "refused": 1}
            )

    def test_halves_a_list_that_is_refused_whole(self) -> None:
        with Script() as script:

            def answer(request: Any) -> None:
                sent = json.loads(request.body)
                is_bad = (
                    any(each.get("tx_id") == "tx-5" for each in sent)
                    if isinstance(sent, list)
                    else False
                )
                script.answers = (
                    refusal(41301) if is_bad else reply(200, {"write_count": len(sent)}),
                )

            script.on_send = answer
            upload = script.client.transactions.add_all(records(8))
            self.assertEqual([(each.index, each.code) for each in upload], [(5, 41301)])
            self.assertEqual((upload.tally.written, upload.tally.refused), (7, 1))

    def test_refuses_what_has_no_json_and_sends_what_came_before_an_error(self) -> None:
        def source() -> Iterator[Any]:
            yield {"tx_id": "a", "amount": float("nan")}
            yield {"tx_id": "b"}
            raise OSError("the file ended")

        with Script(reply(200, {"write_count": 1})) as script:
            upload = script.client.transactions.add_all(source())
            refusals = []
            with self.assertRaisesRegex(OSError, "the file ended"):
                for refused in upload:
                    refusals.append(refused.index)
            self.assertEqual((refusals, upload.tally.written), ([0], 1))

    def test_takes_asynchronous_sources_and_ends_with_its_task(self) -> None:
        async def source() -> AsyncIterator[Any]:
            yield {"tx_id": "a"}
            await asyncio.sleep(60)

        async def upload() -> None:
            options: Any = {"api_key": KEY, "organization_id": "o"}
            async with sluice.AsyncSluice("http://127.0.0.1:9", **options) as client:

                async def drain() -> None:
                    async for _ in client.transactions.add_all(source()):
                        pass

                with self.assertRaises(asyncio.TimeoutError):
                    await asyncio.wait_for(drain(), 0.05)

        asyncio.run(upload())


if __name__ == "__main__":
    unittest.main()
