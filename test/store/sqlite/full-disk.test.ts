// A disk that is full, or can't be written: what is rejected has no effect, what was accepted
// stays, and the store continues as soon as there is room again.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, it } from "node:test";
import { AppError } from "../../../src/domain/error.ts";
import type { RecordWrite } from "../../../src/domain/record/record-write.ts";
import { openWriter } from "../../../src/store/sqlite/connection.ts";
import type { Result } from "../../../src/store/sqlite/commit/job.ts";
import { migrate } from "../../../src/store/sqlite/migration/migrate.ts";
import { runJobs } from "../../../src/store/sqlite/commit/run-jobs.ts";
import { acme, transaction } from "../../conformance/scene.ts";
import { makePlace } from "./place.ts";
import { storeParts as parts } from "../../../src/feature/parts.ts";

const filler = [{ key: "filler", value: "x".repeat(1_000), type: "STRING" }];

function large(id: string): RecordWrite {
  const drafts = [transaction(id, { additional_properties: filler })];
  const context = { organizationId: acme, resourceType: "transaction", receivedAt: 1 };
  return { ...context, mode: "add", lenient: false, drafts };
}

function accepted(results: readonly Result[]): readonly boolean[] {
  return results.map(({ ok }) => ok);
}

describe("a database that can't grow", () => {
  it("refuses what has no room, one write at a time, and continues when there is room", async (test) => {
    const place = makePlace(test);
    const connection = openWriter(place.path, { parts });
    test.after(() => connection.close());
    migrate(connection);
    const pages = connection.get<{ page_count: number }>("PRAGMA page_count")?.page_count ?? 0;
    connection.exec(`PRAGMA max_page_count = ${pages + 5}`);
    const group = Array.from({ length: 40 }, (_, index) => large(`t${index}`));
    const first = runJobs(connection, group);
    const stored = accepted(first).filter(Boolean).length;
    assert.ok(stored > 0 && stored < 40, `${stored} stored`);
    for (const result of first) {
      if (result.ok) continue;
      assert.ok(result.error instanceof AppError && result.error.errorName === "unavailable");
      assert.match(result.error.message, /^The disk of the service is full/);
      assert.equal((result.error.cause as { errcode?: number }).errcode, 13);
    }
    const count = connection.get<{ records: number }>("SELECT count(*) AS records FROM record");
    assert.equal(count?.records, stored);
    connection.exec("PRAGMA max_page_count = 100000");
    const again = runJobs(connection, group).map((result) =>
      result.ok ? (result.value as { drafts: string }).drafts : "failed",
    );
    assert.equal(again.filter((drafts) => drafts === "i").length, stored);
    assert.equal(again.filter((drafts) => drafts === "c").length, 40 - stored);
    const store = await place.open({ role: "command" });
    assert.deepEqual(await store.countRecords(acme), { transaction: 40 });
    await store.requireConsistent();
  });
});

describe("a file system that is full", () => {
  it("fails the commit, which rejects all of its group and stores none of it", async (test) => {
    const place = makePlace(test);
    await (await place.open()).close();
    // The shell sets the limit (in blocks of 512 or 1,024 bytes) and ignores its signal, so that
    // writing fails.
    const program = join(import.meta.dirname, "fill-process.ts");
    const child = spawn(
      "sh",
      [
        "-c",
        `trap '' XFSZ; ulimit -f 2000; exec "$0" "$1" "$2"`,
        process.execPath,
        program,
        place.path,
      ],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    let output = "";
    child.stdout.on("data", (data: Buffer) => (output += data.toString()));
    const [code] = (await once(child, "close")) as [number | null];
    assert.equal(code, 0, output);
    const { acknowledged, refused, stillReads } = JSON.parse(output) as FillReport;
    assert.ok(acknowledged.length > 100, `${acknowledged.length} acknowledged`);
    assert.ok(refused.length >= 2, `${refused.length} refused`);
    assert.equal(stillReads, true);

    const store = await place.open();
    await store.requireConsistent();
    const ids = place.withDatabase((database) =>
      database.prepare("SELECT resource_id FROM record").all(),
    );
    assert.deepEqual(ids.map(({ resource_id }) => String(resource_id)).sort(), acknowledged.sort());
    assert.ok((await store.countRecords(acme))["transaction"]);
  });
});

export interface FillReport {
  readonly acknowledged: string[];
  readonly refused: string[];
  readonly stillReads: boolean;
}
