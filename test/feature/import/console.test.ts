// The imports on the intake page: those of this process and of others, that run or have ended.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { createOrganization } from "../../../src/actions/access/create-organization.ts";
import { listImports } from "../../../src/feature/import/imports.ts";
import { importRuns } from "../../../src/feature/import/store/part.ts";
import { makeCommandLine } from "../../cli/command-line.ts";
import { addOperator, read, signIn } from "../../console/browse.ts";
import { startService } from "../../support/service.ts";

const person = { is_test_user: false, is_retail_customer: true, timestamp: "2026-01-31T09:30:00Z" };

describe("the imports in the console", async () => {
  const cookies: Record<string, string> = {};

  const service = await startService();
  await createOrganization(service.app, { name: "Acme", organizationId: "acme" });
  for (const role of ["viewer", "officer"] as const) {
    await addOperator(service.app, [role]);
    cookies[role] = await signIn(service.app, service.client, role);
  }
  after(() => service.stop());

  const show = async (role = "viewer") =>
    (await read(service.client, "/console/intake", { cookie: cookies[role] })).text;

  it("say first how to import", async () => {
    assert.match(await show(), /Nothing was imported within the last 30 days/);
  });

  it("are those of the command line too, with their outcome", async () => {
    const line = makeCommandLine({ folder: service.folder, now: service.clock.now });
    const file = join(service.folder, "persons.ndjson");
    const lines = [{ person_id: "p1", ...person }, { person_id: "p2" }];
    writeFileSync(file, lines.map((one) => JSON.stringify(one)).join("\n"));
    const words = ["--type", "person", "--organization", "acme"];
    assert.equal((await line.type("import", file, ...words)).code, 3);
    service.clock.advanceMs(1);
    const missing = join(service.folder, "missing.csv");
    assert.equal((await line.type("import", missing, ...words)).code, 1);
    const found = (await listImports(service.app)).map(({ outcome, rows, written, refused }) => [
      outcome,
      rows,
      written,
      refused,
    ]);
    assert.deepEqual(found, [
      ["failed", 0, 0, 0],
      ["finished", 2, 1, 1],
    ]);
    assert.match(
      await show(),
      /Person<[^]*?on the command line[^]*?finished[^]*?>2<[^]*?>1<[^]*?>1</,
    );
  });

  it("run until they end, and may have been interrupted; those of confidential types are hidden", async () => {
    const now = service.clock.now();
    const about = { organizationId: "acme", source: "command", startedBy: "root" } as const;
    const begin = (importId: string, resourceType: string) =>
      service.app.store
        .of(importRuns)
        .beginImport({ ...about, importId, resourceType, startedAt: now });
    await begin("imp_1", "company");
    await begin("imp_2", "customer_sar");
    assert.match(await show(), /Company<[^]*?>running</);
    service.clock.advanceMs(180_000);
    assert.match(await show(), /Company<[^]*?no progress for 3 minutes/);
    assert.doesNotMatch(await show(), /customer_sar|Customer SAR/);
    assert.match(await show("officer"), /Customer SAR/);
  });
});
