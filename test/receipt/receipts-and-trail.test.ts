// The receipt of a closed organization is in no chain: its absence is found with the audit trail, by the command, by
// the program of the guide and by `check`.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, it } from "node:test";
import { closeOrganization } from "../../src/actions/access/close-organization.ts";
import { type CommandLine, makeCommandLine, withoutManifest } from "../cli/command-line.ts";
import { missingPython } from "../clients/subject.ts";
import { makeCustomer } from "../support/customer.ts";
import { type Server, startServer } from "../support/server.ts";
import { waitFor } from "../support/wait-for.ts";
import { inGuide as run } from "./guide.ts";
import { deleteOne } from "./scene.ts";

const skip = (await missingPython()) ?? false;

interface Verified {
  readonly complete_until: string | null;
  readonly not_examined: readonly string[];
  readonly faults: readonly string[];
}

describe("receipts compared with the audit trail", () => {
  let server: Server;
  let line: CommandLine;
  const paths: Record<string, string> = {};
  let receipts: readonly string[];
  let closing: string;

  before(async () => {
    server = await startServer();
    line = makeCommandLine({ folder: server.folder });
    const customer = await server.operate((app) => makeCustomer(app, server.client));
    await deleteOne(server.client, customer, "tx-1");
    const { organizationId } = customer;
    await server.operate((app) => closeOrganization(app, { organizationId, reason: "ended" }));
    await waitFor("the erasure of the organization", async () => {
      const shown = await line.ask(`organization show ${organizationId} --include-confidential`);
      return shown["deletion_status"] === "completed";
    });
    for (const [name, path] of [
      ["keys", "/.well-known/sluice-receipts.json"],
      ["heads", "/.well-known/sluice-heads.json"],
    ] as const) {
      write(name, [(await server.client.send({ method: "GET", path })).text]);
    }
    write("trail", await exported("audit export"));
    receipts = await exported("receipt export --include-confidential");
    closing = receipts.find((text) => text.includes('"receipt_no":0,')) ?? "";
    write("all", receipts);
    write(
      "lacking",
      receipts.filter((text) => text !== closing),
    );
  });
  after(() => server.stop());

  async function exported(command: string): Promise<readonly string[]> {
    const { code, out } = await line.type(command);
    assert.equal(code, 0);
    return withoutManifest(out).trim().split("\n");
  }

  function write(name: string, lines: readonly string[]): void {
    paths[name] = join(server.folder, `${name}.ndjson`);
    writeFileSync(paths[name], `${lines.join("\n")}\n`);
  }

  function inGuide(...names: readonly string[]): Promise<string> {
    return run(...["keys", ...names].map((name) => paths[name] ?? ""));
  }

  async function verify(file: string, ...options: readonly string[]) {
    const given = options.flatMap((name) => [
      `--${name === "heads" ? "head" : name}`,
      paths[name] ?? "",
    ]);
    const words = ["receipt verify", paths[file] ?? "", "--keys", paths["keys"] ?? "", ...given];
    const { code, out } = await line.type(...words, "--json");
    return { code, ...(JSON.parse(out) as Verified) };
  }

  it("are complete up to the time of the heads only if nothing is missing", async () => {
    const { code, complete_until: until, ...rest } = await verify("all", "heads", "trail");
    assert.deepEqual([code, rest.faults, rest.not_examined], [0, [], []]);
    assert.match(String(until), /Z$/);
    const { out } = await line.type(
      "receipt verify",
      paths["all"] ?? "",
      "--keys",
      paths["keys"] ?? "",
    );
    assert.match(out, /: organization \S+, completed /);
  });

  it("are reported as missing and as added, which the heads alone do not show", async () => {
    const alone = await verify("lacking", "heads");
    assert.deepEqual([alone.code, alone.not_examined.length], [0, 1]);
    assert.match(alone.not_examined.join(), /receipts outside the chain are missing/);
    const compared = await verify("lacking", "heads", "trail");
    assert.equal(compared.code, 3);
    assert.match(compared.faults.join(), /^The receipt of \S+ is missing, which entry \d+/);
    assert.equal(compared.complete_until, null);

    const entries = (await exported("audit export")).filter(
      (text) => !text.includes(JSON.parse(closing).deletion_request_id as string),
    );
    write("trail-without", entries);
    paths["trail"] = paths["trail-without"] ?? "";
    const added = await verify("all", "heads", "trail");
    assert.match(added.faults.join("\n"), /^The receipt of \S+ has no entry in the trail/m);
    paths["trail"] = join(server.folder, "trail.ndjson");
  });

  it("say what was not examined without heads and trail", async () => {
    const { code, complete_until: until, not_examined: not } = await verify("all");
    assert.deepEqual([code, until, not.length], [0, null, 2]);
  });

  it("are compared by the program of the guide, too", { skip }, async () => {
    assert.match(
      await inGuide("heads", "all", "trail"),
      /^Everything is genuine\. Complete up to \S+Z\.\n$/,
    );
    assert.match(
      await inGuide("heads", "lacking"),
      /Not examined: whether receipts outside the chain/,
    );
    assert.match(
      await inGuide("lacking", "trail"),
      /^the receipt of \S+: missing, entry \d+ names it/,
    );
  });

  it("are found to be missing by check, if the row was removed", async () => {
    const database = new DatabaseSync(join(server.folder, "sluice.db"));
    database.exec("PRAGMA busy_timeout = 5000; DELETE FROM receipt WHERE receipt_no < 1");
    database.close();
    const { code, out } = await line.type("check");
    assert.notEqual(code, 0);
    assert.match(out, /was completed with receipt 0, and has another/);
  });
});
