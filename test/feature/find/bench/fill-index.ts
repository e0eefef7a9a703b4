// Fills the index of persons faster than a service would beside its other work: threads make the rows, which are then
// inserted in the order of the table, and the second index is made at the end.

import type { KeyObject } from "node:crypto";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Range } from "./thread.ts";
import type { TemporaryStore } from "../../../../bench/temporary-store.ts";

export interface Persons {
  readonly organizationId: string;
  readonly secret: KeyObject;
  readonly count: number;
}

type Tell = (what: string) => void;

const parts = Array.from({ length: 16 }, (_, at) => at.toString(16));
const ids = "organization_id, resource_type, resource_id";

/** The hashes of all persons; nobody else may use the store meanwhile. */
export async function fillIndex(
  store: TemporaryStore,
  persons: Persons,
  tell: Tell,
): Promise<void> {
  const { DATABASE_URL: url, DATA_DIR: folder = "" } = store.settings;
  const isPostgres = url.startsWith("postgres");
  const files = Array.from({ length: availableParallelism() }, (_, at) =>
    join(folder, `rows-${at}`),
  );
  if (isPostgres) {
    await store.execute("ALTER TABLE search_token DROP CONSTRAINT search_token_pkey");
  }
  await store.execute("DROP INDEX search_token_by_record");
  await runThreads(persons, isPostgres ? files.map(() => url) : files);
  tell("rows made");
  if (isPostgres) {
    await store.execute(
      `SET maintenance_work_mem = '2GB';
       ALTER TABLE search_token ADD PRIMARY KEY (organization_id, hash, resource_type, resource_id)`,
    );
  } else await insertSorted(store, files, persons.organizationId);
  tell("rows inserted");
  for (const file of files) rmSync(file, { force: true });
  await store.execute(`CREATE INDEX search_token_by_record ON search_token (${ids})`);
  if (isPostgres) await store.execute("VACUUM ANALYZE search_token");
}

async function runThreads(persons: Persons, targets: readonly string[]): Promise<void> {
  const { count, ...others } = persons;
  const share = Math.ceil(count / targets.length);
  const threads = targets.map(async (target, at) => {
    const [from, to] = [at * share, Math.min(count, (at + 1) * share)];
    const range: Range = { ...others, from, to, target, parts };
    const thread = new Worker(new URL("thread.ts", import.meta.url), { workerData: range });
    const [code] = await once(thread, "exit");
    if (code !== 0) throw new Error("a thread has failed");
  });
  await Promise.all(threads);
}

/** A part at a time, so that the WAL stays small. */
async function insertSorted(
  { execute }: TemporaryStore,
  files: readonly string[],
  organizationId: string,
): Promise<void> {
  for (const part of parts) {
    const attach = files.map((file, at) => `ATTACH '${file}' AS rows_${at};`).join(" ");
    const all = files.map((_, at) => `SELECT * FROM rows_${at}.part_${part}`).join(" UNION ALL ");
    await execute(
      `${attach} PRAGMA cache_size = -1000000; PRAGMA synchronous = off; PRAGMA temp_store = memory;
       INSERT INTO search_token (organization_id, hash, resource_type, resource_id, field, former)
       SELECT '${organizationId}', hash, 'person', resource_id, field, 0 FROM (${all}) ORDER BY hash, resource_id`,
    );
  }
}
