// What shared tests have to know about recipients.

import assert from "node:assert/strict";
import { purgeNotices } from "../../../src/feature/recipient/serving.ts";
import {
  createRecipient,
  listRecipients,
  removeRecipient,
} from "../../../src/feature/recipient/recipients.ts";
import { recipients } from "../../../src/feature/recipient/store/part.ts";
import { recipientsMax } from "../../../src/feature/recipient/store/rows.ts";
import { acme } from "../../conformance/scene.ts";
import type { Scene } from "../../contract/scene.ts";
import type { Customer } from "../../support/customer.ts";
import { endOffset } from "../../support/end-offset.ts";
import type { Prepare, Samples } from "../sample.ts";
import { RecipientFollower } from "./follower.ts";
import { testNotices } from "./store/notices.ts";
import { testRecipients } from "./store/recipients.ts";

const path = "/v2/recipient";

const ask = (scene: Scene, customer: Customer) => (method: string, body: object) =>
  scene.ask(customer, { method, path, body });

const one = { organizationId: "none", name: "none" };
const name = "follows";

const register: Prepare = async ({ client }, { token }, example) => {
  const body = { name: (example as { name: string }).name };
  const reply = await client.send({ method: "POST", path, token, body });
  assert.equal(reply.status, 200, reply.text);
  return example;
};

export const samples: Samples = {
  withoutRight: { "recipient/recipients recipientFigures": "only counts what the metrics publish" },
  settings: { wrong: [["NOTICE_DAYS", ["0", "x"], /whole number from 1/]], right: [] },
  store: {
    fill: async (store, organizationId, { act, types }) => {
      await store.of(recipients).createRecipient({ organizationId, name, types }, act);
    },
    read: (store) => store.of(recipients).listWaiting({ after: undefined, limit: 10_000 }, []),
    use: async (store, organizationId, act) => {
      const methods = store.of(recipients);
      await methods.listWaiting({ after: undefined, limit: 9 }, ["person"]);
      await methods.purgeNotices({ before: 0, after: "" }, act);
      await methods.removeRecipient({ organizationId, name }, act);
    },
    numbers: {
      "a position of a recipient": `
        INSERT INTO recipient
          (organization_id, name, types, created_at, created_by, since_no, acknowledged_no)
        VALUES ('${acme}', 'one', '[]', 0, 'x', 1, 50)`,
      "a notice": `
        INSERT INTO erasure_notice
        VALUES ('${acme}', 50, 'erased', 'transaction', 'gone', 'del_gone', 0)`,
    },
  },
  conformance: [testRecipients, testNotices],
  rights: {
    "recipient.read": (app) => listRecipients(app, "none"),
    "recipient.create": (app) => createRecipient(app, one),
    "recipient.remove": (app) => removeRecipient(app, one),
  },
  errors: {
    no_such_recipient: (scene, customer) => ask(scene, customer)("DELETE", { name: "nobody" }),
    recipient_exists: async (scene, customer) => {
      await ask(scene, customer)("POST", { name: "changing", types: ["person"] });
      return ask(scene, customer)("POST", { name: "changing", types: ["company"] });
    },
    too_many_recipients: async (scene) => {
      const send = ask(scene, await scene.makeCustomer());
      for (let number = 0; number < recipientsMax; number += 1) {
        await send("POST", { name: `r${number}` });
      }
      return send("POST", { name: "one-more" });
    },
  },
  examples: {
    "remove recipient": register,
    // An offset is of the feed that returned it, so the customer's own replaces that of the example.
    acknowledge: async (service, customer, example) => {
      await register(service, customer, example);
      return { ...(example as object), offset: await endOffset(service.app, customer) };
    },
  },
  showPages: async (app, organizationId) => {
    const types = ["person", "transaction"];
    await createRecipient(app, { organizationId, name: "fraud-scoring-model-training", types });
    return [];
  },
  isTold: true,
  follow: (app, organizationId) => new RecipientFollower(app, organizationId),
  purge: async (app) => {
    for (let next: string | undefined = ""; next !== undefined;)
      next = await purgeNotices(app, 30, next);
  },
};
