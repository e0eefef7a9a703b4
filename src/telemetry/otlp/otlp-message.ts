// Parts that messages about spans and about metrics share: the process, attributes and times.

import type { Attributes, AttributeValue } from "../span.ts";
import type { Message } from "./protobuf.ts";

/** What exports are about: the process, and the code that measures. */
export interface Origin {
  readonly resource: Message;
  readonly scope: Message;
}

export interface OriginOptions {
  readonly version: string;
  /** Unique to the process. */
  readonly instanceId: string;
  /** Of the operator; they replace ours of the same name. */
  readonly attributes: Attributes;
}

export function makeOrigin({ version, instanceId, attributes }: OriginOptions): Origin {
  const ours = {
    "service.name": "sluice",
    "service.version": version,
    "service.instance.id": instanceId,
    "process.runtime.name": "nodejs",
    "process.runtime.version": process.versions.node,
    "telemetry.sdk.name": "sluice",
    "telemetry.sdk.language": "nodejs",
    "telemetry.sdk.version": version,
  };
  return {
    resource: { attributes: toKeyValues({ ...ours, ...attributes }) },
    scope: { name: "sluice", version },
  };
}

export function toKeyValues(attributes: Attributes): readonly Message[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: toAnyValue(value) }));
}

function toAnyValue(value: AttributeValue): Message {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** Microseconds are exact in a double, nanoseconds are not. */
export function toUnixNano(ms: number): string {
  return `${Math.round(ms * 1_000)}000`;
}
