// Expect: 100-continue (RFC 9110, section 10.1.1). The interim response is sent when the body is about to be read, so
// that no client sends a body that its headers alone rule out.

import type { IncomingMessage, Server, ServerResponse } from "node:http";

interface Waiting {
  readonly response: ServerResponse;
  readonly keepAlive: boolean;
}

const waiting = new WeakMap<IncomingMessage, Waiting>();

export function answerExpectations(server: Server): void {
  server.on("checkContinue", (request, response) => {
    waiting.set(request, { response, keepAlive: response.shouldKeepAlive });
    // Until the body is requested, the next bytes may be either the body or another request, so the connection must
    // end.
    response.shouldKeepAlive = false;
    server.emit("request", request, response);
  });
  // A server may ignore an expectation that it does not support.
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
}

/** Must be called before the body is read and before anything is written. */
export function askForBody(request: IncomingMessage): void {
  const found = request.headers.expect === undefined ? undefined : waiting.get(request);
  if (found === undefined) return;
  waiting.delete(request);
  found.response.shouldKeepAlive = found.keepAlive;
  found.response.writeContinue();
}
