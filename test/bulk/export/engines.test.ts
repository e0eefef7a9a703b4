// From SQLite to PostgreSQL and back to files: the same records, the same changes, and exports in
// the same order.

import assert from "node:assert/strict";
import { withoutManifest } from "../../cli/command-line.ts";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { recordTypes } from "../../../src/domain/record-types.ts";
import type { CommandLine } from "../../cli/command-line.ts";
import { type PostgresServer, startPostgres } from "../../support/postgres/postgres-server.ts";
import { removeFolder } from "../../support/temp-folder.ts";
import { hardRecords } from "./hard-records.ts";
import { exportTo, importFrom, makeStore, submit, withApp } from "./round-trip.ts";

describe("an export of one engine", () => {
  let server: PostgresServer;
  let sqlite: CommandLine;
  let postgres: CommandLine;
  before(async () => {
    server = await startPostgres();
    sqlite = await makeStore();
    postgres = await makeStore({ DATABASE_URL: await server.makeDatabase() });
    await withApp(sqlite, async (app) => {
      for (const [index, type] of recordTypes.entries()) {
        await Promise.all(hardRecords(type, index + 1).map((one) => submit(app, type, one)));
      }
    });
  });
  after(async () => {
    for (const { folder } of [sqlite, postgres]) removeFolder(folder);
    await server.remove();
  });

  for (const type of recordTypes) {
    it(`can be imported by the other, which exports the same: ${type.resourceType}`, async () => {
      const history = await exportTo(sqlite, { type, format: "parquet", history: true });
      await importFrom(postgres, type, history);
      for (const isHistory of [false, true]) {
        const way = { type, format: "ndjson", history: isHistory } as const;
        const [given, taken] = [await exportTo(sqlite, way), await exportTo(postgres, way)];
        assert.ok(linesOf(given).length > 60);
        assert.deepEqual(linesOf(taken), linesOf(given));
      }
    });
  }
});

/** Without the times of arrival, which differ between stores. */
function linesOf(file: string): readonly string[] {
  const lines = withoutManifest(readFileSync(file, "utf8")).split("\n");
  return lines.map((line) => line.replace(/"sluice_received_at":"[^"]+",/, ""));
}
