// The audit trail: each entry, and the end of the chain, are written in the transaction of what the entry tells of. On
// PostgreSQL the lock on the chain's end puts the processes that append in a row, so it is taken last in a transaction.
// Never holds record content.

import type { ChainHead } from "../../domain/deletion/ledger-entry.ts";
import type { Act } from "../act.ts";
import {
  type AuditHead,
  type AuditRow,
  makeAuditRow,
  nameSubject,
  type NewAuditEntry,
  toHead,
} from "../row/audit-row.ts";
import type { AuditChainCheck } from "../chain-check.ts";
import type { AuditNote } from "../trail.ts";
import { all, get, runTogether, type Statements } from "./statements.ts";

const findHead = `SELECT entry_no, hash FROM audit_head WHERE single`;

const lockHead = `
  SELECT entry_no, hash FROM audit_head WHERE single
  --postgres FOR UPDATE
  `;

const moveHead = `UPDATE audit_head SET entry_no = $1, hash = $2 WHERE single`;

const insertEntry = `
  INSERT INTO audit_entry
    (entry_no, at, actor, action, organization_id, subject, detail, previous_hash, hash)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;

const readPage = `SELECT * FROM audit_entry WHERE entry_no > $1 ORDER BY entry_no LIMIT $2`;

const checkedAtOnce = 1_000;

/** `entryNo`: where the chain was cut. */
export function* appendAudit(entry: NewAuditEntry, entryNo?: number): Statements<ChainHead> {
  const row = makeAuditRow(entry, yield* lockAuditHead(), entryNo);
  const { entry_no, at, actor, action, organization_id, subject, detail } = row;
  const { previous_hash, hash } = row;
  const values = [at, actor, action, organization_id, subject, detail, previous_hash, hash];
  yield* runTogether([insertEntry, entry_no, ...values], [moveHead, entry_no, hash]);
  return toHead(row);
}

/** An entry that says who did what, and when. */
export function* auditAct({ subject, ...note }: AuditNote, act: Act): Statements<void> {
  yield* appendAudit({ ...note, subject: nameSubject(subject), at: act.now, actor: act.actor });
}

/** To the end of the transaction, nobody else appends. */
export function* lockAuditHead(): Statements<AuditHead> {
  const last = yield* get<AuditHead>(lockHead);
  if (last === undefined) throw new TypeError("the audit chain has no end");
  return last;
}

export function* readAuditHead(): Statements<AuditHead | undefined> {
  return yield* get<AuditHead>(findHead);
}

export function* readAuditRows({
  afterEntryNo,
  limit,
}: {
  readonly afterEntryNo: number;
  readonly limit: number;
}): Statements<readonly AuditRow[]> {
  return yield* all<AuditRow>(readPage, afterEntryNo, limit);
}

/**
 * The first entry that does not follow from the one before, or was altered; or an end that is not the last entry's. The
 * check then knows where the chains were cut.
 */
export function* checkAuditChain(check: AuditChainCheck): Statements<string | undefined> {
  for (;;) {
    const rows = yield* readAuditRows({ afterEntryNo: check.lastNo, limit: checkedAtOnce });
    const fault = check.add(rows);
    if (fault !== undefined) return fault;
    if (rows.length < checkedAtOnce) return check.end(yield* readAuditHead());
  }
}
