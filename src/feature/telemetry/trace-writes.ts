// Spans of what a request waits for. In the store: `writer queue` until its group starts, and `group commit`, which the
// traces of all writes of a group have. For large bodies: `body memory` until its reservation, and `bulk thread` until
// a list or a stream is stored.

import { type Attributes, type Span, SpanKind } from "@opentelemetry/api";
import type { GroupFigures, Store } from "../../store/interface/store.ts";
import { failureType, type Tracer } from "./tracer.ts";
import type { Bodies, Bulk } from "../feature.ts";

export interface WriteTracing {
  /** Call for each group, before its writes are answered. */
  readonly onGroup: (figures: GroupFigures) => void;
  readonly wrap: (store: Store) => Pick<Store, "writeRecords" | "requestDeletion">;
}

export function traceWrites(tracer: Tracer): WriteTracing {
  // The writes of a group are answered in the event-loop tick in which its figures arrive, so these are theirs.
  let lastGroup: GroupFigures = { writes: 0, seconds: 0 };

  async function trace<Result>(store: Store, write: () => Promise<Result>): Promise<Result> {
    const parent = tracer.current();
    if (parent === undefined) return write();
    const startMs = tracer.now();
    try {
      const result = await write();
      addSpans(store.traits, parent, startMs);
      return result;
    } catch (error) {
      const attributes = { "error.type": failureType(error) };
      const end = { endMs: tracer.now(), attributes };
      tracer.addChild(parent, { name: "writer queue", startMs, ...end });
      throw error;
    }
  }

  /** The group is measured where it runs; until its answer arrives it counts as the end of the wait. */
  function addSpans(
    { isServer, systemName }: Store["traits"],
    parent: Span,
    startMs: number,
  ): void {
    const endMs = tracer.now();
    const { writes, seconds } = lastGroup;
    const commitMs = Math.max(startMs, endMs - seconds * 1_000);
    tracer.addChild(parent, { name: "writer queue", startMs, endMs: commitMs, attributes: {} });
    tracer.addChild(parent, {
      name: "group commit",
      kind: isServer ? SpanKind.CLIENT : SpanKind.INTERNAL,
      startMs: commitMs,
      endMs,
      attributes: { "db.system.name": systemName, "sluice.group.writes": writes },
    });
  }

  return {
    onGroup: (figures) => (lastGroup = figures),
    wrap: (store) => ({
      writeRecords: (write) => trace(store, () => store.writeRecords(write)),
      requestDeletion: (request, act) => trace(store, () => store.requestDeletion(request, act)),
    }),
  };
}

export function traceBodies(tracer: Tracer, bodies: Bodies): Bodies {
  return {
    get heldBytes() {
      return bodies.heldBytes;
    },
    reserve: (organizationId, bytes, signal) => {
      const startMs = tracer.now();
      const reserved = bodies.reserve(organizationId, bytes, signal);
      const parent = tracer.current();
      if (parent === undefined || !(reserved instanceof Promise)) return reserved;
      const end = endOf(tracer, parent, { name: "body memory", startMs });
      void reserved.then(
        () => end({}),
        (error: unknown) => end({ "error.type": failureType(error) }),
      );
      return reserved;
    },
  };
}

export function traceBulk(tracer: Tracer, bulk: Bulk): Bulk {
  return {
    writeList: async (order, body, signal) => {
      const parent = tracer.current();
      if (parent === undefined) return bulk.writeList(order, body, signal);
      const end = endOf(tracer, parent, { name: "bulk thread", startMs: tracer.now() });
      const outcome = await bulk.writeList(order, body, signal);
      const { items, processorMs } = outcome.work;
      const work = { "sluice.items": items, "sluice.processor_ms": processorMs };
      end("error" in outcome ? { ...work, "error.type": failureType(outcome.error) } : work);
      return outcome;
    },
    openStream: (order, events) => {
      const stream = bulk.openStream(order, events);
      const parent = tracer.current();
      if (parent === undefined) return stream;
      const finish = endOf(tracer, parent, { name: "bulk thread", startMs: tracer.now() });
      return {
        write: (chunk) => stream.write(chunk),
        end: async (whole) => {
          const ended = await stream.end(whole);
          const work = { "sluice.items": ended.tally.received };
          const { error } = ended;
          finish(error === undefined ? work : { ...work, "error.type": failureType(error) });
          return ended;
        },
      };
    },
  };
}

function endOf(
  tracer: Tracer,
  parent: Span,
  { name, startMs }: { readonly name: string; readonly startMs: number },
): (attributes: Attributes) => void {
  return (attributes) =>
    tracer.addChild(parent, { name, startMs, endMs: tracer.now(), attributes });
}
