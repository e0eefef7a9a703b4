// An upload whose process is killed during the import: the next process removes the file, and the import can be
// repeated.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { describe, it } from "node:test";
import { createOrganization } from "../../../../src/actions/access/create-organization.ts";
import { listImports } from "../../../../src/feature/import/imports.ts";
import { isUploadFolder } from "../upload-folder.ts";
import { operate } from "../../../support/server.ts";
import { type ServerProcess, startServerProcess } from "../../../support/server-process.ts";
import { testEnvironment } from "../../../support/service.ts";
import { makeTempFolder } from "../../../support/temp-folder.ts";
import { waitFor } from "../../../support/wait-for.ts";
import { addOperator, read, signIn, submit, uploadFile } from "../../../console/browse.ts";

const rows = 20_000;
const person = { is_test_user: false, is_retail_customer: true, timestamp: "2026-01-31T09:30:00Z" };
const content = Array.from({ length: rows }, (_, index) =>
  JSON.stringify({ person_id: `p${index}`, ...person }),
).join("\n");

/** Uploads the file, begins its import, and returns the path of its page. */
async function begin(server: ServerProcess, cookie: string) {
  const { client } = server;
  const fields = { organization: "acme", type: "person" };
  const file = { cookie, fields, name: "persons.ndjson", content };
  const path = (await uploadFile(client, file)).headers.location ?? "";
  assert.match((await read(client, path, { cookie })).text, /None of these first rows would/);
  await submit(client, `${path}/start`, { cookie, form: { seen: "1" } });
  return path;
}

describe("an upload whose process is killed during the import", () => {
  const folder = makeTempFolder();
  const environment = testEnvironment(folder);
  const count = () =>
    operate(environment, async ({ store }) => (await store.countRecords("acme"))["person"] ?? 0);
  const folders = () => readdirSync(folder).filter(isUploadFolder);

  it("leaves no file behind, and its import can be repeated", async () => {
    await operate(environment, async (app) => {
      await createOrganization(app, { name: "Acme", organizationId: "acme" });
      await addOperator(app, ["operator"]);
    });
    const sign = (server: ServerProcess) =>
      operate(environment, (app) => signIn(app, server.client, "operator"));
    const first = await startServerProcess(environment);
    const cookie = await sign(first);
    const interrupted = await begin(first, cookie);
    const isWriting = async () => {
      const { text } = await read(first.client, interrupted, { cookie });
      return / [1-9][\d,]* written/.test(text);
    };
    await waitFor("written rows", isWriting, { intervalMs: 20 });
    await first.end("SIGKILL");
    assert.equal(folders().length, 1);
    const second = await startServerProcess(environment);
    assert.deepEqual(folders(), []);
    const path = await begin(second, cookie);
    const readResult = async () => {
      const { text } = await read(second.client, path, { cookie });
      return text.includes('id="result"') ? text : undefined;
    };
    const result = await waitFor("the import", readResult, { intervalMs: 50 });
    assert.match(result, /The whole file was imported/);
    assert.equal(await count(), rows);
    const outcomes = await operate(environment, listImports);
    assert.deepEqual(
      outcomes.map(({ outcome }) => outcome),
      ["finished", undefined],
    );
    assert.equal(await second.end("SIGTERM"), 0);
    assert.deepEqual(folders(), []);
  });
});
