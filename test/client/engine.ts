// What the tests of the client ask of an engine: a real server on a store of its own. Names no engine.

import { after, before } from "node:test";
import { allScopes } from "../../src/domain/scope.ts";
import { Sluice, type SluiceOptions } from "../../client/src/sluice.ts";
import { type Customer, makeCustomer } from "../support/customer.ts";
import { type Server, startServer } from "../support/server.ts";

export interface Engine {
  /** Said in front of every title. */
  readonly name: string;
  /** Settings of a server on an empty store. */
  environment(): Promise<Readonly<Record<string, string>>>;
}

export const sqlite: Engine = { name: "SQLite", environment: async () => ({}) };

export interface Site {
  readonly server: Server;
  readonly customer: Customer;
  /** A client of the customer's, with every scope, for the server or for what stands in front of it. */
  client(options?: Partial<SluiceOptions>): Sluice;
}

/** For a group of tests: one server for all of them. Gives the site once the tests run. */
export function useSite(engine: Engine, environment: Record<string, string> = {}): () => Site {
  let site: Site | undefined;
  before(async () => {
    const settings = {
      RATE_LIMIT_PER_SECOND: "0",
      ...(await engine.environment()),
      ...environment,
    };
    const server = await startServer({ environment: settings });
    const customer = await server.operate((app) => makeCustomer(app, server.client));
    site = { server, customer, client: (options) => clientOf(customer, server.address, options) };
  });
  after(() => site?.server.stop());
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
