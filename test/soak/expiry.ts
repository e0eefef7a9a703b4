// An organization with a ceiling whose records have reached it when they arrive. A ceiling that changes has all records
// read again; otherwise what arrives is found within a day.

import { changeOrganization } from "../../src/actions/access/change-organization.ts";
import type { Site } from "../abuse/site.ts";
import { listOf, transaction } from "../abuse/records.ts";
import { type Customer, makeCustomer } from "../support/customer.ts";
import { sendWithinLimit } from "../support/http-client.ts";
import { operate } from "../support/server.ts";
import { waitFor } from "../support/wait-for.ts";

const recordsEach = 200;
/** The records of the site are months old. */
const retainDays = 30;
/** Ceilings are applied each minute. */
const minutesMs = 3 * 60_000;
const idOf = (part: number, index: number) => `expires-${part}-${index}`;

export class Expiry {
  readonly #site: Site;
  readonly #customer: Customer;
  readonly #addedAt: number[] = [];

  private constructor(site: Site, customer: Customer) {
    this.#site = site;
    this.#customer = customer;
  }

  static async open(site: Site): Promise<Expiry> {
    const { target, server } = site;
    const making = { retainDays };
    return new Expiry(
      site,
      await operate(target.environment, (app) => makeCustomer(app, server.client, making)),
    );
  }

  /** Adds records that are due at once. */
  async run(part: number): Promise<void> {
    const body = listOf(recordsEach, (index) => transaction(idOf(part, index)));
    const { status, text } = await this.#send("POST", "/v2/transactions/batch", { body });
    if (status >= 300) throw new Error(`${status} ${text}`);
    this.#addedAt[part] = performance.now();
    const { organizationId } = this.#customer;
    const change = { retainDays: retainDays + (part % 2) };
    await operate(this.#site.target.environment, (app) =>
      changeOrganization(app, organizationId, change),
    );
  }

  /** Those that were added in the last minutes may still be there. Resolves when the others have been erased. */
  async verify(): Promise<void> {
    const until = performance.now() - minutesMs;
    for (const part of this.#addedAt.filter((at) => at <= until).keys()) {
      const query = { tx_id: idOf(part, recordsEach - 1) };
      const isGone = async () =>
        (await this.#send("GET", "/v2/transaction", { query })).status === 404;
      const limits = { timeoutMs: 600_000, intervalMs: 100 };
      await waitFor(`the records of minute ${part} to expire`, isGone, limits);
    }
  }

  #send(method: string, path: string, more: object) {
    const ask = { method, path, token: this.#customer.token, ...more };
    return sendWithinLimit(this.#site.server.client, ask);
  }
}
