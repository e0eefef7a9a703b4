// Moves clients to other servers before a stop, without losing a request: each connection ends with its next reply,
// which announces the end, and a load balancer opens the next connection to another server. Closes nothing itself.

import type { ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import { endWithReply } from "../body/expectation.ts";
import type { OpenConnections } from "./open-connections.ts";

/** Node writes `connection: close` into each reply, also to requests in flight, and then ends the connection. */
export function endConnectionsWithReplies(
  { server }: FastifyInstance,
  connections: OpenConnections,
): void {
  for (const reply of connections.replies()) endWithReply(reply);
  server.prependListener("request", (_request, response: ServerResponse) => {
    endWithReply(response);
  });
}
