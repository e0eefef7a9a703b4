// Reports what statements can still see of completed deletions, and on a cluster the old copies of shards. The pages of
// the server's files are not read: docs/reference/what-we-erase.md says how to search them with an extension of the
// server.

import type { ErasureFinding, ErasureReport } from "../../interface/check-report.ts";
import type { Database } from "../database.ts";
import { listOutlived } from "../../sql/deletion/outlived.ts";
import { withoutTimeouts } from "../../sql/statement/visibility.ts";
import type { Transaction } from "../transaction.ts";

/** Shards that a rebalancing has moved and not removed yet. */
const findOrphans = `SELECT object_name AS name FROM pg_dist_cleanup LIMIT 100`;

const pages: ErasureFinding = {
  severe: false,
  text:
    "The pages of the server's files were not searched. docs/reference/what-we-erase.md has the statements that search them, " +
    "for a superuser.",
};

export async function checkErasure(database: Database): Promise<ErasureReport> {
  const outlived = await database.transaction(withoutTimeouts, (tx) => tx.perform(listOutlived));
  const orphans = database.distributed
    ? await database.transaction(withoutTimeouts, listOrphans)
    : [];
  return { findings: [...outlived, ...orphans, pages] };
}

async function listOrphans(transaction: Transaction): Promise<readonly ErasureFinding[]> {
  const orphans = await transaction.all<{ name: string }>(findOrphans);
  return orphans.map(({ name }) => ({
    severe: true,
    text: `${name} was moved to another node, and the old copy is not removed yet.`,
  }));
}
