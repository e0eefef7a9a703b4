// The tools of tests of shared limits: authenticators, each of which represents a process, with its
// own connection and clock, and the server that they share.

import type { TestContext } from "node:test";
import { pino } from "pino";
import type { Identity } from "../../src/actions/access/caller-cache.ts";
import {
  openRateLimits,
  type RateLimitSettings,
} from "../../src/http/rate-limit/open-rate-limits.ts";
import type { Limited, RateGate } from "../../src/http/rate-limit/rate-limit.ts";
import { type FakeClock, makeFakeClock } from "../support/fake-clock.ts";
import { type RespServer, startRespServer } from "../support/redis/resp-server.ts";
import { waitFor } from "../support/wait-for.ts";

export const password = "not-to-be-shown";

interface GateOptions extends Partial<RateLimitSettings> {
  readonly scope?: string;
}

export interface Process {
  readonly gate: RateGate;
  /** Lines of the log, as JSON. */
  readonly log: readonly string[];
  readonly isShared: () => boolean | undefined;
  readonly countedAlone: () => number;
}

/**
 * The time limit of an answer is long unless the test is about it, so that no machine is too slow.
 */
export async function openProcess(
  test: TestContext,
  server: { readonly port: number },
  { scope = "store", ...settings }: GateOptions = {},
): Promise<Process> {
  const log: string[] = [];
  const url = `redis://default:${password}@127.0.0.1:${server.port}`;
  let isShared: boolean | undefined;
  let alone = 0;
  const rates = await openRateLimits(
    {
      rateLimitPerSecond: 5,
      rateLimitRedisUrl: url,
      rateLimitRedisTimeoutMs: 10_000,
      ...settings,
    },
    {
      now: makeFakeClock().now,
      scope,
      log: pino({ base: null }, { write: (line: string) => log.push(line) }),
      onShared: (shared) => (isShared = shared),
      onCountedAlone: () => (alone += 1),
    },
  );
  test.after(() => rates.close());
  return { gate: rates.gate, log, isShared: () => isShared, countedAlone: () => alone };
}

export async function startServer(
  test: TestContext,
): Promise<RespServer & { readonly clock: FakeClock }> {
  const clock = makeFakeClock();
  const server = await startRespServer({ now: clock.now, password });
  test.after(() => server.kill());
  return Object.assign(server, { clock });
}

/** Two processes that share their limits. */
export async function startTwo(test: TestContext) {
  const server = await startServer(test);
  const [one, two] = await Promise.all([openProcess(test, server), openProcess(test, server)]);
  await becomeShared(one);
  await becomeShared(two);
  return { server, one, two };
}

export function becomeShared({ isShared }: Process): Promise<true> {
  return waitFor("shared limits", () => isShared() || undefined);
}

export const caller = callerOf("acme");

export function callerOf(organizationId: string, rateLimitPerSecond?: number): Identity {
  return { organizationId, rateLimitPerSecond } as Identity;
}

export async function passed(times: number, ask: (index: number) => Limited | Promise<Limited>) {
  const asked = Array.from({ length: times }, async (_, index) => await ask(index));
  const found = await Promise.all(asked);
  return found.filter(({ allowed }) => allowed).length;
}
