// The preview of a day in the future is compared with what has happened by then, on both engines: random records with
// ceilings, floors and holds, of which no other changes. Transactions name a person and a company, and may keep them.

import { dateOf } from "../../../src/basics/duration.ts";
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { processDeletions } from "../../../src/actions/deletion/process-deletions.ts";
import {
  applyRetention,
  type RetentionPlace,
} from "../../../src/actions/retention/apply-retention.ts";
import { endHolds } from "../../../src/actions/retention/holds.ts";
import { previewPart } from "../../../src/actions/retention/preview-retention.ts";
import { type OpenApp, openApp } from "../../../src/process/app.ts";
import { readConfig } from "../../../src/settings/config.ts";
import type { Payload } from "../../../src/domain/record-type.ts";
import { draftOf, keyOf, operator, organization } from "../../conformance/scene.ts";
import { dayMs, firstDay, type Step, stepsOfDay } from "../../retention/graph.ts";
import { usePostgres } from "../../support/postgres/postgres-server.ts";
import { makeRandom, type Random } from "../../support/random.ts";
import { testEnvironment } from "../../support/service.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { type TestStore, withActs } from "../../support/test-store.ts";

/** Days after the first one. */
const previewed = [4, 9, 15, 22];
const graphs = { SQLite: 8, PostgreSQL: 3 };

const server = await usePostgres();
const engines = {
  SQLite: async () => ({}),
  PostgreSQL: async () => ({ DATABASE_URL: await server.makeDatabase() }),
};

type Counts = Readonly<Record<string, number>>;

for (const engine of ["SQLite", "PostgreSQL"] as const) {
  describe(`a preview of retention on ${engine}`, () => {
    const folder = makeTempFolder();
    let now = firstDay;
    let app: OpenApp;
    let store: TestStore;

    before(async () => {
      const config = readConfig(testEnvironment(folder, await engines[engine]()));
      app = await openApp(config, { role: "command", now: () => now });
      store = withActs(app.store);
    });
    after(() => app.close());

    it("says of each later day what will be erased by then", async () => {
      const ids = Array.from({ length: graphs[engine] }, (_, seed) => `graph_${seed}`);
      for (const [seed, id] of ids.entries()) await fill(store, id, makeRandom(seed));
      const previews = new Map<string, readonly Preview[]>();
      for (const id of ids) previews.set(id, await previewDays(app, id));
      const stored = new Map<string, Counts>();
      for (const id of ids) stored.set(id, await store.countRecords(id));
      for (let day = 1; day <= Math.max(...previewed); day += 1) {
        now = firstDay + day * dayMs;
        await workOneDay(app);
        if (!previewed.includes(day)) continue;
        for (const id of ids) {
          const left = await store.countRecords(id);
          const preview = previews.get(id)?.[previewed.indexOf(day)];
          compare(`${id} on day ${day}`, { stored: stored.get(id) ?? {}, left, preview });
        }
      }
    });
  });
}

interface Preview {
  readonly least: Counts;
  readonly shared: Counts;
}

async function previewDays(app: OpenApp, organizationId: string): Promise<readonly Preview[]> {
  const previews: Preview[] = [];
  for (const day of previewed) {
    const at = firstDay + day * dayMs;
    const { tally, last } = await previewPart(app, { organizationId, after: undefined, at });
    assert.equal(last, undefined);
    previews.push({ least: sum(tally.dueByType, tally.erasedWith), shared: tally.shared });
  }
  return previews;
}

function sum(one: Counts, other: Counts): Counts {
  const types = Object.keys({ ...one, ...other });
  return Object.fromEntries(types.map((type) => [type, (one[type] ?? 0) + (other[type] ?? 0)]));
}

interface Compared {
  readonly stored: Counts;
  readonly left: Counts;
  readonly preview: Preview | undefined;
}

function compare(what: string, { stored, left, preview }: Compared): void {
  for (const [type, count] of Object.entries(stored)) {
    const erased = count - (left[type] ?? 0);
    const least = preview?.least[type] ?? 0;
    const most = least + (preview?.shared[type] ?? 0);
    assert.ok(
      erased >= least && erased <= most,
      `${what}: ${erased} of ${type}, not ${least} to ${most}`,
    );
  }
}

async function workOneDay(app: OpenApp): Promise<void> {
  while ((await endHolds(app)).more);
  let place: RetentionPlace | undefined;
  do place = (await applyRetention(app, place)).next;
  while (place !== undefined);
  const stopping = new AbortController().signal;
  while ((await processDeletions(app, { claimant: "test", stopping })).length > 0);
}

async function fill(store: TestStore, organizationId: string, random: Random): Promise<void> {
  await store.createOrganization(organization(organizationId), operator);
  for (const step of stepsOfDay(random, 0)) {
    if (step.do === "write") await write(store, organizationId, step);
    if (step.do === "rule") await setRule(store, organizationId, step);
  }
  if (random.chance(0.3)) {
    await store.changeOrganization(organizationId, { retainDays: random.integer(5, 12) }, operator);
  }
  for (const name of ["screening/n0", "transaction_check/c0", "person/p0", "transaction/t0"]) {
    if (!random.chance(0.3)) continue;
    const [type = "", id = ""] = name.split("/");
    const endsOn = random.chance(0.7)
      ? dateOf(firstDay + random.integer(1, 20) * dayMs)
      : undefined;
    const texts = { reason: "a case", owner: undefined, reviewOn: undefined, endsOn };
    const key = keyOf(type, id, organizationId);
    const outcome = await store.holds.place(
      { ...texts, ...key, holdId: `${organizationId}_${id}` },
      operator,
    );
    assert.notEqual(outcome, "being_erased");
  }
}

async function write(
  store: TestStore,
  organizationId: string,
  { name, fields }: Extract<Step, { do: "write" }>,
): Promise<void> {
  const [resourceType = "", id = ""] = name.split("/");
  if (/suspicious|sar/.test(resourceType)) return;
  const parties: Payload =
    resourceType === "transaction" ? { sender_id: "p0", receiver_id: "co0" } : {};
  const draft = draftOf(resourceType, id, { ...fields, ...parties });
  await store.write(draft, { organizationId, resourceType });
}

async function setRule(
  store: TestStore,
  organizationId: string,
  {
    type: resourceType,
    keepDays = 0,
    deleteAfterDays = 5,
    from,
    redactable,
  }: Extract<Step, { do: "rule" }>,
): Promise<void> {
  const rule = { keepDays, countedFrom: from, redactable, deleteAfterDays };
  const { result } = await store.retention.setFloor(
    { organizationId, resourceType, rule },
    operator,
  );
  if (result !== "above_ceiling") return;
  await store.retention.setFloor(
    { organizationId, resourceType, rule: { ...rule, deleteAfterDays: keepDays } },
    operator,
  );
}
