// The index of persons after an erasure: neither a value of an erased person nor a hash of it, under any key that was
// in use, is in a file of the store. Persons are erased while they are indexed, while the index is made with another
// key by a process that is killed, and before it is made again.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { persons } from "../../../../src/feature/find/store/part.ts";
import { createOrganization } from "../../../../src/actions/access/create-organization.ts";
import type { App } from "../../../../src/actions/app.ts";
import { indexNext } from "../../../../src/feature/find/build-index.ts";
import { findSubjects } from "../../../../src/feature/find/find-subjects.ts";
import { readTerms } from "../../../../src/feature/find/record-terms.ts";
import { loadTelephoneReader } from "../../../../src/feature/find/value-terms.ts";
import { makeKey, replaceKey } from "../../../../src/data-folder/receipt-key.ts";
import { readConfig } from "../../../../src/settings/config.ts";
import { startProgram } from "../../../cli/program.ts";
import { draftOf, keyOf } from "../../../conformance/scene.ts";
import { readOverwriting } from "../../../support/guide-sql.ts";
import { databaseFolder, readDataFiles, walFolder } from "../../../support/postgres/data-files.ts";
import { startPostgres } from "../../../support/postgres/postgres-server.ts";
import { operate } from "../../../support/server.ts";
import { testEnvironment } from "../../../support/service.ts";
import { makeTempFolder } from "../../../support/temp-folder.ts";
import { withActs } from "../../../support/test-store.ts";
import { waitFor } from "../../../support/wait-for.ts";
import { findWord, goes } from "../../../receipt/canary.ts";
import { makeSearchKeys } from "../../../../src/feature/find/build-index.ts";
import { processDue } from "../../../receipt/kill-scene.ts";

const organizationId = "acme";
const personsMade = 800;
const readTelephone = await loadTelephoneReader();

type Environment = Readonly<Record<string, string>>;

/** The files of the store, by name. */
type ReadFiles = () => Promise<ReadonlyMap<string, Buffer>>;

function fieldsOf(no: number) {
  return {
    name: `${goes} Example${no}`,
    email: `${goes}${no}@example.com`,
    phone_number: `+49 30 12345${no}`,
    national_identification_number: { type: "PASSPORT", value: `${goes}${no}` },
  } as const;
}

async function fill(app: App): Promise<void> {
  await createOrganization(app, { name: "Acme", organizationId });
  const drafts = Array.from({ length: personsMade }, (_, at) =>
    draftOf(
      "person",
      `person ${at}`,
      at < 3 ? fieldsOf(at) : { name: at === 3 ? "Grace Hopper" : "Ada Common" },
    ),
  );
  const kind = { organizationId, resourceType: "person" };
  assert.equal((await withActs(app.store).write(drafts, kind)).written, personsMade);
  while (await indexNext(app));
}

/** The hashes of the erased persons under the key that the process has now. */
function hashesOf(app: App): readonly Buffer[] {
  const fields = [0, 1, 2].map(fieldsOf);
  const terms = fields.flatMap((state) =>
    readTerms("person", { state, changes: [state], readTelephone }),
  );
  return terms.map(({ term }) =>
    Buffer.from(app.derive(makeSearchKeys)?.hash(organizationId, term) ?? []),
  );
}

async function erase(app: App, no: number): Promise<void> {
  await withActs(app.store).request(keyOf("person", `person ${no}`, organizationId));
  await processDue(app);
}

/** Ends the command as soon as it has made a part of the hashes. */
async function killIndexing(environment: Environment): Promise<void> {
  const { child, ended } = startProgram(["subject", "index"], environment);
  await operate(environment, async ({ store }) => {
    const begun = async () => {
      const { indexedNo } = await store.of(persons).state();
      return indexedNo > 100 && indexedNo < personsMade - 100;
    };
    await waitFor("some hashes to be made", begun, { timeoutMs: 120_000, intervalMs: 1 });
  });
  child.kill("SIGKILL");
  assert.equal((await ended).code, -1);
}

async function requireForgotten(readFiles: ReadFiles, hashes: readonly Buffer[]): Promise<void> {
  const files = await readFiles();
  assert.ok(files.size > 0);
  for (const [name, bytes] of files) {
    assert.deepEqual(findWord(bytes, goes), {}, name);
    for (const hash of hashes) {
      assert.ok(!bytes.includes(hash), name);
      assert.ok(!bytes.includes(hash.toString("hex")), name);
    }
  }
}

async function countHashes(readFiles: ReadFiles, hashes: readonly Buffer[]): Promise<number> {
  const files = [...(await readFiles()).values()];
  return hashes.filter((hash) => files.some((bytes) => bytes.includes(hash))).length;
}

async function play(environment: Environment, readFiles: ReadFiles): Promise<readonly Buffer[]> {
  const config = readConfig(environment);
  replaceKey(config, makeKey());
  await operate(environment, fill);
  const before = await operate(environment, (app) => Promise.resolve(hashesOf(app)));
  assert.equal(await countHashes(readFiles, before), before.length);
  await operate(environment, (app) => erase(app, 0));
  replaceKey(config, makeKey());
  await killIndexing(environment);
  return operate(environment, async (app) => {
    assert.ok((await app.store.of(persons).state()).indexedNo < personsMade);
    await erase(app, 1);
    while (await indexNext(app));
    await erase(app, 2);
    const search = { organizationId, reason: "r" };
    const found = await findSubjects(app, { ...search, wanted: { name: "Grace Hopper" } });
    assert.deepEqual([found.total, found.incomplete], [1, undefined]);
    assert.deepEqual(await app.store.checkIntegrity(), { ok: true, findings: [] });
    return [...before, ...hashesOf(app)];
  });
}

describe("the hashes of erased persons", () => {
  it("are in no file on SQLite, wherever the making of the index was killed", async () => {
    const folder = makeTempFolder();
    const readFiles: ReadFiles = () => {
      const names = readdirSync(folder).filter((name) => name.startsWith("sluice.db"));
      return Promise.resolve(
        new Map(names.map((name) => [name, readFileSync(join(folder, name))])),
      );
    };
    await requireForgotten(readFiles, await play(testEnvironment(folder), readFiles));
  });

  it("are in no file on PostgreSQL after the clean-up of the operator", async (test) => {
    const server = await startPostgres({ own: true, durable: true });
    test.after(() => server.remove());
    const url = await server.makeDatabase();
    const readFiles: ReadFiles = async () => {
      await server.query("CHECKPOINT", url);
      const database = await readDataFiles(server, await databaseFolder(server, url));
      return new Map([...database, ...(await readDataFiles(server, walFolder))]);
    };
    const environment = testEnvironment(makeTempFolder(), { DATABASE_URL: url });
    const hashes = await play(environment, readFiles);
    for (const statement of readOverwriting()) await server.query(statement, url);
    await requireForgotten(readFiles, hashes);
  });
});
