// Delivers the messages of an endpoint one after another, under a lease: claims the endpoint, sends, and stores the
// result before the next message. A crash in between repeats a message, and never skips one.

import { readRetryAfter } from "../../basics/back-off.ts";
import { type DisabledBecause, isHopeless, retryWaitMs, type WebhookEndpoint } from "./webhook.ts";
import type { Cursors } from "./store/delivery.ts";
import type { App } from "../../actions/app.ts";
import { webhooks } from "./store/part.ts";
import { findNext, type Message, type MessageSource } from "./next-message.ts";
import type { Posting, PostResult } from "./post.ts";

/** Longer than an attempt can take. */
const leaseMs = 30_000;
/** How many messages an endpoint is sent, and for how long, before others have their turn. */
const messagesMax = 50;
const turnMs = 5_000;

const statusGone = 410;

/** A message, and the endpoint as it was when the message was found. */
export interface ToSend {
  readonly endpoint: WebhookEndpoint;
  readonly message: Message;
}

export interface DeliveryOptions {
  readonly source: MessageSource;
  readonly claimant: string;
  /** Up to where the trail and the changes are complete. */
  readonly ends: Cursors;
  readonly send: (posting: Posting) => Promise<PostResult>;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly stopping: AbortSignal;
  readonly onAttempt: (attempt: DeliveryAttempt) => void;
}

export interface DeliveryAttempt {
  /** After the attempt. */
  readonly endpoint: WebhookEndpoint;
  readonly kind: "delivered" | "failed" | "tested";
  readonly result: string;
  readonly disabled: DisabledBecause | undefined;
}

/** Sends the message and those that follow it, unless another process does, or somebody has changed the endpoint. */
export async function deliver(app: App, first: ToSend, options: DeliveryOptions): Promise<void> {
  const now = app.now();
  const lease = { claimant: options.claimant, now, until: now + leaseMs };
  const endpoint = await app.store.of(webhooks).claim(first.endpoint, lease);
  let sending = endpoint && { endpoint, message: first.message };
  for (let sent = 1; sending !== undefined; sent += 1) {
    const posted = await options.send(signed(app, sending, options));
    if (resultOf(posted) === "stopped") return release(app, sending.endpoint, options);
    const isOver = sent >= messagesMax || app.now() - now >= turnMs;
    const isLast = options.stopping.aborted || isOver;
    sending = await storeResult(app, sending, { ...options, posted, isLast });
  }
}

/** Whether somebody has set the cursors. */
function isMoved(settled: WebhookEndpoint, told: WebhookEndpoint): boolean {
  return settled.entryNo !== told.entryNo || settled.changeNo !== told.changeNo;
}

function release(
  { store }: App,
  { organizationId, endpointId }: WebhookEndpoint,
  { claimant }: DeliveryOptions,
): Promise<void> {
  return store.of(webhooks).release({ organizationId, endpointId, claimant });
}

function signed(app: App, { endpoint, message }: ToSend, { source }: DeliveryOptions): Posting {
  const { id, body } = message;
  const timestamp = Math.floor(app.now() / 1_000);
  return {
    url: endpoint.url,
    body,
    headers: {
      "content-type": "application/json",
      "user-agent": "sluice-webhooks",
      "webhook-id": id,
      "webhook-timestamp": String(timestamp),
      "webhook-signature": source.keys.sign(endpoint.endpointId, { id, timestamp, body }),
    },
  };
}

/** The endpoint after the attempt. */
function afterAttempt(
  app: App,
  { endpoint, message }: ToSend,
  { posted, random }: Attempted,
): WebhookEndpoint {
  const { status, retryAfter } = { status: undefined, retryAfter: undefined, ...posted };
  const now = app.now();
  const tried = { ...endpoint, lastAttemptAt: now, lastResult: resultOf(posted) };
  const kind = kindOf(message, posted);
  if (kind === "tested") return { ...tried, testRequestedAt: undefined };
  if (kind === "delivered") {
    const signalledAt = message.isSignal ? now : endpoint.signalledAt;
    const delivered = { ...tried, ...message.after, signalledAt, lastDeliveredAt: now };
    return { ...delivered, failures: 0, failingSince: undefined, nextAttemptAt: undefined };
  }
  const failures = endpoint.failures + 1;
  const { failingSince = now } = endpoint;
  const failed = { ...tried, failures, failingSince, nextAttemptAt: undefined };
  const isGone = status === statusGone;
  if (isGone || isHopeless(endpoint, now)) {
    return { ...failed, disabledAt: now, disabledBecause: isGone ? "gone" : "failing" };
  }
  const waitMs = retryWaitMs(failures, random(), readRetryAfter(retryAfter, now));
  return { ...failed, nextAttemptAt: now + waitMs };
}

function kindOf({ test }: Message, posted: PostResult): DeliveryAttempt["kind"] {
  if (test !== undefined) return "tested";
  return "status" in posted && posted.status >= 200 && posted.status < 300 ? "delivered" : "failed";
}

function resultOf(posted: PostResult): string {
  return "status" in posted ? String(posted.status) : posted.failure;
}

interface Attempted extends DeliveryOptions {
  readonly posted: PostResult;
  readonly isLast: boolean;
}

/** Stores the result of an attempt, and returns the next message under the same lease. */
async function storeResult(
  app: App,
  sent: ToSend,
  options: Attempted,
): Promise<ToSend | undefined> {
  const { endpoint: before, message } = sent;
  const { claimant, onAttempt, posted, source, ends } = options;
  const kind = kindOf(message, posted);
  const attempted = afterAttempt(app, sent, options);
  const { message: next, place } =
    options.isLast || kind !== "delivered"
      ? { message: undefined, place: attempted }
      : await findNext(source, attempted, { ends, place: attempted });
  const { entryNo, changeNo } = next === undefined ? place : attempted;
  const leaseUntil = next === undefined ? undefined : app.now() + leaseMs;
  const after = { ...attempted, entryNo, changeNo, leaseUntil };
  const settled = await app.store.of(webhooks).storeResult({ before, after, claimant });
  const disabled = kind === "failed" ? settled?.disabledBecause : undefined;
  onAttempt({ endpoint: settled ?? before, kind, result: resultOf(posted), disabled });
  if (settled === undefined || next === undefined) return undefined;
  if (!isMoved(settled, attempted)) return { endpoint: settled, message: next };
  await release(app, before, options);
  return undefined;
}
