// The manifest of every export: it is signed, its digest is in the audit trail, and it shows whether the file was cut,
// changed or taken for another one. The audit trail as operators export it: a chain that anybody can verify by its
// description alone, which says who did what, and never what a record contains. The check names any change in it.

import assert from "node:assert/strict";
import { createHash, hash } from "node:crypto";
import { appendFileSync, copyFileSync, cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { DatabaseSync } from "node:sqlite";
import { userInfo } from "node:os";
import { digestOfManifest } from "../../../src/actions/receipt/manifest.ts";
import { makeKey } from "../../../src/data-folder/receipt-key.ts";
import { type Manifest, manifestOf } from "../../../src/domain/export-manifest.ts";
import { makeCommandLine, ndjsonOf } from "../../cli/command-line.ts";
import { missingPython } from "../../clients/subject.ts";
import { inGuide, type ProofScene, startProofScene } from "../../receipt/proof-scene.ts";
import { addTransaction, deleteOne, publish } from "../../receipt/scene.ts";
import { lacks } from "../samples.ts";

const skip = lacks("export", "subject");
const hasPython = (await missingPython()) === undefined;

let scene: ProofScene;

before(async () => {
  scene = await startProofScene();
  const { server, customer, line } = scene;
  const of = ["--organization", customer.organizationId] as const;
  await addTransaction(server.client, customer, "secret-id");
  await line.ask("deletion hold transaction secret-id", ...of, "--reason", "a case");
  await line.ask("deletion release transaction secret-id", ...of);
  await deleteOne(server.client, customer, "secret-id-deleted");
  const { key_id: key } = await line.ask("key create", ...of);
  await line.ask("key revoke", String(key));
  for (const id of ["tx-1", "tx-ä"]) await addTransaction(server.client, customer, id);
});
after(() => scene.stop());

async function print(name: string, ...words: readonly string[]): Promise<string> {
  const { code, out, err } = await scene.line.type(...words);
  assert.equal(code, 0, err);
  return scene.write(name, out);
}

function exportTo(name: string, ...words: readonly string[]): Promise<string> {
  const path = join(scene.folder, name);
  const of = ["--organization", scene.customer.organizationId, "--output", path, ...words];
  return scene.line.ask("export transaction --force", ...of).then(() => path);
}

interface Found {
  readonly code: number;
  readonly faults: readonly string[];
  readonly manifest: Manifest | null;
}

function check(path: string, ...words: readonly string[]): Promise<Found> {
  return scene.verdict("export verify", path, "--keys", scene.keys, ...words);
}

/** The digests of manifests in the trail. */
async function digests(): Promise<readonly unknown[]> {
  const { out } = await scene.line.type("audit export");
  const own = ndjsonOf(out).filter(({ action }) => action === "export.manifest");
  return own.map(({ detail }) => (detail as { readonly manifest: unknown }).manifest);
}

const isCut = /was cut, or the manifest is of another file/;
const isChanged = /was changed, or the manifest is of another file/;

describe("every export", { skip }, () => {
  it("has a signed manifest, whose digest is in the audit trail and which Python verifies too", async () => {
    const { server, customer, line, keys } = scene;
    const of = ["--organization", customer.organizationId];
    const added = await server.client.send({
      method: "POST",
      path: "/v2/person",
      token: customer.token,
      body: {
        person_id: "p-1",
        is_test_user: false,
        is_retail_customer: true,
        timestamp: "2026-01-31T09:30:00Z",
      },
    });
    assert.equal(added.status, 201, added.text);
    const archive = join(scene.folder, "p-1");
    await line.ask("subject export person p-1", ...of, "--output", archive);
    const made: readonly (readonly [path: string, what: string, rows: number])[] = [
      [await print("records.ndjson", "export transaction", ...of), "records", 3],
      [await print("receipts.ndjson", "receipt export --include-confidential"), "receipts", 1],
      [await print("audit.ndjson", "audit export"), "audit", 0],
      [await exportTo("written.ndjson"), "records", 3],
      [await exportTo("history.ndjson.gz", "--history"), "records", 3],
      [await exportTo("states.csv"), "records", 3],
      [await exportTo("states.csv.zst"), "records", 3],
      [await exportTo("states.parquet"), "records", 3],
      [archive, "subject", 4],
    ];
    const noted = await digests();
    for (const [path, what, rows] of made) {
      const { code, faults, manifest } = await check(path);
      assert.deepEqual([code, faults], [0, []], path);
      assert.equal(manifest?.query["export"], what);
      const sum = manifest.files.reduce((all, file) => all + file.rows, 0);
      if (what !== "audit") assert.equal(sum, rows, path);
      assert.ok(noted.includes(digestOfManifest(manifest)), path);
      if (!hasPython || /\.(?:gz|zst)$/.test(path)) continue;
      const isInside = path.endsWith(".ndjson");
      const beside = path === archive ? join(path, "manifest.json") : `${path}.manifest.json`;
      assert.match(await inGuide(keys, isInside ? path : beside), /^0 Everything is genuine/, path);
    }
  });

  it("has it in the download of the console's lines, so that one reader reads all", async () => {
    const path = await print("lines.ndjson", "receipt export --include-confidential");
    const last = readFileSync(path, "utf8").trim().split("\n").at(-1) ?? "";
    assert.ok(manifestOf(JSON.parse(last)));
    assert.equal((await scene.line.type("receipt verify", path)).code, 0);
    const trail = await print("trail.ndjson", "audit export");
    const { manifest } = await scene.verdict<Found>("audit verify", trail);
    assert.equal(manifest?.query["export"], "audit");
  });

  it("can be imported with its manifest", async () => {
    for (const name of ["again.ndjson", "again.csv", "again.parquet"]) {
      const path = await exportTo(name);
      const other = makeCommandLine();
      await other.ask("organization create --name Acme --id acme");
      const done = await other.ask("import --type transaction --organization acme", path);
      const [report] = done["files"] as readonly { rows: number; refused: number }[];
      assert.deepEqual([report?.rows, report?.refused], [3, 0], name);
    }
  });
});

/** What is found after `change` has changed the text. */
async function changed(name: string, change: (text: string) => string): Promise<Found> {
  const path = await exportTo(name);
  writeFileSync(path, change(readFileSync(path, "utf8")));
  return check(path);
}

describe("an export that is not what it was", { skip }, () => {
  it("is reported where it was cut, changed or extended, with the manifest in it", async () => {
    for (const [change, expected] of [
      [(text: string) => text.slice(text.indexOf("\n") + 1), isCut],
      [(text: string) => text.replace('"amount":5', '"amount":6'), isChanged],
      [
        (text: string) => text.split("\n").slice(0, 2).join("\n"),
        /has no manifest: its end was cut off/,
      ],
      [(text: string) => text.slice(0, -20), /The last line is not a readable manifest/],
      [(text: string) => `${text}{}\n`, /continues after its manifest/],
      [
        (text: string) => text.replace(/"rows":\d/, '"rows":9'),
        /The manifest has no valid signature/,
      ],
    ] as const) {
      const { code, faults } = await changed("changed.ndjson", change);
      assert.equal(code, 3);
      assert.match(faults.join(), expected);
    }
  });

  it("is reported where it was cut, changed or extended, with the manifest beside it", async () => {
    for (const [change, expected] of [
      [(text: string) => text.split("\n").slice(0, 2).join("\n"), isCut],
      [(text: string) => text.replace(",5,", ",6,"), isChanged],
      [(text: string) => `${text}x\n`, isChanged],
    ] as const) {
      assert.match((await changed("changed.csv", change)).faults.join(), expected);
    }
  });

  it("is reported with the manifest of another file, or none", async () => {
    const path = await exportTo("one.csv");
    const other = await exportTo("other.csv", "--history");
    copyFileSync(`${other}.manifest.json`, `${path}.manifest.json`);
    assert.match((await check(path)).faults.join(), /the manifest is of another file/);
    rmSync(`${path}.manifest.json`);
    assert.match((await check(path)).faults.join(), /has no manifest/);
    const [own, lines] = [
      await exportTo("own.ndjson"),
      await exportTo("all.ndjson", "--history"),
    ].map((file) => readFileSync(file, "utf8").trim().split("\n"));
    const swapped = scene.write(
      "swapped.ndjson",
      [...(own?.slice(0, -1) ?? []), lines?.at(-1)].join("\n"),
    );
    assert.match((await check(swapped)).faults.join(), /the manifest is of another file/);
  });

  it("is reported with the keys of another service", async () => {
    const path = await exportTo("keys.ndjson");
    const { store_id: storeId } = scene.published;
    const otherKeys = scene.write("other.json", publish(makeKey(), storeId));
    assert.match((await check(path, "--keys", otherKeys)).faults.join(), /not among the keys/);
    const otherStore = scene.write("other.json", publish(makeKey(), "store_x"));
    assert.match(
      (await check(path, "--keys", otherStore)).faults.join(),
      /belongs to another store/,
    );
  });

  it("is reported in a folder, by the name of the file", async () => {
    const archive = join(scene.folder, "p-1");
    const copy = join(scene.folder, "copy");
    cpSync(archive, copy, { recursive: true });
    appendFileSync(join(copy, "person.ndjson"), "{}\n");
    assert.match(
      (await check(copy)).faults.join(),
      /person\.ndjson is not what the manifest describes/,
    );
    rmSync(join(copy, "person.ndjson"));
    assert.match((await check(copy)).faults.join(), /person\.ndjson can't be read/);
    rmSync(join(copy, "manifest.json"));
    assert.match((await check(copy)).faults.join(), /the export was not completed/);
  });

  it("has in its manifest the SHA-256 that anybody computes", async () => {
    const path = await exportTo("sum.csv");
    const { manifest } = await check(path);
    const sum = createHash("sha256").update(readFileSync(path)).digest("hex");
    assert.equal(manifest?.files[0]?.sha256, sum);
  });
});

async function exported(...words: readonly string[]) {
  const { code, out } = await scene.line.type("audit export", ...words);
  assert.equal(code, 0);
  return ndjsonOf(out);
}

describe("the export of the audit trail", () => {
  it("has every act with its actor, oldest first", async () => {
    const acts = (await exported()).map(
      ({ actor, action }) => `${String(action)} by ${String(actor)}`,
    );
    const first = acts.slice(0, acts.indexOf("key.revoke by operator") + 1);
    assert.deepEqual(
      first.filter((act) => !act.startsWith("receipt_key")),
      [
        "organization.create by operator",
        "key.create by operator",
        "hold.place by operator",
        "hold.release by operator",
        `deletion.request by ${scene.customer.keyId}`,
        "deletion.start by worker",
        "deletion.complete by worker",
        "key.create by operator",
        "key.revoke by operator",
      ],
    );
    // By the user that runs the server.
    assert.ok(first.includes(`receipt_key.create by ${userInfo().username}`));
  });

  it("never contains an id or the content of a record", async () => {
    const { out } = await scene.line.type("audit export");
    assert.doesNotMatch(out, /secret-id|SETTLED|"p-1"/);
  });

  it("is a chain that its description alone is enough to verify", async () => {
    let previous = "0".repeat(64);
    for (const [index, entry] of (await exported()).entries()) {
      const { previous_hash, entry_no, at, actor, action, organization_id, subject } = entry;
      const detail = JSON.stringify(entry["detail"]);
      const list = [previous_hash, entry_no, at, actor, action, organization_id, subject, detail];
      assert.equal(entry_no, index + 1);
      assert.equal(previous_hash, previous);
      assert.equal(entry["hash"], hash("sha256", JSON.stringify(list)));
      previous = entry["hash"];
    }
  });

  it("links a completed deletion to its receipt", async () => {
    const entries = await exported();
    const detail = entries.find(({ action }) => action === "deletion.complete")?.["detail"];
    const { out } = await scene.line.type("receipt export --include-confidential");
    const { receipt_no: receiptNo } = ndjsonOf(out)[0] ?? {};
    const { receiptHash } = detail as { receiptHash: string };
    assert.match(receiptHash, /^[0-9a-f]{64}$/);
    assert.deepEqual(detail, { receiptNo, receiptHash });
  });

  it("can begin after an entry, and be limited to one organization", async () => {
    const all = await exported();
    assert.deepEqual((await exported("--after", "3")).slice(0, all.length - 3), all.slice(3));
    const own = await exported("--organization", scene.customer.organizationId);
    assert.deepEqual(
      own,
      all.filter(({ organization_id }) => organization_id === scene.customer.organizationId),
    );
  });

  it("fails for an organization that does not exist, as the export of receipts does", async () => {
    for (const group of ["audit", "receipt"]) {
      const { code, name } = await scene.line.fail(group, "export", "--organization", "nobody");
      assert.deepEqual([code, name], [1, "no_such_organization"]);
    }
  });

  it("reveals a change to an entry, which the check names, as it does for receipts", async () => {
    const database = new DatabaseSync(join(scene.server.folder, "sluice.db"), { timeout: 10_000 });
    database.exec("UPDATE audit_entry SET actor = 'nobody' WHERE entry_no = 4");
    const { code, out } = await scene.line.type("check");
    assert.equal(code, 3);
    assert.match(out, /audit chain is broken at entry 4/);
    database.exec("UPDATE receipt SET document = replace(document, 'no longer', 'still')");
    database.close();
    assert.match((await scene.line.type("check")).out, /Receipt 1 was altered/);
  });
});
