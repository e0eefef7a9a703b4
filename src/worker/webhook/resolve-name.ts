// Finds the addresses of a name by asking the DNS directly: `getaddrinfo` would occupy threads that the whole process
// shares, for as long as a slow name server takes.

import { Resolver } from "node:dns/promises";

const timeoutMs = 2_000;
const tries = 2;
const addressesMax = 16;

/** Resolves to the addresses of a host name; empty if it has none. */
export type ResolveName = (name: string) => Promise<readonly string[]>;

/** `servers`: for tests; otherwise the system's servers are used. */
export function makeResolver(servers?: readonly string[]): ResolveName {
  return async (name) => {
    const resolver = new Resolver({ timeout: timeoutMs, tries });
    if (servers !== undefined) resolver.setServers(servers);
    const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    return found
      .flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []))
      .slice(0, addressesMax);
  };
}
