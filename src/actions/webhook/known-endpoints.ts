// The endpoints of all organizations, as a serving process knows them. Reading all takes time that grows with their
// number, so it is done only if the audit trail has an entry about an endpoint, and now and then: processes store the
// results of attempts without an entry. So what is known may lag behind. A delivery gets its endpoint when it claims
// it, and the endpoint is read again afterwards.

import type { App } from "../app.ts";
import { allEndpoints } from "./endpoints.ts";
import type { WebhookEndpoint } from "../../domain/webhook.ts";

const readAgainMs = 30_000;

export class KnownEndpoints {
  readonly #app: Pick<App, "store" | "now">;
  #all = new Map<string, WebhookEndpoint>();
  /** They are as the audit trail says up to this entry; undefined before they are read. */
  #through: number | undefined;
  #readAt = 0;
  readonly #outdated = new Set<string>();

  constructor(app: Pick<App, "store" | "now">) {
    this.#app = app;
  }

  /** To be read again, because it was claimed. */
  outdate(endpointId: string): void {
    this.#outdated.add(endpointId);
  }

  async list(): Promise<readonly WebhookEndpoint[]> {
    const { no: through } = await this.#app.store.trail.head();
    const outdated = [...this.#outdated];
    if (await this.#isDue(through)) {
      const all = await allEndpoints(this.#app);
      this.#all = new Map(all.map((one) => [one.endpointId, one]));
      this.#readAt = this.#app.now();
    } else await this.#readAgain(outdated);
    for (const endpointId of outdated) this.#outdated.delete(endpointId);
    this.#through = through;
    return [...this.#all.values()];
  }

  async #isDue(through: number): Promise<boolean> {
    const after = this.#through;
    if (after === undefined || this.#app.now() - this.#readAt >= readAgainMs) return true;
    // After a restore, the trail may be shorter.
    if (through <= after) return through < after;
    return this.#app.store.webhooks.haveChanged({ after, through });
  }

  async #readAgain(endpointIds: readonly string[]): Promise<void> {
    for (const endpointId of endpointIds) {
      const known = this.#all.get(endpointId);
      const found = await this.#app.store.webhooks.find(endpointId, known?.organizationId);
      if (found === undefined) this.#all.delete(endpointId);
      else this.#all.set(endpointId, found);
    }
  }
}
