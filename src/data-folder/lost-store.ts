// Finds out that an embedded store was lost: its file is missing or empty, but its ledger is there. An empty store must
// not take its place, because nobody would notice what is missing.

import { join } from "node:path";
import { statOf, namesIn } from "../files/present.ts";
import { sqlitePath } from "../files/sqlite-path.ts";
import type { Config } from "../settings/config.ts";
import { StoreError } from "../store/interface/store-error.ts";

type Places = Pick<Config, "databaseUrl" | "dataDir">;

/** Throws StoreError. */
export function refuseLostStore({ databaseUrl, dataDir }: Places): void {
  const path = sqlitePath(databaseUrl);
  if (path === undefined || (statOf(path, "The store")?.size ?? 0) > 0) return;
  const ledger = namesIn(dataDir).find((name) => /^deletion-ledger-.+\.ndjson$/.test(name));
  if (ledger === undefined) return;
  throw new StoreError(
    `There is no store at ${path}, but ${join(dataDir, ledger)} is the ledger of one. Check DATABASE_URL and DATA_DIR; if ` +
      "the store was lost, run `sluice restore` with a backup. To begin with an empty store, move the ledger to another folder.",
  );
}
