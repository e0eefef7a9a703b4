// Spans of large bodies: `body memory` while a body waits for its reservation, and `bulk thread` from the moment when a
// list or a stream is passed to that thread until it is stored.

import type { Attributes, Span } from "@opentelemetry/api";
import type { Bodies, Bulk } from "../feature.ts";
import { failureType, type Tracer } from "./tracer.ts";

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
