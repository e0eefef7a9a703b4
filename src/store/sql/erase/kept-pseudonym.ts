// Keeps what a pseudonym stands for as long as somebody has to be able to prove it: while a report has to be kept, officers must
// be able to say who the parties of its transactions were. It is kept as a reference from the report to the pseudonym, in the
// restricted set of the deletion that chose it; without such a report nothing is kept.

import { confidentialTypes } from "../../../domain/confidentiality.ts";
import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { supportingTypes } from "../../../domain/deletion/restriction.ts";
import type { RecordKey } from "../../../domain/record/record-write.ts";
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

const reportTypes = confidentialTypes();
const typesBetween = [...reportTypes.union(supportingTypes)];

/** In the transaction in which the pseudonym has replaced the id of the party in these records. */
export function* keepPseudonym(
  deletion: Deletion,
  records: readonly RecordKey[],
  { pseudonym, now }: { readonly pseudonym: string; readonly now: number },
): Statements<void> {
  const { deletionRequestId, organizationId, resourceType } = deletion;
  // Whatever the deletion was allowed before a restore, the report has to be kept now.
  const planning = {
    ...planningOf(deletion, now),
    restrictedOf: organizationId,
    isReplay: false,
  };
  for (const report of yield* findReports(organizationId, records)) {
    const keeping = { ...report, movedBy: undefined };
    if ((yield* findObstacleOfReport(keeping, planning)) === undefined) continue;
    // A deletion that moves it later finds the reference.
    yield* lockReport(report);
    const to = [{ type: resourceType, id: pseudonym }];
    yield* noteReferencesOf(deletionRequestId, report, to);
  }
}

/** The reports that these records support, directly or by an alert. */
function* findReports(
  organizationId: string,
  records: readonly RecordKey[],
): Statements<readonly RecordKey[]> {
  const naming = yield* findAllNaming(organizationId, records);
  const between = naming.filter(({ resourceType }) => supportingTypes.has(resourceType));
  const found = [...naming, ...(yield* findAllNaming(organizationId, between))];
  return found.filter(({ resourceType }) => reportTypes.has(resourceType));
}

function* findAllNaming(
  organizationId: string,
  records: readonly RecordKey[],
): Statements<readonly RecordKey[]> {
  let naming: readonly RecordKey[] = [];
  for (const [type, some] of Map.groupBy(records, ({ resourceType }) => resourceType)) {
    const ids = some.map(({ resourceId }) => resourceId);
    const rows = yield* all<NamingRow>(findNaming, organizationId, type, ids, typesBetween);
    const found = rows.map(({ from_type: resourceType, from_id: resourceId }) => {
      return { organizationId, resourceType, resourceId };
    });
    naming = [...naming, ...found];
  }
  return naming;
}
