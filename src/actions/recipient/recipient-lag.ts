// How far recipients are behind: when the oldest event arrived that a recipient should have and has not acknowledged.
// One call reads a bounded part of the events, and the next call continues there.

import type { Recipient } from "../../domain/recipient.ts";
import type { App } from "../app.ts";

/** How many arrival numbers one call covers for a recipient. */
const numbersAtOnce = 16_384;

export class RecipientLag {
  /** By recipient: up to this number there is nothing that it has not acknowledged. */
  #passed: ReadonlyMap<string, number> = new Map();

  /** In the order of the recipients; undefined if nothing was found for one. `hidden`: types to leave out. */
  async behindSince(
    { store }: Pick<App, "store">,
    recipients: readonly Recipient[],
    hidden: ReadonlySet<string>,
  ): Promise<readonly (number | undefined)[]> {
    const { settled } = await store.settledArrival();
    const found: (number | undefined)[] = [];
    const passed = new Map<string, number>();
    for (const { organizationId, name, types: taken, sinceNo, acknowledgedNo } of recipients) {
      const key = JSON.stringify([organizationId, name]);
      const after = Math.max(sinceNo, acknowledgedNo, this.#passed.get(key) ?? 0);
      const through = Math.min(settled, after + numbersAtOnce);
      const types = taken.filter((type) => !hidden.has(type));
      const query = { organizationId, after, through, types, content: false, limit: 1 };
      const [first] = after < through ? await store.arrivals.list(query) : [];
      passed.set(key, first === undefined ? Math.max(after, through) : first.changeNo - 1);
      found.push(first?.receivedAt);
    }
    this.#passed = passed;
    return found;
  }
}
