// The endpoints of all organizations, as a serving process knows them, each with the place up to which there is nothing
// to send to it, and whether it is quick. Reading all rows takes time that grows with their number, so it is done only
// if the audit trail has an entry about an endpoint, and now and then: processes store the results of attempts without
// an entry. So what is known may lag behind. A delivery claims an endpoint only as it is known here, and it is read
// again afterwards.

import type { WebhookEndpoint } from "./webhook.ts";
import type { Cursors } from "./store/delivery.ts";
import type { App } from "../../actions/app.ts";
import { isWaitOver } from "../../basics/duration.ts";
import { webhooks } from "./store/part.ts";
import { allEndpoints } from "./endpoints.ts";

const readAgainMs = 30_000;

export interface KnownEndpoint {
  readonly endpoint: WebhookEndpoint;
  /** Up to here there is nothing to send to it. */
  place: Cursors;
  /** Whether the last attempt of this process was; false before the first one. */
  isQuick: boolean;
}

export class KnownEndpoints {
  readonly #app: Pick<App, "store" | "now">;
  #all: ReadonlyMap<string, KnownEndpoint> = new Map();
  /** The rows are as the trail says, and the places of endpoints without news, up to here; undefined at first. */
  #ends: Cursors | undefined;
  #readAt = 0;
  readonly #outdated = new Set<string>();

  constructor(app: Pick<App, "store" | "now">) {
    this.#app = app;
  }

  /** To be read again, because somebody has claimed it. */
  outdate(endpointId: string): void {
    this.#outdated.add(endpointId);
  }

  noteAttempt(endpointId: string, { isQuick }: Pick<KnownEndpoint, "isQuick">): void {
    const attempted = this.#all.get(endpointId);
    if (attempted !== undefined) attempted.isQuick = isQuick;
  }

  /** `ends`: up to where the trail and the changes are complete. */
  async list(): Promise<{ readonly ends: Cursors; readonly endpoints: readonly KnownEndpoint[] }> {
    const { store } = this.#app;
    const { no: entryNo } = await store.trail.head();
    const { settled: changeNo } = await store.settledArrival();
    const ends = { entryNo, changeNo };
    await this.#read(entryNo);
    if (this.#ends !== undefined) await this.#pass(this.#ends, ends);
    this.#ends = ends;
    return { ends, endpoints: [...this.#all.values()] };
  }

  async #read(through: number): Promise<void> {
    const outdated = [...this.#outdated];
    if (await this.#isDue(through)) {
      this.#know(await allEndpoints(this.#app));
      this.#readAt = this.#app.now();
    } else if (outdated.length > 0) {
      const rows = new Map([...this.#all].map(([id, { endpoint }]) => [id, endpoint]));
      for (const id of outdated) {
        const endpoint = await this.#app.store
          .of(webhooks)
          .findEndpoint(id, rows.get(id)?.organizationId);
        if (endpoint === undefined) rows.delete(id);
        else rows.set(id, endpoint);
      }
      this.#know(rows.values());
    }
    for (const endpointId of outdated) this.#outdated.delete(endpointId);
  }

  async #isDue(through: number): Promise<boolean> {
    const after = this.#ends?.entryNo;
    const readAgainAt = this.#readAt + readAgainMs;
    if (after === undefined || isWaitOver(readAgainAt, this.#app.now(), readAgainMs)) return true;
    // After a restore, the trail may be shorter.
    if (through <= after) return through < after;
    return this.#app.store.of(webhooks).haveEndpointsChanged({ after, through });
  }

  /** A place remains while the cursors of its endpoint are the same. */
  #know(endpoints: Iterable<WebhookEndpoint>): void {
    const all = new Map<string, KnownEndpoint>();
    for (const endpoint of endpoints) {
      const { endpointId, entryNo, changeNo } = endpoint;
      const before = this.#all.get(endpointId);
      const isSame = before?.endpoint.entryNo === entryNo && before.endpoint.changeNo === changeNo;
      const place = isSame ? before.place : { entryNo, changeNo };
      all.set(endpointId, { endpoint, place, isQuick: before?.isQuick ?? false });
    }
    this.#all = all;
  }

  /** Moves the places of endpoints whose organizations have no news since `after`: one query for all of them. */
  async #pass(after: Cursors, { entryNo, changeNo }: Cursors): Promise<void> {
    const { store } = this.#app;
    const withNews = new Set(
      entryNo > after.entryNo
        ? await store.of(webhooks).findNews({ after: after.entryNo, through: entryNo })
        : [],
    );
    const range = { after: after.changeNo, through: changeNo };
    const all = [...this.#all.values()];
    const organizations = [...new Set(all.map(({ endpoint }) => endpoint.organizationId))];
    const changed = new Set(
      changeNo > after.changeNo ? await store.arrivals.find({ organizations, ...range }) : [],
    );
    for (const known of all) {
      const { place, endpoint } = known;
      const hasNews = place.entryNo < after.entryNo || withNews.has(endpoint.organizationId);
      const isChanged = place.changeNo < after.changeNo || changed.has(endpoint.organizationId);
      known.place = {
        entryNo: hasNews ? place.entryNo : entryNo,
        changeNo: isChanged ? place.changeNo : changeNo,
      };
    }
  }
}
