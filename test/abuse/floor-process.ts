// A server that only replies, as a separate process: what it takes under an abuse is what Node, the system and the
// abuser take.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { limits } from "../../src/domain/limits.ts";
import { answerParent } from "./child-messages.ts";

answerParent({
  start: async () => {
    const server = createServer((request, response) =>
      request.resume().on("end", () => response.end("{}")),
    );
    server.listen({ host: "127.0.0.1", port: 0, backlog: limits.connectionsWaitingMax });
    await once(server, "listening");
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  },
});
