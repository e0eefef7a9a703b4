// Pages are made one after the other, with pauses between them.

import assert from "node:assert/strict";
import type { EventLoopUtilization } from "node:perf_hooks";
import { describe, it, mock } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { PageQueue } from "../../../src/console/console.ts";

const page = async () => "page";

describe("the queue of pages", () => {
  it("leaves others three times as long as the loop was busy with a page, also with one that failed", async () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    let busyMs = 0;
    let waitedMs = 0;
    const loop = mock.method(performance, "eventLoopUtilization", since);
    function since(start?: EventLoopUtilization): EventLoopUtilization {
      const [active, idle] = [busyMs - (start?.active ?? 0), waitedMs - (start?.idle ?? 0)];
      return { active, idle, utilization: active / (active + idle) };
    }
    try {
      const queue = new PageQueue();
      const made: number[] = [];
      const make = async (number: number) => {
        made.push(number);
        busyMs += 20;
        waitedMs += 500;
        if (number === 1) throw new Error("no such page");
      };
      const failed = queue.run("anna", () => make(1));
      const second = queue.run("ben", () => make(2));
      await assert.rejects(failed, /no such page/);
      mock.timers.tick(59);
      await nextTurn();
      assert.deepEqual(made, [1]);
      mock.timers.tick(1);
      await second;
      assert.deepEqual(made, [1, 2]);
    } finally {
      loop.mock.restore();
      mock.timers.reset();
    }
  });

  it("counts pages that are being made as well, however long each takes", async () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      const queue = new PageQueue();
      for (let index = 0; index < 16; index += 1) {
        void queue.run("anna", () => new Promise(() => undefined));
        mock.timers.tick(1_000);
        await nextTurn();
      }
      await assert.rejects(
        queue.run("anna", async () => "page"),
        { errorName: "unavailable" },
      );
    } finally {
      mock.timers.reset();
    }
  });

  it("counts downloads that nobody reads, for which no page waits", async () => {
    const queue = new PageQueue();
    const download = () => queue.admit("anna", () => new Promise(() => undefined));
    for (let index = 0; index < 15; index += 1) void download();
    assert.equal(await queue.run("anna", page), "page");
    void download();
    await assert.rejects(download(), { errorName: "unavailable" });
    await assert.rejects(queue.run("anna", page), { errorName: "unavailable" });
    assert.equal(await queue.admit("ben", page), "page");
  });

  it("does not wait for long for a page that does not end, and refuses what is too much of one person or of all", async () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      const queue = new PageQueue();
      const run = (personId: string) => queue.run(personId, async () => "page");
      void queue.run("slow", () => new Promise(() => undefined));
      await nextTurn();
      const waiting = Array.from({ length: 16 }, () => run("anna"));
      await assert.rejects(run("anna"), { errorName: "unavailable" });
      for (let index = 0; index < 239; index += 1) waiting.push(run(`person ${index}`));
      await assert.rejects(run("ben"), { errorName: "unavailable" });
      for (let round = 0; round < 256; round += 1) {
        await nextTurn();
        mock.timers.tick(1_000);
      }
      assert.equal(new Set(await Promise.all(waiting)).size, 1);
    } finally {
      mock.timers.reset();
    }
  });
});
