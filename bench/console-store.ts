// Fills a store as one that has been in use for years, in proportion to its records: transactions among persons and
// companies, some of which many records name, other organizations, and what operators and the worker leave behind.

import { createKey } from "../src/actions/access/keys.ts";
import { createOrganization } from "../src/actions/access/create-organization.ts";
import { type App, actOf } from "../src/actions/app.ts";
import { processDeletions } from "../src/actions/deletion/process-deletions.ts";
import { createOperator } from "../src/actions/operator/operators.ts";
import { holdRecord } from "../src/actions/retention/holds.ts";
import { setRule } from "../src/actions/retention/retention-rules.ts";
import type { Payload } from "../src/domain/record-type.ts";
import { allScopes } from "../src/domain/scope.ts";
import { indexes } from "../src/process/indexes.ts";
import { draftOf } from "../test/conformance/scene.ts";

const listItems = 1_000;
const listsAtOnce = 4;
const stepsAtOnce = 32;
const yearsMs = 3 * 365 * 86_400_000;

/** Of what a page lists there are at least so many, so that it is full on every store. */
const rowsOfPages = 150;

/** What many records name. */
export const busy = [
  ["transaction", "transaction-0"],
  ["person", "person-0"],
  ["company", "company-0"],
] as const;
const [[, busyTransaction], [, busyPerson], [, busyCompany]] = busy;

/** The types of ten lists. */
const typesOfLists = [
  ...Array.from({ length: 7 }, () => "transaction"),
  "transaction_check",
  "person",
  "screening",
];

export interface Filling {
  readonly organizationId: string;
  readonly records: number;
}

export interface Filled {
  readonly organizationId: string;
  /** By the path of a page, before its id. */
  readonly ids: Readonly<Record<string, string>>;
}

export async function fillStore(app: App, filling: Filling): Promise<Filled> {
  const { organizationId, records } = filling;
  const ofPages = (share: number) => Math.max(rowsOfPages, Math.floor(records / share));
  await createOrganization(app, { name: "Filled", organizationId });
  await addRecords(app, filling);
  const operator = await createOperator(app, { name: "bella", roles: ["viewer"] });
  const key = await createKey(app, { organizationId, scopes: allScopes });
  await many(ofPages(10_000), async (no) => {
    const { organizationId: other } = await createOrganization(app, { name: `Other ${no}` });
    await createKey(app, { organizationId: other, scopes: allScopes });
  });
  const hold = await addHolds(app, organizationId, ofPages(500));
  const completed = await addDeletions(app, organizationId, {
    completed: ofPages(100),
    waiting: ofPages(200),
  });
  await many(Math.floor(records / 5), async (no) => {
    const detail = { resourceType: "transaction", update: no % 2 === 0 };
    const about = { organizationId, subject: `transaction-${no}`, detail };
    await app.store.trail.note({ ...about, action: "record.show" }, actOf(app));
  });
  for (const resourceType of ["transaction", "person"]) {
    await setRule(app, { organizationId, resourceType, keepDays: 30, deleteAfterDays: 36_500 });
  }
  return {
    organizationId,
    ids: {
      "/console/deletion": "del_waiting_0",
      "/console/receipt": completed,
      "/console/hold": hold,
      "/console/organization": organizationId,
      "/console/key": key.key.keyId,
      "/console/operator": operator.name,
    },
  };
}

async function many(count: number, work: (no: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const each = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: Math.min(count, stepsAtOnce) }, each));
}

async function addRecords({ store, now }: App, { organizationId, records }: Filling) {
  const lists = Math.max(typesOfLists.length, Math.ceil(records / listItems));
  const items = Math.ceil(records / lists);
  const persons = Math.ceil(lists / typesOfLists.length) * items;
  const rest = { organizationId, mode: "add", lenient: false } as const;
  const companies = Array.from({ length: 100 }, (_, at) => draftOf("company", `company-${at}`));
  const first = { drafts: companies, receivedAt: now() - yearsMs };
  await store.writeRecords({ ...rest, resourceType: "company", ...first });
  let next = 0;
  const addNext = async () => {
    while (next < lists) {
      const list = next++;
      const resourceType = typesOfLists[list % typesOfLists.length] ?? "";
      const before = Math.floor(list / typesOfLists.length);
      const place = resourceType === "transaction" ? before * 7 + (list % 10) : before;
      const receivedAt = now() - Math.floor(yearsMs * (1 - list / lists));
      const timestamp = new Date(receivedAt).toISOString();
      const drafts = Array.from({ length: items }, (_, at) => {
        const no = place * items + at;
        const fields = fieldsOf(resourceType, no, persons);
        return draftOf(resourceType, `${resourceType}-${no}`, { ...fields, timestamp });
      });
      await store.writeRecords({ ...rest, resourceType, drafts, receivedAt });
    }
  };
  await Promise.all(Array.from({ length: listsAtOnce }, addNext));
}

function fieldsOf(resourceType: string, no: number, persons: number): Payload {
  const isBusy = no % 10 === 0;
  const party = (factor: number) => `person-${(no * factor) % persons}`;
  switch (resourceType) {
    case "transaction":
      return {
        amount: no / 100,
        sender_id: no % 20 === 5 ? busyPerson : party(7_919),
        sender_country: "DE",
        receiver_id: isBusy ? busyCompany : party(104_729),
        receiver_country: "FR",
      };
    case "transaction_check":
      return { related_tx_ids: [isBusy ? busyTransaction : `transaction-${no * 7}`] };
    case "screening":
      return { related_person_id: isBusy ? busyPerson : party(17) };
    default:
      return {
        name: `First${no % 500} Last${(no * 31) % 50_000}`,
        email: `person-${no}@example.com`,
        related_company_id: isBusy ? busyCompany : `company-${no % 100}`,
      };
  }
}

/** Returns the id of one. */
async function addHolds(app: App, organizationId: string, count: number): Promise<string> {
  let holdId = "";
  await many(count, async (no) => {
    const target = { organizationId, resourceType: "transaction", resourceId: `transaction-${no}` };
    const rest = { reason: "court order", owner: `owner-${no % 50}`, reviewOn: reviews[no % 3] };
    ({ holdId } = await holdRecord(app, target, rest));
  });
  return holdId;
}

const reviews = ["2020-01-31", "2199-01-31", undefined];

interface Deletions {
  readonly completed: number;
  readonly waiting: number;
}

/** Completes the first ones, and leaves others, also of what many records name. Returns the id of a completed one. */
async function addDeletions(app: App, organizationId: string, { completed, waiting }: Deletions) {
  const act = actOf(app);
  const request = (id: string, dueAt: number, [resourceType, resourceId]: readonly string[]) => {
    const record = {
      organizationId,
      resourceType: resourceType ?? "",
      resourceId: resourceId ?? "",
    };
    const rest = { deletionRequestId: `del_${id}`, reason: "asked for", dueAt };
    return app.store.requestDeletion({ ...record, ...rest }, act);
  };
  const last = waiting + completed;
  await many(completed, async (no) => {
    const type = no % 10 === 1 ? "person" : "transaction";
    await request(`completed_${no}`, 0, [type, `${type}-${last - no}`]);
  });
  const { signal } = new AbortController();
  for (const { makeRound } of indexes) {
    const round = makeRound(app);
    while (await round(signal));
  }
  while ((await processDeletions(app, { claimant: "bench", stopping: signal })).length > 0);
  const later = app.now() + 30 * 86_400_000;
  await many(waiting, async (no) => {
    const isHeld = no % 2 === 0;
    await request(`waiting_${no}`, isHeld ? 0 : later, ["transaction", `transaction-${no + 1}`]);
  });
  await Promise.all(busy.map(([type, id]) => request(`busy_${type}`, later, [type, id])));
  while ((await processDeletions(app, { claimant: "bench", stopping: signal })).length > 0);
  return "del_completed_0";
}
