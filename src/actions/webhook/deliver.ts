// Delivers the messages of an endpoint one after another, under a lease: claims the endpoint, sends, and stores the
// result before the next message. A crash in between repeats a message, and never skips one.

import { readRetryAfter } from "../../basics/back-off.ts";
import {
  type DisabledBecause,
  isHopeless,
  retryWaitMs,
  type WebhookEndpoint,
} from "../../domain/webhook.ts";
import type { Attempt, Cursors } from "../../store/interface/subscription.ts";
import type { App } from "../app.ts";
import { FeedCipher } from "../change/offset.ts";
import { findNext, type Message, type MessageSource } from "./next-message.ts";

/** Longer than an attempt can take. */
const leaseMs = 30_000;
/** How many messages an endpoint is sent before others have their turn. */
const messagesMax = 50;

const statusGone = 410;

/** The result of a message: the status of the reply, or why there was none. */
export interface SendResult {
  readonly result: string;
  readonly status: number | undefined;
  readonly retryAfter: string | undefined;
  /** True if this process has given up the attempt, because it stops. */
  readonly stopped: boolean;
}

export interface Sending {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

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
  readonly send: (sending: Sending) => Promise<SendResult>;
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

/** Ends the leases of the process that served an embedded store before, which may have been killed. */
export async function beginSending({ store }: Pick<App, "store">): Promise<FeedCipher> {
  if (!store.traits.isServer) await store.webhooks.releaseAll();
  return FeedCipher.open(store);
}

/**
 * Sends a message, and then those that follow it. Does nothing if another process sends to the endpoint, or if somebody
 * has changed what the message depends on.
 */
export async function deliver(app: App, first: ToSend, options: DeliveryOptions): Promise<void> {
  const now = app.now();
  const lease = { claimant: options.claimant, now, until: now + leaseMs };
  const endpoint = await app.store.webhooks.claim(first.endpoint, lease);
  let sending = endpoint && { endpoint, message: first.message };
  for (let sent = 1; sending !== undefined; sent += 1) {
    const sendResult = await options.send(signed(app, sending, options));
    if (sendResult.stopped) return release(app, sending.endpoint, options);
    const isLast = options.stopping.aborted || sent >= messagesMax;
    sending = await settle(app, sending, { ...options, sendResult, isLast });
  }
}

/** Whether somebody has set the cursors, or has made a secret with another key. */
function isChanged(settled: WebhookEndpoint, told: WebhookEndpoint): boolean {
  const { entryNo, changeNo, keyCheck } = told;
  const isMoved = settled.entryNo !== entryNo || settled.changeNo !== changeNo;
  return isMoved || settled.keyCheck !== keyCheck;
}

function release(
  { store }: App,
  { organizationId, endpointId }: WebhookEndpoint,
  { claimant }: DeliveryOptions,
): Promise<void> {
  return store.webhooks.release({ organizationId, endpointId, claimant });
}

function signed(app: App, { endpoint, message }: ToSend, { source }: DeliveryOptions): Sending {
  const { id, body } = message;
  const now = app.now();
  const timestamp = Math.floor(now / 1_000);
  return {
    url: endpoint.url,
    body,
    headers: {
      "content-type": "application/json",
      "user-agent": "sluice-webhooks",
      "webhook-id": id,
      "webhook-timestamp": String(timestamp),
      "webhook-signature": source.keys.sign(endpoint, { id, timestamp, body }, now),
    },
  };
}

function evaluate(
  app: App,
  { endpoint, message }: ToSend,
  { sendResult, random }: Settling,
): Attempt["outcome"] {
  const { status = 0, retryAfter } = sendResult;
  if (message.test !== undefined) return { kind: "tested", requestedAt: message.test };
  const { entryNo, changeNo } = endpoint;
  const { after, isSignal } = message;
  if (status >= 200 && status < 300) {
    return { kind: "delivered", before: { entryNo, changeNo }, after, isSignal };
  }
  const now = app.now();
  const { failures, leaseUntil: leasedUntil = 0 } = endpoint;
  return {
    kind: "failed",
    leasedUntil,
    nextAttemptAt: now + retryWaitMs(failures + 1, random(), readRetryAfter(retryAfter, now)),
    disable: status === statusGone ? "gone" : isHopeless(endpoint, now) ? "failing" : undefined,
  };
}

interface Settling extends DeliveryOptions {
  readonly sendResult: SendResult;
  readonly isLast: boolean;
}

/** Stores the result of an attempt, and returns the next message under the same lease. */
async function settle(app: App, sent: ToSend, options: Settling): Promise<ToSend | undefined> {
  const { endpoint, message } = sent;
  const { organizationId, endpointId } = endpoint;
  const { claimant, onAttempt, sendResult } = options;
  const at = app.now();
  const signalledAt = message.isSignal ? at : endpoint.signalledAt;
  const told = { ...endpoint, ...message.after, signalledAt, lastDeliveredAt: at };
  const { outcome, next } = await goOn(told, evaluate(app, sent, options), options);
  const leaseUntil = next === undefined ? undefined : at + leaseMs;
  const name = { organizationId, endpointId, claimant };
  const { result } = sendResult;
  const settled = await app.store.webhooks.settle({ ...name, at, result, leaseUntil, outcome });
  const { kind } = outcome;
  const disabled = kind === "failed" ? settled?.disabledBecause : undefined;
  onAttempt({ endpoint: settled ?? endpoint, kind, result, disabled });
  if (settled === undefined || next === undefined) return undefined;
  if (!isChanged(settled, told)) return { endpoint: settled, message: next };
  await release(app, endpoint, options);
  return undefined;
}

/** Searches for the next message. If there is none, the cursors go on past everything that was searched. */
async function goOn(
  told: WebhookEndpoint,
  outcome: Attempt["outcome"],
  { source, ends, isLast }: Settling,
): Promise<{ readonly outcome: Attempt["outcome"]; readonly next: Message | undefined }> {
  if (isLast || outcome.kind !== "delivered") return { outcome, next: undefined };
  const { message: next, place } = await findNext(source, told, { ends, place: outcome.after });
  return { outcome: next === undefined ? { ...outcome, after: place } : outcome, next };
}
