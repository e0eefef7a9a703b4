// Delivers the messages of an endpoint one after another, under a lease: claims the endpoint, sends, and stores the
// result before the next message. A crash in between repeats a message, and never skips one.

import { readRetryAfter } from "../../basics/back-off.ts";
import {
  type DisabledBecause,
  isHopeless,
  retryWaitMs,
  type WebhookEndpoint,
} from "../../domain/webhook.ts";
import type { Attempt } from "../../store/interface/webhooks.ts";
import type { App } from "../app.ts";
import {
  type Ends,
  findNext,
  type Message,
  type MessageSource,
  type Place,
  placeOf,
} from "./next-message.ts";

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

export interface DeliveryOptions {
  readonly source: MessageSource;
  readonly claimant: string;
  readonly ends: Ends;
  /** Up to where messages of the endpoint were searched before it was claimed. */
  readonly place: Place;
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

/** Does nothing if another process sends to the endpoint, or if there is nothing to send. */
export async function deliver(
  app: App,
  endpoint: WebhookEndpoint,
  options: DeliveryOptions,
): Promise<void> {
  const { source, claimant, ends, place } = options;
  const { organizationId, endpointId } = endpoint;
  const now = app.now();
  const lease = { organizationId, endpointId, claimant, now, until: now + leaseMs };
  const claimed = await app.store.webhooks.claim(lease);
  if (claimed === undefined) return;
  const isSigned = claimed.keyCheck === source.keys.check;
  const { message } = isSigned
    ? await findNext(source, claimed, { ends, place: placeOf(claimed, place) })
    : { message: undefined };
  if (message === undefined) return release(app, claimed, options);
  await deliverAll(app, { endpoint: claimed, message }, options);
}

interface ToSend {
  readonly endpoint: WebhookEndpoint;
  readonly message: Message;
}

async function deliverAll(app: App, first: ToSend, options: DeliveryOptions): Promise<void> {
  let sending: ToSend | undefined = first;
  for (let sent = 1; sending !== undefined; sent += 1) {
    const { endpoint, message }: ToSend = sending;
    const sendResult = await options.send(signed(app, sending, options));
    if (sendResult.stopped) return release(app, endpoint, options);
    const outcome = evaluate(app, sending, { ...options, sendResult });
    const isOver = outcome.kind !== "delivered" || options.stopping.aborted || sent >= messagesMax;
    const told = afterwards(endpoint, message, app.now());
    const following: Message | undefined = isOver
      ? undefined
      : (await findNext(options.source, told, { ends: options.ends, place: placeOf(told) }))
          .message;
    const settled: WebhookEndpoint | undefined = await settle(app, sending, {
      ...options,
      outcome,
      result: sendResult.result,
      isLast: following === undefined,
    });
    if (settled === undefined || following === undefined) return;
    if (isChanged(settled, told)) return release(app, endpoint, options);
    sending = { endpoint: settled, message: following };
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

/** The endpoint as the row will be once the message is delivered. */
function afterwards(
  endpoint: WebhookEndpoint,
  { after, isSignal }: Message,
  at: number,
): WebhookEndpoint {
  const signalledAt = isSignal ? at : endpoint.signalledAt;
  return { ...endpoint, ...after, signalledAt, lastDeliveredAt: at };
}

function evaluate(
  app: App,
  { endpoint, message }: ToSend,
  { sendResult, random }: DeliveryOptions & { readonly sendResult: SendResult },
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

interface Settling extends DeliveryOptions, Pick<Attempt, "outcome" | "result"> {
  readonly isLast: boolean;
}

async function settle(
  app: App,
  { endpoint }: ToSend,
  { outcome, result, isLast, claimant, onAttempt }: Settling,
): Promise<WebhookEndpoint | undefined> {
  const { organizationId, endpointId } = endpoint;
  const at = app.now();
  const leaseUntil = isLast ? undefined : at + leaseMs;
  const attempt = { organizationId, endpointId, claimant, at, result, leaseUntil, outcome };
  const settled = await app.store.webhooks.settle(attempt);
  const { kind } = outcome;
  const disabled = kind === "failed" ? settled?.disabledBecause : undefined;
  onAttempt({ endpoint: settled ?? endpoint, kind, result, disabled });
  return settled;
}
