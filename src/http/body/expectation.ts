// Expect: 100-continue (RFC 9110, section 10.1.1). The word to go on is given when a body is about to be read, so that no
// body is asked for that is refused by its head alone.

import type { IncomingMessage, Server, ServerResponse } from "node:http";

interface Waiting {
  readonly response: ServerResponse;
  readonly keepAlive: boolean;
}

const waiting = new WeakMap<IncomingMessage, Waiting>();

export function answerExpectations(server: Server): void {
  server.on("checkContinue", (request, response) => {
    waiting.set(request, { response, keepAlive: response.shouldKeepAlive });
    // Where the body was not asked for, nobody can tell whether it comes: what follows might be it, or the next request.
    response.shouldKeepAlive = false;
    server.emit("request", request, response);
  });
  // A server may go on as if an expectation that it does not know were not there.
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
}

/** To be called before the body is read, and before anything is written. */
export function askForBody(request: IncomingMessage): void {
  const found = request.headers.expect === undefined ? undefined : waiting.get(request);
  if (found === undefined) return;
  waiting.delete(request);
  found.response.shouldKeepAlive = found.keepAlive;
  found.response.writeContinue();
}
