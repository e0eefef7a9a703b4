// A process that is killed: what it had acknowledged is stored, nothing is stored in part, and its
// erasures are resumed.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { resume, prepareErasure, requireErased } from "../../conformance/resumption.ts";
import { requireConsistent } from "../../conformance/scene.ts";
import { waitFor } from "../../support/wait-for.ts";
import { startChild } from "./child.ts";
import { makePlace } from "./place.ts";

describe("a serving process that is killed", () => {
  const moves = ["claimed", ...[1, 2, 3, 4, 5, 6].map((step) => `step ${step}`), "completed"];

  it("between any two steps of an erasure leaves one that is resumed", async (test) => {
    await Promise.all(
      moves.map(async (last) => {
        const place = makePlace(test);
        const child = await startChild(test, "serve", place.path);
        await child.ask("prepare");
        for (const move of moves) {
          assert.equal(await child.ask("move"), move);
          if (move === last) break;
        }
        await child.kill();
        const store = await place.open();
        await requireConsistent(store);
        await resume(store);
        await requireErased(store);
        await store.close();
      }),
    );
  });

  it("within a step of an erasure leaves one that is resumed", async (test) => {
    for (const asked of [2, 5, 8]) {
      const place = makePlace(test);
      const child = await startChild(test, "serve", place.path);
      await child.ask("prepare");
      for (let count = 1; count < asked; count += 1) await child.ask("move");
      child.ask("move").catch(() => undefined);
      await child.kill();
      const store = await place.open();
      await requireConsistent(store);
      await resume(store);
      await requireErased(store);
      await store.close();
    }
  });

  it("under load has lost no list that it acknowledged, and stored none in part", async (test) => {
    const place = makePlace(test);
    const child = await startChild(test, "serve", place.path);
    for (const name of ["one", "two", "three", "four"]) {
      child.ask("load", name).catch(() => undefined);
    }
    await waitFor("some load", () => (child.told.length > 100 ? true : undefined));
    await child.kill();
    const acknowledged = new Set(child.told.map(String));
    const store = await place.open();
    await requireConsistent(store);
    const ids = place.withDatabase((database) =>
      database.prepare("SELECT resource_id FROM record").all(),
    );
    const lists = Map.groupBy(ids, ({ resource_id }) => String(resource_id).slice(0, -2));
    for (const [list, parts] of lists) assert.equal(parts.length, 3, list);
    for (const list of acknowledged) assert.ok(lists.has(list), list);
    assert.ok(acknowledged.size > 100);
  });

  it("leaves an erasure that is resumed, even if another process requested it", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    await prepareErasure(store);
    await store.close();
    const child = await startChild(test, "serve", place.path);
    for (let count = 0; count < 4; count += 1) await child.ask("move");
    await child.kill();
    const next = await place.open();
    await resume(next);
    await requireErased(next);
  });
});
