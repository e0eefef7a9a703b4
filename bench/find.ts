// `npm run bench -- find --engine sqlite|postgres [--count NUMBER] [--searches NUMBER]`: how long it takes to find a
// person by name, date of birth, and number of a document among so many persons: in the store, and over the action,
// which also writes to the audit trail. Beside it the floors, a lookup of one record by its key, and an entry of the
// trail. Asserts nothing.

import { parseArgs } from "node:util";
import type { App } from "../src/actions/app.ts";
import { createOrganization } from "../src/actions/access/create-organization.ts";
import { IndexBuilder, requireKeys } from "../src/actions/search/build-index.ts";
import { findSubjects } from "../src/actions/search/find-subjects.ts";
import { loadTelephoneReader } from "../src/actions/search/telephone.ts";
import { readWanted, type Wanted } from "../src/actions/search/wanted-terms.ts";
import { makeKey, replaceKey } from "../src/data-folder/receipt-key.ts";
import { makeDraft } from "../src/domain/record/payload.ts";
import type { Draft } from "../src/domain/record/record-write.ts";
import { recordTypeByName } from "../src/domain/record-types.ts";
import { readConfig } from "../src/settings/config.ts";
import { operate } from "../test/support/server.ts";
import { makeHistogram } from "./histogram.ts";
import { onTemporaryStore } from "./temporary-store.ts";

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
const firstNames = 500;
const lastNames = 50_000;
const days = 30_000;

const type = recordTypeByName("person");
if (type === undefined) throw new Error("there is no type person");
const person = type;
const readTelephone = await loadTelephoneReader();

interface Person {
  readonly id: string;
  readonly name: string;
  readonly lastName: string;
  readonly born: string;
  readonly document: string;
}

/** Few names are common and many are rare: the square of an even number from 0 to 1 is more often near 0. */
function personOf(no: number): Person {
  const even = (factor: number) => ((no * factor) % 1_000_003) / 1_000_003;
  const first = nameOf(Math.floor(even(7_919) ** 2 * firstNames));
  const lastName = nameOf(firstNames + Math.floor(even(104_729) ** 2 * lastNames));
  const born = new Date(Math.floor(even(15_485_863) * days) * 86_400_000);
  return {
    id: `person-${no}`,
    name: `${first} ${lastName}`,
    lastName,
    born: born.toISOString().slice(0, 10),
    document: `X${no}`,
  };
}

/** A word of syllables for each number. */
function nameOf(no: number): string {
  const syllables = ["ma", "ri", "to", "ne", "ku", "la", "si", "bo", "de", "vu"];
  const digits = Array.from(String(no + 10_000), (digit) => syllables[Number(digit)] ?? "");
  const word = digits.join("");
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

function draftOf(no: number): Draft {
  const { id, name, born, document } = personOf(no);
  return makeDraft(person, {
    person_id: id,
    is_test_user: false,
    is_retail_customer: true,
    name,
    date_of_birth: born,
    email: `${id}@example.com`,
    national_identification_number: { type: "PASSPORT", value: document },
    timestamp: "2026-01-31T09:30:00Z",
  });
}

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
    await work(one);
    histogram.add(performance.now() - from);
  }
  const [p50, p99] = [0.5, 0.99].map((share) => Number(histogram.percentile(share).toFixed(2)));
  print(what, { p50, p99 });
}

const queries: Readonly<Record<string, (one: Person) => Wanted>> = {
  name: ({ name }) => ({ name }),
  "one word of a name": ({ lastName }) => ({ name: lastName }),
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
    store.trail.note({ ...about, action: "subject.find" }, { actor: "bench", now: Date.now() }),
  );
  for (const [name, wantedOf] of Object.entries(queries)) {
    await measure(`${name}, in the store`, (one) => {
      const terms = readWanted(wantedOf(one), readTelephone);
      const hashes = terms.map(({ term }) => keys.hash(organizationId, term));
      const bounds = { recordsMax: 1_000, rowsMax: 20_000 };
      return store.search.find({ organizationId, hashes, ...bounds });
    });
    await measure(`${name}, over the action`, (one) => {
      const search = { organizationId, reason: "bench", skip: 0, limit: 50 };
      return findSubjects(app, { ...search, wanted: wantedOf(one) });
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

await onTemporaryStore(values.engine, async (settings) => {
  replaceKey(readConfig(settings), makeKey());
  await operate(settings, async (app) => {
    await createOrganization(app, { name: "Bench", organizationId });
    await timed(`${count} persons added`, () => fill(app));
    const builder = new IndexBuilder(app);
    await timed("their hashes made", async () => {
      while (await builder.step());
    });
    await measureSearches(app);
  });
});
