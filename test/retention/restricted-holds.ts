// What a run of the campaign knows of one graph, and the holds that are placed in its restricted sets.

import assert from "node:assert/strict";
import { restrictedId } from "../../src/domain/deletion/restricted-set.ts";
import type { Store } from "../../src/store/interface/store.ts";
import type { Random } from "../support/random.ts";
import type { Step } from "./graph.ts";
import { type Name, type RetentionModel, typeOf } from "./model.ts";

export interface Graph {
  readonly organizationId: string;
  readonly random: Random;
  readonly model: RetentionModel;
  /** Since its records were last compared. */
  isChanged: boolean;
}

export function actAt(now: number) {
  return { actor: "operator", now };
}

export function keyOf({ organizationId }: Graph, name: Name) {
  const resourceType = typeOf(name);
  return { organizationId, resourceType, resourceId: name.slice(resourceType.length + 1) };
}

/** A hold on any record of any restricted set, or its release. */
export async function holdRestricted(
  store: Store,
  graph: Graph,
  {
    step,
    now,
  }: {
    readonly step: Extract<Step, { do: "hold restricted" | "release restricted" }>;
    readonly now: number;
  },
): Promise<void> {
  const all = [...graph.model.sets].flatMap(([id, set]) =>
    [...set.records.keys()].map((name) => ({ id, set, name })),
  );
  const chosen = all[step.dice % Math.max(1, all.length)];
  if (chosen === undefined) return;
  const { id, set, name } = chosen;
  if (step.do === "release restricted") return releaseRestricted(store, graph, { id, name, now });
  const key = { ...keyOf(graph, name), organizationId: restrictedId(id) };
  const texts = { reason: `at ${now}`, owner: undefined, reviewOn: undefined, endsOn: undefined };
  const outcome = await store.holds.place(
    { ...texts, ...key, holdId: `hold_${id}_${name}_${now}` },
    actAt(now),
  );
  assert.equal(typeof outcome, "object", `${id} ${name}`);
  set.held.add(name);
  set.holdEnds.set(name, [...(set.holdEnds.get(name) ?? []), Infinity]);
}

export async function releaseRestricted(
  store: Store,
  graph: Graph,
  { id, name, now }: { readonly id: string; readonly name: Name; readonly now: number },
): Promise<void> {
  const key = { ...keyOf(graph, name), organizationId: restrictedId(id) };
  for (const { holdId } of await store.holds.ofRecords([key])) {
    await store.holds.release(holdId, actAt(now));
  }
  graph.model.sets.get(id)?.held.delete(name);
  graph.model.sets.get(id)?.holdEnds.delete(name);
}
