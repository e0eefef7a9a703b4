// The metrics as text and as plain data: correct however often they are read.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { makeSharedBounds } from "../../src/http/connection/shared-bounds.ts";
import { makeMetrics } from "../../src/metrics/metrics.ts";
import { Registry, renderSnapshot } from "../../src/metrics/registry.ts";
import { waitFor } from "../support/wait-for.ts";

const byStatus = { pending: 1, processing: 0, completed: 2, cancelled: 0 };
const bodies = { heldBytes: 0 };
const pages = { heldBytes: 0 };
const levels = { event_loop: 2, memory: 1, bodies: 0 } as const;
const shed = { eventLoopDelayMs: 150, levels, refused: { body: 3, stream: 4 } };
const begunAt = Date.now();
const metrics = makeMetrics({
  build: { version: "1.2.3", node: "26.10.0", engine: "postgres" },
  deletions: async () => ({
    byStatus,
    held: 0,
    underFloor: 0,
    oldestDueAt: begunAt - 7_200_000,
    oldestStartedAt: begunAt - 3_600_000,
  }),
  holdsEnding: async () => 2,
  dataDir: ".",
  sharedBounds: makeSharedBounds({ trustProxy: false }),
  load: { bodies, pages, shedding: shed },
});
after(() => metrics.stop());

interface Sample {
  readonly name: string;
  readonly labels: string;
  readonly value: number;
}

/** Every line has to follow the format. */
function read(text: string): readonly Sample[] {
  assert.ok(text.endsWith("\n"));
  const lines = text.trimEnd().split("\n");
  return lines.flatMap((line) => {
    if (/^# (?:HELP|TYPE) sluice_[a-z0-9_]+ .+$/.test(line)) return [];
    const [, name, labels = "", value] =
      /^([a-z_0-9]+)(\{(?:[a-z_]+="[^"\n]*",?)+\})? (-?[0-9.e+-]+)$/.exec(line) ?? [];
    assert.ok(name !== undefined, line);
    return [{ name, labels, value: Number(value) }];
  });
}

async function figures(): Promise<readonly Sample[]> {
  return read((await metrics.render()).text);
}

async function figure(name: string): Promise<number> {
  return (await figures()).find((sample) => sample.name === name)?.value ?? Number.NaN;
}

describe("the metrics", () => {
  it("name the versions of Sluice and Node and the engine of the store", async () => {
    assert.deepEqual(
      (await figures()).filter(({ name }) => name === "sluice_build_info"),
      [
        {
          name: "sluice_build_info",
          labels: '{version="1.2.3",node="26.10.0",engine="postgres"}',
          value: 1,
        },
      ],
    );
  });

  it("have plausible values, however often they are scraped", async () => {
    for (let scrape = 0; scrape < 5; scrape += 1) {
      for (const { name, value } of await figures()) {
        assert.ok(Number.isFinite(value) && value >= 0 && value < 1e15, `${name} ${value}`);
      }
    }
  });

  it("have a name that matches their type: only counters end in _total", async () => {
    const { text } = await metrics.render();
    const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
    assert.ok(types.length > 20);
    for (const [, name = "", type] of types) {
      assert.equal(name.endsWith("_total"), type === "counter", name);
    }
  });

  it("show that the event loop was blocked, at every scrape that follows", async () => {
    await waitFor(
      "a first sample",
      async () => (await figure("sluice_nodejs_eventloop_lag_max_seconds")) > 0,
    );
    const blockedUntil = performance.now() + 300;
    while (performance.now() < blockedUntil);
    const seen = await waitFor("the delay to show", async () => {
      const max = await figure("sluice_nodejs_eventloop_lag_max_seconds");
      return max >= 0.2 ? max : undefined;
    });
    assert.ok((await figure("sluice_nodejs_eventloop_lag_max_seconds")) >= seen);
  });

  it("show the pressure on the process, and what was refused because of it", async () => {
    const found = await figures();
    const values = (name: string) =>
      found.filter((sample) => sample.name === name).map(({ labels, value }) => [labels, value]);
    assert.deepEqual(values("sluice_pressure"), [
      ['{cause="event_loop"}', 2],
      ['{cause="memory"}', 1],
      ['{cause="bodies"}', 0],
    ]);
    assert.deepEqual(values("sluice_load_shed_total"), [
      ['{kind="body"}', 3],
      ['{kind="stream"}', 4],
    ]);
    assert.equal(await figure("sluice_event_loop_delay_seconds"), 0.15);
  });

  it("count deletions that were completed or postponed, and the records that were erased", async () => {
    metrics.deletionsCompleted.add();
    metrics.recordsErased.add(3);
    metrics.deletionsPostponed.add(2);
    assert.equal(await figure("sluice_deletions_completed_total"), 1);
    assert.equal(await figure("sluice_records_erased_total"), 3);
    assert.equal(await figure("sluice_deletion_failures_total"), 2);
  });

  it("have the ages of the deletions that have been due and processing for longest", async () => {
    const due = await figure("sluice_deletion_oldest_due_age_seconds");
    const processing = await figure("sluice_deletion_oldest_processing_age_seconds");
    assert.ok(processing >= 3_600 && due - processing >= 3_590, `${due} ${processing}`);
  });

  it("show how much is held for clients", async () => {
    [bodies.heldBytes, pages.heldBytes] = [200, 300];
    assert.equal(await figure("sluice_held_body_bytes"), 200);
    assert.equal(await figure("sluice_held_page_bytes"), 300);
    [bodies.heldBytes, pages.heldBytes] = [0, 0];
    assert.equal(await figure("sluice_held_body_bytes"), 0);
  });
});

function exampleRegistry(): Registry {
  const registry = new Registry();
  const counters = registry.counters({ name: "c_total", help: "C.", labels: ["kind"] });
  counters.with('a"\\\n').add(2);
  registry.histogram({ name: "h", help: "H.", buckets: [1, 2] }).observe(1.5);
  registry.gauge({ name: "g", help: "G." }).set(7);
  return registry;
}

describe("a snapshot", () => {
  it("is rendered in the text format, with cumulative buckets and escaped labels", async () => {
    assert.equal(
      renderSnapshot(await exampleRegistry().snapshot()),
      [
        "# HELP c_total C.",
        "# TYPE c_total counter",
        String.raw`c_total{kind="a\"\\\n"} 2`,
        "# HELP h H.",
        "# TYPE h histogram",
        'h_bucket{le="1"} 0',
        'h_bucket{le="2"} 1',
        'h_bucket{le="+Inf"} 1',
        "h_sum 1.5",
        "h_count 1",
        "# HELP g G.",
        "# TYPE g gauge",
        "g 7",
        "",
      ].join("\n"),
    );
  });

  it("has a series for each combination of labels", async () => {
    const registry = new Registry();
    const counters = registry.counters({ name: "d_total", help: "D.", labels: ["one", "two"] });
    counters.with("x", 2).add();
    counters.with("x", 3).add(4);
    const text = renderSnapshot(await registry.snapshot());
    assert.match(text, /\nd_total\{one="x",two="2"\} 1\nd_total\{one="x",two="3"\} 4\n$/);
  });

  it("counts a value that equals a bound in the bucket of that bound", async () => {
    const registry = new Registry();
    registry.histogram({ name: "h", help: "H.", buckets: [1, 2] }).observe(1);
    assert.match(renderSnapshot(await registry.snapshot()), /^h_bucket\{le="1"\} 1$/m);
  });

  it("with a figure that is no number is a mistake that shows", async () => {
    const registry = new Registry();
    registry.gauge({ name: "g", help: "G." }).set(Number.NaN);
    const snapshot = await registry.snapshot();
    assert.throws(() => renderSnapshot(snapshot), TypeError);
  });
});
