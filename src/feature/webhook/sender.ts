// Sends webhooks in a serving process: finds endpoints with messages to send, and delivers to some of them at a time,
// in turn. An endpoint that is slow or fails delays no other.

import { makeWebhookKeys } from "./webhook-keys.ts";
import { randomBytes } from "node:crypto";
import type { App } from "../../actions/app.ts";
import { deliver, type DeliveryAttempt, type DeliveryOptions, type ToSend } from "./deliver.ts";
import { type KnownEndpoint, KnownEndpoints } from "./known-endpoints.ts";
import { findNext, type MessageSource } from "./next-message.ts";
import { webhooks } from "./store/part.ts";
import { isWaitOver } from "../../basics/duration.ts";
import { Turns } from "../../basics/turns.ts";
import { webhookWaitsMsMax } from "./webhook.ts";
import type { Logger } from "../../log.ts";
import { type Loop, startLoop } from "../../worker/loop.ts";
import type { Post, Posting, PostResult } from "./post.ts";

const intervalMs = 500;
const backOffMsMax = 10_000;
const deliveriesMax = 64;
/** Endpoints that are not known to be quick leave the other deliveries to those that are. */
const slowDeliveriesMax = 48;
/** An endpoint is quick if its last attempt was over within this time. */
const quickMs = 1_000;

type Ends = DeliveryOptions["ends"];

export interface SenderOptions {
  readonly post: Post;
  readonly log: Logger;
  readonly onAttempt?: (attempt: DeliveryAttempt) => void;
  /** From 0 to 1, for the jitter. */
  readonly random?: () => number;
}

class Sender {
  readonly #app: App;
  readonly #options: SenderOptions;
  readonly #claimant = `${process.pid}-${randomBytes(6).toString("hex")}`;
  readonly #stopping = new AbortController();
  /** The keys are the ids of endpoints. */
  readonly #inFlight = new Map<string, { isQuick: boolean; delivery: Promise<void> }>();
  readonly #turns = new Turns();
  readonly #known: KnownEndpoints;
  /** When each organization was last served, as a count; organizations that were never served come first. */
  readonly #servedAt = new Map<string, number>();
  #served = 0;
  #isBegun = false;

  constructor(app: App, options: SenderOptions) {
    this.#app = app;
    this.#options = options;
    this.#known = new KnownEndpoints(app);
  }

  /** Begins as many deliveries as there is room for. */
  async round(): Promise<boolean> {
    await this.#endLeases();
    const { ends, endpoints } = await this.#known.list();
    const keys = this.#app.derive(makeWebhookKeys);
    if (endpoints.length === 0 || keys === undefined) return false;
    const cipher = await this.#app.offsets();
    const source = { app: this.#app, keys, cipher, turns: this.#turns };
    for (const candidate of this.#inTurn(endpoints, ends, keys.check)) {
      if (this.#inFlight.size >= deliveriesMax || this.#stopping.signal.aborted) break;
      const { endpoint, place: before } = candidate;
      if (!candidate.isQuick && this.#slowInFlight() >= slowDeliveriesMax) continue;
      const { message, place } = await findNext(source, endpoint, { ends, place: before });
      candidate.place = place;
      if (message !== undefined) {
        this.#begin(source, { endpoint, message }, { ends, isQuick: candidate.isQuick });
      }
    }
    return false;
  }

  /** Those of the process that served an embedded store before, which may have been killed. */
  async #endLeases(): Promise<void> {
    const { store } = this.#app;
    if (!store.traits.isServer && !this.#isBegun) await store.of(webhooks).releaseAll();
    this.#isBegun = true;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(Array.from(this.#inFlight.values(), ({ delivery }) => delivery));
  }

  /**
   * Endpoints that may be sent something now: first those of the organization that was served longest ago, and of
   * these the one whose last attempt was longest ago.
   */
  #inTurn(all: readonly KnownEndpoint[], ends: Ends, keyCheck: number): readonly KnownEndpoint[] {
    const now = this.#app.now();
    const organizations = new Set(all.map(({ endpoint }) => endpoint.organizationId));
    for (const id of this.#servedAt.keys()) if (!organizations.has(id)) this.#servedAt.delete(id);
    const turn = ({ endpoint }: KnownEndpoint) => this.#servedAt.get(endpoint.organizationId) ?? 0;
    return all
      .filter(
        (candidate) =>
          candidate.endpoint.keyCheck === keyCheck &&
          isDue(candidate, ends, now) &&
          !this.#inFlight.has(candidate.endpoint.endpointId),
      )
      .toSorted((one, other) => turn(one) - turn(other) || attemptAt(one) - attemptAt(other));
  }

  #slowInFlight(): number {
    return [...this.#inFlight.values()].filter(({ isQuick }) => !isQuick).length;
  }

  #begin(
    source: MessageSource,
    first: ToSend,
    { ends, isQuick }: { readonly ends: Ends; readonly isQuick: boolean },
  ): void {
    const { endpointId, organizationId } = first.endpoint;
    this.#served += 1;
    this.#servedAt.set(organizationId, this.#served);
    const { log } = this.#options;
    const delivery = deliver(this.#app, first, {
      source,
      claimant: this.#claimant,
      ends,
      random: this.#options.random ?? Math.random,
      stopping: this.#stopping.signal,
      send: (posting) => this.#send(endpointId, posting),
      onAttempt: (attempt) => this.#report(attempt),
    })
      .catch((error: unknown) => log.error({ err: error, endpointId }, "a webhook can't be sent"))
      .finally(() => {
        this.#inFlight.delete(endpointId);
        this.#known.outdate(endpointId);
      });
    this.#inFlight.set(endpointId, { isQuick, delivery });
  }

  async #send(endpointId: string, posting: Posting): Promise<PostResult> {
    const { now } = this.#app;
    const beganAt = now();
    const posted = await this.#options.post(posting, this.#stopping.signal);
    this.#known.noteAttempt(endpointId, { isQuick: now() - beganAt < quickMs });
    return posted;
  }

  /** The URL is never logged: its path or its query may be a secret. */
  #report(attempt: DeliveryAttempt): void {
    this.#options.onAttempt?.(attempt);
    const { kind, endpoint, result, disabled } = attempt;
    const { endpointId, organizationId, failures } = endpoint;
    const about = { endpointId, organizationId, result };
    if (disabled !== undefined) {
      this.#options.log.warn(
        { ...about, because: disabled },
        "an endpoint of webhooks is disabled",
      );
    } else if (kind === "failed") {
      this.#options.log.info({ ...about, failures }, "a webhook was not delivered");
    }
  }
}

function attemptAt({ endpoint }: KnownEndpoint): number {
  return endpoint.lastAttemptAt ?? 0;
}

/** Whether there may be something to send, and it may be sent now. */
function isDue({ endpoint, place }: KnownEndpoint, ends: Ends, now: number): boolean {
  const { leaseUntil, nextAttemptAt, disabledAt, testRequestedAt } = endpoint;
  if (!isWaitOver(leaseUntil, now, webhookWaitsMsMax.lease)) return false;
  if (testRequestedAt !== undefined) return true;
  const isAtEnd = place.entryNo >= ends.entryNo && place.changeNo >= ends.changeNo;
  if (isAtEnd || disabledAt !== undefined) return false;
  return isWaitOver(nextAttemptAt, now, webhookWaitsMsMax.attempt);
}

export function startSender(app: App, options: SenderOptions): Pick<Loop, "stop"> {
  const sender = new Sender(app, options);
  const loop = startLoop(() => sender.round(), {
    intervalMs,
    backOffMsMax,
    onError: (error) => options.log.error({ err: error }, "looking for webhooks to send failed"),
  });
  return {
    stop: async () => {
      await Promise.all([loop.stop(), sender.stop()]);
    },
  };
}
