// Starts and ends spans, and knows the current span of the running work. Without recording there are no spans, and the
// work costs one lookup. Spans never contain content or ids of records, tokens or keys.

import { AsyncLocalStorage } from "node:async_hooks";
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer as OfficialTracer,
} from "@opentelemetry/api";
import { AppError } from "../../domain/error.ts";

interface RootSpan {
  readonly name: string;
  readonly kind: SpanKind;
  readonly startMs: number;
  readonly context?: Context;
}

/** The work has failed if there is an attribute `error.type`. */
interface SpanEnd {
  readonly endMs: number;
  readonly attributes: Attributes;
}

interface ChildSpan extends SpanEnd {
  readonly name: string;
  readonly kind?: SpanKind;
  readonly startMs: number;
}

/** Smaller differences come from the resolution of the system's clock and the delay of reading both clocks. */
const driftMsMax = 20;

/**
 * Unix milliseconds with a fraction. Monotonic, so that no span ends before it starts, and corrected only when it has
 * moved away from the clock of the system, which may itself be adjusted.
 */
export class SpanClock {
  #offsetMs = performance.timeOrigin;

  now(): number {
    return this.#offsetMs + performance.now();
  }

  correct(systemMs = Date.now()): void {
    const driftMs = systemMs - this.now();
    if (Math.abs(driftMs) > driftMsMax) this.#offsetMs += driftMs;
  }
}

export class Tracer {
  readonly #tracer: OfficialTracer;
  readonly #clock: SpanClock;
  readonly #current = new AsyncLocalStorage<Span | undefined>();

  constructor(tracer: OfficialTracer, clock: SpanClock) {
    this.#tracer = tracer;
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  /** The span of the calling work; undefined if its trace is not recorded. */
  current(): Span | undefined {
    return this.#current.getStore();
  }

  /**
   * Runs `work`, and everything that it starts, with this span as the current one. Undefined also ends an inherited
   * span.
   */
  run<Result>(span: Span | undefined, work: () => Result): Result {
    return this.#current.run(span, work);
  }

  /** Undefined if the trace is not recorded. */
  startRoot({ name, kind, startMs, context = ROOT_CONTEXT }: RootSpan): Span | undefined {
    const span = this.#tracer.startSpan(name, { kind, startTime: startMs }, context);
    return span.isRecording() ? span : undefined;
  }

  end(span: Span, { endMs, attributes }: SpanEnd): void {
    span.setAttributes(attributes);
    if ("error.type" in attributes) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(endMs);
  }

  addChild(parent: Span, { name, kind = SpanKind.INTERNAL, startMs, ...end }: ChildSpan): void {
    const context = trace.setSpan(ROOT_CONTEXT, parent);
    this.end(this.#tracer.startSpan(name, { kind, startTime: startMs }, context), end);
  }
}

export function failureType(error: unknown): string {
  if (error instanceof AppError) return error.errorName;
  if (!(error instanceof Error)) return "_OTHER";
  const code: unknown = "code" in error ? error.code : undefined;
  return typeof code === "string" && /^[\w-]{1,40}$/.test(code) ? code : error.constructor.name;
}
