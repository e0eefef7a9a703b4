// Finds the reports that records support, directly or by an alert, and that have to be kept in their place. Changes
// nothing.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import {
  nodeKey,
  type NodeKey,
  parseNodeKey,
  supportingTypes,
} from "../../../domain/deletion/erasure.ts";
import type { ResourceType } from "../../../domain/record-type.ts";
import { inNamedIds, joinNamed, named } from "../statement/named.ts";
import { all, type Statements } from "../statement/statements.ts";
import type { Reference } from "./erasure.ts";
import { type Obstacle, toKey } from "./plan.ts";
import { nodeRows } from "./relations.ts";
import { findObstaclesOfReports, type KeepingReport } from "./restricted-set.ts";

const namedKey = ["organization_id", "to_type", "to_id"];

/** Leaves out restricted sets: what a report there names is erased, or is in a set and keeps its parties there. */
const findNaming = `
  SELECT from_type, from_id, relation.to_type, relation.to_id
  FROM ${named(...namedKey)}${joinNamed("relation", namedKey)}
  WHERE ${inNamedIds("from_type", 4)}
    --citus AND relation.to_id = ANY ($3::text[])
  ORDER BY from_type, from_id`;

type NamingRow = Omit<Reference, "deletion_request_id" | "organization_id">;

/** Why a record is concerned. */
interface Cause {
  readonly deletion: Pick<Deletion, "requestedAt">;
}

interface Search {
  readonly organizationId: string;
  readonly confidential: ReadonlySet<ResourceType>;
  readonly now: number;
}

/** A report, what keeps it, and a deletion that it concerns. */
type SupportedReport<Because> = KeepingReport & {
  readonly cause: Because;
  readonly obstacle: Obstacle;
};

/** The number of statements is the same without a report: on PostgreSQL the time would disclose it. */
export function* findSupportedReports<Because extends Cause>(
  concerned: readonly (readonly [NodeKey, Because])[],
  { organizationId, confidential, now }: Search,
): Statements<readonly SupportedReport<Because>[]> {
  const types = [...confidential.union(supportingTypes)];
  const direct = yield* findConcerned(groupPairs(concerned), { organizationId, types });
  const between = new Map([...direct].filter(([node]) => supportingTypes.has(typeOf(node))));
  const indirect = yield* findConcerned(between, { organizationId, types });
  const reports = [...direct, ...indirect].filter(([node]) => confidential.has(typeOf(node)));
  const candidates = reports.flatMap(([node, causes]) =>
    [...causes].map((cause) => {
      const { requestedAt } = cause.deletion;
      return { ...toKey(organizationId, node), movedBy: undefined, requestedAt, cause };
    }),
  );
  const rules = { restrictedOf: organizationId, isReplay: false, now };
  const obstacles = yield* findObstaclesOfReports(candidates, rules);
  return candidates.flatMap((report, index) => {
    const obstacle = obstacles[index];
    return obstacle === undefined ? [] : [{ ...report, obstacle }];
  });
}

function typeOf(node: NodeKey): ResourceType {
  return parseNodeKey(node).type;
}

type Concerned<Because> = ReadonlyMap<NodeKey, ReadonlySet<Because>>;

function* findConcerned<Because>(
  concerned: Concerned<Because>,
  { organizationId, types }: { organizationId: string; types: readonly ResourceType[] },
): Statements<Concerned<Because>> {
  const keys = nodeRows(organizationId, [...concerned.keys()]);
  const rows = yield* all<NamingRow>(findNaming, keys, types);
  const pairs = rows.flatMap(({ from_type, from_id, to_type, to_id }) =>
    [...(concerned.get(nodeKey(to_type, to_id)) ?? [])].map(
      (cause) => [nodeKey(from_type, from_id), cause] as const,
    ),
  );
  return groupPairs(pairs);
}

function groupPairs<Because>(pairs: readonly (readonly [NodeKey, Because])[]): Concerned<Because> {
  const grouped = Map.groupBy(pairs, ([node]) => node);
  return new Map([...grouped].map(([node, some]) => [node, new Set(some.map(([, one]) => one))]));
}
