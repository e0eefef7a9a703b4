"""The concurrent calls of `npm run bench -- clients` by the Python client for asyncio."""

import asyncio
import itertools
import json
import os
import time

from sluice import AsyncSluice

CALLERS = int(os.environ["BENCH_CALLERS"])
SECONDS = float(os.environ["BENCH_SECONDS"])
ids = itertools.count(1)


def open_client(batching: bool) -> AsyncSluice:
    return AsyncSluice(
        os.environ["SLUICE_URL"],
        api_key=os.environ["SLUICE_API_KEY"],
        organization_id=os.environ["SLUICE_ORGANIZATION"],
        calls_max=CALLERS,
        batching=batching,
    )


async def call_until(client: AsyncSluice, end: float) -> int:
    calls = 0
    while time.perf_counter() < end:
        await client.transactions.add({
            "tx_id": f"py-{next(ids)}",
            "type": "DEPOSIT",
            "method": "SEPA",
            "amount": 1250.5,
            "currency": "EUR",
            "status": "SETTLED",
            "sender_id": "person-81",
            "sender_country": "DE",
            "timestamp": "2026-01-31T09:30:00Z",
        })
        calls += 1
    return calls


async def per_second(client: AsyncSluice) -> float:
    begun = time.perf_counter()
    end = begun + SECONDS
    calls = await asyncio.gather(*[call_until(client, end) for _ in range(CALLERS)])
    return sum(calls) / (time.perf_counter() - begun)


async def main() -> None:
    async with open_client(False) as single, open_client(True) as batched:
        for _ in range(int(os.environ["BENCH_ROUNDS"])):
            rates = {"single": await per_second(single), "batched": await per_second(batched)}
            print(json.dumps(rates), flush=True)


asyncio.run(main())
