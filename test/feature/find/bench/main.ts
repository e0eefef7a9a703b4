// `npm run bench -- find --engine sqlite|postgres [--count NUMBER] [--searches NUMBER]`: how long it takes to find a
// person by name, date of birth, and number of a document among so many persons: in the store, and over the action,
// which also writes to the audit trail. Beside it the floors, a lookup of one record by its key, and an entry of the
// trail. Fails only if a person is not found.

import { parseArgs } from "node:util";
import type { App } from "../../../../src/actions/app.ts";
import { createOrganization } from "../../../../src/actions/access/create-organization.ts";
import { indexNext, requireKeys } from "../../../../src/feature/find/build-index.ts";
import { findSubjects } from "../../../../src/feature/find/find-subjects.ts";
import { loadTelephoneReader } from "../../../../src/feature/find/value-terms.ts";
import { actions } from "../../../../src/feature/find/rows.ts";
import { persons } from "../../../../src/feature/find/store/part.ts";
import { readWanted, type Wanted } from "../../../../src/feature/find/value-terms.ts";
import { makeKey, replaceKey } from "../../../../src/data-folder/receipt-key.ts";
import { readConfig } from "../../../../src/settings/config.ts";
import { operate } from "../../../support/server.ts";
import { makeHistogram } from "../../../../bench/histogram.ts";
import { commonName, draftOf, type Person, personOf } from "./persons.ts";
import { withTemporaryStores } from "../../../../bench/temporary-store.ts";

const { values } = parseArgs({
  options: {
    engine: { type: "string", default: "sqlite" },
    count: { type: "string", default: "1000000" },
    searches: { type: "string", default: "2000" },
  },
});
const [count, searches] = [Number(values.count), Number(values.searches)];
const organizationId = "bench";
const listItems = 500;
const listsInFlight = 4;
const readTelephone = await loadTelephoneReader();

async function fill({ store }: App): Promise<void> {
  let next = 0;
  const work = async () => {
    for (let at = next; at < count; at = next) {
      next += listItems;
      const drafts = Array.from({ length: Math.min(listItems, count - at) }, (_, index) =>
        draftOf(at + index),
      );
      const kind = { organizationId, resourceType: "person", mode: "add", lenient: false } as const;
      await store.writeRecords({ ...kind, drafts, receivedAt: Date.now() });
    }
  };
  await Promise.all(Array.from({ length: listsInFlight }, work));
}

async function measure(what: string, work: (one: Person) => Promise<unknown>): Promise<void> {
  const histogram = makeHistogram();
  for (let at = 0; at < searches; at += 1) {
    const one = personOf(Math.floor(Math.random() * count));
    const from = performance.now();
    const found = await work(one);
    histogram.add(performance.now() - from);
    if (Array.isArray(found) && found.length === 0) throw new Error(`not found: ${one.id}`);
  }
  const [p50, p99] = [0.5, 0.99].map((share) => Number(histogram.percentile(share).toFixed(2)));
  print(what, { p50, p99 });
}

const queries: Readonly<Record<string, (one: Person) => Wanted>> = {
  name: ({ name }) => ({ name }),
  "one word of a name": ({ lastName }) => ({ name: lastName }),
  "the most common family name": () => ({ name: commonName }),
  "date of birth": ({ born }) => ({ born }),
  "name and date of birth": ({ name, born }) => ({ name, born }),
  "number of a document": ({ document }) => ({ document }),
};

async function measureSearches(app: App): Promise<void> {
  const { store } = app;
  const keys = requireKeys(app);
  await measure("floor: a record by its key", ({ id }) =>
    store.findRecord({ organizationId, resourceType: "person", resourceId: id }),
  );
  const about = { organizationId, subject: organizationId, detail: {} };
  await measure("floor: an entry of the audit trail", () =>
    store.trail.note(
      { ...about, action: actions["subject.find"].name },
      { actor: "bench", now: Date.now() },
    ),
  );
  for (const [name, wantedOf] of Object.entries(queries)) {
    await measure(`${name}, in the store`, async (one) => {
      const terms = readWanted(wantedOf(one), readTelephone);
      const hashes = terms.map(({ term }) => keys.hash(organizationId, term));
      const bounds = { recordsMax: 1_000, rowsMax: 20_000 };
      return (await store.of(persons).find({ organizationId, hashes, ...bounds })).tokens;
    });
    await measure(`${name}, over the action`, async (one) => {
      const search = { organizationId, reason: "bench" };
      return (await findSubjects(app, { ...search, wanted: wantedOf(one) })).subjects;
    });
  }
}

async function timed(what: string, work: () => Promise<void>): Promise<void> {
  const from = performance.now();
  await work();
  print(what, { seconds: Number(((performance.now() - from) / 1_000).toFixed(1)) });
}

function print(what: string, figures: object): void {
  process.stdout.write(`${what}: ${JSON.stringify(figures)}\n`);
}

await withTemporaryStores(values.engine, async (makeStore) => {
  const temporary = await makeStore();
  replaceKey(readConfig(temporary.settings), makeKey());
  await operate(temporary.settings, async (app) => {
    await createOrganization(app, { name: "Bench", organizationId });
    await timed(`${count} persons added`, () => fill(app));
    await timed("index made", async () => {
      while (await indexNext(app));
    });
    await measureSearches(app);
  });
});
