// What the tests of the client require of an engine: real servers on their own store.

import { after, before } from "node:test";
import { allScopes } from "../../src/domain/scope.ts";
import { Sluice, type SluiceOptions } from "../../client/src/sluice.ts";
import { type Customer, makeCustomer } from "../support/customer.ts";
import { type Server, startServer } from "../support/server.ts";

export interface Engine {
  /** The prefix of every title. */
  readonly name: string;
  /** How many servers share the store. */
  readonly servers: number;
  /** Settings of servers on an empty store. */
  environment(): Promise<Readonly<Record<string, string>>>;
}

export const sqlite: Engine = { name: "SQLite", servers: 1, environment: async () => ({}) };

export interface Site {
  /** The first of the servers. */
  readonly server: Server;
  readonly servers: readonly Server[];
  readonly customer: Customer;
  /** A client of the customer, with every scope, for the server or for the proxy in front of it. */
  client(options?: Partial<SluiceOptions>): Sluice;
}

/** Creates one store for a group of tests. The function returns the site once the tests run. */
export function useSite(engine: Engine): () => Site {
  const servers: Server[] = [];
  let site: Site | undefined;
  before(async () => {
    const environment = { RATE_LIMIT_PER_SECOND: "0", ...(await engine.environment()) };
    const server = await startServer({ environment });
    servers.push(server);
    while (servers.length < engine.servers) servers.push(await startServer({ environment }));
    const customer = await server.operate((app) => makeCustomer(app, server.client));
    const client: Site["client"] = (options) => clientOf(customer, server.address, options);
    site = { server, servers, customer, client };
  });
  after(() => Promise.all(servers.map((server) => server.stop())));
  return () => {
    if (site === undefined) throw new Error("the site is there when the tests run, not before");
    return site;
  };
}

export function clientOf(
  { apiKey, organizationId }: Pick<Customer, "apiKey" | "organizationId">,
  baseUrl: string,
  options: Partial<SluiceOptions> = {},
): Sluice {
  return new Sluice({ baseUrl, apiKey, organizationId, scopes: allScopes, ...options });
}
