// A real server for the tests of the client, and a client of it.

import { after, before } from "node:test";
import { allScopes } from "../../src/domain/scope.ts";
import { Sluice, type SluiceOptions } from "../../client/src/sluice.ts";
import { type Customer, makeCustomer } from "../support/customer.ts";
import { type Server, startServer } from "../support/server.ts";

export interface Site {
  readonly server: Server;
  readonly customer: Customer;
  /** A client of the customer, with every scope, for the server or for the proxy in front of it. */
  client(options?: Partial<SluiceOptions>): Sluice;
}

/** One for a group of tests. The function returns the site once the tests run. */
export function useSite(): () => Site {
  let site: Site | undefined;
  before(async () => {
    const server = await startServer({ environment: { RATE_LIMIT_PER_SECOND: "0" } });
    const customer = await server.operate((app) => makeCustomer(app, server.client));
    const client: Site["client"] = (options) => clientOf(customer, server.address, options);
    site = { server, customer, client };
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
