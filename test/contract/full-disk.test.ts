// The service while the disk of its store is full: writes get 503 with Retry-After, readiness reports it, reads
// continue, and all acknowledged data exists when writes work again.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fetchToken } from "../support/customer.ts";
import type { Client, Reply } from "../support/http-client.ts";
import { startPostgres } from "../support/postgres/postgres-server.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";
import { testEnvironment } from "../support/service.ts";
import { fillDisk, hasSmallDisks, onSmallDisk } from "../support/small-disk.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { waitFor } from "../support/wait-for.ts";

const development = { NODE_ENV: "development" };
const listLength = 25;
const sentMax = 2_000;

/** It is printed once. */
function findKey(serving: ServerProcess): string | undefined {
  return /sluice_key_\w{49}/.exec(serving.output().out)?.[0];
}

/** A client of a service that has just created its first organization. */
class Writer {
  readonly acknowledged: string[] = [];
  readonly refused: Reply[] = [];
  readonly #client: Client;
  readonly #token: string;
  #sent = 0;

  private constructor(client: Client, token: string) {
    this.#client = client;
    this.#token = token;
  }

  static async make(serving: ServerProcess): Promise<Writer> {
    const apiKey = await waitFor("the key", () => findKey(serving));
    const token = await fetchToken(serving.client, { organizationId: "demo", apiKey });
    return new Writer(serving.client, token);
  }

  async write(): Promise<Reply> {
    const note = [{ key: "note", value: "x".repeat(1_000), type: "STRING" }];
    const body = Array.from({ length: listLength }, () => {
      this.#sent += 1;
      return { assessment_id: `a${this.#sent}`, ...assessment, additional_properties: note };
    });
    const reply = await this.#client.send({
      method: "POST",
      path: "/v2/risk_assessment",
      token: this.#token,
      body,
    });
    if (reply.status === 201) this.acknowledged.push(...body.map((item) => item.assessment_id));
    else this.refused.push(reply);
    return reply;
  }

  async writeUntilRefused(): Promise<void> {
    while ((await this.write()).status === 201) assert.ok(this.#sent < sentMax, "never refused");
  }

  async exists(id: string): Promise<boolean> {
    const path = "/v2/risk_assessment";
    const query = { assessment_id: id };
    const reply = await this.#client.send({ method: "GET", path, query, token: this.#token });
    assert.ok([200, 404].includes(reply.status), reply.text);
    return reply.status === 200;
  }

  async waitForReadiness(status: number): Promise<void> {
    await waitFor(`readiness to be ${status}`, async () => {
      const reply = await this.#client.send({ method: "GET", path: "/health/ready" });
      return reply.status === status;
    });
  }

  requireRefusedAsUnavailable(): void {
    assert.ok(this.refused.length > 0);
    for (const reply of this.refused) {
      assert.deepEqual([reply.status, reply.body.code], [503, 50301], reply.text);
      assert.match(String(reply.headers["retry-after"]), /^[1-9]\d*$/);
      assert.match(String(reply.body.message), /disk of the service|can't use its disk|database/);
      assert.doesNotMatch(reply.text, /SQLITE|ENOSPC|postgres|not ready|shutting down/i);
    }
  }

  async requireAllThere(): Promise<void> {
    assert.ok(this.acknowledged.length > 0);
    for (const id of this.acknowledged) assert.ok(await this.exists(id), id);
  }
}

const assessment = {
  type: "onboarding risk band",
  outcome: "LOW",
  timestamp: "2026-01-31T09:30:00Z",
};

/** From full and back, with `fill` returning a function that frees space. */
async function requireRecovery(serving: ServerProcess, fill: () => () => void): Promise<void> {
  const writer = await Writer.make(serving);
  assert.equal((await writer.write()).status, 201);
  await writer.waitForReadiness(200);
  const free = fill();
  await writer.writeUntilRefused();
  await writer.waitForReadiness(503);
  assert.ok(await writer.exists("a1"), "reads continue");
  await writer.write();
  free();
  await writer.waitForReadiness(200);
  assert.equal((await writer.write()).status, 201);
  writer.requireRefusedAsUnavailable();
  await writer.requireAllThere();
}

// Where the system has no such disks, test/store/sqlite/opening.test.ts tests how the store
// handles the errors.
if (hasSmallDisks()) {
  describe("a full disk", () => {
    it("has SQLite refuse writes until there is room, and loses nothing", async (test) => {
      const folder = makeTempFolder();
      const serving = await startServerProcess(testEnvironment(folder, development), {
        under: onSmallDisk(folder, { mebibytes: 24 }),
      });
      test.after(() => serving.child.kill("SIGKILL"));
      await requireRecovery(serving, () => fillDisk(serving.child.pid, folder));
      assert.equal(await serving.end("SIGTERM"), 0);
    });

    if (process.getuid?.() === 0) {
      it("has PostgreSQL refuse writes until there is room, and loses nothing", async (test) => {
        const folder = makeTempFolder();
        const postgres = await startPostgres({
          own: true,
          durable: true,
          diskMebibytes: 256,
          settings: { max_wal_size: "48MB", min_wal_size: "32MB" },
        });
        test.after(() => postgres.remove());
        const DATABASE_URL = await postgres.makeDatabase();
        const serving = await startServerProcess({
          ...testEnvironment(folder, development),
          DATABASE_URL,
        });
        test.after(() => serving.child.kill("SIGKILL"));
        await requireRecovery(serving, () => postgres.fillDisk());
        assert.equal(await serving.end("SIGTERM"), 0);
      });
    }
  });
}
