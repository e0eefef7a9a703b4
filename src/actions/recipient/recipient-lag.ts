// How far recipients are behind: when the oldest event arrived that a recipient should have and has not acknowledged.
// One call reads a bounded part of the events of a bounded number of recipients, and the next call continues there.

import type { Recipient } from "../../domain/recipient.ts";
import type { App } from "../app.ts";

/** How many arrival numbers one call covers for a recipient. */
const numbersAtOnce = 16_384;

interface Look {
  /** Up to this number there is nothing that the recipient has not acknowledged. */
  readonly passed: number;
  /** The event after it, if one was found. */
  readonly first: { readonly changeNo: number; readonly receivedAt: number } | undefined;
}

export class RecipientLag {
  readonly #recipientsAtOnce: number;
  /** What was found last, by recipient. */
  #looks: ReadonlyMap<string, Look> = new Map();
  /** The index of the recipient with which the next call begins. */
  #from = 0;

  /** `recipientsAtOnce`: for the others a call returns what an earlier one has found. */
  constructor({ recipientsAtOnce = Infinity } = {}) {
    this.#recipientsAtOnce = recipientsAtOnce;
  }

  /** In the order of the recipients; undefined if nothing was found for one. `hidden`: types to leave out. */
  async behindSince(
    { store }: Pick<App, "store">,
    recipients: readonly Recipient[],
    hidden: ReadonlySet<string>,
  ): Promise<readonly (number | undefined)[]> {
    const { settled } = await store.settledArrival();
    const count = recipients.length;
    const from = count === 0 ? 0 : this.#from % count;
    this.#from = from + Math.min(count, this.#recipientsAtOnce);
    const found: (number | undefined)[] = [];
    const looks = new Map<string, Look>();
    for (const [index, recipient] of recipients.entries()) {
      const key = JSON.stringify([recipient.organizationId, recipient.name]);
      const known = this.#looks.get(key);
      const isTurn = (index - from + count) % count < this.#recipientsAtOnce;
      const look = isTurn ? await lookAt({ store, recipient, hidden, known, settled }) : known;
      if (look !== undefined) looks.set(key, look);
      const isBehind = look?.first !== undefined && look.first.changeNo > acknowledgedBy(recipient);
      found.push(isBehind ? look.first.receivedAt : undefined);
    }
    this.#looks = looks;
    return found;
  }
}

function acknowledgedBy({ sinceNo, acknowledgedNo }: Recipient): number {
  return Math.max(sinceNo, acknowledgedNo);
}

interface LookQuery extends Pick<App, "store"> {
  readonly recipient: Recipient;
  readonly hidden: ReadonlySet<string>;
  readonly known: Look | undefined;
  /** The latest number up to which all arrivals are visible. */
  readonly settled: number;
}

async function lookAt({ store, recipient, hidden, known, settled }: LookQuery): Promise<Look> {
  const { organizationId, types: taken } = recipient;
  const after = Math.max(acknowledgedBy(recipient), known?.passed ?? 0);
  const through = Math.min(settled, after + numbersAtOnce);
  const types = taken.filter((type) => !hidden.has(type));
  const query = { organizationId, after, through, types, content: false, limit: 1 };
  const [first] = after < through ? await store.arrivals.list(query) : [];
  return { passed: first === undefined ? Math.max(after, through) : first.changeNo - 1, first };
}
