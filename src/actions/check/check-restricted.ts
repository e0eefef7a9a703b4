// Compares restricted sets with their deletions: every set has a deletion that will erase it, and no such deletion is
// overdue.

import type { Deletion } from "../../domain/deletion/deletion.ts";
import { deletionOfSet } from "../../domain/deletion/restricted-set.ts";
import { limits } from "../../domain/limits.ts";
import type { App } from "../app.ts";
import { readPages } from "../pages.ts";
import type { Findings } from "./findings.ts";

/** A service that was stopped for this long is no reason to worry. */
const overdueMs = 24 * 60 * 60 * 1_000;
const pageRows = limits.ledgerEntriesAtOnce;

export async function checkRestricted(app: App, findings: Findings): Promise<void> {
  for (const { set, status } of await app.store.restricted.findStraySets()) {
    const fault = status === undefined ? "is unknown" : `is ${status}`;
    findings.add(`There are records in the restricted set ${set}, and its deletion ${fault}.`);
  }
  const pages = readPages<Deletion>(pageRows, (last) =>
    app.store.restricted.listSets({
      organizationId: undefined,
      after: last?.deletionRequestId ?? "",
      limit: pageRows,
    }),
  );
  for await (const page of pages) {
    const movers = page.map(({ deletionRequestId: id }) => deletionOfSet(id) ?? "");
    const known = await app.store.trail.findDeletions(movers);
    const ids = new Set(known.map(({ deletionRequestId }) => deletionRequestId));
    for (const deletion of page) {
      const { deletionRequestId: set } = deletion;
      if (!ids.has(deletionOfSet(set) ?? "")) {
        findings.add(`The deletion that filled the restricted set ${set} is unknown.`);
      }
      if (isOverdue(deletion, app.now())) {
        const end = new Date(deletion.floorUntil ?? deletion.dueAt).toISOString();
        findings.add(`The restricted set ${set} was to be erased at ${end}, and was not.`);
      }
    }
  }
}

/** Uses the end that the last evaluation found. */
function isOverdue({ status, floorUntil = Infinity }: Deletion, now: number): boolean {
  return status === "pending" && floorUntil < now - overdueMs;
}
