// The end of a server that has clients, its address, and why it can't listen.

import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import type { FastifyInstance } from "fastify";
import { TimeoutError, withTimeout } from "../basics/with-timeout.ts";
import type { Logger } from "../log.ts";
import type { Config } from "../settings/config.ts";
import type { SharedBounds } from "../http/connection/shared-bounds.ts";
import { codeOf } from "../files/file-error.ts";
import type { ServerResponse } from "node:http";
import { endWithReply } from "../http/body/expectation.ts";
import type { OpenConnections } from "../http/connection/open-connections.ts";

/** A connection whose last request was in flight at the stop is closed within this time after its reply. */
const idleSweepMs = 20;

/**
 * How long after the grace period a stop waits for what is in progress, which somebody else's lock, or a receiver of
 * traces, may keep far longer: process managers are told to wait little longer than this.
 */
const closingMsMax = 5_000;

/** Leaves what takes longer to itself: the process ends, which every state of the store allows for. */
export async function endWithin(
  graceMs: number,
  log: Logger,
  end: (graceMs: number) => Promise<void>,
): Promise<void> {
  log.info("stopping");
  try {
    await withTimeout(end(graceMs), graceMs + closingMsMax);
    log.info("stopped");
  } catch (error) {
    if (!(error instanceof TimeoutError)) throw error;
    log.warn("stopped before everything has ended; the next start continues as after a kill");
  }
}

/** Waits for requests in flight, not for clients to close; after the grace period, closes every connection. */
export async function closeWithin(
  server: FastifyInstance,
  sharedBounds: SharedBounds,
  graceMs: number,
): Promise<void> {
  const sweep = setInterval(() => {
    server.server.closeIdleConnections();
    sharedBounds.connections.closeSilent();
  }, idleSweepMs);
  const timer = setTimeout(() => sharedBounds.connections.closeAll(), graceMs);
  try {
    await server.close();
  } finally {
    clearInterval(sweep);
    clearTimeout(timer);
  }
}

/** Throws if the service can't listen on its address, whatever the port, before a store is opened for it. */
export async function requireAddress(config: Config): Promise<void> {
  const server = createServer();
  try {
    await once(server.listen({ host: config.host, port: 0 }), "listening");
  } catch (error) {
    throw explainListening(config, error);
  } finally {
    server.close();
  }
}

const otherHost = "HOST must be an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all.";
const advice: Readonly<Record<string, string>> = {
  EADDRINUSE: "the port is in use. Set PORT to another one, or to 0 for any free port.",
  EACCES: "permission denied. Set PORT to 1024 or higher.",
  EADDRNOTAVAIL: otherHost,
  ENOTFOUND: otherHost,
  EAI_AGAIN: otherHost,
};

/** Explains which setting to change; the system's message names none. */
export function explainListening({ host, port }: Config, cause: unknown): unknown {
  const known = advice[codeOf(cause) ?? ""];
  if (known === undefined) return cause;
  return new Error(`Can't listen on ${host}, port ${port}: ${known}`, { cause });
}

export function describeAddress(address: AddressInfo | string | null): string {
  if (address === null || typeof address === "string") throw new Error("the server has no address");
  const host = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}

/** Node writes `connection: close` into each reply, also to requests in flight, and then ends the connection. */
export function endConnectionsWithReplies(
  { server }: FastifyInstance,
  connections: OpenConnections,
): void {
  for (const { reply } of connections) if (reply !== undefined) endWithReply(reply);
  server.prependListener("request", (_request, response: ServerResponse) => {
    endWithReply(response);
  });
}
