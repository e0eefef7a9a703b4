// A load balancer for tests: passes requests on to servers over keep-alive connections, in turn, as
// long as a server's /health/ready answers 200. Never sends a request twice, so that one which a
// server loses is lost for the client, too.

import { once } from "node:events";
import {
  Agent,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";

export interface Backend {
  readonly address: string;
  /** Each server has its own customers, so the token is inserted here. */
  readonly token: string;
}

export interface BackendState {
  readonly ready: boolean;
  readonly inFlight: number;
  readonly answered: number;
}

export interface LoadBalancer {
  readonly address: string;
  stateOf(backend: Backend): BackendState;
  /** Errors between it and a server, other than a reply. */
  readonly lost: readonly string[];
  close(): Promise<void>;
}

interface Route {
  readonly backend: Backend;
  readonly agent: Agent;
  ready: boolean;
  inFlight: number;
  answered: number;
}

const probeIntervalMs = 10;

export async function startLoadBalancer(backends: readonly Backend[]): Promise<LoadBalancer> {
  const lost: string[] = [];
  const routes = backends.map((backend): Route => {
    const agent = new Agent({ keepAlive: true });
    return { backend, agent, ready: true, inFlight: 0, answered: 0 };
  });
  const closing = new AbortController();
  const probing = routes.map((route) => probe(route, closing.signal));
  let turn = 0;
  const server = createServer((incoming, outgoing) => {
    const ready = routes.filter((route) => route.ready);
    const route = ready[turn++ % ready.length];
    if (route === undefined) {
      outgoing.writeHead(502).end();
      return;
    }
    forward(route, incoming, outgoing).catch((error: unknown) => {
      lost.push(`${route.backend.address}: ${String(error)}`);
      outgoing.destroy();
    });
  });
  return {
    address: await listen(server),
    stateOf: (backend) => routes.find((route) => route.backend === backend) ?? never(),
    lost,
    close: async () => {
      closing.abort();
      await Promise.all(probing);
      server.closeAllConnections();
      server.close();
      for (const { agent } of routes) agent.destroy();
    },
  };
}

async function forward(
  route: Route,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  route.inFlight += 1;
  try {
    const { method, headers } = incoming;
    const passed = request(`${route.backend.address}${incoming.url ?? "/"}`, {
      method,
      agent: route.agent,
      headers: {
        ...headers,
        connection: "keep-alive",
        authorization: `Bearer ${route.backend.token}`,
      },
    });
    const answered = once(passed, "response") as Promise<[IncomingMessage]>;
    const [, [reply]] = await Promise.all([pipeline(incoming, passed), answered]);
    const { connection: _own, ...passedBack } = reply.headers;
    outgoing.writeHead(reply.statusCode ?? 0, passedBack);
    await pipeline(reply, outgoing);
    route.answered += 1;
  } finally {
    route.inFlight -= 1;
  }
}

/** A server that is gone is not ready either. */
async function probe(route: Route, closing: AbortSignal): Promise<void> {
  while (!closing.aborted) {
    const reply = await fetch(`${route.backend.address}/health/ready`).catch(() => undefined);
    await reply?.arrayBuffer().catch(() => undefined);
    route.ready = reply?.status === 200;
    await sleep(probeIntervalMs, undefined, { signal: closing }).catch(() => undefined);
  }
}

async function listen(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function never(): never {
  throw new Error("no such backend");
}
