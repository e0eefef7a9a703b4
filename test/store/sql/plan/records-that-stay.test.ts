// Plans of several deletions of an organization, made from as few relations as possible: the same as from all of them.

import assert from "node:assert/strict";
import { join } from "node:path";
import { StatementSync } from "node:sqlite";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import type { Deletion } from "../../../../src/domain/deletion/deletion.ts";
import {
  type Edge,
  type NodeKey,
  nodeKey,
  parseNodeKey,
} from "../../../../src/domain/deletion/erasure.ts";
import { recordTypes } from "../../../../src/domain/record-types.ts";
import { isObstacle } from "../../../../src/store/sql/plan/plan.ts";
import {
  largestCascade,
  type PlanBounds,
  planRecords,
  smallCascades,
} from "../../../../src/store/sql/plan/record-plans.ts";
import { Connection } from "../../../../src/store/sqlite/connection.ts";
import { acme, operator, organization } from "../../../conformance/scene.ts";
import { makeTempFolder } from "../../../support/temp-folder.ts";
import { openTestStore } from "../../../support/test-store.ts";

const path = join(makeTempFolder(), "sluice.db");
const store = await openTestStore(`sqlite:${path}`, { role: "command" });
await store.createOrganization(organization(acme), operator);
await store.close();

interface Plan {
  readonly erased: readonly NodeKey[];
  /** The record and the reference. */
  readonly redacted: readonly string[];
}

interface Case {
  readonly edges: readonly Edge[];
  /** What a deletion in progress erases. */
  readonly erasing?: readonly NodeKey[];
  readonly roots: readonly NodeKey[];
}

/** The rule as it is written, applied to every record until nothing changes, root by root. */
function naivePlans({ edges, erasing = [], roots }: Case): readonly Plan[] {
  const going = new Set(erasing);
  return roots.map((root) => {
    const erased = new Set([root]);
    let before: number;
    do {
      before = erased.size;
      for (const { from } of edges) {
        const holders = edges.filter((one) => one.from === from && one.kind === "belongs");
        const isLeft = ({ to }: Edge) => !going.has(to) && !erased.has(to);
        const isConcerned = holders.some(({ to }) => erased.has(to));
        if (isConcerned && !going.has(from) && !holders.some(isLeft)) erased.add(from);
      }
    } while (erased.size > before);
    for (const node of erased) going.add(node);
    const cut = edges.filter(({ from, to }) => erased.has(to) && !erased.has(from));
    const redacted = new Set(cut.map(({ from, to }) => `${from} ${to}`));
    return { erased: [...erased].toSorted(), redacted: [...redacted].toSorted() };
  });
}

const rowOfDeletion = `
  INSERT INTO deletion (deletion_request_id, organization_id, resource_type, resource_id, reason, status,
    requested_by, requested_at, due_at)
  VALUES ('before', '${acme}', 'transaction', 'before', '', 'processing', '', 0, 0)`;

/** Stores relations and a deletion in progress, plans as the worker does, and undoes it. */
function planStored<Result>(
  { edges, erasing = [], roots }: Case,
  look: (plan: (bounds?: PlanBounds) => readonly (Plan | "later")[]) => Result,
): Result {
  using connection = new Connection(path, { readOnly: false });
  connection.exec("BEGIN");
  for (const { from, to, kind } of edges) {
    const [one, other] = [parseNodeKey(from), parseNodeKey(to)];
    const values = [acme, one.type, one.id, other.type, other.id, kind];
    connection.run("INSERT OR IGNORE INTO relation VALUES (?, ?, ?, ?, ?, ?)", ...values);
  }
  connection.run(rowOfDeletion);
  for (const [position, node] of erasing.entries()) {
    const { type, id } = parseNodeKey(node);
    const into =
      "deletion_request_id, organization_id, action, position, resource_type, resource_id";
    const sql = `INSERT INTO deletion_target (${into}) VALUES ('before', '${acme}', 'erase', ?, ?, ?)`;
    connection.run(sql, position, type, id);
  }
  const deletions = roots.map((root) => {
    const { type: resourceType, id: resourceId } = parseNodeKey(root);
    const key = { organizationId: acme, resourceType, resourceId };
    const deletion = { ...key, deletionRequestId: resourceId, status: "pending", requestedAt: 0 };
    return { root, deletion: deletion as unknown as Deletion };
  });
  return look((bounds = largestCascade) =>
    connection.perform(planRecords, deletions, { now: 1, bounds }).map((plan) => {
      if (plan === "later") return plan;
      assert.ok(typeof plan === "object" && !isObstacle(plan));
      const redacted = plan.redact.map(({ record, reference }) => `${record} ${reference}`);
      return { erased: plan.erase.toSorted(), redacted: redacted.toSorted() };
    }),
  );
}

const anyRelation = fc.constantFrom(
  ...recordTypes.flatMap(({ resourceType, relations }) =>
    relations.map(({ to, kind }) => ({ from: resourceType, to, kind })),
  ),
);
const anyNumber = fc.oneof({ weight: 2, arbitrary: fc.constant(1) }, fc.nat(3));
const anyEdges: fc.Arbitrary<readonly Edge[]> = fc.array(
  fc.tuple(anyRelation, anyNumber, anyNumber).map(([{ from, to, kind }, one, other]) => ({
    from: nodeKey(from, `${one}`),
    to: nodeKey(to, `${other}`),
    kind,
  })),
  { maxLength: 40 },
);
const someRoots = fc.uniqueArray(
  fc
    .tuple(fc.constantFrom("transaction", "person", "company", "transaction_check"), fc.nat(3))
    .map(([type, number]) => nodeKey(type, `${number}`)),
  { minLength: 2, maxLength: 6 },
);

const belongs = (from: NodeKey, to: NodeKey): Edge => ({ from, to, kind: "belongs" });
const checks = (count: number, to: NodeKey) =>
  Array.from({ length: count }, (_, no) => belongs(`transaction_check/${to}${no}`, to));

describe("the plans of several deletions", () => {
  it("are those that follow from all relations", () => {
    let cascades = 0;
    let kept = 0;
    const property = fc.property(anyEdges, someRoots, fc.nat(2), (edges, all, before) => {
      const [going, roots] = [all.slice(0, before), all.slice(before)];
      const erasing = naivePlans({ edges, roots: going }).flatMap(({ erased }) => erased);
      const graph = { edges, erasing, roots: roots.filter((root) => !erasing.includes(root)) };
      const wanted = naivePlans(graph);
      assert.deepEqual(
        planStored(graph, (plan) => plan()),
        wanted,
      );
      if (wanted.some(({ erased }) => erased.length > 2)) cascades += 1;
      if (wanted.some(({ redacted }) => redacted.length > 0)) kept += 1;
    });
    fc.assert(property, { numRuns: 500 });
    assert.ok(Math.min(cascades, kept) > 50, `${cascades} erased more, ${kept} left something`);
  });

  it("are made of the first ones if all have too many relations", () => {
    const roots = Array.from({ length: 9 }, (_, no) => nodeKey("transaction", `${no}`));
    const shared = roots.map((root) => belongs("transaction_check/shared", root));
    const edges = [...shared, ...roots.flatMap((root) => checks(400, root))];
    const small = { ...largestCascade, ...smallCascades };
    const plans = planStored({ edges, roots }, (plan) => plan(small));
    assert.deepEqual(
      plans.map((plan) => (typeof plan === "string" ? plan : plan.erased.length)),
      [401, 401, ...roots.slice(2).map(() => "later")],
    );
  });

  it("read one relation of what stays, however much it belongs to", (test) => {
    const holders = Array.from({ length: 900 }, (_, no) => nodeKey("transaction", `${1_000 + no}`));
    const some = Array.from({ length: 5 }, (_, no) => nodeKey("transaction_check", `${no}`));
    const edges = some.flatMap((check) => holders.map((holder) => belongs(check, holder)));
    const [erasing, roots, others] = [holders.slice(0, 9), holders.slice(9, 10), holders.slice(10)];
    const count = test.mock.method(StatementSync.prototype, "all");
    const plans = planStored({ edges, erasing, roots }, (plan) => {
      count.mock.resetCalls();
      return plan();
    });
    const [plan] = plans;
    assert.equal(typeof plan === "object" && plan.redacted.length, some.length);
    const rows = count.mock.calls.flatMap(({ result }) => result as readonly object[]);
    assert.ok(rows.length < 5 * some.length, `${rows.length} rows, of ${others.length} holders`);
  });
});
