// How far recipients are behind: when the oldest event arrived that a recipient should have and has not acknowledged.
// One call reads a bounded part of the events of each recipient, and the next call continues there.

import type { Recipient } from "./recipient.ts";
import type { App } from "../../actions/app.ts";
import { numbersAtOnce } from "../follow/last-arrival.ts";

interface Look {
  /** Up to this number there is nothing that the recipient has not acknowledged. */
  readonly passed: number;
  /** The event after it, if one was found. */
  readonly first: { readonly changeNo: number; readonly receivedAt: number } | undefined;
}

export class RecipientLag {
  /** What was found last, by recipient. */
  readonly #looks: ReadonlyMap<string, Look>;
  readonly #found = new Map<string, Look>();

  /** `before`: the lag of an earlier pass over all recipients. This one forgets recipients that it does not reach. */
  constructor(before?: RecipientLag) {
    this.#looks = before === undefined ? new Map() : before.#found;
  }

  /** In the order of the recipients; undefined if nothing was found for one. `hidden`: types to leave out. */
  async behindSince(
    { store }: Pick<App, "store">,
    recipients: readonly Recipient[],
    hidden: ReadonlySet<string>,
  ): Promise<readonly (number | undefined)[]> {
    const { settled } = await store.settledArrival();
    const times: (number | undefined)[] = [];
    for (const recipient of recipients) {
      const key = JSON.stringify([recipient.organizationId, recipient.name]);
      const previous = this.#looks.get(key);
      const look = await lookAt({ store, recipient, hidden, previous, settled });
      this.#found.set(key, look);
      times.push(look.first?.receivedAt);
    }
    return times;
  }
}

function acknowledgedBy({ sinceNo, acknowledgedNo }: Recipient): number {
  return Math.max(sinceNo, acknowledgedNo);
}

interface LookQuery extends Pick<App, "store"> {
  readonly recipient: Recipient;
  readonly hidden: ReadonlySet<string>;
  readonly previous: Look | undefined;
  /** The latest number up to which all arrivals are visible. */
  readonly settled: number;
}

async function lookAt({ store, recipient, hidden, previous, settled }: LookQuery): Promise<Look> {
  const { organizationId, types: taken } = recipient;
  const after = Math.max(acknowledgedBy(recipient), previous?.passed ?? 0);
  const through = Math.min(settled, after + numbersAtOnce);
  const types = taken.filter((type) => !hidden.has(type));
  const query = { organizationId, after, through, types, content: false, limit: 1 };
  const [first] = after < through ? await store.arrivals.list(query) : [];
  return { passed: first === undefined ? Math.max(after, through) : first.changeNo - 1, first };
}
