// Webhooks: the events that an endpoint can be sent, the states of an endpoint, and the rules of its URL.

import { hourMs } from "../../basics/duration.ts";

/** `changes.available` wakes a reader of the feed; the others report steps of a deletion. */
export const webhookEvents = [
  "sluice.changes.available",
  "sluice.deletion.requested",
  "sluice.deletion.cancelled",
  "sluice.deletion.completed",
] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

/** Sent only when somebody asks for it. */
export const testEvent = "sluice.webhook.test";

/** `gone`: the endpoint answered 410. `failing`: every attempt has failed for days. */
export type DisabledBecause = "gone" | "failing";

export interface WebhookEndpoint {
  readonly endpointId: string;
  readonly organizationId: string;
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  readonly description: string;
  /** The record types that it may be notified of; undefined for all that are not confidential. */
  readonly types: readonly string[] | undefined;
  readonly createdAt: number;
  readonly createdBy: string;
  /** Identifies the key from which the secret is derived. */
  readonly keyCheck: number;
  readonly disabledAt: number | undefined;
  readonly disabledBecause: DisabledBecause | undefined;
  /** The entry of the audit trail up to which it was notified of deletions. */
  readonly entryNo: number;
  /** The arrival number of the last change that it was notified of. */
  readonly changeNo: number;
  readonly signalledAt: number | undefined;
  readonly testRequestedAt: number | undefined;
  /** Attempts since the last successful one. */
  readonly failures: number;
  readonly failingSince: number | undefined;
  readonly nextAttemptAt: number | undefined;
  readonly lastAttemptAt: number | undefined;
  /** The status of the last reply, or why there was none. */
  readonly lastResult: string | undefined;
  readonly lastDeliveredAt: number | undefined;
  /** Until when only one process sends to it. */
  readonly leaseUntil: number | undefined;
}

export type WebhookState = "enabled" | "failing" | "disabled" | "key_changed";

/** `keyCheck`: identifies the key of this process; undefined without a key. */
export function webhookState(endpoint: WebhookEndpoint, keyCheck?: number): WebhookState {
  if (endpoint.disabledAt !== undefined) return "disabled";
  if (keyCheck !== undefined && keyCheck !== endpoint.keyCheck) return "key_changed";
  return endpoint.failures > 0 ? "failing" : "enabled";
}

export const urlCharactersMax = 2_000;
export const descriptionCharactersMax = 200;

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
export const webhookGivesUpMs = 72 * hourMs;
/** Fewer attempts than this say nothing: the service may have been stopped in between, or its clock set. */
export const webhookGivesUpAttempts = 6;

/** The delay after one failure, after two, and so on; the last one applies to all further failures. */
const waitsMs = [
  5 * secondMs,
  30 * secondMs,
  2 * minuteMs,
  10 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  12 * hourMs,
];

/** Whether an endpoint is given up after another failure. */
export function isHopeless(
  { failures, failingSince }: Pick<WebhookEndpoint, "failures" | "failingSince">,
  now: number,
): boolean {
  const hasFailedLong = failingSince !== undefined && now - failingSince >= webhookGivesUpMs;
  return hasFailedLong && failures + 1 >= webhookGivesUpAttempts;
}

/** The longest time that is waited for. */
export const webhookWaitsMsMax = { attempt: 15 * hourMs, lease: 10 * minuteMs } as const;

/** `random`, 0 to 1, makes the delay up to a fifth shorter or longer. `retryAfterMs` may extend it to the longest. */
export function retryWaitMs(failures: number, random: number, retryAfterMs = 0): number {
  const longest = waitsMs.at(-1) ?? 0;
  const usual = waitsMs[failures - 1] ?? longest;
  const jittered = Math.round(usual * (0.8 + 0.4 * random));
  return Math.max(jittered, Math.min(retryAfterMs, longest));
}
