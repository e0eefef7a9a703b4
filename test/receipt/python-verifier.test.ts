// The program of the guide on erasure, which verifies receipts and the audit trail without any code of the service: it
// accepts what the service exports, and names what was changed.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { publishHeads } from "../../src/actions/proof/heads.ts";
import { type CommandLine, makeCommandLine, ndjsonOf } from "../cli/command-line.ts";
import { inPython, missingPython } from "../clients/subject.ts";
import { makeCustomer } from "../support/customer.ts";
import { type Server, startServer } from "../support/server.ts";
import { deleteOne } from "./scene.ts";

type Line = Record<string, unknown>;

const program = join(import.meta.dirname, "../../docs/guides/verify.py");
const skip = (await missingPython()) ?? false;

describe("the verifier in Python", { skip }, () => {
  let server: Server;
  let line: CommandLine;
  let keys: string;
  let receipts: readonly Line[];
  let trail: readonly Line[];
  let statement: Line;
  let heads: string;

  before(async () => {
    server = await startServer();
    const customer = await server.operate((app) => makeCustomer(app, server.client));
    line = makeCommandLine({ folder: server.folder });
    const { token, organizationId } = customer;
    await line.ask(`recipient create --organization ${organizationId} --name copies`);
    for (const id of ["tx-1", "tx-ä\u2028", "tx-3"]) await deleteOne(server.client, customer, id);
    const { headers } = await server.client.send({ method: "HEAD", path: "/v2/changes", token });
    const acknowledged = { name: "copies", offset: headers["stream-next-offset"] };
    const path = "/v2/recipient_acknowledgement";
    await server.client.send({ method: "POST", path, token, body: acknowledged });
    heads = await server.operate(async (app) => JSON.stringify(await publishHeads(app)));
    receipts = await exported("receipt export --include-confidential");
    const id = receipts.at(-1)?.["deletion_request_id"];
    const { body } = await server.client.send({
      method: "GET",
      path: `/v2/deletion_request?deletion_request_id=${String(id)}`,
      token: customer.token,
    });
    receipts = [...receipts.slice(0, -1), body];
    statement = (body as unknown as { readonly statement: Line }).statement;
    trail = await exported("audit export");
    const { text } = await server.client.send({
      method: "GET",
      path: "/.well-known/sluice-receipts.json",
    });
    keys = join(server.folder, "keys.json");
    writeFileSync(keys, text);
  });
  after(() => server.stop());

  async function exported(command: string): Promise<readonly Line[]> {
    const { out } = await line.type(command);
    return ndjsonOf(out);
  }

  it("names the end that is missing since the heads were published", async () => {
    const path = join(server.folder, "heads.json");
    writeFileSync(path, heads);
    assert.match(await verify(receipts, trail, path), /^0 Everything is genuine\. Complete up to /);
    // The exports themselves have added the last entries.
    const upTo = trail.findIndex(({ action }) => action === "export.manifest");
    const missing = "the end is missing, from the published head on";
    assert.equal(
      await verify(receipts.slice(0, -1), trail.slice(0, upTo - 1), path),
      `1 receipts: ${missing}\naudit: ${missing}`,
    );
    writeFileSync(path, heads.replace("receipts ", "receipts A"));
    assert.match(await verify(receipts, trail, path), /^1 the heads: changed, or unknown key/);
  });

  /** What it prints, after its exit code. */
  async function verify(
    given: readonly Line[],
    entries: readonly Line[] = trail,
    ...more: readonly string[]
  ): Promise<string> {
    const files = [given, entries].map((lines, index) => {
      const path = join(server.folder, `${index}.ndjson`);
      writeFileSync(path, lines.map((one) => JSON.stringify(one)).join("\n"));
      return path;
    });
    type Ended = { readonly code?: number; readonly stdout: string; readonly stderr: string };
    const ended = await inPython(program, keys, ...more, ...files).catch((error: unknown) => error);
    const { code = 0, stdout, stderr } = ended as Ended;
    return `${code} ${stdout}${stderr}`.trim();
  }

  /** The lines with one of them changed. */
  function changed(lines: readonly Line[], at: number, fields: Line): readonly Line[] {
    return lines.with(at, { ...lines.at(at), ...fields });
  }

  it("accepts what was exported", async () => {
    assert.ok(trail.length > 4);
    assert.equal(
      await verify(receipts),
      "0 Everything is genuine.\nNot examined: whether the end is missing. Compare published heads.",
    );
  });

  it("names a receipt that was changed, is missing or was signed with another key", async () => {
    assert.equal(
      await verify(changed(receipts, 1, { started_at: "2026-01-01T00:00:00.000Z" }), []),
      "1 receipt 2: changed\nreceipt 3: does not follow",
    );
    assert.equal(await verify(receipts.toSpliced(1, 1), []), "1 receipts 2 to 2: missing");
    assert.match(
      await verify(changed(receipts, 0, { key_id: "x" }), []),
      /^1 receipt 1: unknown key/,
    );
  });

  it("accepts the statement on the recipients, and names one that was changed", async () => {
    assert.equal(await verify([statement]), await verify(receipts));
    assert.match(await verify([{ ...statement, recipients: [] }]), /receipt 1: changed/);
  });

  it("names a number that is another one", async () => {
    const disclosures = structuredClone(receipts.at(-1)?.["disclosures"]) as Record<
      string,
      Record<string, { count: number }>
    >;
    const removed = disclosures["transaction"]?.["removed"];
    assert.equal(removed?.count, 1);
    removed.count = 2;
    assert.equal(
      await verify(changed(receipts, -1, { disclosures })),
      "1 receipt 3: removed of transaction is another number",
    );
  });

  it("names an entry of the trail that was changed, and one after which others are missing", async () => {
    const number = (at: number): string => String(trail[at]?.["entry_no"]);
    assert.equal(
      await verify(receipts, changed(trail, 2, { actor: "nobody" })),
      `1 entry ${number(2)}: changed`,
    );
    assert.equal(
      await verify(receipts, trail.toSpliced(2, 1)),
      `1 audit ${number(2)} to ${number(2)}: missing`,
    );
  });
});
