// What a person may let programs read: by a key, and by the successor of a key.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import type { App } from "../../../src/actions/app.ts";
import { changeOrganization } from "../../../src/actions/access/change-organization.ts";
import { createKey, rotateKey } from "../../../src/actions/access/keys.ts";
import { createOrganization } from "../../../src/actions/access/create-organization.ts";
import { Viewer } from "../../../src/actions/operator/viewer.ts";
import type { OperatorRole } from "../../../src/domain/operator.ts";
import type { Scope } from "../../../src/domain/scope.ts";
import { startService } from "../../support/service.ts";

const organizationId = "acme";

describe("the scopes that a person grants to a program", async () => {
  const service = await startService();
  const { app } = service;
  after(() => service.stop());
  await createOrganization(app, { name: "Acme", organizationId });

  const as = (...more: OperatorRole[]): App => ({
    ...app,
    operator: "olga",
    viewer: new Viewer(app, ["operator", ...more]),
  });

  /** What each way of granting these scopes answers, which must be the same. */
  async function grant(person: App, ...scopes: Scope[]): Promise<string | undefined> {
    const { keyId } = (await createKey(app, { organizationId, scopes })).key;
    const ways = [
      createKey(person, { organizationId, scopes }),
      rotateKey(person, { keyId, overlapMs: 0 }),
    ];
    const ended = await Promise.allSettled(ways);
    const answers = ended.map((one) =>
      one.status === "rejected" ? String(one.reason) : undefined,
    );
    assert.deepEqual(answers, [answers[0], answers[0]]);
    return answers[0];
  }

  it("list no confidential type that this person may not learn of", async () => {
    for (const scope of ["customer_sar:read", "customer_sar:write"] as const) {
      assert.equal(await grant(as(), scope), undefined);
      assert.match(
        (await grant(as(), scope, "changes:read")) ?? "",
        /changes:read and customer_sar:read, programs learn of records of the type customer_sar\. .* may not learn that/,
      );
    }
    for (const scope of ["transactions:read", "transactions:write"] as const) {
      assert.match(
        (await grant(as(), scope, "changes:read")) ?? "",
        /transaction_suspicious_activity\. .* may not/,
      );
    }
    const harmless = [
      "person:write",
      "screening:read",
      "transactions:delete",
      "changes:read",
    ] as const;
    assert.equal(await grant(as(), ...harmless), undefined);
    for (const role of ["auditor", "officer"] as const) {
      const scopes = ["customer_sar:read", "transactions:write", "changes:read"] as const;
      assert.equal(await grant(as(role), ...scopes), undefined);
    }
  });

  it("list no type that only this organization has made confidential", async () => {
    await changeOrganization(app, organizationId, { confidentialTypes: ["screening"] });
    const scopes = ["screening:read", "changes:read"] as const;
    assert.match((await grant(as(), ...scopes)) ?? "", /of the type screening\./);
    assert.equal(await grant(as("auditor"), ...scopes), undefined);
    await changeOrganization(app, organizationId, { confidentialTypes: [] });
  });

  it("read no content that this person may not read", async () => {
    for (const person of [as(), as("auditor")]) {
      assert.match(
        (await grant(person, "person:read", "changes:read", "changes:content")) ?? "",
        /changes:content, programs read the content of records\. .* may not read the content/,
      );
    }
    const scopes = ["person:read", "changes:read", "changes:content"] as const;
    assert.equal(await grant(as("officer"), ...scopes), undefined);
  });

  it("are not bounded for the shell of the host", async () => {
    assert.equal(await grant(app, "customer_sar:read", "changes:read"), undefined);
  });
});
