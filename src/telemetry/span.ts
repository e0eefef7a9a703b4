// What a span is, from its start to its export. Never holds content or ids of records, tokens or keys.

/** What a span of another process or of this one tells its children (W3C Trace Context). Ids are lower-case hex. */
export interface SpanContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceState: string | undefined;
}

export type AttributeValue = string | number | boolean;
export type Attributes = Readonly<Record<string, AttributeValue>>;

/** The numbers of the protocol (opentelemetry.proto.trace.v1.Span.SpanKind). */
export const spanKind = { internal: 1, server: 2, client: 3 } as const;
export type SpanKind = (typeof spanKind)[keyof typeof spanKind];

/** A span that is recorded and has not ended. */
export interface OpenSpan extends SpanContext {
  readonly name: string;
  readonly kind: SpanKind;
  readonly startMs: number;
  readonly parentSpanId: string | undefined;
  /** True if the parent is a span of another process. */
  readonly isRemoteChild: boolean;
  readonly link: SpanContext | undefined;
}

/** What is known at the end of a span. */
export interface SpanEnd {
  readonly endMs: number;
  readonly attributes: Attributes;
  /** True if the work has failed. */
  readonly failed: boolean;
}

export interface EndedSpan extends OpenSpan, SpanEnd {}
