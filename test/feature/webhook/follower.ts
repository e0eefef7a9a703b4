// An endpoint of webhooks follows the changes of a world besides its caller, who must learn nothing from what it is
// sent.

import { makeWebhookKeys } from "../../../src/feature/webhook/webhook-keys.ts";
import type { App } from "../../../src/actions/app.ts";
import { deliver } from "../../../src/feature/webhook/deliver.ts";
import { addEndpoint, listEndpoints } from "../../../src/feature/webhook/endpoints.ts";
import { findNext } from "../../../src/feature/webhook/next-message.ts";
import { Turns } from "../../../src/basics/turns.ts";
import { webhookEvents } from "../../../src/feature/webhook/webhook.ts";
import type { Follower } from "../../disclosure/follower.ts";

const stopping = new AbortController().signal;

export class EndpointFollower implements Follower {
  readonly #app: App;
  readonly #organizationId: string;

  constructor(app: App, organizationId: string) {
    this.#app = app;
    this.#organizationId = organizationId;
  }

  async create(): Promise<void> {
    await addEndpoint(this.#app, {
      organizationId: this.#organizationId,
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
    const cipher = await app.offsets();
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
          return Promise.resolve({ status: 200, retryAfter: "" });
        },
        random: () => 0.5,
        stopping,
        onAttempt: () => undefined,
      },
    );
    return bodies;
  }
}
