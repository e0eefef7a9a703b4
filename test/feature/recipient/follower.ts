// Recipients of an officer, who may know of everything, follow the changes of a world besides its caller, who must
// learn nothing from how far they have come.

import type { App } from "../../../src/actions/app.ts";
import { listRecipients } from "../../../src/feature/recipient/recipients.ts";
import { recordTypes } from "../../../src/domain/record-types.ts";
import { recipients } from "../../../src/feature/recipient/store/part.ts";
import type { Follower } from "../../disclosure/follower.ts";
import type { Scenario } from "../../disclosure/scenario.ts";

export class RecipientFollower implements Follower {
  readonly #app: App;
  readonly #organizationId: string;

  constructor(app: App, organizationId: string) {
    this.#app = app;
    this.#organizationId = organizationId;
  }

  async create({ hidden }: Scenario): Promise<void> {
    const organizationId = this.#organizationId;
    const types = recordTypes.map(({ resourceType }) => resourceType);
    const act = { actor: "officer", now: this.#app.now() };
    const taken = { officer: types, reports: types.filter((type) => hidden.includes(type)) };
    for (const [name, some] of Object.entries(taken)) {
      if (some.length === 0) continue;
      const wanted = { organizationId, name, types: some };
      await this.#app.store.of(recipients).createRecipient(wanted, act);
    }
  }

  /** The officer has read everything. The offset says how many hidden events were the last ones. */
  async acknowledge(hiddenCount: number): Promise<void> {
    const { store, now, offsets } = this.#app;
    const organizationId = this.#organizationId;
    const { settled: changeNo } = await store.settledArrival();
    const offset = (await offsets()).encode(organizationId, {
      changeNo,
      at: now() + hiddenCount,
      following: hiddenCount,
    });
    const one = { organizationId, name: "officer", changeNo, offset, now: now() };
    await store.of(recipients).acknowledge(one);
  }

  /** What an operator may pass on. */
  async list(shown: App): Promise<readonly object[]> {
    const all = await listRecipients(shown, this.#organizationId);
    return all.map(({ sinceNo: _since, acknowledgedNo: _no, ...rest }) => rest);
  }
}
