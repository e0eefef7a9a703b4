// Everything that is held on a person or a company, compared with a brute-force scan of all records.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { App } from "../../../src/actions/app.ts";
import { findSubject } from "../../../src/feature/subject/find-subject.ts";
import type { Payload } from "../../../src/domain/record-type.ts";
import { recordTypes } from "../../../src/domain/record-types.ts";
import { makeRandom, type Random } from "../../support/random.ts";
import type { Store } from "../../../src/store/interface/store.ts";
import { type Engine, openSite } from "../../conformance/engine.ts";
import { acme, draftOf, keyOf, operator, organization, other } from "../../conformance/scene.ts";
import type { TestStore } from "../../support/test-store.ts";

const idsOfType = 6;

/** A reference of every kind, often to records that do not exist, and often none. */
function randomFields(random: Random, resourceType: string): Payload {
  const id = () => String(random.integer(0, idsOfType + 1));
  const some = () => Array.from({ length: random.integer(0, 2) }, id);
  const maybe = (name: string, value: () => unknown) =>
    random.integer(0, 2) === 0 ? {} : { [name]: value() };
  const either = (...names: readonly string[]) => maybe(random.pick(names), id);
  const countries = { sender_country: "DE", receiver_country: "DE" };
  const fields: Readonly<Record<string, () => Payload>> = {
    transaction: () => ({ ...countries, sender_id: id(), ...maybe("receiver_id", id) }),
    transaction_check: () => ({ related_tx_ids: some(), ...maybe("related_tx_id", id) }),
    transaction_alert: () => ({ related_tx_ids: some(), ...maybe("related_check_id", id) }),
    transaction_suspicious_activity: () => ({
      related_tx_ids: some(),
      ...maybe("related_alert_id", id),
    }),
    screening: () => either("related_tx_id", "related_person_id", "related_company_id"),
    person: () => maybe("related_company_id", id),
    customer_sar: () => ({ related_person_id: id(), ...maybe("related_company_id", id) }),
  };
  return fields[resourceType]?.() ?? either("related_person_id", "related_company_id");
}

async function fill(store: TestStore, random: Random): Promise<void> {
  for (const { resourceType } of recordTypes) {
    if (resourceType === "company") await writeAll(store, resourceType, () => ({}));
    else await writeAll(store, resourceType, () => randomFields(random, resourceType));
  }
}

/** Two changes of each record. */
async function writeAll(
  store: TestStore,
  resourceType: string,
  fields: () => Payload,
): Promise<void> {
  for (const mode of ["add", "append"] as const) {
    for (const organizationId of [acme, other]) {
      const drafts = Array.from({ length: idsOfType }, (_, id) =>
        draftOf(resourceType, String(id), fields()),
      );
      await store.write(drafts, { resourceType, mode, organizationId });
    }
  }
}

type Edges = Map<string, Set<string>>;

/** As `type/id place`: all references in all changes of these places, as the schemas state them. */
async function readEdges(store: TestStore, places: readonly string[]): Promise<Edges> {
  const edges: Edges = new Map();
  for (const place of places) await readEdgesOf(store, place, edges);
  return edges;
}

async function readEdgesOf(store: TestStore, place: string, edges: Edges): Promise<void> {
  const upTo = await store.latestArrival();
  for (const type of recordTypes) {
    const { resourceType } = type;
    const page = { organizationId: place, resourceType, upTo, after: undefined, limit: 1_000 };
    for (const { resourceId, payload } of await store.listChanges(page)) {
      const from = `${resourceType}/${resourceId} ${place}`;
      const stated = JSON.parse(payload) as Payload;
      const to = edges.get(from) ?? new Set<string>();
      edges.set(from, to);
      for (const { field, to: target } of type.relations) {
        for (const id of [stated[field]].flat()) {
          if (typeof id === "string") to.add(`${target}/${id} ${place}`);
        }
      }
      for (const field of ["sender_id", "receiver_id"]) {
        const id = resourceType === "transaction" ? stated[field] : undefined;
        if (typeof id === "string") to.add(`person/${id} ${place}`).add(`company/${id} ${place}`);
      }
    }
  }
  if (place === acme) return;
  for (const kept of await store.restricted.listReferences({ ...first, set: place })) {
    const from = `${kept.fromType}/${kept.fromId} ${kept.fromSet ?? acme}`;
    const to = edges.get(from) ?? new Set<string>();
    edges.set(from, to.add(`${kept.toType}/${kept.toId} ${place}`));
  }
}

const first = { after: undefined, limit: 1_000 };

/** A person that mentions a company is part of what is held on the company, but what belongs to the person is not. */
function bruteForce(
  edges: Edges,
  { subject, places }: { readonly subject: string; readonly places: readonly string[] },
  leftOut: ReadonlySet<string>,
): readonly string[] {
  const subjects = new Set(places.map((place) => `${subject} ${place}`));
  const found = new Set(subjects);
  for (let before = 0; before < found.size;) {
    before = found.size;
    for (const [from, to] of edges) {
      const followed = [...to].filter(
        (one) => subjects.has(one) || (found.has(one) && !one.startsWith("person/")),
      );
      if (followed.length > 0 && !leftOut.has(from.split("/")[0] ?? "")) found.add(from);
    }
  }
  return [...found].filter((one) => edges.has(one)).sort();
}

async function findNames(store: Store, query: Parameters<typeof findSubject>[1]) {
  const found: string[] = [];
  for await (const keys of findSubject({ store } as App, query)) {
    for (const { organizationId, resourceType, resourceId } of keys) {
      found.push(`${resourceType}/${resourceId} ${organizationId}`);
    }
  }
  return found.sort();
}

export function testSubjects(engine: Engine): void {
  describe(`${engine.name}: everything that is stored about a person or a company`, () => {
    it("is what a brute-force scan of all records finds", async (test) => {
      const { store } = await openSite(engine, test);
      await fill(store, makeRandom(11));
      const places = [acme];
      const edges = await readEdges(store, places);
      let largest = 0;
      for (const resourceType of ["person", "company"]) {
        for (let id = 0; id < idsOfType; id += 1) {
          for (const types of [[], ["customer_sar", "transaction_suspicious_activity"]]) {
            const leftOut = new Set(types);
            const key = keyOf(resourceType, String(id));
            const found = await findNames(store, { ...key, leftOut, restricted: false });
            const subject = { subject: `${resourceType}/${id}`, places };
            const expected = bruteForce(edges, subject, leftOut);
            assert.deepEqual(found, expected);
            largest = Math.max(largest, expected.length);
          }
        }
      }
      assert.ok(largest > 10, String(largest));
    });

    it("includes restricted sets for officers, and reports that named what is in them", async (test) => {
      const { store } = await openSite(engine, test);
      await store.createOrganization(organization(acme), operator);
      await fill(store, makeRandom(12));
      for (const resourceType of ["customer_sar", "transaction_suspicious_activity"]) {
        const rule = { keepDays: 10_000, countedFrom: "last_seen", redactable: false } as const;
        await store.retention.setFloor({ organizationId: acme, resourceType, rule }, operator);
      }
      for (const [type, id] of [
        ["transaction", "1"],
        ["transaction", "2"],
        ["transaction", "3"],
        ["person", "1"],
        ["company", "2"],
      ] as const) {
        await store.request(keyOf(type, id));
        await store.processAll();
      }
      const sets = await store.restricted.listSets({ organizationId: acme, after: "", limit: 100 });
      assert.ok(sets.length > 2, String(sets.length));
      const places = [acme, ...sets.map(({ deletionRequestId }) => deletionRequestId)];
      const edges = await readEdges(store, places);
      let restricted = 0;
      const leftOut = new Set<string>();
      for (const resourceType of ["person", "company"]) {
        for (let id = 0; id < idsOfType; id += 1) {
          const key = keyOf(resourceType, String(id));
          const found = await findNames(store, { ...key, leftOut, restricted: true });
          const subject = { subject: `${resourceType}/${id}`, places };
          assert.deepEqual(found, bruteForce(edges, subject, leftOut));
          restricted += found.filter((name) => !name.endsWith(` ${acme}`)).length;
        }
      }
      assert.ok(restricted > 5, String(restricted));
    });
  });
}
