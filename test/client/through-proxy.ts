// A client that uses a faulty proxy, and the ways in which the proxy chooses its faults.

import type { Sluice } from "../../client/src/sluice.ts";
import type { Random } from "../support/random.ts";
import type { Site } from "./engine.ts";
import {
  type Fault,
  faults,
  type FaultyProxy,
  type Passing,
  startFaultyProxy,
} from "./faulty-proxy.ts";

export type Choose = (passing: Passing) => Fault;

/** Calls succeed in the end. */
const faultyAttemptsMax = 4;

export function attemptOf({ headers }: Passing): number {
  return Number(headers["x-request-id"]?.split(".").at(-1));
}

export function firstAttempts(fault: Fault): Choose {
  return (passing) => (attemptOf(passing) === 1 ? fault : "none");
}

export function atRandom(random: Random): Choose {
  return (passing) =>
    attemptOf(passing) <= faultyAttemptsMax && random.chance(0.6) ? random.pick(faults) : "none";
}

/** Works through a proxy, and returns the requests that passed through it. */
export async function throughProxy(
  site: Site,
  choose: Choose,
  work: (client: Sluice) => Promise<void>,
): Promise<FaultyProxy["seen"]> {
  // Long enough for a machine that is busy with other tests: otherwise the repeated requests would add to its load.
  const timeoutMs = 1_500;
  const targets = site.servers.map(({ address }) => address);
  const proxy = await startFaultyProxy(targets, { choose, delayMs: timeoutMs * 2 });
  try {
    await work(site.client({ baseUrl: proxy.address, timeoutMs }));
  } finally {
    await proxy.close();
  }
  return proxy.seen;
}
