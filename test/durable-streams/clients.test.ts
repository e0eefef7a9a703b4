// The TypeScript client of Durable Streams, as a program of its own, follows more changes than fit into a reply.

import { describe, it } from "node:test";
import { engines } from "../campaign/campaign.ts";
import { requireNothingFound } from "../campaign/in-test.ts";
import { durableStreamsClients } from "./clients.ts";

for (const engine of engines) {
  describe(`a client of Durable Streams on ${engine}`, () => {
    it("is given every change once and in order, in every mode", async (test) => {
      const run = { campaign: durableStreamsClients, engine, seed: 1, count: 6_000 };
      await requireNothingFound(test, "durable-streams-clients", run);
    });
  });
}
