// Starts and ends spans, and knows the current span of the work that is being done. An unsampled trace has no spans at all,
// so its work costs one lookup.

import { AsyncLocalStorage } from "node:async_hooks";
import { randomFillSync } from "node:crypto";
import type { Sampler } from "./sampler.ts";
import type { SpanClock } from "./span-clock.ts";
import type { EndedSpan, OpenSpan, SpanContext, SpanEnd, SpanKind } from "./span.ts";
import { spanKind } from "./span.ts";
import type { RemoteParent } from "./trace-context.ts";

export interface TracerOptions {
  readonly sampler: Sampler;
  readonly clock: SpanClock;
  readonly onEnded: (span: EndedSpan) => void;
}

/** A root span or the child of one in another process. */
interface RootSpan {
  readonly name: string;
  readonly kind: SpanKind;
  readonly startMs: number;
  readonly parent?: RemoteParent | undefined;
  /** A span of another trace that caused this one. */
  readonly link?: SpanContext | undefined;
}

/** A child whose work is done. */
interface ChildSpan extends SpanEnd {
  readonly name: string;
  readonly kind?: SpanKind;
  readonly startMs: number;
}

export class Tracer {
  readonly #options: TracerOptions;
  readonly #current = new AsyncLocalStorage<OpenSpan | undefined>();
  readonly #ids = Buffer.alloc(idPoolBytes);
  #nextId = idPoolBytes;

  constructor(options: TracerOptions) {
    this.#options = options;
  }

  now(): number {
    return this.#options.clock.now();
  }

  /** Of the work that calls it; undefined if its trace is not recorded. */
  current(): OpenSpan | undefined {
    return this.#current.getStore();
  }

  /** Everything that `work` starts has this span as its current one. Undefined also ends an inherited one. */
  run<Result>(span: OpenSpan | undefined, work: () => Result): Result {
    return this.#current.run(span, work);
  }

  /** Undefined if the trace is not recorded. */
  startRoot({ name, kind, startMs, parent, link }: RootSpan): OpenSpan | undefined {
    const traceId = parent?.traceId ?? this.#newId(traceIdBytes);
    if (!this.#options.sampler(traceId, parent)) return undefined;
    return {
      traceId,
      spanId: this.#newId(spanIdBytes),
      traceState: parent?.traceState,
      name,
      kind,
      startMs,
      parentSpanId: parent?.spanId,
      isRemoteChild: parent !== undefined,
      link,
    };
  }

  end(span: OpenSpan, end: SpanEnd): void {
    this.#options.onEnded({ ...span, ...end });
  }

  addChild(parent: OpenSpan, { name, kind = spanKind.internal, startMs, ...end }: ChildSpan): void {
    const { traceId, traceState } = parent;
    const spanId = this.#newId(spanIdBytes);
    const parentSpanId = parent.spanId;
    const context = { traceId, spanId, traceState, parentSpanId, isRemoteChild: false };
    this.#options.onEnded({ ...context, name, kind, startMs, link: undefined, ...end });
  }

  #newId(bytes: number): string {
    if (this.#nextId + bytes > idPoolBytes) {
      randomFillSync(this.#ids);
      this.#nextId = 0;
    }
    this.#nextId += bytes;
    return this.#ids.toString("hex", this.#nextId - bytes, this.#nextId);
  }
}

const traceIdBytes = 16;
const spanIdBytes = 8;
const idPoolBytes = 4_096;
