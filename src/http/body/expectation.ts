// Expect: 100-continue (RFC 9110, section 10.1.1): the interim response is sent when the body is about to be read. If
// it is not read, the connection ends with the reply.

import type { IncomingMessage, Server, ServerResponse } from "node:http";

interface Unasked {
  readonly response: ServerResponse;
  keepAlive: boolean;
  expects: boolean;
  onAsked: (() => void) | undefined;
}

const unasked = new WeakMap<IncomingMessage, Unasked>();

export function answerExpectations(server: Server): void {
  server.on("checkContinue", (request, response) => {
    note(request, response).expects = true;
    server.emit("request", request, response);
  });
  // A server may ignore an expectation that it does not support.
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
}

export function endUnlessAsked(
  request: IncomingMessage,
  response: ServerResponse,
  onAsked?: () => void,
): void {
  note(request, response).onAsked = onAsked;
}

/** While the body is not requested, the next bytes may be either the body or another request. */
function note(request: IncomingMessage, response: ServerResponse): Unasked {
  const { shouldKeepAlive: keepAlive } = response;
  const known = unasked.get(request) ?? { response, keepAlive, expects: false, onAsked: undefined };
  unasked.set(request, known);
  response.shouldKeepAlive = false;
  return known;
}

export function endWithReply(response: ServerResponse): void {
  const found = unasked.get(response.req);
  if (found !== undefined) found.keepAlive = false;
  response.shouldKeepAlive = false;
}

/** Call before the body is read and before anything is written. */
export function askForBody(request: IncomingMessage): void {
  const found = unasked.get(request);
  if (found === undefined) return;
  unasked.delete(request);
  found.response.shouldKeepAlive = found.keepAlive;
  if (found.expects) found.response.writeContinue();
  found.onAsked?.();
}
