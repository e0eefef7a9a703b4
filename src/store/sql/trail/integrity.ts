// What `check` requires of every store: no rows that break the invariants between the tables, and two intact chains.
// Each engine adds the invariants of its own tables. Repairs nothing.

import { findingsMax } from "../../interface/store.ts";
import { AuditChainCheck } from "../../shared/chain-check.ts";
import type { Invariant } from "../part.ts";
import { checkAuditChain } from "./audit.ts";
import { checkReceiptChain } from "./receipt.ts";
import { all, type Statements } from "../statement/statements.ts";
import { storeParts } from "../store-parts.ts";

const common: readonly Invariant[] = [
  {
    broken: "More than one deletion of a record is open",
    sql: `
      SELECT min(deletion_request_id) AS subject FROM deletion
      WHERE status IN ('pending', 'processing')
      GROUP BY organization_id, resource_type, resource_id HAVING count(*) > 1 LIMIT $1`,
  },
  {
    broken: "A deletion was processed without the approval that it needs",
    sql: `
      SELECT deletion_request_id AS subject FROM deletion
      WHERE approval_requester IS NOT NULL AND approved_at IS NULL
        AND status IN ('processing', 'completed') AND carried_out_before IS NULL LIMIT $1`,
  },
  {
    broken: "A deletion has an approval that it does not need, or part of one",
    sql: `
      SELECT deletion_request_id AS subject FROM deletion
      WHERE (approved_by IS NULL) <> (approved_at IS NULL)
        OR approved_at IS NOT NULL AND approval_requester IS NULL LIMIT $1`,
  },
  {
    broken: "An operator has half of an identity",
    sql: `SELECT name AS subject FROM operator WHERE (issuer IS NULL) <> (subject IS NULL) LIMIT $1`,
  },
  {
    broken: "A deletion is not of the restricted set, or not of the organization, that it names",
    sql: `
      SELECT deletion_request_id AS subject FROM deletion
      WHERE (restricted_of IS NOT NULL)
          <> (deletion_request_id >= 'restricted/' AND deletion_request_id < 'restricted0')
        OR restricted_of <> '' AND NOT EXISTS (
          SELECT 1 FROM deletion AS moving
          WHERE moving.deletion_request_id = substr(deletion.deletion_request_id, 12)
            AND moving.organization_id = deletion.restricted_of)
      LIMIT $1`,
  },
];

export function* findBroken(own: readonly Invariant[]): Statements<readonly string[]> {
  const { list: parts } = yield* storeParts();
  const ofParts = parts.flatMap(({ invariants = [] }) => invariants);
  let findings: readonly string[] = [];
  for (const { broken, sql } of [...own, ...common, ...ofParts]) {
    const rows = yield* all<{ subject: string }>(sql, findingsMax);
    findings = [...findings, ...rows.map(({ subject }) => `${broken}: ${subject}.`)];
  }
  return findings;
}

/** Reports the first link of each chain that does not follow from the one before it. */
export function* checkChains(): Statements<readonly string[]> {
  const audit = new AuditChainCheck();
  const brokenEntry = yield* checkAuditChain(audit);
  const brokenReceipt = yield* checkReceiptChain(audit.cuts);
  return [brokenReceipt, brokenEntry].filter((found) => found !== undefined);
}
