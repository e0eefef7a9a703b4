// What tests of tokens of platforms share: a service, an issuer that is reached over HTTP, rules, and the form.

import assert from "node:assert/strict";
import { mock } from "node:test";
import { createRule, type WantedRule } from "../../../src/feature/identity/rules.ts";
import type { TrustingRule } from "../../../src/feature/identity/store/part.ts";
import type { Customer } from "../../support/customer.ts";
import type { FakeClock } from "../../support/fake-clock.ts";
import type { Reply } from "../../support/http-client.ts";
import { type PlatformIssuer, startPlatformIssuer } from "./platform-issuer.ts";
import { fromNewAddress, type Scene, startScene } from "../../contract/scene.ts";

export type Form = Readonly<Record<string, string>>;

export const asAssertion: Form = {
  grant_type: "client_credentials",
  client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
};

interface Exchange {
  readonly form?: Form;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ProgramScene extends Scene {
  /** Of the service and of the system, by which the age of keys is measured. */
  readonly clock: Pick<FakeClock, "now" | "advanceMs">;
  readonly issuer: PlatformIssuer;
  /** Sends a form; `token` is the token of the platform. */
  readonly send: (who: Customer, token: string, exchange?: Exchange) => Promise<Reply>;
  /** Creates a rule for programs with the subject `intake`. */
  readonly trust: (
    who: Customer,
    of: PlatformIssuer,
    more?: Partial<WantedRule>,
  ) => Promise<TrustingRule>;
  /** A new customer that trusts the issuer. */
  readonly withTrust: (more?: Partial<WantedRule>) => Promise<Customer>;
}

export async function startProgramScene(): Promise<ProgramScene> {
  const scene = await startScene();
  const { client, service } = scene;
  mock.timers.enable({ apis: ["Date"], now: service.clock.now() });
  const clock: ProgramScene["clock"] = {
    now: service.clock.now,
    advanceMs: (ms) => {
      service.clock.advanceMs(ms);
      mock.timers.setTime(service.clock.now());
    },
  };
  const issuer = await startPlatformIssuer(service.clock.now);
  const trust: ProgramScene["trust"] = ({ organizationId }, { address }, more = {}) => {
    // Rules are tried in the order of their creation.
    service.clock.advanceMs(1);
    return createRule(service.app, {
      organizationId,
      scopes: ["transactions:write", "person:read"],
      issuer: address,
      audience: "sluice",
      claims: { sub: "intake" },
      lifetimeSeconds: 3_600,
      reusable: false,
      ...more,
    });
  };
  return {
    ...scene,
    clock,
    issuer,
    trust,
    withTrust: async (more) => {
      const customer = await scene.makeCustomer();
      await trust(customer, issuer, more);
      return customer;
    },
    send: (who, token, { form = {}, path = "/auth/token", headers } = {}) => {
      const fields = {
        ...asAssertion,
        organization_id: who.organizationId,
        client_assertion: token,
        ...form,
      };
      const type = "application/x-www-form-urlencoded";
      return client.send({
        method: "POST",
        path,
        headers: { ...fromNewAddress(), "content-type": type, ...headers },
        body: new URLSearchParams(fields).toString(),
      });
    },
    stop: async () => {
      mock.timers.reset();
      await scene.stop();
      await issuer.stop();
    },
  };
}

export function requireRefused(reply: Reply): void {
  assert.equal(reply.status, 401, reply.text);
  assert.equal(reply.body.code, 40102);
  assert.equal(reply.body["error"], "invalid_client");
  assert.equal(reply.headers["www-authenticate"], 'ApiKey realm="sluice"');
}
