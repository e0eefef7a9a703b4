// Reads whether the service is healthy, in a bounded number of steps: whether it can write, whether the ends of the
// audit trail and of the receipts are intact, and whether deletions are on time. `sluice check` compares everything.

import { chainStart } from "../trail/list-audit.ts";
import { withTimeout } from "../../basics/with-timeout.ts";
import type { AuditEntry } from "../../domain/access.ts";
import type { EngineTraits } from "../../store/interface/engine-traits.ts";
import { describeClockJump } from "./clock.ts";
import { type IntakeType, readIntakeTypes, readQueue } from "./read-overview.ts";
import type { App } from "../app.ts";
import { probeWrite } from "./store-upkeep.ts";
import { reasonOf } from "../operator/operator-error.ts";
import { publishReceiptKeys } from "../receipt/receipt-keys.ts";
import { requireRight } from "../operator/viewer.ts";
import { verifyReceipts } from "../receipt/verify-receipt.ts";

export interface HealthCheck {
  readonly name: string;
  readonly isFine: boolean;
  readonly result: string;
}

export interface Health {
  readonly checks: readonly HealthCheck[];
  readonly engine: EngineTraits;
  readonly engineVersion: string | undefined;
  readonly schemaVersion: number;
  readonly lastBackup: AuditEntry | undefined;
  readonly storeBytes: number | undefined;
  /** Those that the charts of the intake count. */
  readonly types: readonly IntakeType[] | undefined;
}

/** Entries of the audit trail, and receipts, that are verified. A signature takes as long as thirty entries. */
const entriesChecked = 200;
const receiptsChecked = 10;
const checkMsMax = 5_000;

/** `added`: further checks. A check that fails is part of the result. */
export async function readHealth(app: App, ...added: readonly HealthChecks[]): Promise<Health> {
  requireRight(app, "health.read");
  const { store } = app;
  const named = [checksByName, ...added].flatMap((group) => Object.entries(group));
  const [checks, engineVersion, lastBackup, storeBytes, types] = await Promise.all([
    Promise.all(named.map(([name, check]) => attempt(name, () => check(app)))),
    known(store.overview.engineVersion()),
    known(store.overview.lastBackup()),
    known(store.overview.sizeBytes()),
    known(readIntakeTypes(app)),
  ]);
  const { traits: engine, schemaVersion } = store;
  return { checks, engine, engineVersion, schemaVersion, lastBackup, storeBytes, types };
}

function known<Value>(value: Promise<Value>): Promise<Value | undefined> {
  return value.catch(() => undefined);
}

type Outcome = Omit<HealthCheck, "name">;
type Check = (app: App) => Promise<Outcome>;
export type HealthChecks = Readonly<Record<string, Check>>;

const checksByName: HealthChecks = {
  "The store accepts writes": async (app) => {
    const startedAt = performance.now();
    await probeWrite(app);
    return fine(`A trial write took ${Math.ceil(performance.now() - startedAt)} ms.`);
  },
  "The clock is trusted": async (app) => {
    const jump = await describeClockJump(app);
    return jump === undefined
      ? fine("It agrees with the last time that the store knows.")
      : bad(jump);
  },
  "The end of the audit trail is intact": async ({ store }) => {
    const { no } = await store.trail.head();
    const [first] = await store.listAudit(Math.max(0, no - entriesChecked - 1), 1);
    const firstNo = Math.max(1, no - entriesChecked);
    if (no > 0 && first?.entryNo !== firstNo)
      return bad(`The audit trail has no entry ${firstNo}.`);
    const from =
      first === undefined || no <= entriesChecked
        ? chainStart
        : { no: first.entryNo, hash: first.hash };
    const { no: end, fault } = await store.trail.verify({ ...from, limit: 2 * entriesChecked });
    const entries = end - from.no;
    const last =
      entries === 1 ? "last entry is" : `last ${entries.toLocaleString("en")} entries are`;
    return fault === undefined ? fine(`The ${last} chained.`) : bad(fault);
  },
  "The last receipts are genuine": checkLastReceipts,
  "Deletions are on time": async (app) => {
    const { overdue } = await readQueue(app);
    return overdue === 0
      ? fine("None is overdue.")
      : bad(`${overdue === 1 ? "One is" : `${overdue} are`} overdue; the log says why.`);
  },
  "The key of receipts is available": async ({ signer }) =>
    signer() === undefined
      ? bad("This process has no key, so deletions can't be completed.")
      : fine("Receipts can be signed."),
};

/** Verifies each receipt by itself: a restore leaves gaps in the chain, which `sluice check` can explain. */
async function checkLastReceipts(app: App): Promise<Outcome> {
  const { receiptNo } = await app.store.receiptHead();
  const after = Math.max(0, receiptNo - receiptsChecked);
  const [stored, keys] = await Promise.all([
    app.store.listReceipts(after, receiptsChecked),
    publishReceiptKeys(app),
  ]);
  const wrong = stored
    .flatMap(({ receipt }) => verifyReceipts([receipt], keys))
    .find(({ faults }) => faults.length > 0);
  if (wrong !== undefined) return bad(`${wrong.name}: ${wrong.faults.join(" ")}`);
  const last = stored.at(-1)?.receipt.receipt_no ?? 0;
  if (last < receiptNo) return bad(`The last receipt is ${last}, but should be ${receiptNo}.`);
  if (stored.length === 0) return fine("There is none yet.");
  return fine(`The signatures of the last ${stored.length} are valid.`);
}

export function fine(result: string): Outcome {
  return { isFine: true, result };
}

export function bad(result: string): Outcome {
  return { isFine: false, result };
}

async function attempt(name: string, check: () => Promise<Outcome>): Promise<HealthCheck> {
  try {
    return { name, ...(await withTimeout(check(), checkMsMax)) };
  } catch (error) {
    return { name, ...bad(reasonOf(error)) };
  }
}
