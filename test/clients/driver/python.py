"""
The Python client driven by commands, as by the drivers of the other languages: see typescript.ts. With the
argument "asyncio" it drives the asynchronous client.
"""

import asyncio
import json
import sys

import sluice


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


async def async_lines_of(path):
    for record in lines_of(path):
        yield record


def refusal_of(refusal):
    fields = [error.get("field") for error in refusal.errors]
    return {"index": refusal.index, "code": refusal.code, "fields": fields}


def tally_of(tally):
    return vars(tally)


def options_of(command):
    path = command.get("token_file")
    return {
        "api_key": command.get("api_key"),
        "token_source": (lambda: read(path)) if command.get("token_function") else path,
        "organization_id": command["organization_id"],
        "scopes": command["scopes"],
        "timeout": command["timeout_ms"] / 1000,
        "retry_for": command["retry_for_ms"] / 1000,
    }


def describe(error):
    shown = repr(error) + str(error) + repr(vars(error))
    if isinstance(error, (sluice.SluiceTimeoutError, asyncio.TimeoutError)):
        return {"kind": "ended", "message": str(error), "shown": shown}
    if not isinstance(error, sluice.SluiceError):
        return {"kind": "argument", "message": str(error), "shown": shown}
    return {
        "kind": "network" if isinstance(error, sluice.SluiceNetworkError) else "refused",
        "status": error.status,
        "code": error.code,
        "fields": [item.get("field") for item in error.errors],
        "message": str(error),
        "key": error.idempotency_key,
        "has_request_id": error.request_id is not None,
        "shown": shown,
    }


class Driver:
    client = None

    def run(self, command):
        try:
            return {"ok": getattr(self, command["op"])(command)}
        except (sluice.SluiceError, ValueError, TypeError) as error:
            return {"error": describe(error)}

    def collection(self, command):
        return getattr(self.client, command["collection"])

    def open(self, command):
        self.client = sluice.Sluice(command["base_url"], **options_of(command))
        return {"shown": repr(self.client) + repr(vars(self.client))}

    def add(self, command):
        return self.collection(command).add(
            command["records"], idempotency_key=command.get("key"), timeout=ending(command)
        )

    def update(self, command):
        return self.collection(command).update(command["records"])

    def exists(self, command):
        return {"found": self.collection(command).exists(command["id"])}

    def delete(self, command):
        return self.collection(command).delete(
            command["id"],
            command["reason"],
            basis=command.get("basis"),
            idempotency_key=command.get("key"),
        )

    def status(self, command):
        return self.client.deletions.status(command["id"])

    def wait(self, command):
        return self.client.deletions.wait(command["id"], timeout=ending(command))

    def changes(self, command):
        following = Following(command)
        for page in self.client.changes(**following.options, timeout=ending(command)):
            if following.take(page):
                break
            if following.records:
                self.client.persons.add(following.records.pop(0))
        return following.result()

    def verify(self, command):
        try:
            sluice.verify_webhook(command["body"].encode(), command["headers"], command["keys"])
        except sluice.WebhookVerificationError:
            return {"verified": False}
        return {"verified": True}

    def add_all(self, command):
        source = lines_of(command["file"])
        upload = self.collection(command).add_all(source, batch_size=command["batch_size"])
        refusals = [refusal_of(refusal) for refusal in upload]
        return {"refusals": refusals, "tally": tally_of(upload.tally)}


class AsyncDriver(Driver):
    async def run(self, command):
        try:
            result = getattr(self, command["op"])(command)
            if not asyncio.iscoroutine(result):
                return {"ok": result}
            return {"ok": await asyncio.wait_for(result, ending(command))}
        except (sluice.SluiceError, ValueError, TypeError, asyncio.TimeoutError) as error:
            return {"error": describe(error)}

    def open(self, command):
        self.client = sluice.AsyncSluice(command["base_url"], **options_of(command))
        return {"shown": repr(self.client) + repr(vars(self.client))}

    async def add(self, command):
        key = command.get("key")
        return await self.collection(command).add(command["records"], idempotency_key=key)

    async def exists(self, command):
        return {"found": await self.collection(command).exists(command["id"])}

    async def wait(self, command):
        return await self.client.deletions.wait(command["id"])

    async def concurrent(self, command):
        async def caller(commands):
            return [await self.run(each) for each in commands]

        return await asyncio.gather(*map(caller, command["callers"]))

    async def changes(self, command):
        following = Following(command)
        async for page in self.client.changes(**following.options):
            if following.take(page):
                break
            if following.records:
                await self.client.persons.add(following.records.pop(0))
        return following.result()

    async def add_all(self, command):
        source = async_lines_of(command["file"])
        upload = self.collection(command).add_all(source, batch_size=command["batch_size"])
        refusals = [refusal_of(refusal) async for refusal in upload]
        return {"refusals": refusals, "tally": tally_of(upload.tally)}


class Following:
    """Ends with the page that has as many events as wanted. After each page the next record is added."""

    def __init__(self, command):
        self.options = {
            "offset": command["offset"],
            "types": command.get("types"),
            "content": command.get("content", False),
            "follow": not command.get("until_end", False),
        }
        self.records = command.get("records", [])
        self._seen = []
        self._offset = ""
        self._events_max = command["events_max"]

    def take(self, page):
        for event in page.events:
            name = event.get("data", {}).get("name", "")
            self._seen.append(f"{event['type']} {event['subject']} {name}".strip())
        self._offset = page.offset
        return len(self._seen) >= self._events_max

    def result(self):
        return {"seen": self._seen, "offset": self._offset}


def ending(command):
    milliseconds = command.get("end_after_ms")
    return None if milliseconds is None else milliseconds / 1000


def write(outcome):
    sys.stdout.write(json.dumps(outcome) + "\n")
    sys.stdout.flush()


async def drive():
    driver = AsyncDriver()
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        write(await driver.run(json.loads(line)))
    if driver.client is not None:
        await driver.client.aclose()


if sys.argv[1:] == ["asyncio"]:
    asyncio.run(drive())
else:
    driver = Driver()
    for line in sys.stdin:
        write(driver.run(json.loads(line)))
