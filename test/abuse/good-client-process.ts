// The good client as a separate process; its parent tells it when a phase ends and when to stop.

import { makeClient } from "../support/http-client.ts";
import { GoodClient } from "./good-client.ts";
import { answerParent } from "./child-messages.ts";

let client: GoodClient | undefined;

answerParent({
  start: ({ address, token }: { address: string; token: string }) => {
    client = new GoodClient(makeClient(address), token);
    return Promise.resolve();
  },
  endPhase: () => client?.endPhase(),
  stop: () => client?.stop(),
});
