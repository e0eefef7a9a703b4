// Who follows the changes of a world besides its caller: recipients of an officer, who may know of everything, and an
// endpoint of webhooks. The caller must learn nothing from how far they have come.

import { makeWebhookKeys } from "../../../src/feature/webhook/webhook-keys.ts";
import type { App } from "../../../src/actions/app.ts";
import { FeedCipher } from "../../../src/actions/change/offset.ts";
import { listRecipients } from "../../../src/feature/recipient/recipients.ts";
import { deliver } from "../../../src/feature/webhook/deliver.ts";
import { addEndpoint, listEndpoints } from "../../../src/feature/webhook/endpoints.ts";
import { findNext } from "../../../src/feature/webhook/next-message.ts";
import { Turns } from "../../../src/basics/turns.ts";
import { recordTypes } from "../../../src/domain/record-types.ts";
import { webhookEvents } from "../../../src/feature/webhook/webhook.ts";
import { subscriptions } from "../../../src/feature/subscription/store/part.ts";
import type { Follower } from "../../disclosure/follower.ts";
import type { Scenario } from "../../disclosure/scenario.ts";

const stopping = new AbortController().signal;

export class Followers implements Follower {
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
    const recipients = { officer: types, reports: types.filter((type) => hidden.includes(type)) };
    for (const [name, taken] of Object.entries(recipients)) {
      if (taken.length === 0) continue;
      await this.#app.store
        .of(subscriptions)
        .createRecipient({ organizationId, name, types: taken }, act);
    }
    await addEndpoint(this.#app, {
      organizationId,
      url: "https://example.com/",
      events: webhookEvents,
      types: undefined,
      actor: "officer",
    });
  }

  /** What the endpoint is sent. */
  async deliver(): Promise<readonly string[]> {
    const app = this.#app;
    const { store } = app;
    const [endpoint] = await listEndpoints(app, this.#organizationId);
    const keys = app.derive(makeWebhookKeys);
    if (endpoint === undefined || keys === undefined) throw new Error("nothing can be sent");
    const cipher = await FeedCipher.open(store);
    const { no: entryNo } = await store.trail.head();
    const { settled: changeNo } = await store.settledArrival();
    const ends = { entryNo, changeNo };
    const source = { app, keys, cipher, turns: new Turns() };
    const bodies: string[] = [];
    const { message } = await findNext(source, endpoint, { ends, place: endpoint });
    if (message === undefined) return bodies;
    await deliver(
      app,
      { endpoint, message },
      {
        source,
        claimant: "campaign",
        ends,
        send: ({ body }) => {
          bodies.push(body);
          return Promise.resolve({ result: "200", status: 200, retryAfter: "", stopped: false });
        },
        random: () => 0.5,
        stopping,
        onAttempt: () => undefined,
      },
    );
    return bodies;
  }

  /** The officer has read everything. The offset says how many hidden events were the last ones. */
  async acknowledge(hiddenCount: number): Promise<void> {
    const { store, now } = this.#app;
    const organizationId = this.#organizationId;
    const { settled: changeNo } = await store.settledArrival();
    const offset = (await FeedCipher.open(store)).encode(organizationId, {
      changeNo,
      at: now() + hiddenCount,
      following: hiddenCount,
    });
    await store
      .of(subscriptions)
      .acknowledge({ organizationId, name: "officer", changeNo, offset, now: now() });
  }

  /** What an operator may pass on. */
  async list(shown: App): Promise<readonly object[]> {
    const all = await listRecipients(shown, this.#organizationId);
    return all.map(({ sinceNo: _since, acknowledgedNo: _no, ...rest }) => rest);
  }
}
