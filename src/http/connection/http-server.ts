// Creates Node's HTTP server with its bounds, and handles a connection before its first byte and after its last one.
// Ports in X-Forwarded-For are dropped: with them, each connection would count as a client of its own.

import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from "node:http";
import { isIP } from "node:net";
import type { Duplex } from "node:stream";
import { http } from "../../basics/node-http.ts";
import { limits } from "../../domain/limits.ts";
import { AppError } from "../../domain/error.ts";
import type { Logger } from "../../log.ts";
import { answerExpectations, endWithReply } from "../body/expectation.ts";
import { acceptGradually } from "./accepting.ts";
import { errorOf } from "./client-error.ts";
import { connectionOf } from "./connection.ts";
import type { SharedBounds } from "./shared-bounds.ts";

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

export function makeHttpServer(
  handle: RequestHandler,
  { sharedBounds, log }: { readonly sharedBounds: SharedBounds; readonly log: Logger },
): Server {
  const server = http.createServer(
    {
      headersTimeout: limits.headersTimeoutMs,
      connectionsCheckingInterval: 5_000,
      maxHeaderSize: limits.headerBytesMax,
      keepAliveTimeout: limits.idleSocketTimeoutMs,
      // Node's requestTimeout would also end long streams. The sweep of `makeServer` does not.
      requestTimeout: 0,
      // Node would reply to a missing Host without a body; `refuseAmbiguousRequest` replies like any other error.
      requireHostHeader: false,
      shouldUpgradeCallback: () => false,
      // The socket of a connection whose bytes wait reads no more than one packet ahead.
      highWaterMark: 1,
    },
    startWith(handle),
  );
  // Node drops the headers beyond its own bound, on some versions silently, but its parser obeys them.
  server.maxHeadersCount = limits.headersMax + 1;
  acceptGradually(server, sharedBounds);
  server.on("connect", answerConnect);
  answerExpectations(server);
  // An error before it listens is handled by the caller of `listen`.
  server.on("error", (error) => {
    if (server.listening) log.error({ err: error }, "a connection could not be accepted");
  });
  return server;
}

function startWith(handle: RequestHandler): RequestHandler {
  return (request, response) => {
    // Attached before anything is written: without a listener an error would end the process. A request needs none,
    // and without one it is much cheaper: Node reports its errors only to listeners.
    response.on("error", ignore);
    if (connectionOf(request)?.begin(request, response) === false) return;
    if (endsWithUpgrade(request)) endWithReply(response);
    dropForwardedPorts(request.headers);
    handle(request, response);
  };
}

/**
 * An upgrade request is handled as if it did not ask for one (RFC 9110, section 7.8). What follows it is probably in
 * another protocol, so the connection ends with its reply. A client that prefers HTTP/2 asks for it on every new
 * connection, so its connection stays open.
 */
function endsWithUpgrade({ headers: { upgrade } }: IncomingMessage): boolean {
  return upgrade !== undefined && upgrade.trim().toLowerCase() !== "h2c";
}

export function answerClientError({ code }: NodeJS.ErrnoException, socket: unknown): void {
  connectionOf({ socket })?.fail(errorOf(code));
}

/** If the request has a body, `stream` differs from the connection. */
export function answerConnect(request: IncomingMessage, stream: Duplex): void {
  stream.on("error", () => undefined);
  const message = "CONNECT is not supported; this server is not a proxy.";
  connectionOf(request)?.fail(new AppError("malformed_http", { message }));
}

/** Node closes the connection, and emits `close` on the request and the reply. */
function ignore(): void {}

const forms = [/^\[([^\]]{1,64})\](?::\d{1,5})?$/, /^([\d.]{7,15}):\d{1,5}$/];

/** Removes the ports, and the brackets around IPv6 addresses, before anything reads the header. */
export function dropForwardedPorts(headers: IncomingHttpHeaders): void {
  const forwarded = headers["x-forwarded-for"];
  if (typeof forwarded !== "string" || !forwarded.includes(":")) return;
  headers["x-forwarded-for"] = forwarded.split(",").map(addressOf).join(", ");
}

function addressOf(part: string): string {
  const text = part.trim();
  const address = forms.map((form) => form.exec(text)?.[1]).find((found) => found !== undefined);
  return address !== undefined && isIP(address) !== 0 ? address : text;
}
