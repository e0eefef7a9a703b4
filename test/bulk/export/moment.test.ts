// An export shows the moment at which it began, on both engines: records that are added, updated
// and erased meanwhile do not affect it, and of two sequential writes it never contains only the
// later one.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Identity } from "../../../src/actions/access/caller-cache.ts";
import { processDeletions } from "../../../src/actions/deletion/process-deletions.ts";
import { createOrganization } from "../../../src/actions/access/create-organization.ts";
import {
  type ExportRequest,
  exportHistory,
  exportStates,
} from "../../../src/actions/record/export-records.ts";
import { requestDeletion } from "../../../src/actions/deletion/request-deletion.ts";
import { writeRecords } from "../../../src/actions/intake/write-records.ts";
import { type OpenApp, openApp } from "../../../src/process/app.ts";
import { readConfig } from "../../../src/settings/config.ts";
import type { Payload } from "../../../src/domain/record-type.ts";
import { typeNamed } from "../../conformance/scene.ts";
import { startPostgres } from "../../support/postgres/postgres-server.ts";
import { testEnvironment } from "../../support/service.ts";
import { waitFor } from "../../support/wait-for.ts";
import { makeTempFolder, removeFolder } from "../../support/temp-folder.ts";

const type = typeNamed("transaction");
const acme = "acme";
const caller: Identity = {
  organizationId: acme,
  organizationName: "Acme",
  keyId: "key",
  actor: "key",
  expiresAt: Number.MAX_SAFE_INTEGER,
  covered: new Set(),
  confidential: new Set(),
  rateLimitPerSecond: undefined,
  deletionGraceSeconds: 0,
};
const asked: ExportRequest = { organizationId: acme, type, test: "include" };

function payloadOf(id: string, fields: Payload = {}): Payload {
  return { ...type.example, timestamp: "2026-01-15T00:00:00Z", ...fields, [type.idField]: id };
}

async function write(app: OpenApp, mode: "add" | "update", items: readonly Payload[]) {
  const { results = [] } = await writeRecords(app, {
    organizationId: acme,
    type,
    mode,
    lenient: true,
    single: false,
    items,
  });
  return results.filter(({ status }) => status !== "refused").length;
}

async function erase(app: OpenApp, ids: readonly string[]): Promise<void> {
  for (const id of ids) await requestDeletion(app, caller, { type, id, reason: "test" });
  const stopping = new AbortController().signal;
  for (;;) {
    const done = await processDeletions(app, { claimant: "test", stopping });
    if (done.length === 0) return;
    assert.ok(done.every(({ result }) => result === "completed"));
  }
}

async function* statesOf(app: OpenApp): AsyncGenerator<readonly Payload[]> {
  for await (const page of exportStates(app, asked)) yield page.map(({ state }) => state);
}

async function* changesOf(app: OpenApp): AsyncGenerator<readonly Payload[]> {
  for await (const page of exportHistory(app, asked)) yield page.map(({ payload }) => payload);
}

/** Everything of each record, as text, by id; `meanwhile` runs after every few hundred of them. */
async function readAll(
  app: OpenApp,
  wanted: "states" | "history",
  meanwhile: () => Promise<void> = () => Promise.resolve(),
): Promise<Map<string, readonly string[]>> {
  const found: Payload[] = [];
  const pages = wanted === "states" ? statesOf(app) : changesOf(app);
  for await (const page of pages) {
    const isTime = Math.floor(found.length / 300) < Math.floor((found.length + page.length) / 300);
    found.push(...page);
    if (isTime) await meanwhile();
  }
  const byId = Map.groupBy(found, (payload) => String(payload[type.idField]));
  return new Map([...byId].map(([id, all]) => [id, all.map((one) => JSON.stringify(one))]));
}

/** Consecutive names are far apart in the order of an export. */
const nameOf = (writer: number, number: number) => `${(number * 37) % 101}-w${writer}-${number}`;

const count = 2_400;
const idOf = (index: number) => `tx-${String(index).padStart(5, "0")}`;

/**
 * Adds, updates and erases before and after the position that an export has reached, slightly more
 * with each call.
 */
function makeConcurrentChanges(app: OpenApp, from: number) {
  const [erased, added] = [new Set<string>(), new Set<string>()];
  let round = 0;
  const stir = async (): Promise<void> => {
    round += 1;
    const places = Array.from({ length: 12 }, (_, index) => from + round * 8 + index * 200);
    const fresh = places.map((place) => `${idOf(place)}-new-${round}`);
    await write(
      app,
      "add",
      fresh.map((id) => payloadOf(id)),
    );
    for (const id of fresh) added.add(id);
    const later = { timestamp: "2026-03-01T00:00:00Z", status: "FAILED", amount: round };
    const earlier = { timestamp: "2025-01-01T00:00:00Z", amount_usd: round };
    await write(
      app,
      "update",
      places.flatMap((place) => [
        { tx_id: idOf(place + 1), ...later },
        { tx_id: idOf(place + 2), ...earlier },
      ]),
    );
    const gone = places.map((place) => idOf(place + 3));
    await erase(app, gone);
    for (const id of gone) erased.add(id);
    // What is added again under the same id arrived after the export had begun.
    const [again = ""] = gone;
    await write(app, "add", [payloadOf(again, { amount: -1 })]);
  };
  return { stir, erased, added };
}

function describeEngine(engine: string, start: () => Promise<{ url: string; end: () => unknown }>) {
  describe(`an export on ${engine}`, () => {
    const folder = makeTempFolder();
    let app: OpenApp;
    let end: () => unknown;
    before(async () => {
      const started = await start();
      end = started.end;
      const environment = testEnvironment(folder, { DATABASE_URL: started.url });
      app = await openApp(readConfig(environment), { role: "serve" });
      await createOrganization(app, { name: "Acme", organizationId: acme });
      const items = Array.from({ length: count }, (_, index) => payloadOf(idOf(index)));
      assert.equal(await write(app, "add", items), count);
    });
    after(async () => {
      await app.close();
      await end();
      removeFolder(folder);
    });

    for (const [index, wanted] of (["states", "history"] as const).entries()) {
      it(`has ${wanted} as of its start while records are added, updated and erased`, async () => {
        const earlier = await readAll(app, wanted);
        const { stir, erased, added } = makeConcurrentChanges(app, index * 100);
        const found = await readAll(app, wanted, stir);
        assert.ok(erased.size > 20 && added.size > 20);
        for (const [id, contents] of found) assert.deepEqual(contents, earlier.get(id), id);
        const missing = [...earlier.keys()].filter((id) => !found.has(id));
        assert.deepEqual(
          missing.filter((id) => !erased.has(id)),
          [],
        );
        assert.notDeepEqual(await readAll(app, wanted), earlier);
      });
    }

    it("has no later record of a writer without each earlier one, and everything acknowledged", async () => {
      const written = [0, 1, 2, 3].map(() => 0);
      const over = new AbortController();
      const writers = written.map(async (_, writer) => {
        while (!over.signal.aborted) {
          await write(app, "add", [payloadOf(nameOf(writer, written[writer] ?? 0))]);
          written[writer] = (written[writer] ?? 0) + 1;
        }
      });
      const continueWriting = async (): Promise<void> => {
        const reached = written.map((number) => number + 3);
        const isPast = () => written.every((number, writer) => number >= (reached[writer] ?? 0));
        await waitFor("the writers to continue", () => isPast());
      };
      try {
        for (let round = 0; round < 6; round += 1) {
          const least = [...written];
          const found = await readAll(app, "states", continueWriting);
          for (const [writer, acknowledged] of least.entries()) {
            let reached = 0;
            while (found.has(nameOf(writer, reached))) reached += 1;
            const all = [...found.keys()].filter((id) => id.includes(`-w${writer}-`));
            assert.equal(all.length, reached);
            assert.ok(reached >= acknowledged);
          }
        }
      } finally {
        over.abort();
        await Promise.all(writers);
      }
      assert.ok(written.every((number) => number > 6 * 3));
    });
  });
}

describeEngine("SQLite", () => {
  const folder = makeTempFolder();
  return Promise.resolve({
    url: `sqlite:${folder}/sluice.db`,
    end: () => removeFolder(folder),
  });
});

describeEngine("PostgreSQL", async () => {
  const server = await startPostgres();
  return { url: await server.makeDatabase(), end: () => server.remove() };
});
