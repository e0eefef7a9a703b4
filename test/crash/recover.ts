// What clients do after a crash: send again what was not answered and has an Idempotency-Key, and wait for their
// deletions. Then everything is compared with what the store holds.

import type { App } from "../../src/actions/app.ts";
import type { Deletion } from "../../src/domain/deletion/deletion.ts";
import { waitFor } from "../support/wait-for.ts";
import { checkDeletion, completeDeletion, describe, settleDeletion } from "./acts-delete.ts";
import { type AskedDeletion, keyOf, type Ledger, nameOf } from "./ledger.ts";
import { exchange, type Sender, recordReply } from "./sender.ts";

/** Stops early if the server is killed meanwhile; it has to be called again then. */
export async function sendAgain(sender: Sender): Promise<void> {
  const { ledger, name } = sender;
  for (const submission of ledger.recent) {
    if (submission.sender !== name || submission.answer !== undefined || !submission.idempotent)
      continue;
    const reply = await exchange(sender, submission.ask);
    if (reply === undefined) return;
    recordReply(ledger, submission, reply);
  }
  for (const deletion of ledger.deletions) {
    if (deletion.sender !== name || deletion.standing !== "unknown" || !deletion.idempotent)
      continue;
    const reply = await exchange(sender, deletion.ask);
    if (reply === undefined) return;
    settleDeletion(sender, deletion, reply);
  }
}

/** A server that has hardly any processor time takes minutes to scrub a file. */
const deletionMsMax = 600_000;

/** Polls as a client would, until each of its deletions is completed. */
export async function awaitDeletions(sender: Sender): Promise<void> {
  for (const deletion of sender.openDeletions) {
    if (deletion.standing !== "open") continue;
    await waitFor(
      `the end of ${describe(deletion)}`,
      async () => {
        const status = await checkDeletion(sender, deletion);
        return status === "completed" || sender.ledger.findings.length > 0;
      },
      { timeoutMs: deletionMsMax },
    );
  }
  sender.openDeletions = [];
}

/**
 * Compares the deletions that the store knows with those that were requested: each exists once and
 * was completed once according to its audit trail. Those that were never answered are found here,
 * and awaited.
 */
export async function checkDeletions(app: App, ledger: Ledger): Promise<void> {
  const known = await waitFor("all deletions to end", () => allCompleted(app), {
    intervalMs: 20,
  });
  const left = new Map(known.map((deletion) => [deletion.deletionRequestId, deletion]));
  for (const deletion of ledger.deletions) {
    if (deletion.standing === "completed" && !left.delete(deletion.deletionRequestId ?? "")) {
      ledger.findings.push(`${describe(deletion)} is not in the store`);
    }
  }
  for (const deletion of ledger.deletions) {
    if (deletion.standing === "unknown") resolveUnknown(ledger, deletion, left);
  }
  for (const { deletionRequestId, resourceId } of left.values()) {
    ledger.findings.push(`a deletion ${deletionRequestId} of ${resourceId} that nobody asked for`);
  }
  await checkTrail(app, ledger);
}

async function allCompleted(app: App): Promise<readonly Deletion[] | undefined> {
  const deletions = await app.store.listDeletions({ limit: 1_000_000 });
  return deletions.every(({ status }) => status === "completed") ? deletions : undefined;
}

function resolveUnknown(
  ledger: Ledger,
  deletion: AskedDeletion,
  left: Map<string, Deletion>,
): void {
  const found = [...left.values()].find((one) => keyOf(one) === nameOf(deletion.target));
  if (found === undefined) {
    deletion.standing = "never opened";
    return;
  }
  left.delete(found.deletionRequestId);
  deletion.deletionRequestId = found.deletionRequestId;
  completeDeletion(
    ledger,
    deletion,
    Object.fromEntries(Object.entries(found.erased)) as Record<string, number>,
  );
}

const pageEntries = 10_000;

/** Each deletion is requested, started and completed exactly once, however often it was interrupted. */
async function checkTrail(app: App, ledger: Ledger): Promise<void> {
  const counts = new Map<string, number>();
  for (let after = 0; ;) {
    const page = await app.store.listAudit(after, pageEntries);
    for (const { action, subject } of page) {
      const event = `${action} ${subject}`;
      counts.set(event, (counts.get(event) ?? 0) + 1);
    }
    const last = page.at(-1);
    if (last === undefined || page.length < pageEntries) break;
    after = last.entryNo;
  }
  for (const { deletionRequestId, standing } of ledger.deletions) {
    if (standing !== "completed" || deletionRequestId === undefined) continue;
    for (const action of ["deletion.request", "deletion.start", "deletion.complete"]) {
      const count = counts.get(`${action} ${deletionRequestId}`) ?? 0;
      if (count !== 1)
        ledger.findings.push(`${count} audit entries ${action} ${deletionRequestId}`);
    }
  }
}
