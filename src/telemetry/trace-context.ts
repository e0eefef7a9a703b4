// Reads the headers traceparent and tracestate (W3C Trace Context, level 2). What is malformed is ignored, as the
// recommendation demands: a request is never rejected because of them.

import type { IncomingHttpHeaders } from "node:http";
import type { SpanContext } from "./span.ts";

export interface RemoteParent extends SpanContext {
  readonly sampled: boolean;
}

/** A later version may have more fields after these; ff is not a version. */
const form = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.{0,256})?$/;

/** Longer lists need not be kept (section 3.3.1.5). */
const traceStateCharactersMax = 512;
const traceStateMembersMax = 32;
const member =
  /^[a-z0-9][a-z0-9_*/@-]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;

/** Undefined if there is no parent, or no valid one. Node joins a repeated traceparent with commas, which is not valid. */
export function readParent(headers: IncomingHttpHeaders): RemoteParent | undefined {
  const { traceparent, tracestate } = headers;
  if (typeof traceparent !== "string") return undefined;
  const [, version, traceId = "", spanId = "", flags = "", more] = form.exec(traceparent) ?? [];
  if (version === undefined || (version === "00" && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  const sampled = (Number.parseInt(flags, 16) & 1) === 1;
  return { traceId, spanId, sampled, traceState: readTraceState(tracestate) };
}

function readTraceState(header: string | readonly string[] | undefined): string | undefined {
  if (typeof header !== "string" || header.length > traceStateCharactersMax) return undefined;
  const members = header
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  const keys = new Set(members.map((part) => part.split("=", 1)[0]));
  const isValid = members.every((part) => member.test(part)) && keys.size === members.length;
  if (!isValid || members.length === 0 || members.length > traceStateMembersMax) return undefined;
  return members.join(",");
}
