// A restore with more deletions to replay than are created at once: killed in the middle, it
// continues without the ledger that it was given, and nothing that was erased is readable before it
// is complete.

import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { processDeletions } from "../../src/actions/deletion/process-deletions.ts";
import { limits } from "../../src/domain/limits.ts";
import { makeCommandLine, ndjsonOf } from "../cli/command-line.ts";
import { startProgram } from "../cli/program.ts";
import { keyOf, organization, operator, transaction } from "../conformance/scene.ts";
import { operate } from "../support/server.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { waitFor } from "../support/wait-for.ts";
import { withActs } from "../support/test-store.ts";

const count = limits.ledgerEntriesAtOnce + 150;
const ids = Array.from({ length: count }, (_, index) => `gone-${index}`);
const acme = "org_acme";
const ofAcme = ["--organization", acme] as const;

describe("a restore with more deletions than are created at once", () => {
  it("is killed in the middle, refused, and finished without the ledger", async () => {
    const folder = makeTempFolder();
    const apart = makeTempFolder();
    const line = makeCommandLine({ folder });
    const backup = join(apart, "backup.db");
    const receipts = join(apart, "receipts.ndjson");
    await operate(line.environment, async ({ store }) => {
      await store.createOrganization(organization(acme), operator);
      await withActs(store).write([...ids, "stays"].map((id) => transaction(id)));
    });
    await line.ask("backup", backup);
    await operate(line.environment, async (app) => {
      await Promise.all(ids.map((id) => withActs(app.store).request(keyOf("transaction", id))));
      const { signal } = new AbortController();
      while ((await processDeletions(app, { claimant: "test", stopping: signal })).length > 0);
    });
    writeFileSync(receipts, (await line.type("receipt export --include-confidential")).out);
    // Only the receipts remain of what was noted outside the store.
    rmSync(folder, { recursive: true });

    const restore = ["restore", backup, "--ledger", receipts];
    const { child, ended } = startProgram(restore, line.environment);
    let told = "";
    child.stderr.on("data", (text: Buffer) => (told += text.toString()));
    await waitFor("some of it to be done", () => /replayed [1-9]0%/.test(told));
    child.kill("SIGKILL");
    assert.equal((await ended).code, -1);

    for (const words of [
      "export transaction",
      "check",
      "organization show acme",
      "move --to postgres://x",
    ]) {
      const { code, out, err } = await line.type(
        words,
        ...(words.startsWith("export") ? ofAcme : []),
      );
      assert.deepEqual([code, out], [1, ""], words);
      assert.match(err, /Run: sluice deletion replay\n$/, words);
    }
    assert.equal((await line.fail("backup", join(apart, "other.db"))).code, 1);
    const replayed = await line.ask("deletion replay");
    const again = replayed["carried_out"] as readonly string[];
    assert.ok(again.length > 0 && again.length < count);
    const { out } = await line.type("export transaction", ...ofAcme);
    assert.equal(ndjsonOf(out).length, 1);
    assert.match(out, /"stays"/);
    assert.equal(
      ndjsonOf((await line.type("receipt export --include-confidential")).out).length,
      count,
    );
    assert.equal((await line.type("check --erasure")).code, 0);
  });
});
