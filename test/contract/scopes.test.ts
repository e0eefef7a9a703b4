// Every operation with every scope: which allow it and which do not, by the rules of the contract,
// section 4, written down here once more.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { allScopes, type Scope } from "../../src/domain/scope.ts";
import type { Operation } from "../../src/http/operation.ts";
import { operations } from "../../src/process/operations.ts";
import { deletableTypes } from "../../src/http/verb/deletion-document.ts";
import { fetchToken } from "../support/customer.ts";
import { idOf, startScene } from "./scene.ts";

const scene = await startScene();
const { client } = scene;
const lax = await scene.makeCustomer();
const strict = await scene.makeCustomer({ strictScopes: true });
after(() => scene.stop());

/** One operation for each scope that is required; statuses.test.ts refuses a scope to every operation. */
const gated = [
  ...Map.groupBy(
    operations.filter(({ permission }) => permission !== undefined),
    ({ type, permission, scope }) => scope ?? `${type?.family} ${permission}`,
  ).values(),
].flatMap(([first]) => first ?? []);

const umbrella = new Set([
  "transactions:read",
  "transactions:delete",
  "risk_assessment:read",
  "risk_assessment:write",
]);

/** `held` is the only scope of a token; `wanted` is what the operation is about. */
function includes(held: string, wanted: string, isStrict: boolean): boolean {
  if (held === wanted) return true;
  if (held === "transactions:write" && !isStrict && umbrella.has(wanted)) return true;
  return held.endsWith(":write") && wanted === held.replace(/:write$/, ":read");
}

function isAllowed(held: Scope, operation: Operation, isStrict: boolean): boolean {
  const { type, permission, scope } = operation;
  if (scope !== undefined) return held === scope;
  const families = type === undefined ? deletableTypes.map(({ family }) => family) : [type.family];
  return families.some((family) => includes(held, `${family}:${permission}`, isStrict));
}

for (const [customer, isStrict] of [
  [lax, false],
  [strict, true],
] as const) {
  describe(`in an organization with ${isStrict ? "strict" : "ordinary"} scopes`, () => {
    for (const scope of allScopes) {
      it(`${scope} allows exactly the operations that it should`, async () => {
        const token = await fetchToken(client, customer, { scopes: [scope] });
        for (const operation of gated) {
          const { method, path, name } = operation;
          const body = operation.body === "none" ? undefined : {};
          const query = operation.scope === undefined ? {} : { offset: "0" };
          const reply = await client.send({ method, path, token, body, query });
          const expected = isAllowed(scope, operation, isStrict) ? 400 : 403;
          assert.equal(reply.status, expected, `${name}: ${reply.text}`);
          if (expected === 400) continue;
          assert.equal(reply.body.code, 40301);
          const challenge = reply.headers["www-authenticate"] ?? "";
          assert.match(challenge, /^Bearer realm="sluice", error="insufficient_scope"/);
        }
      });
    }
  });
}

function familiesOtherThan({ family }: { family: string }): readonly string[] {
  return deletableTypes.map((type) => type.family).filter((other) => other !== family);
}

function tokenToDelete(family: string): Promise<string> {
  return fetchToken(client, strict, { scopes: [`${family}:delete`] });
}

describe("a deletion request that names its type in the body or by its id", () => {
  for (const type of deletableTypes) {
    it(`requires the delete scope of ${type.family} for a ${type.resourceType}, and no other`, async () => {
      const record = await scene.addRecord(strict, type);
      const path = "/v2/deletion_request";
      const body = {
        resource_type: type.resourceType,
        resource_id: idOf(type, record),
        reason: "a test",
      };
      for (const family of familiesOtherThan(type)) {
        const token = await tokenToDelete(family);
        const reply = await client.send({ method: "POST", path, token, body });
        assert.deepEqual([reply.status, reply.body.code], [403, 40301]);
      }
      const token = await tokenToDelete(type.family);
      const accepted = await client.send({ method: "POST", path, token, body });
      assert.equal(accepted.status, 200);
      const query = { deletion_request_id: accepted.body.deletion_request_id ?? "" };
      assert.equal((await client.send({ method: "GET", path, token, query })).status, 200);
      for (const family of familiesOtherThan(type)) {
        const other = await tokenToDelete(family);
        const reply = await client.send({ method: "GET", path, token: other, query });
        assert.deepEqual([reply.status, reply.body.code], [403, 40301]);
      }
    });
  }
});
