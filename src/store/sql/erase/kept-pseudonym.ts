// Keeps what a pseudonym stands for as long as somebody has to be able to prove it: while a report has to be kept, officers must
// be able to say who the parties of its transactions were. It is kept as a reference from the report to the pseudonym, in the
// restricted set of the deletion that chose it; without such a report nothing is kept.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { supportingTypes } from "../../../domain/deletion/restriction.ts";
import type { ResourceType } from "../../../domain/record-type.ts";
import type { RecordKey } from "../../../domain/record/record-write.ts";
import { readConfidentialTypes } from "../access/organization.ts";
import { planningOf } from "./plan.ts";
import { lockReport } from "./redact-kept.ts";
import { noteReferencesOf } from "./restricted-reference.ts";
import { findObstacleOfReport } from "./restricted-set.ts";
import { all, type Statements } from "../statement/statements.ts";

/** Only in the organization: what a report in a restricted set names is erased, or in a set too, and then keeps its parties. */
const findNaming = `
  SELECT DISTINCT from_type, from_id FROM relation
  WHERE organization_id = $1 AND to_type = $2
    --sqlite AND to_id IN (SELECT value FROM json_each($3))
    --sqlite AND from_type IN (SELECT value FROM json_each($4))
    --postgres AND to_id = ANY ($3::text[]) AND from_type = ANY ($4::text[])
  ORDER BY from_type, from_id`;

interface NamingRow {
  readonly from_type: string;
  readonly from_id: string;
}

/** In the transaction in which the pseudonym has replaced the id of the party in these records. */
export function* keepPseudonym(
  deletion: Deletion,
  records: readonly RecordKey[],
  { pseudonym, now }: { readonly pseudonym: string; readonly now: number },
): Statements<void> {
  const { deletionRequestId, organizationId, resourceType } = deletion;
  const confidential = yield* readConfidentialTypes(organizationId);
  // Whatever the deletion was allowed before a restore, the report has to be kept now.
  const planning = {
    ...planningOf(deletion, now, confidential),
    restrictedOf: organizationId,
    isReplay: false,
  };
  for (const report of yield* findReports(records, { organizationId, confidential })) {
    const keeping = { ...report, movedBy: undefined };
    if ((yield* findObstacleOfReport(keeping, planning)) === undefined) continue;
    // A deletion that moves it later finds the reference.
    yield* lockReport(report);
    const to = [{ type: resourceType, id: pseudonym }];
    yield* noteReferencesOf(deletionRequestId, report, to);
  }
}

interface ReportSearch {
  readonly organizationId: string;
  readonly confidential: ReadonlySet<ResourceType>;
}

/** The reports that these records support, directly or by an alert. */
function* findReports(
  records: readonly RecordKey[],
  search: ReportSearch,
): Statements<readonly RecordKey[]> {
  const naming = yield* findAllNaming(records, search);
  const between = naming.filter(({ resourceType }) => supportingTypes.has(resourceType));
  const found = [...naming, ...(yield* findAllNaming(between, search))];
  return found.filter(({ resourceType }) => search.confidential.has(resourceType));
}

function* findAllNaming(
  records: readonly RecordKey[],
  { organizationId, confidential }: ReportSearch,
): Statements<readonly RecordKey[]> {
  const types = [...confidential.union(supportingTypes)];
  let naming: readonly RecordKey[] = [];
  for (const [type, some] of Map.groupBy(records, ({ resourceType }) => resourceType)) {
    const ids = some.map(({ resourceId }) => resourceId);
    const rows = yield* all<NamingRow>(findNaming, organizationId, type, ids, types);
    const found = rows.map(({ from_type: resourceType, from_id: resourceId }) => {
      return { organizationId, resourceType, resourceId };
    });
    naming = [...naming, ...found];
  }
  return naming;
}
