// The chains of receipts and audit entries on real tables, and the heads of the two chains, of receipts and of audit
// entries: which of them a transaction locks first, and that nothing is added where a head is missing. Two processes
// that locked them in different orders would deadlock.

import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import type { Deletion } from "../../../src/domain/deletion/deletion.ts";
import { appendAudit, auditActs, checkAuditChain } from "../../../src/store/sql/trail/audit.ts";
import { AuditChainCheck } from "../../../src/store/shared/chain-check.ts";
import { type Connection, openWriter } from "../../../src/store/sqlite/connection.ts";
import { migrate } from "../../../src/store/sqlite/migration/migrate.ts";
import { postgresTraits } from "../../../src/store/postgres/traits.ts";
import {
  checkReceiptChain,
  lockReceiptHead,
  storeReceipts,
} from "../../../src/store/sql/trail/receipt.ts";
import { beginReplay } from "../../../src/store/sql/restore/replay.ts";
import { runSync } from "../../../src/store/sql/statement/run.ts";
import type { Request, Statements } from "../../../src/store/sql/statement/statements.ts";
import { makeTestSeal } from "../../support/seal.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { storeParts as parts } from "../../../src/feature/parts.ts";

const hash = "0".repeat(64);
const act = { actor: "worker", now: 1 };

const heads = {
  receipt_head: { store_id: "store_1", receipt_no: 0, hash, salt_key: "" },
  audit_head: { entry_no: 0, hash },
};

/**
 * The tables of chain heads, in the order in which statements first named them. Answers with the
 * given heads.
 */
function tablesOf(
  statements: Statements<unknown>,
  known: Readonly<Record<string, unknown>>,
): readonly string[] {
  const tables = new Set<string>();
  const answer = (statement: Request): unknown => {
    if (!("sql" in statement || "statements" in statement)) return false;
    if (statement.method === "together") return statement.statements.map(answer);
    const table = /\b(?:receipt|audit)_head\b/.exec(statement.sql)?.[0];
    if (table !== undefined) tables.add(table);
    if (statement.method === "run") return 1;
    if (/\bFROM restore\b/.test(statement.sql)) return restores.shift();
    return table === undefined ? undefined : known[table];
  };
  const restores: unknown[] = [
    undefined,
    { state: "loading", began_at: 1, began_by: "jo", sources: "[]", cut: null, reopened: 0 },
  ];
  runSync(statements, answer);
  return [...tables];
}

function openTables(test: TestContext): Connection {
  const folder = makeTempFolder();
  const connection = openWriter(join(folder, "sluice.db"), { parts });
  test.after(() => connection.close());
  migrate(connection);
  return connection;
}

const deletion: Deletion = {
  deletionRequestId: "deletion_1",
  organizationId: "acme",
  resourceType: "transaction",
  resourceId: "t1",
  reason: "asked for",
  status: "completed",
  requestedBy: "jo",
  requestedAt: 1,
  dueAt: 1,
  startedAt: 1,
  completedAt: 1,
  erased: {},
  kept: {},
  restrictedOf: undefined,
  redacted: 0,
  redactedByType: {},
  attempts: 1,
  waitingFor: undefined,
  nextAttemptAt: undefined,
  floorUntil: undefined,
};

describe("the chains of a store", () => {
  it("have the acts of one transaction one after another", (test) => {
    const connection = openTables(test);
    const note = {
      action: "key.revoke" as const,
      organizationId: "acme",
      subject: "key_1",
      detail: {},
    };
    const acts = [1, 2, 3].map((now) => ({ actor: "jo", now, note }));
    connection.perform(auditActs, acts);
    const check = new AuditChainCheck();
    assert.equal(connection.perform(checkAuditChain, check), undefined);
    assert.equal(check.lastNo, acts.length);
  });

  it("are not all: an altered receipt outside them is found", (test) => {
    const connection = openTables(test);
    connection.exec(`PRAGMA foreign_keys = OFF;
      INSERT INTO receipt (receipt_no, deletion_request_id, organization_id, document, hash)
      VALUES (-5, 'restricted/del_1', 'acme', '{}', '${hash}')`);
    const fault = "The receipt of restricted/del_1 was altered.";
    assert.equal(connection.perform(checkReceiptChain, []), fault);
  });
});

describe("the heads of the chains", () => {
  it("are locked in the same order by a completion and by a restore: receipts, then audit", () => {
    const head = { storeId: "store_1", receiptNo: 0, hash, saltKey: "" };
    const sealed = makeTestSeal()(deletion, { head, engine: postgresTraits.verification });
    const link = { no: 5, hash };
    const known = { audit: link, receipts: link, shared: link };
    const beginning = { known, sources: [], backup: undefined };
    const order = ["receipt_head", "audit_head"];
    assert.deepEqual(tablesOf(storeReceipts([sealed], act), heads), order);
    assert.deepEqual(tablesOf(beginReplay(beginning, act), heads), order);
  });

  it("have to exist for anything to be added", () => {
    const entry = {
      at: 1,
      actor: "jo",
      action: "key.revoke" as const,
      organizationId: "acme",
      subject: "key_1",
      detail: {},
    };
    assert.throws(() => tablesOf(appendAudit(entry), {}), /the audit chain has no end/);
    assert.throws(() => tablesOf(lockReceiptHead(), {}), /the chain of receipts has no end/);
  });
});
