// `npm run bench -- parties --engine sqlite|postgres`: what it costs to find the transactions that name a person.
// Compares adds that the scan has to find (by an index of arrivals) with those without that index, with a relation
// for each party, and with an index of the fields; then measures deletions of persons with the scan. Asserts nothing.

import { parseArgs } from "node:util";
import { makeDraft } from "../src/domain/record/payload.ts";
import type { Draft } from "../src/domain/record/record-write.ts";
import { recordTypeByName } from "../src/domain/record-types.ts";
import { openTestStore, type TestStore } from "../test/support/test-store.ts";
import { median } from "../test/support/median.ts";
import { type MakeStore, withTemporaryStores } from "./temporary-store.ts";

const { values } = parseArgs({
  options: {
    engine: { type: "string", default: "sqlite" },
    rounds: { type: "string", default: "6" },
    records: { type: "string", default: "1000000" },
    skip: { type: "string", default: "" },
  },
});
const [rounds, records] = [Number(values.rounds), Number(values.records)];
const organizationId = "bench";
const persons = 100_000;
const listItems = 100;
const listsOfRound = 200;
const inFlight = 16;

const variants = ["bare", "scan", "relations", "index"] as const;
type Variant = (typeof variants)[number];

const indexes =
  values.engine === "postgres"
    ? ["sender_id", "receiver_id"].map(
        (field) =>
          `CREATE INDEX change_${field} ON change
           (organization_id, split_part(split_part(payload, '"${field}":"', 2), '"', 1))
           WHERE split_part(payload, '"${field}":"', 2) <> ''`,
      )
    : ["sender_id", "receiver_id"].map(
        (field) =>
          `CREATE INDEX change_${field} ON change (payload ->> '${field}')
           WHERE payload ->> '${field}' IS NOT NULL`,
      );

/** Finds the changes that arrived since a pass of the scan. */
const arrivalIndex = values.engine === "postgres" ? "change_by_arrival" : "change_later";

const type = recordTypeByName("transaction");
if (type === undefined) throw new Error("there is no type transaction");
const transaction = type;
let made = 0;

function makeTransaction(withRelations: boolean): Draft {
  const no = made;
  made += 1;
  const sender_id = `customer-${1_000_000 + ((no * 7_919) % persons)}`;
  const receiver_id = `customer-${1_000_000 + ((no * 104_729 + 13) % persons)}`;
  const draft = makeDraft(
    transaction,
    {
      tx_id: `tx-${1_000_000_000 + no}`,
      type: "DEPOSIT",
      method: "SEPA",
      amount: (no % 100_000) / 100,
      currency: "EUR",
      status: "PENDING",
      sender_id,
      sender_country: "DE",
      receiver_id,
      receiver_country: "FR",
      timestamp: "2026-01-31T09:30:00Z",
    },
    "add",
  );
  if (!withRelations) return draft;
  const references = [sender_id, receiver_id].map(
    (id) => ({ to: "person", id, kind: "mentions" }) as const,
  );
  return { ...draft, references };
}

async function addAll(store: TestStore, lists: readonly (readonly Draft[])[]): Promise<void> {
  let next = 0;
  const work = async () => {
    for (let list = lists[next++]; list !== undefined; list = lists[next++]) {
      await store.writeRecords({
        organizationId,
        resourceType: "transaction",
        mode: "add",
        lenient: false,
        drafts: list,
        receivedAt: Date.now(),
      });
    }
  };
  await Promise.all(Array.from({ length: inFlight }, work));
}

function makeLists(count: number, items: number, variant: Variant): Draft[][] {
  return Array.from({ length: count }, () =>
    Array.from({ length: items }, () => makeTransaction(variant === "relations")),
  );
}

/** Records per second of each variant, in turn. */
async function compareAdds(makeStore: MakeStore): Promise<void> {
  for (const items of [listItems, 1]) {
    const stores = new Map<Variant, TestStore>();
    for (const variant of variants) {
      const { settings, execute } = await makeStore();
      const store = await openTestStore(settings.DATABASE_URL, { role: "serve" });
      if (variant === "index") for (const sql of indexes) await execute(sql);
      if (variant === "bare") await execute(`DROP INDEX ${arrivalIndex}`);
      stores.set(variant, store);
      // Enough that the trees have some depth.
      await addAll(store, makeLists(1_000, 100, variant));
    }
    const ratios = { bare: [], scan: [], relations: [], index: [] } as Record<Variant, number[]>;
    const rates = { bare: [], scan: [], relations: [], index: [] } as Record<Variant, number[]>;
    for (let round = 0; round < rounds; round += 1) {
      const rate = new Map<Variant, number>();
      for (const variant of round % 2 === 0 ? variants : variants.toReversed()) {
        const store = stores.get(variant);
        if (store === undefined) continue;
        const lists = makeLists(items === 1 ? 4_000 : listsOfRound, items, variant);
        const startedAt = performance.now();
        await addAll(store, lists);
        const seconds = (performance.now() - startedAt) / 1_000;
        rate.set(variant, (lists.length * items) / seconds);
      }
      for (const variant of variants) {
        rates[variant].push(rate.get(variant) ?? 0);
        ratios[variant].push((rate.get(variant) ?? 0) / (rate.get("bare") ?? 1));
      }
    }
    for (const variant of variants) {
      print(`${items === 1 ? "single adds" : `lists of ${items}`}, ${variant}`, {
        perSecond: Math.round(median(rates[variant])),
        ratio: Number(median(ratios[variant]).toFixed(2)),
      });
    }
    for (const store of stores.values()) await store.close();
  }
}

async function measureDeletions(makeStore: MakeStore): Promise<void> {
  const { settings } = await makeStore();
  const store = await openTestStore(settings.DATABASE_URL, { role: "serve" });
  const startedAt = performance.now();
  for (let left = records; left > 0; left -= 100_000) {
    await addAll(store, makeLists(Math.min(left, 100_000) / 500, 500, "scan"));
  }
  print(`${records} transactions added`, { seconds: secondsSince(startedAt) });
  for (const count of [1, 1, 64]) {
    const ids = Array.from({ length: count }, (_, index) => `customer-${1_000_100 + index + used}`);
    used += count;
    const took = await erasePersons(store, ids);
    print(`${count} persons`, took);
  }
  await store.close();
}

let used = 0;
let requested = 0;

async function erasePersons(store: TestStore, ids: readonly string[]) {
  const person = recordTypeByName("person");
  if (person === undefined) throw new Error("there is no type person");
  const drafts = ids.map((id) =>
    makeDraft(person, {
      person_id: id,
      is_test_user: false,
      is_retail_customer: true,
      timestamp: "2026-01-31T09:30:00Z",
    }),
  );
  const write = { organizationId, resourceType: "person", mode: "add", lenient: false } as const;
  await store.writeRecords({ ...write, drafts, receivedAt: Date.now() });
  const deletions: string[] = [];
  for (const resourceId of ids) {
    const deletionRequestId = `del_${(requested += 1)}`;
    const key = { organizationId, resourceType: "person", resourceId };
    const request = { ...key, reason: "bench", deletionRequestId, dueAt: 0 };
    await store.requestDeletion(request, { actor: "bench", now: Date.now() });
    const claim = { now: Date.now(), leaseUntil: Date.now() + 600_000, claimant: "bench" };
    const claimed = await store.claimOne(claim);
    if (claimed !== undefined) deletions.push(claimed.deletionRequestId);
  }
  const startedAt = performance.now();
  let pseudonymised = 0;
  for (let open: readonly string[] = deletions; open.length > 0;) {
    const act = { actor: "worker", now: Date.now() };
    for (const id of open) while (!(await store.eraseOne(id, 128, act)));
    const outcomes = await store.completeDeletions(open, act);
    open = open.filter((_, index) => outcomes[index]?.result !== "completed");
    for (const outcome of outcomes) {
      if (outcome.result === "failed") throw outcome.cause;
      if (outcome.result === "completed")
        pseudonymised += outcome.deletion.redactedByType["transaction"] ?? 0;
    }
  }
  return { seconds: secondsSince(startedAt), pseudonymised };
}

function secondsSince(startedAt: number): number {
  return Number(((performance.now() - startedAt) / 1_000).toFixed(2));
}

function print(what: string, figures: object): void {
  process.stdout.write(`${what}: ${JSON.stringify(figures)}\n`);
}

await withTemporaryStores(values.engine, async (makeStore) => {
  if (values.skip !== "adds") await compareAdds(makeStore);
  if (values.skip !== "deletions") await measureDeletions(makeStore);
});
