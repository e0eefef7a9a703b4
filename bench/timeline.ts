// `npm run bench -- timeline`: single adds at a steady rate to the floor and to the product at the same time, and a
// picture of their latencies, in which checkpoints and stalls show: a stall of the machine shows in both. Writes
// docs/reference/latency-ENGINE.svg. Asserts nothing.

import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { makeHistogram } from "./histogram.ts";
import { type Span, startIntake } from "./intake.ts";
import { type Subject, withSubjects } from "./subjects.ts";
import { drawTimelines, type Slot, type Timeline } from "./timeline-svg.ts";

const slotMs = 100;
/** Few enough requests that a latency is not a queue of the load itself. */
const connections = 16;
const pauseMs = 4;
const warmUpMs = 5_000;
/** The least that PostgreSQL accepts, so that a minute has checkpoints. */
const checkpointTimeout = "30s";

const { values } = parseArgs({
  options: {
    engine: { type: "string", default: "sqlite" },
    seconds: { type: "string", default: "60" },
    out: { type: "string" },
  },
});
const seconds = Number(values.seconds);
if (!(seconds > 0)) throw new Error("--seconds must be a number above 0");
const out =
  values.out ?? join(import.meta.dirname, `../docs/reference/latency-${values.engine}.svg`);

/** When a checkpoint wrote to the database, as numbers of slots. */
async function watchCheckpoints({ store }: Subject, from: number): Promise<ReadonlySet<number>> {
  const found = new Set<number>();
  const slots = (seconds * 1_000) / slotMs;
  let before = await store.checkpointMark();
  for (let slot = 0; slot < slots; slot = slotAt(performance.now(), from)) {
    await sleep(Math.max(0, from + (slot + 1) * slotMs - performance.now()));
    const mark = await store.checkpointMark();
    if (mark !== before) found.add(slot);
    before = mark;
  }
  return found;
}

function slotAt(at: number, from: number): number {
  return Math.floor((at - from) / slotMs);
}

async function measure(subject: Subject): Promise<Timeline> {
  const { name, server, token } = subject;
  const intake = await startIntake({ connections, pauseMs, port: server.port, token, round: 1 });
  await sleep(warmUpMs);
  const from = performance.now();
  const checkpoints = await watchCheckpoints(subject, from);
  await intake.stop();
  const span = { from, to: from + seconds * 1_000 };
  const sent = intake.spans().filter((one) => one.from >= span.from && one.from < span.to);
  const all = makeHistogram();
  for (const { from: at, to } of sent) all.add(to - at);
  return {
    name,
    slots: slotsOf(sent, { from, checkpoints }),
    perSecond: sent.length / seconds,
    p50Ms: all.percentile(0.5),
    p99Ms: all.percentile(0.99),
    p999Ms: all.percentile(0.999),
  };
}

/** Every latency belongs to the slot in which the request was sent. */
function slotsOf(
  sent: readonly Span[],
  { from, checkpoints }: { readonly from: number; readonly checkpoints: ReadonlySet<number> },
): readonly Slot[] {
  const bySlot = Map.groupBy(sent, (one) => slotAt(one.from, from));
  return Array.from({ length: (seconds * 1_000) / slotMs }, (_, slot) => {
    const latencies = (bySlot.get(slot) ?? []).map((one) => one.to - one.from);
    const sorted = latencies.toSorted((one, other) => one - other);
    return {
      medianMs: sorted[Math.floor(sorted.length / 2)],
      longestMs: sorted.at(-1),
      isCheckpoint: checkpoints.has(slot),
    };
  });
}

const timelines = await withSubjects(
  values.engine,
  ({ floor, product }) => Promise.all([measure(floor), measure(product)]),
  { checkpoint_timeout: checkpointTimeout },
);
const title =
  `Single adds on ${values.engine === "sqlite" ? "SQLite" : "PostgreSQL"}: ${connections} connections each, at the same time, ` +
  `${availableParallelism()} cores that all processes share, Node ${process.version}`;
writeFileSync(out, drawTimelines(title, timelines, slotMs));
for (const { name, perSecond, p50Ms, p99Ms, p999Ms, slots } of timelines) {
  const checkpoints = slots.filter(({ isCheckpoint }) => isCheckpoint).length;
  process.stdout.write(
    `${name.padEnd(8)} ${perSecond.toFixed(0).padStart(6)} adds/s, p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms, ` +
      `p99.9 ${p999Ms.toFixed(2)} ms, checkpoints in ${checkpoints} of ${slots.length} slots of ${slotMs} ms\n`,
  );
}
process.stdout.write(`${out}\n`);
