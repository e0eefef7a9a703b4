// Events survive the death of the service at any point, on both engines, and two processes on one database never send
// at once: every entry arrives, in order, and only a batch may arrive again.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import type { App } from "../../../src/actions/app.ts";
import { createOrganization } from "../../../src/actions/access/create-organization.ts";
import { makeCommandLine } from "../../cli/command-line.ts";
import { accept, type OtlpReceiver, startOtlp } from "../../support/event-receivers.ts";
import { usePostgres } from "../../support/postgres/postgres-server.ts";
import { operate, startServer } from "../../support/server.ts";
import { startServerProcess } from "../../support/server-process.ts";
import { testEnvironment } from "../../support/service.ts";
import { makeTempFolder, removeFolder } from "../../support/temp-folder.ts";
import { waitFor } from "../../support/wait-for.ts";

const server = await usePostgres();

async function addOrganizations(app: App, count: number): Promise<void> {
  for (let number = 0; number < count; number += 1) {
    await createOrganization(app, { name: "any", organizationId: undefined });
  }
}

async function entriesOf({ store }: App): Promise<readonly number[]> {
  return (await store.listAudit(0, 1_000)).map(({ entryNo }) => entryNo);
}

function numbersOf({ records }: OtlpReceiver): readonly number[] {
  return records.flatMap(({ fields }) =>
    "entry_no" in fields ? [Number(fields["entry_no"])] : [],
  );
}

/** As if the lease of a killed process had ended. */
async function endLease({ store }: App): Promise<void> {
  const [destination, until] = ["otlp", Number.MAX_SAFE_INTEGER - 1] as const;
  const now = Number.MAX_SAFE_INTEGER;
  const entryNo = await store.events.claim({ destination, now, until });
  if (entryNo !== undefined) await store.events.settle({ destination, until, entryNo });
}

const kinds = {
  SQLite: () => Promise.resolve({}),
  PostgreSQL: async () => ({ DATABASE_URL: await server.makeDatabase() }),
};

describe("a service that is killed while it sends events", () => {
  for (const [name, makeStore] of Object.entries(kinds)) {
    it(`sends every entry at least once and in order, on ${name}`, async () => {
      const folder = makeTempFolder();
      after(() => removeFolder(folder));
      const receiver = await startOtlp();
      const more = { EVENTS_OTLP_ENDPOINT: receiver.endpoint, ...(await makeStore()) };
      const environment = testEnvironment(folder, more);
      for (let round = 0; round < 3; round += 1) {
        await operate(environment, (app) => addOrganizations(app, 5));
        const dies = Promise.withResolvers<void>();
        receiver.answer((response) => {
          // Before the reply, after it was written, or a moment later, while it is noted.
          if (round > 0) accept(response);
          if (round < 2) dies.resolve();
          else setImmediate(() => setImmediate(() => dies.resolve()));
        });
        const running = await startServerProcess(environment);
        await dies.promise;
        await running.end("SIGKILL");
        await operate(environment, endLease);
      }
      receiver.answer((response) => accept(response));
      await operate(environment, (app) => addOrganizations(app, 2));
      const last = await startServerProcess(environment);
      const all = await operate(environment, entriesOf);
      await waitFor("all entries", () => new Set(numbersOf(receiver)).size >= all.length);
      assert.deepEqual([...new Set(numbersOf(receiver))], all);
      assert.ok(numbersOf(receiver).length > all.length);
      assert.equal(await last.end("SIGTERM"), 0);
      await receiver.close();
    });
  }
});

describe("a store that is restored from a backup", () => {
  it("sends what followed the backup again, and then the restore with a new number", async () => {
    const folder = makeTempFolder();
    after(() => removeFolder(folder));
    const receiver = await startOtlp();
    const line = makeCommandLine({ folder });
    const environment = { EVENTS_OTLP_ENDPOINT: receiver.endpoint };
    const isSent = async () => {
      const all = await operate(line.environment, entriesOf);
      await waitFor("all entries", () => numbersOf(receiver).includes(all.at(-1) ?? 0));
      return all;
    };
    const first = await startServer({ folder, environment });
    await first.operate((app) => addOrganizations(app, 3));
    await isSent();
    const file = join(folder, "backup.db");
    await line.ask("backup", file);
    await first.operate((app) => addOrganizations(app, 3));
    const lost = await isSent();
    await first.stop();
    const before = numbersOf(receiver).length;
    await line.ask("restore", file, "--replace");
    const second = await startServer({ folder, environment });
    await second.operate((app) => addOrganizations(app, 1));
    const all = await isSent();
    const again = numbersOf(receiver).slice(before);
    assert.deepEqual(again, all.slice(all.indexOf(again[0] ?? 0)));
    const restored = receiver.records.find(({ name }) => name === "store.restore")?.fields;
    assert.ok(Number(restored?.["entry_no"]) > (lost.at(-1) ?? 0));
    await second.stop();
    await receiver.close();
  });
});

describe("two processes on one database", () => {
  it("send each entry once, one at a time", async () => {
    const url = await server.makeDatabase();
    const receiver = await startOtlp();
    let [inProgress, atOnce] = [0, 0];
    receiver.answer((response) => {
      inProgress += 1;
      atOnce = Math.max(atOnce, inProgress);
      setTimeout(() => {
        inProgress -= 1;
        accept(response);
      }, 20);
    });
    const environment = { DATABASE_URL: url, EVENTS_OTLP_ENDPOINT: receiver.endpoint };
    const one = await startServer({ environment });
    const key = { RECEIPT_KEY_FILE: join(one.folder, "receipt-key.pem") };
    const two = await startServer({ environment: { ...environment, ...key } });
    for (let round = 0; round < 4; round += 1) {
      await one.operate((app) => addOrganizations(app, 5));
      const all = await one.operate(entriesOf);
      await waitFor("all entries", () => numbersOf(receiver).length >= all.length);
    }
    const all = await one.operate(entriesOf);
    await Promise.all([one.stop(), two.stop()]);
    assert.deepEqual(numbersOf(receiver), all);
    assert.equal(atOnce, 1);
    await receiver.close();
    await server.dropDatabase(url);
  });
});
