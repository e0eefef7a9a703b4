// What shows that receipts and the audit trail are complete: published heads, which find the missing end of a file and
// tell nothing to whoever has no such file, and the trail, which has the receipt of a closed organization that is in no
// chain. The command and the program of the guide, which has no code of the service, find the same.

import assert from "node:assert/strict";
import { hash, verify as verifySignature } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, it } from "node:test";
import { closeOrganization } from "../../../src/actions/access/close-organization.ts";
import { publishHeads } from "../../../src/feature/proof/heads.ts";
import { toPublicKey } from "../../../src/actions/receipt/receipt-keys.ts";
import { missingPython } from "../../clients/subject.ts";
import { makeCustomer } from "../../support/customer.ts";
import { waitFor } from "../../support/wait-for.ts";
import { headsPath, inGuide, type ProofScene, startProofScene } from "../../receipt/proof-scene.ts";
import { deleteOne } from "../../receipt/scene.ts";

type Line = Readonly<Record<string, unknown>>;

const skip = (await missingPython()) ?? false;

let scene: ProofScene;
let heads: string;
/** That of a closed organization, which is in no chain, and those with the numbers 1 to 3. */
let receipts: readonly string[];
let trail: readonly string[];

before(async () => {
  scene = await startProofScene();
  const { server, customer } = scene;
  await close();
  for (const id of ["tx-1", "tx-ä\u2028", "tx-3"]) await deleteOne(server.client, customer, id);
  heads = scene.write("heads.json", await scene.fetch(headsPath));
  receipts = await scene.exported("receipt export --include-confidential");
  trail = await scene.exported("audit export");
});
after(() => scene.stop());

async function close(): Promise<void> {
  const { server, line } = scene;
  const { organizationId } = await server.operate((app) => makeCustomer(app, server.client));
  await server.operate((app) => closeOrganization(app, { organizationId, reason: "ended" }));
  await waitFor("the erasure of the organization", async () => {
    const shown = await line.ask(`organization show ${organizationId} --include-confidential`);
    return shown["deletion_status"] === "completed";
  });
}

interface Verdict {
  readonly faults: readonly string[];
  readonly head?: number | null;
  readonly complete_until: string | null;
  readonly not_examined: readonly string[];
  readonly receipts: readonly { readonly genuine: boolean }[];
}

/** `options`: further ones, each before its value. */
function verify(group: "receipt" | "audit", lines: readonly string[], ...options: string[]) {
  const file = scene.write("given.ndjson", lines);
  return scene.verdict<Verdict>(`${group} verify`, file, "--keys", scene.keys, ...options);
}

function parse(line = "{}"): Line {
  return JSON.parse(line) as Line;
}

/** The lines with one of them changed. */
function changed(lines: readonly string[], at: number, fields: object): readonly string[] {
  return lines.with(at, JSON.stringify({ ...parse(lines.at(at)), ...fields }));
}

/** The trail up to its entry with the number of the head, which `audit verify` says. */
async function trailUpToHead(): Promise<readonly string[]> {
  const { head } = await verify("audit", trail, "--head", heads);
  return trail.filter((line) => Number(parse(line)["entry_no"]) <= Number(head));
}

function headAndTrail(): string[] {
  return ["--head", heads, "--trail", scene.write("trail.ndjson", trail)];
}

function readNote(): string {
  return String(parse(readFileSync(heads, "utf8"))["note"]);
}

function headsIn(ms: number) {
  return scene.server.operate((app) => publishHeads({ ...app, now: () => Date.now() + ms }));
}

/** What the program of the guide prints about these receipts and entries, after its exit code. */
function run(
  given: readonly string[],
  entries: readonly string[] = trail,
  ...more: readonly string[]
): Promise<string> {
  const files = [scene.write("given.ndjson", given), scene.write("entries.ndjson", entries)];
  return inGuide(scene.keys, ...more, ...files);
}

describe("receipts with a published head", () => {
  it("are accepted if they have it", async () => {
    assert.deepEqual((await verify("receipt", receipts, "--head", heads)).faults, []);
  });

  it("are reported if their end was cut off", async () => {
    const { code, faults } = await verify("receipt", receipts.slice(0, -1), "--head", heads);
    assert.equal(code, 3);
    assert.match(faults.join(), /^The file ends with number 2, .*: its end was cut off/);
  });

  it("are not examined before the first one, if their beginning was cut off", async () => {
    for (const lines of [receipts.slice(2), [receipts[3] ?? ""]]) {
      const first = parse(lines[0])["receipt_no"];
      const found = await verify("receipt", lines, "--head", heads);
      const expected = `whether anything is missing before number ${String(first)}, the first one`;
      assert.deepEqual([found.code, found.not_examined[0]], [0, expected]);
    }
  });

  it("are reported as missing in the middle, and those after them are genuine", async () => {
    const found = await verify("receipt", receipts.toSpliced(2, 1), "--head", heads);
    assert.deepEqual([found.code, found.faults], [3, ["Receipt 2 is missing."]]);
    assert.ok(found.receipts.every(({ genuine }) => genuine));
  });
});

describe("receipts compared with the audit trail", () => {
  it("are complete up to the time of the heads only if nothing is missing", async () => {
    const {
      code,
      complete_until: until,
      ...rest
    } = await verify("receipt", receipts, ...headAndTrail());
    assert.deepEqual([code, rest.faults, rest.not_examined], [0, [], []]);
    assert.match(String(until), /Z$/);
    const { out } = await scene.line.type("receipt verify", join(scene.folder, "given.ndjson"));
    assert.match(out, /: organization \S+, completed /);
    const alone = await verify("receipt", receipts);
    assert.deepEqual([alone.code, alone.complete_until, alone.not_examined.length], [0, null, 2]);
  });

  it("are reported as missing and as added, which the heads alone do not show", async () => {
    const alone = await verify("receipt", receipts.slice(1), "--head", heads);
    assert.equal(alone.code, 0);
    assert.match(alone.not_examined.join("\n"), /^whether receipts outside the chain are missing/);
    const compared = await verify("receipt", receipts.slice(1), ...headAndTrail());
    assert.deepEqual([compared.code, compared.complete_until], [3, null]);
    assert.match(compared.faults.join(), /^The receipt of \S+ is missing, which entry \d+/);
    const [part, options] = [scene.write("part.ndjson", trail.slice(-3)), ["--head", heads]];
    const partly = await verify("receipt", receipts.slice(1), ...options, "--trail", part);
    assert.deepEqual(partly.not_examined, alone.not_examined);
    const closing = String(parse(receipts[0])["deletion_request_id"]);
    const without = trail.filter((line) => !line.includes(closing));
    const file = scene.write("without.ndjson", without);
    const added = await verify("receipt", receipts, "--trail", file);
    assert.match(added.faults.join("\n"), /^The receipt of \S+ has no entry in the trail/m);
  });
});

describe("the audit trail with a published head", () => {
  it("is not examined before its first entry", async () => {
    const { code, not_examined: rest } = await verify("audit", trail.slice(3), "--head", heads);
    const expected = ["whether anything is missing before number 4, the first one"];
    assert.deepEqual([code, rest], [0, expected]);
  });

  it("is accepted if it has it, also without one, and names the last entry of that time", async () => {
    const { code, faults, head } = await verify("audit", trail, "--head", heads);
    assert.deepEqual([code, faults], [0, []]);
    assert.ok(Number(head) > 5, `${head}`);
    assert.equal((await verify("audit", trail)).code, 0);
  });

  it("is not proved by a file without entries", async () => {
    const { code, faults } = await verify("audit", []);
    assert.equal(code, 3);
    assert.match(faults.join(), /^The file has no manifest/);
  });

  it("is reported if its end was cut off, by a single entry too", async () => {
    for (const count of [1, 3]) {
      const cut = (await trailUpToHead()).slice(0, -count);
      const { code, faults } = await verify("audit", cut, "--head", heads);
      assert.equal(code, 3);
      assert.match(faults.join(), /^The file ends with number \d+, .*: its end was cut off/);
    }
  });

  it("is reported if entries were changed, removed, re-ordered or repeated", async () => {
    const altered = ["Entry 3 was changed: it differs from its hash."];
    const noEntry = "A line is not an entry of the audit trail, or lacks fields.";
    const reordered = "Entry 3 comes after number 5: they were re-ordered.";
    const [second = "", third = ""] = trail.slice(1);
    const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
    for (const [given, expected] of [
      [changed(trail, 2, { actor: "nobody" }), altered],
      [changed(trail, 2, { time: "2026-01-01T00:00:00.000Z" }), altered],
      [trail.toSpliced(2, 1), ["Entry 3 is missing."]],
      [trail.toSpliced(2, 2), ["The entries from 3 to 4 are missing."]],
      [trail.toSpliced(2, 0, second), ["There are two entries with the number 2."]],
      [trail.slice(3).toSpliced(2, 0, third), [reordered, "The entries from 4 to 5 are missing."]],
      [trail.with(2, "nothing"), [noEntry, "Entry 3 is missing."]],
      [trail.with(2, deep), [noEntry, "Entry 3 is missing."]],
    ] as const) {
      assert.deepEqual((await verify("audit", given, "--head", heads)).faults, expected);
    }
  });
});

describe("the published heads", () => {
  it("are a signed note as C2SP specifies it", () => {
    const { store_id: storeId, keys } = scene.published;
    const [text = "", signatures = ""] = readNote().split(/(?<=\n)\n(?=—)/);
    const [, name = "", value = ""] = /^— (\S+) (\S+)\n$/.exec(signatures) ?? [];
    assert.equal(name, `sluice-heads/${storeId}`);
    assert.equal(text.split("\n")[0], name);
    const bytes = Buffer.from(value, "base64");
    const { x = "" } = keys[0] ?? {};
    const named = Buffer.concat([Buffer.from(`${name}\n\u0001`), Buffer.from(x, "base64url")]);
    assert.deepEqual(bytes.subarray(0, 4), hash("sha256", named, "buffer").subarray(0, 4));
    assert.equal(bytes.length, 4 + 64);
    assert.ok(verifySignature(null, Buffer.from(text), toPublicKey(x), bytes.subarray(4)));
  });

  it("are refused if they were changed, are of another key, or are something else", async () => {
    const { line, published, keys, write } = scene;
    const file = write("given.ndjson", receipts);
    const other = { ...published, keys: [{ ...published.keys[0], kid: "x", x: "A".repeat(43) }] };
    const otherKeys = write("other-keys.json", other);
    for (const [text, keyFile, name] of [
      [readNote().replace("\nreceipts ", "\nreceipts A"), keys, "keys"],
      [readNote().replaceAll("store_", "store_0"), keys, "keys"],
      [readNote(), otherKeys, "keys"],
      [readNote().slice(0, 40), keys, "file"],
      ["{}", keys, "file"],
    ] as const) {
      const head = write("other-heads", text);
      const failure = await line.fail("receipt verify", file, "--keys", keyFile, "--head", head);
      assert.equal(failure.name, name, failure.message);
    }
  });

  it("have no number, and nothing in common at two times, whether or not something was added", async () => {
    const [one = "", other = ""] = [await headsIn(1), await headsIn(2)].map((made) => made?.note);
    const commitments = one.split("\n").slice(2, 4);
    for (const text of commitments) {
      assert.match(text, /^(?:receipts|audit) [A-Za-z0-9+/]{43}=$/);
      assert.ok(!other.includes(text));
    }
    assert.equal(one.length, other.length);
  });

  it("are signed again only after a minute, so that requests cost nothing", async () => {
    const { client } = scene.server;
    const first = await client.send({ method: "GET", path: headsPath });
    assert.equal(first.text, await scene.fetch(headsPath));
    assert.equal(first.headers["cache-control"], "public, max-age=60");
  });
});

describe("the program of the guide", { skip }, () => {
  const genuine =
    "0 Everything is genuine.\nNot examined: whether the end is missing. Compare published heads.";

  it("accepts what was exported, and says up to when it is complete", async () => {
    assert.equal(await run(receipts), genuine);
    assert.match(
      await run(receipts, trail, heads),
      /^0 Everything is genuine\. Complete up to \S+$/,
    );
    const alone = await run(receipts.slice(1), [], heads);
    assert.match(alone, /^0 .*Not examined: whether receipts outside the chain/s);
    const cut = await run(receipts.slice(2), [], heads);
    assert.match(cut, /Not examined: whether receipts before number 2, the first one, are missing/);
    assert.match(await run(receipts.slice(3), trail.slice(-2)), /whether receipts outside the/);
  });

  it("names the end that is missing since the heads were published", async () => {
    const missing = "the end is missing, from the published head on";
    const cut = (await trailUpToHead()).slice(0, -1);
    const expected = `1 receipts: ${missing}\naudit: ${missing}`;
    assert.equal(await run(receipts.slice(0, -1), cut, heads), expected);
    const forged = readFileSync(heads, "utf8").replace("receipts ", "receipts A");
    const other = scene.write("forged.json", forged);
    assert.match(await run(receipts, trail, other), /^1 the heads: changed, or unknown key/);
  });

  it("names a receipt that was changed, is missing or was signed with another key", async () => {
    const time = { started_at: "2026-01-01T00:00:00.000Z" };
    const both = "1 receipt 3: changed\nreceipt 4: does not follow";
    assert.equal(await run(changed(receipts, 2, time), []), both);
    assert.equal(
      await run(receipts.toSpliced(2, 1), []),
      "1 receipts 2 to 2: missing; if the store was restored, compare the audit trail",
    );
    const unknown = changed(receipts, 1, { key_id: "x" });
    assert.match(await run(unknown, []), /^1 receipt 2: unknown key/);
    assert.match(
      await run(receipts.slice(1)),
      /^1 the receipt of \S+: missing, entry \d+ names it/,
    );
  });

  it("verifies a status with its numbers", async () => {
    const { server, customer } = scene;
    const { deletion_request_id: id } = parse(receipts.at(-1));
    const path = `/v2/deletion_request?deletion_request_id=${String(id)}`;
    const sent = await server.client.send({ method: "GET", path, token: customer.token });
    const { disclosures } = sent.body as unknown as {
      readonly disclosures: Record<string, Record<string, { count: number }>>;
    };
    assert.equal(await run(receipts.with(3, sent.text)), genuine);
    const removed = disclosures["transaction"]?.["removed"];
    assert.equal(removed?.count, 1);
    removed.count = 2;
    const wrong = receipts.with(3, JSON.stringify({ ...sent.body, disclosures }));
    assert.equal(await run(wrong), "1 receipt 4: removed of transaction is another number");
  });

  it("names an entry of the trail that was changed, and one after which others are missing", async () => {
    const altered = changed(trail, 2, { actor: "nobody" });
    assert.equal(await run(receipts, altered), "1 entry 3: changed");
    assert.equal(await run(receipts, trail.toSpliced(2, 1)), "1 audit 3 to 3: missing");
  });
});

describe("check", () => {
  it("finds that the row of a receipt outside the chain was removed", async () => {
    const { server, line } = scene;
    const database = new DatabaseSync(join(server.folder, "sluice.db"));
    database.exec("PRAGMA busy_timeout = 5000; DELETE FROM receipt WHERE receipt_no < 1");
    database.close();
    const { code, out } = await line.type("check");
    assert.notEqual(code, 0);
    assert.match(out, /was completed with receipt 0, and has another/);
  });
});
