// Asynchronous calls, one after another.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { SerialQueue } from "../../src/basics/serial-queue.ts";

describe("a serial queue", () => {
  it("runs one call at a time, in their order, and gives each caller its own result or error", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.boolean(), { maxLength: 10 }),
        async (scheduler, failures) => {
          const queue = new SerialQueue();
          const steps: string[] = [];
          const calls = failures.map((fails, index) =>
            queue.run(async () => {
              steps.push(`begin ${index}`);
              await scheduler.schedule(Promise.resolve());
              steps.push(`end ${index}`);
              if (fails) throw new Error(`failed ${index}`);
              return index;
            }),
          );
          const settled = Promise.allSettled(calls);
          await scheduler.waitFor(settled);
          assert.deepEqual(
            steps,
            failures.flatMap((_, index) => [`begin ${index}`, `end ${index}`]),
          );
          for (const [index, result] of (await settled).entries()) {
            if (result.status === "fulfilled") assert.equal(result.value, index);
            else assert.match(String(result.reason), new RegExp(`failed ${index}$`));
            assert.equal(result.status, failures[index] === true ? "rejected" : "fulfilled");
          }
        },
      ),
    );
  });

  it("begins no call in the tick in which it is made", () => {
    const queue = new SerialQueue();
    let began = false;
    void queue.run(async () => void (began = true));
    assert.equal(began, false);
  });
});
