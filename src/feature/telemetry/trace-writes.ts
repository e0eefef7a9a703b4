// Spans of what a request waits for in the store: `writer queue` until its group starts, and `group commit`. Every
// write shares its commit with others; each of their traces has a span of it, with the same duration.

import { type Span, SpanKind } from "@opentelemetry/api";
import type { GroupFigures, Store } from "../../store/interface/store.ts";
import { failureType, type Tracer } from "./tracer.ts";

export interface WriteTracing {
  /** Call for each group, before its writes are answered. */
  readonly onGroup: (figures: GroupFigures) => void;
  readonly wrap: (store: Store) => Pick<Store, "writeRecords" | "requestDeletion">;
}

export function traceWrites(
  tracer: Tracer,
  onDeletionRequested: (deletionRequestId: string) => void,
): WriteTracing {
  // The writes of a group are answered in the event-loop tick in which its figures arrive, so these are theirs.
  let lastGroup: GroupFigures = { writes: 0, seconds: 0 };

  async function trace<Result>(
    store: Store,
    parent: Span,
    write: () => Promise<Result>,
  ): Promise<Result> {
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
      writeRecords: (write) => {
        const parent = tracer.current();
        if (parent === undefined) return store.writeRecords(write);
        return trace(store, parent, () => store.writeRecords(write));
      },
      requestDeletion: async (request, act) => {
        const parent = tracer.current();
        if (parent === undefined) return store.requestDeletion(request, act);
        const id = await trace(store, parent, () => store.requestDeletion(request, act));
        if (id !== undefined) onDeletionRequested(id);
        return id;
      },
    }),
  };
}
