// Sends events to one receiver: the audit trail, and how often the process has refused somebody. A slow or unreachable
// receiver delays nothing else: waiting entries are in the store, and refusals are only a few numbers.

import type { App } from "../../actions/app.ts";
import { sendTrail } from "../../actions/event/send-trail.ts";
import { readRetryAfter } from "../../basics/back-off.ts";
import { type OutEvent, type SecurityEvent, securityEvents } from "../../domain/event.ts";
import { type Loop, startLoop } from "../loop.ts";
import { type EventReceiver, SendFailure } from "./receiver.ts";

const intervalMs = 1_000;
const backOffMsMax = 60_000;
/** How long a receiver can postpone the next attempt. */
const retryAfterMsMax = 10 * 60_000;
/** The shortest time between two messages with refusals. */
const countsMs = 60_000;
const entriesMax = 256;
/** After this many batches, a batch may be larger again. */
const batchesBeforeMore = 8;

/** Totals of this process, by event and by reason; both are names from the code. */
export type RefusalTotals = ReadonlyMap<SecurityEvent, ReadonlyMap<string, number>>;

export interface EventSenderOptions {
  readonly receiver: EventReceiver;
  readonly storeId: string;
  readonly totals: () => RefusalTotals;
  /** `refused`: the receiver refused some of the events for good. */
  readonly onSent: (result: "sent" | "refused") => void;
  /** `error` is a SendFailure if the receiver is the cause. */
  readonly onFailure: (error: unknown) => void;
}

export function startEventSender(app: App, options: EventSenderOptions): Loop {
  const sender = new EventSender(app, options);
  return startLoop((stopping) => sender.round(stopping), {
    intervalMs,
    backOffMsMax,
    onError: options.onFailure,
  });
}

class EventSender {
  readonly #app: App;
  readonly #options: EventSenderOptions;
  /**
   * If a receiver ends a connection early, the next batches are smaller, down to one entry, so that sending makes
   * progress in any case.
   */
  #entriesMax = entriesMax;
  #batches = 0;
  #entryNo: number | undefined;
  #notBefore = 0;
  #counted: RefusalTotals = new Map();
  #countedAt: number;

  constructor(app: App, options: EventSenderOptions) {
    this.#app = app;
    this.#options = options;
    this.#countedAt = app.now();
  }

  /** Returns true if there is more to send at once. */
  async round(stopping: AbortSignal): Promise<boolean> {
    if (this.#app.now() < this.#notBefore) return false;
    await this.#sendCounts(stopping);
    const { storeId, receiver } = this.#options;
    const sent = await sendTrail(this.#app, {
      destination: receiver.destination,
      storeId,
      entriesMax: this.#entriesMax,
      known: this.#entryNo,
      send: (events) => this.#send(events, stopping),
    });
    if (sent !== undefined) this.#entryNo = sent.entryNo;
    return sent !== undefined && sent.count > 0;
  }

  async #send(events: readonly OutEvent[], stopping: AbortSignal): Promise<void> {
    const { receiver, onSent } = this.#options;
    this.#batches += 1;
    try {
      onSent(await receiver.send(events, stopping));
    } catch (error) {
      if (error instanceof SendFailure) {
        const now = this.#app.now();
        this.#notBefore = now + Math.min(readRetryAfter(error.retryAfter, now), retryAfterMsMax);
        this.#entriesMax = Math.max(1, events.length >> 1);
      }
      this.#batches = 0;
      throw error;
    }
    if (this.#batches < batchesBeforeMore) return;
    this.#batches = 0;
    this.#entriesMax = Math.min(entriesMax, this.#entriesMax * 2);
  }

  /** What is not sent is in the next totals. */
  async #sendCounts(stopping: AbortSignal): Promise<void> {
    const now = this.#app.now();
    if (now < this.#countedAt + countsMs) return;
    const totals = this.#options.totals();
    const events = newCounts(totals, this.#counted, { from: this.#countedAt, until: now });
    if (events.length > 0) await this.#send(events, stopping);
    this.#counted = totals;
    this.#countedAt = now;
  }
}

function newCounts(
  totals: RefusalTotals,
  before: RefusalTotals,
  { from, until }: { readonly from: number; readonly until: number },
): readonly OutEvent[] {
  const times = { from: new Date(from).toISOString(), until: new Date(until).toISOString() };
  return (Object.keys(securityEvents) as SecurityEvent[]).flatMap((name) =>
    Array.from(totals.get(name) ?? []).flatMap(([by, total]): OutEvent[] => {
      const count = total - (before.get(name)?.get(by) ?? 0);
      if (count === 0) return [];
      return [{ name, at: until, isWarning: true, fields: { by, count, ...times } }];
    }),
  );
}
