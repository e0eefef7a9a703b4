// Without a credential nobody makes a row of any table, so nobody can fill one that others need.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { routes } from "../../src/process/console-routes.ts";
import { operations } from "../../src/process/operations.ts";
import { publicRoutes } from "../../src/process/operations.ts";
import { startIssuer } from "../support/openid-issuer.ts";
import { startService } from "../support/service.ts";
import { readAllRows } from "../support/table-content.ts";
import { addOperator, submit } from "./browse.ts";

const url = "https://sluice.example.com";

describe("requests without a credential", async () => {
  const issuer = await startIssuer(`${url}/console/openid/answer`);
  const service = await startService({
    environment: {
      CONSOLE_URL: url,
      OIDC_ISSUER: issuer.address,
      OIDC_CLIENT_ID: "sluice",
      OIDC_ROLES: "ops=operator",
      METRICS_TOKEN: "0123456789abcdef",
    },
  });
  await addOperator(service.app, ["officer"], "anna");
  after(async () => {
    await service.stop();
    await issuer.stop();
  });

  /** The table of each row. */
  const rows = () =>
    readAllRows(join(service.folder, "sluice.db")).replaceAll(/^(\w+) .*$/gm, "$1");

  it("store nothing, whatever they ask for", async () => {
    // It has one row, which it makes when it is asked for the first time.
    await service.client.send({ method: "GET", path: "/health/ready" });
    const stored = rows();
    const places = [...routes, ...operations, ...publicRoutes.map(asGet)];
    for (const [no, { method, path }] of places.entries()) {
      const headers = { ...from(no), authorization: "sluice_key_x" };
      const place = path.replace(":id", "x");
      const { status } = await service.client.send({ method, path: place, headers });
      if (method === "POST") await submit(service.client, place, { headers: from(no) });
      assert.ok(status < 500, `${path} ${status}`);
    }
    assert.equal(rows(), stored);
  });

  it("get challenges that are not stored, as many as they ask for", async () => {
    const stored = rows();
    for (const path of ["/console/passkey/options", "/console/openid"]) {
      for (let no = 0; no < 30; no += 1) {
        const { status, text } = await submit(service.client, path, { headers: from(1_000 + no) });
        assert.equal(status, 200, text);
      }
    }
    assert.equal(rows(), stored);
  });
});

/** The addresses are in a /48 each. */
function from(no: number): Readonly<Record<string, string>> {
  return { "x-forwarded-for": `2001:db8:${no.toString(16)}::1`, origin: url };
}

function asGet({ path }: { readonly path: string }) {
  return { method: "GET", path } as const;
}
