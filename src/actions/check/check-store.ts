// Everything that `check` compares: the store with itself, its audit trail with its tables, its receipts with its deletions, and
// all of them with the ledger outside the store. Repairs nothing. SECURITY.md names what it can't find.

import type { ErasureReport } from "../../store/interface/check-report.ts";
import type { App } from "../app.ts";
import { reasonOf } from "../operator/operator-error.ts";
import { requireRight } from "../operator/viewer.ts";
import { checkDeletions } from "./check-deletions.ts";
import { checkLedger } from "./check-ledger.ts";
import { checkReceipts } from "./check-receipts.ts";
import { checkRestricted } from "./check-restricted.ts";
import { checkTrail } from "./check-trail.ts";
import { Findings } from "./findings.ts";

export interface CheckReport {
  /** A sentence each. */
  readonly findings: readonly string[];
  /** For information only. */
  readonly notes: readonly string[];
}

/** Other processes may write meanwhile, so a finding counts only if it is found twice. Throws OperatorError not_permitted. */
export async function checkStore(app: App): Promise<CheckReport> {
  requireRight(app, "store.check");
  const first = await checkOnce(app);
  if (first.findings.length === 0) return first;
  const again = await checkOnce(app);
  const before = new Set(first.findings);
  return { ...again, findings: again.findings.filter((finding) => before.has(finding)) };
}

/** Scans files and tables for remains of what completed deletions erased. Throws OperatorError not_permitted. */
export async function checkErasure(app: App): Promise<ErasureReport> {
  requireRight(app, "store.check");
  return app.store.checkErasure();
}

async function checkOnce(app: App): Promise<CheckReport> {
  const findings = new Findings();
  findings.add(...(await app.store.checkIntegrity()).findings);
  const trail = await attempt(findings, "The audit trail", () => checkTrail(app, findings));
  await attempt(findings, "The receipts", () => checkReceipts(app, findings));
  await attempt(findings, "The deletions", () => checkDeletions(app, findings));
  await attempt(findings, "The restricted store", () => checkRestricted(app, findings));
  const notes = await attempt(findings, "The ledger", () => checkLedger(app, findings, trail));
  return { findings: findings.list, notes: notes ?? [] };
}

/** A part that can't be read is a finding too: somebody may have written something invalid there. */
async function attempt<Result>(
  findings: Findings,
  what: string,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    findings.add(`${what} could not be checked completely: ${reasonOf(error)}`);
    return undefined;
  }
}
