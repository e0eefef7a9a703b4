// Deletions: ten thousand at once, and one that cascades to a hundred thousand records.

import { makeClient } from "../../support/http-client.ts";
import type { Abuse } from "../abuse.ts";
import { addAll } from "../add-records.ts";
import { person, riskAssessment, transaction } from "../records.ts";
import { flood, requestBytes } from "../sending.ts";

const many: Abuse = {
  name: "many-deletions",
  what: "10,000 deletions at once",
  prepare: async (context) => {
    const count = context.amount(10_000, 300);
    await addAll(context, "/v2/transactions/batch", {
      count,
      item: (index) => transaction(`delete-${index}`),
    });
    const { token } = context.target;
    let at = 0;
    return {
      run: () =>
        flood(context, { connections: 32 }, () => {
          const id = `delete-${at % count}`;
          at += 1;
          const body = JSON.stringify({ tx_id: id, reason: "abuse" });
          return requestBytes("DELETE", "/v2/transaction", { token, body });
        }),
    };
  },
};

const cascade: Abuse = {
  name: "cascade",
  what: "one deletion that cascades to 100,000 records",
  prepare: async (context) => {
    await addAll(context, "/v2/person", { count: 1, item: () => person("root") });
    await addAll(context, "/v2/risk_assessment", {
      count: context.amount(100_000, 2_000),
      item: (index) => riskAssessment(`leaf-${index}`, `,"related_person_id":"root"`),
    });
    const { target, tally } = context;
    return {
      run: async () => {
        const client = makeClient(target.address);
        tally.sent += 1;
        const { status } = await client.send({
          method: "DELETE",
          path: "/v2/person",
          token: target.token,
          body: { person_id: "root", reason: "abuse" },
        });
        tally.replies[status] = 1;
        client.close();
        while (context.mayGoOn()) await context.pause(100);
      },
      check: () => Promise.resolve(tally.replies[200] === 1 ? [] : ["the deletion was refused"]),
    };
  },
};

export const deletions: readonly Abuse[] = [many, cascade];
