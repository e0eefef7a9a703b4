// Any sequence of writes, deletions and holds has the same result on an engine as in the model.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import type { Deletion } from "../../src/domain/deletion/deletion.ts";
import { limits } from "../../src/domain/limits.ts";
import { makeDraft } from "../../src/domain/record/payload.ts";
import type { Payload } from "../../src/domain/record-type.ts";
import type { WriteMode } from "../../src/domain/record/record-write.ts";
import type { Engine } from "./engine.ts";
import { Model, textOf } from "./model.ts";
import { acme, draftOf, keyOf, operator, typeNamed } from "./scene.ts";
import type { TestStore } from "../support/test-store.ts";

/** Few ids, so that operations often meet. Nothing is ever stored under `t9`. */
const idsByType: Readonly<Record<string, readonly string[]>> = {
  transaction: ["t0", "t1", "t2"],
  transaction_check: ["c0", "c1"],
  transaction_alert: ["a0", "a1"],
  transaction_suspicious_activity: ["s0"],
  screening: ["n0", "n1"],
  company: ["co0"],
  person: ["p0", "p1"],
};
const names = Object.entries(idsByType).flatMap(([type, ids]) => ids.map((id) => `${type}/${id}`));

type Step =
  | {
      readonly do: "write";
      readonly type: string;
      readonly payloads: readonly Payload[];
      readonly mode: WriteMode;
      readonly lenient: boolean;
    }
  | { readonly do: "request" | "hold" | "release"; readonly name: string }
  | { readonly do: "cancel"; readonly index: number }
  | { readonly do: "process" };

const anyId = (type: string, ...more: string[]) =>
  fc.constantFrom(...(idsByType[type] ?? []), ...more);

function fieldsFor(type: string): fc.Arbitrary<Payload> {
  const transactions = fc.uniqueArray(anyId("transaction", "t9"), { maxLength: 2 });
  const optional = { requiredKeys: [] };
  switch (type) {
    case "transaction":
      return fc.record({ amount: fc.constantFrom(1, 2) });
    case "transaction_check":
      return fc.record({ related_tx_ids: transactions }, optional);
    case "transaction_alert":
      return fc.record(
        { related_tx_ids: transactions, related_check_id: anyId("transaction_check") },
        optional,
      );
    case "transaction_suspicious_activity":
      return fc.record(
        { related_tx_ids: transactions, related_alert_id: anyId("transaction_alert") },
        optional,
      );
    case "screening":
      return fc.oneof(
        fc.record({ related_tx_id: anyId("transaction") }),
        fc.record({ related_person_id: anyId("person") }),
      );
    case "person":
      return fc.record({ related_company_id: anyId("company") }, optional);
    default:
      return fc.constant({});
  }
}

function payloadFor(type: string): fc.Arbitrary<Payload> {
  const timestamp = fc.constantFrom("2026-01-01T00:00:00Z", "2026-01-02T00:00:00.5Z");
  return fc
    .tuple(anyId(type), fieldsFor(type), timestamp)
    .map(([id, fields, at]) => JSON.parse(draftOf(type, id, { ...fields, timestamp: at }).payload));
}

const anyWrite: fc.Arbitrary<Step> = fc.constantFrom(...Object.keys(idsByType)).chain((type) =>
  fc.record({
    do: fc.constant("write" as const),
    type: fc.constant(type),
    payloads: fc.array(payloadFor(type), { minLength: 1, maxLength: 4 }),
    mode: fc.constantFrom<WriteMode>("add", "append", "update"),
    lenient: fc.boolean(),
  }),
);
const onName = (what: "request" | "hold" | "release", among = names) =>
  fc.record({ do: fc.constant(what), name: fc.constantFrom(...among) });
/** A hold on a confidential record moves it to the restricted store, which the tests of retention model. */
const openNames = names.filter((name) => !name.startsWith("transaction_suspicious_activity/"));
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 10, arbitrary: anyWrite },
  { weight: 4, arbitrary: onName("request") },
  { weight: 1, arbitrary: onName("hold", openNames) },
  { weight: 1, arbitrary: onName("release", openNames) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("cancel" as const), index: fc.nat(5) }) },
  { weight: 3, arbitrary: fc.constant({ do: "process" as const }) },
);

const numRuns = 12;

export function testRandomWorkload(engine: Engine): void {
  describe(`${engine.name}: a random workload`, () => {
    it("has the same result as in the model", async () => {
      const workload = fc.array(anyStep, { minLength: 10, maxLength: 60, size: "max" });
      await fc.assert(
        fc.asyncProperty(workload, async (steps) => {
          const site = await engine.open();
          try {
            await runWorkload(site.store, steps);
          } finally {
            await site.remove();
          }
        }),
        { numRuns, endOnFailure: true },
      );
    });
  });
}

async function runWorkload(store: TestStore, steps: readonly Step[]): Promise<void> {
  const model = new Model();
  let now = operator.now;
  for (const step of steps) {
    now += step.do === "process" ? 2 * limits.heldDeletionRetryMs : 1;
    await takeStep(store, model, { step, now });
  }
  await compare(store, model);
}

async function takeStep(
  store: TestStore,
  model: Model,
  { step, now }: { readonly step: Step; readonly now: number },
): Promise<void> {
  const act = { actor: "operator", now };
  switch (step.do) {
    case "write": {
      const { type: resourceType, payloads, mode, lenient } = step;
      const drafts = payloads.map((payload) => makeDraft(typeNamed(resourceType), payload));
      const outcome = await store.write(drafts, { resourceType, mode, lenient });
      assert.deepEqual(outcome, model.write(resourceType, payloads, { mode, lenient }));
      return;
    }
    case "request": {
      const id = `del_${now}`;
      const given = await store.tryRequest(keyNamed(step.name), { deletionRequestId: id, now });
      assert.equal(given, model.request(step.name, id, now));
      return;
    }
    case "hold": {
      const held = await store.hold(keyNamed(step.name), act);
      assert.equal(typeof held === "object", model.hold(step.name));
      return;
    }
    case "release": {
      const [first] = await store.holds.ofRecords([keyNamed(step.name)]);
      if (first !== undefined) await store.holds.release(first.holdId, act);
      assert.equal(first !== undefined, model.release(step.name));
      return;
    }
    case "cancel": {
      const id = model.deletions[step.index]?.id ?? "del_unknown";
      const outcome = await store.cancelDeletion(id, act);
      assert.equal(typeof outcome === "object", model.cancel(id));
      return;
    }
    case "process":
      await store.processAll(now);
      model.processDue(now, limits.heldDeletionRetryMs);
  }
}

async function compare(store: TestStore, model: Model): Promise<void> {
  for (const name of names) {
    const expected = model.records.get(name) ?? [];
    const stored = await store.payloadsOf(keyNamed(name));
    assert.deepEqual(
      stored.map((payload) => textOf(name, payload)),
      expected.map((payload) => textOf(name, payload)),
      name,
    );
  }
  const deletions = await store.listDeletions({ limit: 1_000, organizationId: acme });
  const stored = deletions
    .toReversed()
    .map(({ deletionRequestId: id, ...rest }) => ({ id, ...rest }));
  assert.deepEqual(stored.map(summarize), model.deletions.map(summarize));
  await store.requireConsistent();
}

function keyNamed(name: string) {
  const [type = "", id = ""] = name.split("/");
  return keyOf(type, id);
}

function summarize({ id, status, erased, redacted, waitingFor }: Summary): unknown {
  return { id, status, erased, redacted, waits: waitingFor !== undefined };
}

type Summary = Pick<Deletion, "status" | "erased" | "redacted" | "waitingFor"> & {
  readonly id: string;
};
