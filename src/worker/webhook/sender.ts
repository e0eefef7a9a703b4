// Sends webhooks in a serving process: finds endpoints with messages to send, and delivers to some of them at a time,
// organizations in turn. An endpoint that is slow or fails delays no other.

import { randomBytes } from "node:crypto";
import type { App } from "../../actions/app.ts";
import type { FeedCipher } from "../../actions/change/offset.ts";
import { deliver, type DeliveryAttempt, type Sending } from "../../actions/webhook/deliver.ts";
import { KnownEndpoints } from "../../actions/webhook/known-endpoints.ts";
import {
  beginSending,
  findEnds,
  type Looked,
  lookForNews,
  type Ends,
  findNext,
  type MessageSource,
  type Place,
  placeOf,
} from "../../actions/webhook/next-message.ts";
import { Turns } from "../../basics/turns.ts";
import { isWaitOver, type WebhookEndpoint, webhookWaitsMsMax } from "../../domain/webhook.ts";
import type { Logger } from "../../log.ts";
import { type Loop, startLoop } from "../loop.ts";
import type { Post } from "./post.ts";

const intervalMs = 500;
const backOffMsMax = 10_000;
const deliveriesMax = 64;
const deliveriesOfOrganizationMax = 4;

export interface SenderOptions {
  readonly post: Post;
  readonly log: Logger;
  readonly onAttempt?: (attempt: DeliveryAttempt) => void;
  /** From 0 to 1, for the jitter. */
  readonly random?: () => number;
}

/** For an endpoint: up to here there is nothing to send. */
type Places = Map<string, Place>;

class Sender {
  readonly #app: App;
  readonly #options: SenderOptions;
  readonly #claimant = `${process.pid}-${randomBytes(6).toString("hex")}`;
  readonly #stopping = new AbortController();
  /** The keys are the ids of endpoints. */
  readonly #inFlight = new Map<string, Promise<void>>();
  readonly #turns = new Turns();
  readonly #known: KnownEndpoints;
  readonly #ofOrganization = new Map<string, number>();
  /** When each organization was last served, as a count; organizations that were never served come first. */
  readonly #servedAt = new Map<string, number>();
  #served = 0;
  #places: Places = new Map();
  #seen: Ends | undefined;
  #cipher: FeedCipher | undefined;

  constructor(app: App, options: SenderOptions) {
    this.#app = app;
    this.#options = options;
    this.#known = new KnownEndpoints(app);
  }

  /** Begins as many deliveries as there is room for. */
  async round(): Promise<boolean> {
    // First, because it ends leases of a process that was killed.
    const cipher = await this.#begun();
    const endpoints = await this.#known.list();
    const keys = this.#app.webhookKeys();
    if (endpoints.length === 0 || keys === undefined) return false;
    const source = { app: this.#app, keys, cipher, turns: this.#turns };
    const ends = await this.#look(endpoints);
    const waiting = endpoints.filter((one) => !this.#isAtEnd(one, ends));
    for (const endpoint of this.#inTurn(waiting, keys.check)) {
      if (this.#inFlight.size >= deliveriesMax || this.#stopping.signal.aborted) break;
      if (this.#isFull(endpoint)) continue;
      const place = await this.#findNews(source, endpoint, ends);
      if (place !== undefined) this.#begin(source, endpoint, { ends, place });
    }
    return false;
  }

  async #begun(): Promise<FeedCipher> {
    return (this.#cipher ??= await beginSending(this.#app));
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#inFlight.values());
  }

  /**
   * Queries what has changed since the last query, if anything has, once for all endpoints that had nothing to send
   * then.
   */
  async #look(endpoints: readonly WebhookEndpoint[]): Promise<Ends> {
    const ends = await findEnds(this.#app);
    const seen = this.#seen ?? ends;
    this.#seen = seen;
    if (ends.entryNo === seen.entryNo && ends.changeNo === seen.changeNo) return ends;
    const organizations = [...new Set(endpoints.map(({ organizationId }) => organizationId))];
    const looked = await lookForNews(this.#app, organizations, { seen, ends });
    this.#seen = ends;
    const isListed = new Set(organizations);
    for (const id of this.#servedAt.keys()) if (!isListed.has(id)) this.#servedAt.delete(id);
    this.#places = forward(this.#places, endpoints, looked);
    return ends;
  }

  #isAtEnd(endpoint: WebhookEndpoint, ends: Ends): boolean {
    if (endpoint.testRequestedAt !== undefined) return false;
    const known = placeOf(endpoint, this.#places.get(endpoint.endpointId));
    return known.entryNo >= ends.entryNo && known.changeNo >= ends.changeNo;
  }

  /** Endpoints that may be sent something now; the organization that was served longest ago comes first. */
  #inTurn(endpoints: readonly WebhookEndpoint[], keyCheck: number): readonly WebhookEndpoint[] {
    const now = this.#app.now();
    const turn = ({ organizationId }: WebhookEndpoint) => this.#servedAt.get(organizationId) ?? 0;
    return endpoints
      .filter(
        ({ endpointId, leaseUntil, keyCheck: own }) =>
          own === keyCheck &&
          isWaitOver(leaseUntil, now, webhookWaitsMsMax.lease) &&
          !this.#inFlight.has(endpointId),
      )
      .filter(
        ({ nextAttemptAt, disabledAt, testRequestedAt }) =>
          testRequestedAt !== undefined ||
          (disabledAt === undefined && isWaitOver(nextAttemptAt, now, webhookWaitsMsMax.attempt)),
      )
      .toSorted((one, other) => turn(one) - turn(other));
  }

  #isFull({ organizationId }: WebhookEndpoint): boolean {
    return (this.#ofOrganization.get(organizationId) ?? 0) >= deliveriesOfOrganizationMax;
  }

  /** Returns the position up to which it has searched if there is something to send; otherwise undefined. */
  async #findNews(
    source: MessageSource,
    endpoint: WebhookEndpoint,
    ends: Ends,
  ): Promise<Place | undefined> {
    const { endpointId } = endpoint;
    const known = placeOf(endpoint, this.#places.get(endpointId));
    const { message, place } = await findNext(source, endpoint, { ends, place: known });
    this.#places.set(endpointId, place);
    return message === undefined ? undefined : place;
  }

  #begin(
    source: MessageSource,
    endpoint: WebhookEndpoint,
    looked: { readonly ends: Ends; readonly place: Place },
  ): void {
    const { endpointId, organizationId } = endpoint;
    // Its cursors advance, and may be set back meanwhile.
    this.#places.delete(endpointId);
    this.#served += 1;
    this.#servedAt.set(organizationId, this.#served);
    this.#count(organizationId, 1);
    const { log } = this.#options;
    const delivery = deliver(this.#app, endpoint, {
      source,
      claimant: this.#claimant,
      ...looked,
      random: this.#options.random ?? Math.random,
      stopping: this.#stopping.signal,
      send: (sending) => this.#send(sending),
      onAttempt: (attempt) => this.#report(attempt),
    })
      .catch((error: unknown) => log.error({ err: error, endpointId }, "a webhook can't be sent"))
      .finally(() => {
        this.#inFlight.delete(endpointId);
        this.#known.outdate(endpointId);
        this.#count(organizationId, -1);
      });
    this.#inFlight.set(endpointId, delivery);
  }

  #count(organizationId: string, by: number): void {
    const count = (this.#ofOrganization.get(organizationId) ?? 0) + by;
    if (count > 0) this.#ofOrganization.set(organizationId, count);
    else this.#ofOrganization.delete(organizationId);
  }

  async #send(sending: Sending) {
    const answer = await this.#options.post(sending, this.#stopping.signal);
    if ("failure" in answer) {
      const { failure: result } = answer;
      const stopped = result === "stopped";
      return { result, status: undefined, retryAfter: undefined, stopped };
    }
    const { status, retryAfter } = answer;
    return { result: String(status), status, retryAfter, stopped: false };
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

/** Endpoints that had nothing to send up to `seen`, and whose organizations have no news since. */
function forward(
  places: Places,
  endpoints: readonly WebhookEndpoint[],
  { seen, ends, told, changed }: Looked,
): Places {
  const moved = endpoints.flatMap((endpoint): [string, Place][] => {
    const { endpointId, organizationId } = endpoint;
    const known = places.get(endpointId);
    if (known === undefined) return [];
    const hasNews = known.entryNo < seen.entryNo || told.has(organizationId);
    const hasChanges = known.changeNo < seen.changeNo || changed.has(organizationId);
    const entryNo = hasNews ? known.entryNo : ends.entryNo;
    const changeNo = hasChanges ? known.changeNo : ends.changeNo;
    return [[endpointId, { ...known, entryNo, changeNo }]];
  });
  return new Map(moved);
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
