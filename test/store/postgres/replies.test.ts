// The replies kept for Idempotency-Keys on PostgreSQL are found by their keys, without reading the others of the
// organization.

import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { describe, it } from "node:test";
import { transaction } from "../../conformance/scene.ts";
import { usePostgres } from "../../support/postgres/postgres-server.ts";
import { openTestStore } from "../../support/test-store.ts";

const server = await usePostgres();
const replies = 600;

/** How many replies the statements of ended sessions have read. */
async function repliesRead(url: string): Promise<number> {
  const [row] = await server.query(
    `SELECT seq_tup_read + (
       SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname = 'idempotent_reply') AS read
     FROM pg_stat_user_tables WHERE relname = 'idempotent_reply'`,
    url,
  );
  return Number(row?.["read"]);
}

describe("the kept replies on PostgreSQL", () => {
  it("are found without a scan of the others", async () => {
    const url = await server.makeDatabase();
    const drafts = Array.from({ length: replies }, (_, index) => transaction(`tx-${index}`));
    const marks = drafts.map(({ id }) => {
      const keyHash = hash("sha256", id, "buffer");
      return { keyHash, fingerprint: keyHash };
    });
    const store = await openTestStore(url, { role: "command" });
    const write = () => store.write(drafts, { lenient: true, marks });
    assert.equal((await write()).written, replies);
    assert.equal((await write()).repeated, true);
    await store.close();
    const read = await repliesRead(url);
    assert.ok(read <= 20 * replies, `${read} replies were read`);
    await server.dropDatabase(url);
  });
});
