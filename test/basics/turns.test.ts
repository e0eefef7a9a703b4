// The turns of organizations on the bulk thread, by the time that their steps take on a fake clock.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Turns } from "../../src/basics/turns.ts";

interface Work {
  readonly organizationId: string;
  readonly steps: number;
  readonly stepMs: number;
}

function makeThread() {
  const served: string[] = [];
  let nowMs = 0;
  const turns = new Turns({ now: () => nowMs });
  const work = async ({ organizationId, steps, stepMs }: Work) => {
    for (let step = 0; step < steps; step += 1) {
      await turns.next(organizationId);
      served.push(organizationId);
      nowMs += stepMs;
    }
  };
  return { served, work };
}

describe("the turns of the bulk thread", () => {
  it("let cheap steps wait for at most one expensive step of another organization", async () => {
    const { served, work } = makeThread();
    const expensive = Array.from({ length: 8 }, () =>
      work({ organizationId: "expensive", steps: 4, stepMs: 20 }),
    );
    while (served.length < 3) await new Promise(setImmediate);
    const before = served.length;
    await work({ organizationId: "cheap", steps: 5, stepMs: 2 });
    const meanwhile = served.slice(before).filter((one) => one === "expensive");
    assert.ok(meanwhile.length <= 1, served.join(" "));
    await Promise.all(expensive);
    assert.equal(served.length, 8 * 4 + 5);
  });

  it("do not depend on how many tasks an organization has", async () => {
    const { served, work } = makeThread();
    const many = Array.from({ length: 10 }, () =>
      work({ organizationId: "many", steps: 1, stepMs: 5 }),
    );
    await Promise.all([...many, work({ organizationId: "one", steps: 4, stepMs: 5 })]);
    assert.equal(served.slice(0, 8).filter((one) => one === "one").length, 4, served.join(" "));
  });

  it("are not saved up by an organization that does not wait", async () => {
    const { served, work } = makeThread();
    const long = work({ organizationId: "long", steps: 20, stepMs: 10 });
    while (served.length < 10) await new Promise(setImmediate);
    const before = served.length;
    await Promise.all([long, work({ organizationId: "late", steps: 6, stepMs: 10 })]);
    const next = served.slice(before, before + 8).filter((one) => one === "long");
    assert.ok(next.length >= 3, served.join(" "));
  });

  it("forget everything when nobody waits", async () => {
    const { served, work } = makeThread();
    await work({ organizationId: "a", steps: 3, stepMs: 1_000 });
    await new Promise(setImmediate);
    const both = [
      work({ organizationId: "a", steps: 2, stepMs: 1 }),
      work({ organizationId: "b", steps: 2, stepMs: 1 }),
    ];
    await Promise.all(both);
    assert.deepEqual(served.slice(3), ["a", "b", "a", "b"]);
  });

  it("let the event loop run as often as asked between two steps", async () => {
    const turns = new Turns({ loopIterations: 16 });
    const [iterations, steps]: [number[], Promise<void>[]] = [[], []];
    let iteration = 0;
    for (let step = 0; step < 3; step += 1) {
      steps.push(turns.next("a").then(() => void iterations.push(iteration)));
    }
    while (iterations.length < 3) {
      await new Promise(setImmediate);
      iteration += 1;
    }
    await Promise.all(steps);
    const [first = 0, second = 0, third = 0] = iterations;
    assert.ok(second - first >= 16 && third - second >= 16, iterations.join(" "));
  });
});
