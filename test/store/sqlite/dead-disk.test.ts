// A disk that dies below a store that is served: reads and writes are answered as unavailable, with the cause and what
// to do about it, and the process goes on.

import assert from "node:assert/strict";
import { truncateSync } from "node:fs";
import { describe, it } from "node:test";
import { AppError } from "../../../src/domain/error.ts";
import { acme, keyOf } from "../../conformance/scene.ts";
import { makePlace } from "./place.ts";

function isUnavailable(error: unknown): boolean {
  assert.ok(error instanceof AppError, String(error));
  assert.equal(error.errorName, "unavailable");
  assert.match(String(error.cause), /file of the store can't be read or written: .*Check its disk/);
  return true;
}

describe("a store whose file can't be read any more", () => {
  it("answers reads and writes as unavailable, with the cause", async (test) => {
    const place = makePlace(test);
    const first = await place.open();
    for (let number = 0; number < 50; number += 1) await first.add("transaction", `t${number}`);
    await first.close();
    const store = await place.open();
    truncateSync(place.path, 4_096);
    await assert.rejects(store.findRecord(keyOf("transaction", "t1")), isUnavailable);
    await assert.rejects(store.countRecords(acme), isUnavailable);
    await assert.rejects(store.add("transaction", "new"), isUnavailable);
  });
});
