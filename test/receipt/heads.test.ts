// The published heads: they find the missing end of a file, tell nothing to whoever has no such file, and are signed
// notes as C2SP specifies them.

import assert from "node:assert/strict";
import { hash, verify } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { publishHeads } from "../../src/actions/proof/heads.ts";
import { type PublishedKeys, toPublicKey } from "../../src/actions/receipt/receipt-keys.ts";
import { type CommandLine, makeCommandLine, withoutManifest } from "../cli/command-line.ts";
import { makeCustomer } from "../support/customer.ts";
import { type Server, startServer } from "../support/server.ts";
import { deleteOne } from "./scene.ts";

const path = "/.well-known/sluice-heads.json";

let server: Server;
let line: CommandLine;
let keys: string;
let published: PublishedKeys;
let heads: string;
let receipts: readonly string[];
let trail: readonly string[];

before(async () => {
  server = await startServer();
  const customer = await server.operate((app) => makeCustomer(app, server.client));
  line = makeCommandLine({ folder: server.folder });
  for (const id of ["tx-1", "tx-2", "tx-3"]) await deleteOne(server.client, customer, id);
  const sent = await server.client.send({
    method: "GET",
    path: "/.well-known/sluice-receipts.json",
  });
  keys = write("keys.json", [sent.text]);
  published = JSON.parse(sent.text) as PublishedKeys;
  heads = write("heads.json", [(await server.client.send({ method: "GET", path })).text]);
  receipts = await exported("receipt export --include-confidential");
  trail = await exported("audit export");
});
after(() => server.stop());

async function exported(command: string): Promise<readonly string[]> {
  const { code, out } = await line.type(command);
  assert.equal(code, 0);
  return withoutManifest(out).trim().split("\n");
}

function write(name: string, lines: readonly string[]): string {
  const file = join(server.folder, name);
  writeFileSync(file, `${lines.join("\n")}\n`);
  return file;
}

interface Found {
  readonly code: number;
  readonly faults: readonly string[];
  readonly head?: number | null;
}

async function check(command: string, lines: readonly string[], head = heads): Promise<Found> {
  const file = write("given.ndjson", lines);
  const words = [`${command} verify`, file, "--keys", keys, "--head", head, "--json"];
  const { code, out, err } = await line.type(...words);
  assert.equal(err, "");
  return { code, ...(JSON.parse(out) as Omit<Found, "code">) };
}

/** The trail up to its entry with the number of the head, which `audit verify` says. */
async function trailUpToHead(): Promise<readonly string[]> {
  const { head } = await check("audit", trail);
  return trail.filter(
    (text) => (JSON.parse(text) as { entry_no: number }).entry_no <= Number(head),
  );
}

describe("receipts with a published head", () => {
  it("are accepted if they have it, from a file or from the server", async () => {
    assert.deepEqual((await check("receipt", receipts)).faults, []);
    assert.deepEqual((await check("receipt", receipts, `${server.address}${path}`)).faults, []);
  });

  it("are reported if their end was cut off", async () => {
    const { code, faults } = await check("receipt", receipts.slice(0, -1));
    assert.equal(code, 3);
    assert.match(faults.join(), /^The file ends with number 2, .*: its end was cut off/);
  });

  it("are reported as missing in the middle, and those after them are genuine", async () => {
    const found = await check("receipt", receipts.toSpliced(1, 1));
    assert.deepEqual(found.faults, ["Receipt 2 is missing."]);
    const verdicts = (found as unknown as { receipts: { genuine: boolean }[] }).receipts;
    assert.deepEqual(
      verdicts.map(({ genuine }) => genuine),
      [true, true],
    );
  });
});

describe("the audit trail with a published head", () => {
  it("is accepted if it has it, also without one, and names the last entry of that time", async () => {
    const { code, faults, head } = await check("audit", trail);
    assert.deepEqual([code, faults], [0, []]);
    assert.ok(Number(head) > 5, `${head}`);
    const { out } = await line.type("audit verify", write("given.ndjson", trail), "--keys", keys);
    assert.match(out, /is genuine: \d+ entries/);
  });

  it("is reported if its end was cut off, by a single entry too", async () => {
    for (const count of [1, 3]) {
      const { code, faults } = await check("audit", (await trailUpToHead()).slice(0, -count));
      assert.equal(code, 3);
      assert.match(faults.join(), /^The file ends with number \d+, .*: its end was cut off/);
    }
  });

  it("is reported if entries were changed, removed, re-ordered or repeated", async () => {
    const change = (at: number, fields: object): readonly string[] =>
      trail.with(at, JSON.stringify({ ...(JSON.parse(trail[at] ?? "") as object), ...fields }));
    const [second = "", third = ""] = trail.slice(1);
    for (const [given, expected] of [
      [change(2, { actor: "nobody" }), ["Entry 3 was changed: it differs from its hash."]],
      [
        change(2, { time: "2026-01-01T00:00:00.000Z" }),
        ["Entry 3 was changed: it differs from its hash."],
      ],
      [trail.toSpliced(2, 1), ["Entry 3 is missing."]],
      [trail.toSpliced(2, 2), ["The entries from 3 to 4 are missing."]],
      [trail.toSpliced(2, 0, second), ["There are two entries with the number 2."]],
      [
        trail.slice(3).toSpliced(2, 0, third),
        [
          "Entry 3 comes after number 5: they were re-ordered.",
          "The entries from 4 to 5 are missing.",
        ],
      ],
      [
        trail.with(2, "nothing"),
        ["A line is not an entry of the audit trail, or lacks fields.", "Entry 3 is missing."],
      ],
      [
        trail.with(2, `${"[".repeat(50_000)}${"]".repeat(50_000)}`),
        ["A line is not an entry of the audit trail, or lacks fields.", "Entry 3 is missing."],
      ],
    ] as const) {
      assert.deepEqual((await check("audit", given)).faults, expected);
    }
  });
});

describe("the published heads", () => {
  it("are a signed note as C2SP specifies it", () => {
    const { note } = JSON.parse(readNoteFile()) as { note: string };
    const [text = "", signatures = ""] = note.split(/(?<=\n)\n(?=—)/);
    const [, name = "", value = ""] = /^— (\S+) (\S+)\n$/.exec(signatures) ?? [];
    assert.equal(name, `sluice-heads/${published.store_id}`);
    assert.equal(text.split("\n")[0], name);
    const bytes = Buffer.from(value, "base64");
    const { x = "" } = published.keys[0] ?? {};
    const named = Buffer.concat([Buffer.from(`${name}\n\u0001`), Buffer.from(x, "base64url")]);
    assert.deepEqual(bytes.subarray(0, 4), hash("sha256", named, "buffer").subarray(0, 4));
    assert.equal(bytes.length, 4 + 64);
    assert.ok(verify(null, Buffer.from(text), toPublicKey(x), bytes.subarray(4)));
  });

  it("are refused if they were changed, are of another key, or are something else", async () => {
    const file = write("given.ndjson", receipts);
    const { note } = JSON.parse(readNoteFile()) as { note: string };
    const other = { ...published, keys: [{ ...published.keys[0], kid: "x", x: "A".repeat(43) }] };
    const otherKeys = write("other-keys.json", [JSON.stringify(other)]);
    for (const [text, keyFile, name] of [
      [note.replace("\nreceipts ", "\nreceipts A"), keys, "keys"],
      [note.replaceAll("store_", "store_0"), keys, "keys"],
      [note, otherKeys, "keys"],
      [note.slice(0, 40), keys, "file"],
      ["{}", keys, "file"],
    ] as const) {
      const head = join(server.folder, "other-heads");
      writeFileSync(head, text);
      const failure = await line.fail("receipt verify", file, "--keys", keyFile, "--head", head);
      assert.equal(failure.name, name, failure.message);
    }
  });

  it("have no number, and nothing in common at two times, whether or not something was added", async () => {
    const [one, other] = [await headsIn(1), await headsIn(2)];
    assert.equal(commitmentsOf(one).length, 2);
    for (const text of commitmentsOf(one)) {
      assert.match(text, /^(?:receipts|audit) [A-Za-z0-9+/]{43}=$/);
      assert.ok(!commitmentsOf(other).includes(text));
    }
    assert.equal(one?.note.length, other?.note.length);
  });

  it("are signed again only after a minute, so that requests cost nothing", async () => {
    const first = await server.client.send({ method: "GET", path });
    const second = await server.client.send({ method: "GET", path });
    assert.equal(first.text, second.text);
    assert.equal(first.headers["cache-control"], "public, max-age=60");
  });
});

function headsIn(ms: number) {
  return server.operate((app) => publishHeads({ ...app, now: () => Date.now() + ms }));
}

function commitmentsOf({ note = "" } = {}): readonly string[] {
  return note.split("\n").slice(2, 4);
}

function readNoteFile(): string {
  return readFileSync(heads, "utf8");
}
