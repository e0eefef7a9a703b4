// Spans as the message that OTLP exports them in.

import type { EndedSpan, SpanContext } from "../span.ts";
import { type Origin, toKeyValues, toUnixNano } from "./otlp-message.ts";
import type { Message } from "./protobuf.ts";

/** The numbers of the protocol: SpanFlags and Status.StatusCode. */
const flags = { sampled: 0x001, knowsRemote: 0x100, isRemote: 0x200 } as const;
const statusError = 2;

export function toTraceMessage(origin: Origin, spans: readonly EndedSpan[]): Message {
  const { resource, scope } = origin;
  return { resourceSpans: [{ resource, scopeSpans: [{ scope, spans: spans.map(toSpan) }] }] };
}

function toSpan(span: EndedSpan): Message {
  const remote = span.isRemoteChild ? flags.isRemote : 0;
  return {
    ...toContext(span),
    parentSpanId: span.parentSpanId,
    name: span.name,
    kind: span.kind,
    startTimeUnixNano: toUnixNano(span.startMs),
    endTimeUnixNano: toUnixNano(span.endMs),
    attributes: toKeyValues(span.attributes),
    links: span.link === undefined ? undefined : [toContext(span.link)],
    status: span.failed ? { code: statusError } : undefined,
    flags: flags.sampled | flags.knowsRemote | remote,
  };
}

function toContext({ traceId, spanId, traceState }: SpanContext): Message {
  return { traceId, spanId, traceState };
}
