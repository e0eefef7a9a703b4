// Sends events as log records over OTLP/HTTP in JSON (OpenTelemetry Protocol 1.x, "OTLP/HTTP Request"). Does not need
// the packages of OpenTelemetry: the text is made here, and sent in the same way as a webhook.

import { randomUUID } from "node:crypto";
import { lookup } from "node:dns/promises";
import type { OutEvent, OutValue } from "../../domain/event.ts";
import { makePost } from "../webhook/post.ts";
import { type EventReceiver, SendFailure } from "./receiver.ts";

const replyBytesMax = 16 * 1_024;
/** OpenTelemetry Logs Data Model, "Field: SeverityNumber". */
const severities = { info: [9, "INFO"], warning: [13, "WARN"] } as const;

export interface OtlpOptions {
  readonly endpoint: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly version: string;
  /** Certificates to trust instead of those of the system. */
  readonly ca?: string | undefined;
  readonly attemptMs?: number | undefined;
}

/** The operator has chosen the receiver, so it may be anywhere. */
const anywhere = { allows: () => true, allowsPlain: () => true };

export function makeOtlpReceiver(options: OtlpOptions): EventReceiver {
  const { endpoint, headers, version, ca, attemptMs } = options;
  const post = makePost({
    allowed: anywhere,
    resolve: async (name) =>
      (await lookup(name, { all: true }).catch(() => [])).map(({ address }) => address),
    ...(ca === undefined ? {} : { ca }),
    ...(attemptMs === undefined ? {} : { attemptMs }),
    replyBytesMax,
  });
  const resource = {
    attributes: attributesOf({
      "service.name": "sluice",
      "service.version": version,
      "service.instance.id": randomUUID(),
    }),
  };
  return {
    destination: "otlp",
    send: async (events, stopping) => {
      const scopeLogs = [{ scope: { name: "sluice", version }, logRecords: events.map(recordOf) }];
      const result = await post(
        {
          url: endpoint.href,
          headers: { ...headers, "content-type": "application/json" },
          body: JSON.stringify({ resourceLogs: [{ resource, scopeLogs }] }),
        },
        stopping,
      );
      if ("failure" in result) throw new SendFailure(result.failure);
      const { status, retryAfter } = result;
      if (status !== 200) throw new SendFailure(`status ${status}`, retryAfter);
      return hasRefused(result.body ?? "") ? "refused" : "sent";
    },
  };
}

function recordOf({ name, at, isWarning, fields }: OutEvent) {
  const [severityNumber, severityText] = severities[isWarning ? "warning" : "info"];
  const named = Object.entries(fields).map(([field, value]) => [`sluice.${field}`, value]);
  return {
    timeUnixNano: `${at}000000`,
    observedTimeUnixNano: `${at}000000`,
    severityNumber,
    severityText,
    eventName: `sluice.${name}`,
    body: { stringValue: name },
    attributes: attributesOf(Object.fromEntries(named) as OutEvent["fields"]),
  };
}

function attributesOf(fields: OutEvent["fields"]) {
  return Object.entries(fields).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValue(value) }],
  );
}

/** In JSON, 64-bit integers are texts. */
function anyValue(value: OutValue): object {
  if (typeof value === "number") return { intValue: String(value) };
  if (typeof value === "string") return { stringValue: value };
  return { arrayValue: { values: value.map((stringValue) => ({ stringValue })) } };
}

/** "OTLP/HTTP Response", "Partial Success": the refused records must not be sent again. */
function hasRefused(body: string): boolean {
  try {
    const reply = JSON.parse(body) as {
      readonly partialSuccess?: { readonly rejectedLogRecords?: unknown };
    };
    return Number(reply.partialSuccess?.rejectedLogRecords ?? 0) > 0;
  } catch {
    return false;
  }
}
