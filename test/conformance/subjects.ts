// Everything that is held on a person or a company, compared with a brute-force scan of all records.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { App } from "../../src/actions/app.ts";
import { findSubject } from "../../src/actions/subject/find-subject.ts";
import type { Payload } from "../../src/domain/record-type.ts";
import { recordTypes } from "../../src/domain/record-types.ts";
import type { Store } from "../../src/store/store.ts";
import { makeRandom, type Random } from "../support/random.ts";
import { type Engine, openSite } from "./engine.ts";
import { acme, draftOf, keyOf, other, write } from "./scene.ts";

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

async function fill(store: Store, random: Random): Promise<void> {
  for (const { resourceType } of recordTypes) {
    if (resourceType === "company") await writeAll(store, resourceType, () => ({}));
    else await writeAll(store, resourceType, () => randomFields(random, resourceType));
  }
}

/** Two changes of each record. */
async function writeAll(store: Store, resourceType: string, fields: () => Payload): Promise<void> {
  for (const mode of ["add", "append"] as const) {
    for (const organizationId of [acme, other]) {
      const drafts = Array.from({ length: idsOfType }, (_, id) =>
        draftOf(resourceType, String(id), fields()),
      );
      await write(store, drafts, { resourceType, mode, organizationId });
    }
  }
}

/** As `type/id`: all references in all changes, as the schemas state them. */
async function readEdges(store: Store): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const edges = new Map<string, Set<string>>();
  const upTo = await store.latestArrival();
  for (const type of recordTypes) {
    const { resourceType } = type;
    const page = { organizationId: acme, resourceType, upTo, after: undefined, limit: 1_000 };
    for (const { resourceId, payload } of await store.listChanges(page)) {
      const from = `${resourceType}/${resourceId}`;
      const stated = JSON.parse(payload) as Payload;
      const to = edges.get(from) ?? new Set<string>();
      edges.set(from, to);
      for (const { field, to: target } of type.relations) {
        for (const id of [stated[field]].flat()) {
          if (typeof id === "string") to.add(`${target}/${id}`);
        }
      }
      for (const field of ["sender_id", "receiver_id"]) {
        const id = resourceType === "transaction" ? stated[field] : undefined;
        if (typeof id === "string") to.add(`person/${id}`).add(`company/${id}`);
      }
    }
  }
  return edges;
}

/** A person that mentions a company is part of what is held on the company, but what belongs to the person is not. */
function bruteForce(
  edges: ReadonlyMap<string, ReadonlySet<string>>,
  subject: string,
  leftOut: ReadonlySet<string>,
): readonly string[] {
  const found = new Set([subject]);
  for (let before = 0; before < found.size;) {
    before = found.size;
    for (const [from, to] of edges) {
      const followed = [...to].filter(
        (one) => one === subject || (found.has(one) && !one.startsWith("person/")),
      );
      if (followed.length > 0 && !leftOut.has(from.split("/")[0] ?? "")) found.add(from);
    }
  }
  return [...found].sort();
}

export function testSubjects(engine: Engine): void {
  describe(`${engine.name}: everything that is held on a person or a company`, () => {
    it("is what a brute-force scan of all records finds", async (test) => {
      const { store } = await openSite(engine, test);
      const app = { store } as App;
      await fill(store, makeRandom(11));
      const edges = await readEdges(store);
      let largest = 0;
      for (const resourceType of ["person", "company"]) {
        for (let id = 0; id < idsOfType; id += 1) {
          for (const types of [[], ["customer_sar", "transaction_suspicious_activity"]]) {
            const leftOut = new Set(types);
            const key = keyOf(resourceType, String(id));
            const found: string[] = [];
            for await (const keys of findSubject(app, { ...key, leftOut })) {
              for (const one of keys) {
                assert.equal(one.organizationId, acme);
                found.push(`${one.resourceType}/${one.resourceId}`);
              }
            }
            const expected = bruteForce(edges, `${resourceType}/${id}`, leftOut);
            assert.deepEqual(found.sort(), expected);
            largest = Math.max(largest, expected.length);
          }
        }
      }
      assert.ok(largest > 10, String(largest));
    });
  });
}
