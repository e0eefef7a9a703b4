// An empty store in a temporary folder, on either engine, for a benchmark that fills it, and the settings of servers on it.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "../test/support/postgres/postgres-server.ts";

export type Settings = Readonly<Record<string, string>>;

/** Rate limits apply and are reported in every reply, but are high enough to refuse nothing. */
function settingsOf(databaseUrl: string, folder: string): Settings {
  return {
    HOST: "127.0.0.1",
    PORT: "0",
    DATABASE_URL: databaseUrl,
    DATA_DIR: folder,
    NODE_ENV: "production",
    LOG_LEVEL: "warn",
    RATE_LIMIT_PER_SECOND: "10000000",
  };
}

/** `engine`: sqlite or postgres. */
export async function onTemporaryStore(
  engine: string,
  measure: (settings: Settings) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-bench-"));
  try {
    if (engine === "sqlite") {
      return await measure(settingsOf(`sqlite:${join(folder, "sluice.db")}`, folder));
    }
    const settings = { max_wal_size: "4GB" };
    const postgres = await startPostgres({ own: true, durable: true, settings });
    try {
      await measure(settingsOf(await postgres.makeDatabase(), folder));
    } finally {
      await postgres.remove();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
