// Moves clients to other servers before a stop, without losing a request: each connection ends with its next reply,
// which announces the end, and a load balancer opens the next connection to another server. Closes nothing itself.

import type { ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";

/** Node writes `connection: close` into every such reply and ends the connection after it (RFC 9112, section 9.6). */
export function endConnectionsWithReplies({ server }: FastifyInstance): void {
  server.prependListener("request", (_request, response: ServerResponse) => {
    response.shouldKeepAlive = false;
  });
}
