// The page "Proof" of the console: what an auditor uploads is verified as it arrives, within bounds, and backups and
// restores are listed for those who may read the trail.

import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { after, describe, it } from "node:test";
import { hash } from "node:crypto";
import { makeStatement } from "../../../src/domain/deletion/recipient-statement.ts";
import type { Receipt } from "../../../src/domain/deletion/receipt.ts";
import { publishHeads } from "../../../src/feature/proof/heads.ts";
import { sealManifest, Measure } from "../../../src/actions/receipt/manifest.ts";
import { presentedBytesMax, verifyUpload } from "../../../src/feature/proof/verify-upload.ts";
import { actAs } from "../../../src/actions/operator/viewer.ts";
import { findActiveOperator } from "../../../src/actions/operator/operators.ts";
import { manifestLineStart } from "../../../src/domain/export-manifest.ts";
import { ndjsonOf } from "../../cli/command-line.ts";
import { deleteOne } from "../../receipt/scene.ts";
import { makeCustomer } from "../../support/customer.ts";
import { openRaw } from "../../support/raw-socket.ts";
import { startService } from "../../support/service.ts";
import { waitFor } from "../../support/wait-for.ts";
import { addOperator, cookieOf, read, signIn, submit, uploadFile } from "../../console/browse.ts";

const nasty = `<script>alert("1")</script>`;

describe("the page Proof", async () => {
  const cookies: Record<string, string> = {};

  const service = await startService();
  const customer = await makeCustomer(service.app, service.client);
  for (const id of ["tx-1", "tx-2", "tx-3"]) await deleteOne(service.client, customer, id);
  for (const role of ["auditor", "viewer"] as const) {
    await addOperator(service.app, [role]);
    cookies[role] = await signIn(service.app, service.client, role);
  }
  const note = {
    action: "store.backup" as const,
    organizationId: undefined,
    subject: "s",
    detail: {},
  };
  await service.app.store.trail.note(note, { actor: "carla", now: service.clock.now() });
  const heads = (await publishHeads(service.app))?.note ?? "";
  service.clock.advanceMs(1_000);
  const download = async (path: string) =>
    (await submit(service.client, path, { cookie: cookies["auditor"] })).text;
  const receipts = await download("/console/receipts/download");
  const trail = await download("/console/audit/download");
  after(() => service.stop());

  interface Given {
    readonly name?: string;
    readonly fields?: Readonly<Record<string, string>>;
    readonly as?: string;
  }

  async function present(
    content: string,
    { name = "file", fields = {}, as = "auditor" }: Given = {},
  ) {
    const sent = { cookie: cookies[as] ?? "", fields, name, content };
    return uploadFile(service.client, { ...sent, path: "/console/proof" });
  }

  async function show(as: string): Promise<string> {
    return (await read(service.client, "/console/proof", { cookie: cookies[as] })).text;
  }

  it("lists receipts for those who may know of all of them, and notes each download", async () => {
    const ids = ndjsonOf(receipts).map((receipt) => String(receipt["deletion_request_id"]));
    assert.equal(ids.length, 3);
    const pageFor = async (role: string) =>
      (await read(service.client, "/console/receipts", { cookie: cookies[role] })).text;
    const page = await pageFor("auditor");
    assert.ok(ids.every((id) => page.includes(id)));
    assert.equal(page.match(/<h[12][^>]*>Receipts</g)?.length, 1);
    assert.ok(!(await pageFor("viewer")).includes(ids[0] ?? ""));
    assert.match(await show("auditor"), /"\/console\/audit">audit trail/);
    assert.doesNotMatch(await show("viewer"), /"\/console\/audit/);
    const entries = await service.app.store.listAudit(0, 1_000);
    const at = entries.findIndex(({ action }) => action === "receipt.export");
    const noted = entries.slice(at, at + 2).map(({ action, actor }) => [action, actor]);
    assert.deepEqual(noted, [
      ["receipt.export", "auditor"],
      ["export.manifest", "auditor"],
    ]);
  });

  const genuine = /<span class="chip good">genuine<\/span>/;
  const notGenuine = /<span class="chip bad">not genuine, or not complete<\/span>/;

  it("verifies what the console exports, with its manifest and the published heads", async () => {
    for (const [content, contains] of [
      [receipts, /3 receipts/],
      [trail, /\d+ entries</],
    ] as const) {
      const { status, text } = await present(content, { fields: { heads } });
      assert.equal(status, 200);
      assert.match(text, genuine);
      assert.match(text, contains);
      assert.match(text, /entry \d+ has the digest of the manifest/);
      assert.match(
        text,
        /<span class="chip good">complete<\/span> up to <time [^]*the published head/,
      );
      assert.match(text, /found: number \d+/);
      const examined = /chip good">everything in the file was examined/;
      assert.equal(examined.test(text), content !== receipts);
      assert.equal(/chip wait">not examined/.test(text), content === receipts);
    }
    const bare = await present(trail.split("\n").slice(0, 2).join("\n"));
    assert.match(bare.text, /not examined.*whether the end is missing/s);
    assert.match(bare.text, /not compared: none was given/);
    assert.match(bare.text, /chip wait">up to when it is complete is not known/);
    const other = await present(trail, { as: "viewer" });
    assert.match(other.text, genuine);
    assert.doesNotMatch(other.text, /has the digest of the manifest/);
  });

  it("verifies one receipt over several lines, and a list", async () => {
    const all = receipts
      .split("\n")
      .slice(0, 3)
      .map((line) => JSON.parse(line) as object);
    for (const value of [all[1], all, { receipt: all[0], disclosures: {} }]) {
      assert.match((await present(JSON.stringify(value, null, 2))).text, /\d receipts?/);
      const { text } = await present(JSON.stringify(value, null, 2).replaceAll("tx-", "ty-"));
      assert.match(text, notGenuine);
      assert.match(text, /It has no valid signature/);
    }
  });

  it("compares a status with what proves it, and names the rest", async () => {
    const [receipt, other] = ndjsonOf(receipts) as unknown as readonly [Receipt, Receipt];
    const signer = service.app.signer();
    assert.ok(signer);
    const times = { told_at: "2026-01-31T09:30:00.000Z", acknowledged_at: receipt.completed_at };
    const recipients = [{ name: "warehouse", ...times }];
    const stating = { recipients, hash: (text: string) => hash("sha256", text), signer };
    const statement = makeStatement(receipt, stating);
    const status = { reason: receipt.asked.reason, receipt, recipients, statement };
    const ids = Array.from({ length: 1_001 }, (_, index) => `m${index}`);
    const removed = { name: "former", told_at: times.told_at, removed_at: times.told_at };
    for (const [change, expected] of [
      [{}, genuine],
      [{ due_at: "2026-01-31T09:30:00.000Z" }, /in statuses: due_at</],
      [{ statement: undefined }, /in statuses: recipients</],
      [{ recipients: [...recipients, removed] }, /in statuses: recipients that were removed</],
      [{ reason: "another" }, /The status says that reason is &quot;another&quot;; the receipt/],
      [{ basis: "other" }, /that basis is &quot;other&quot;; the receipt has none/],
      [{ recipients: [{ ...recipients[0], name: "store" }] }, /names other recipients than/],
      [{ recipients: [] }, /names other recipients than/],
      [{ statement: { ...statement, recipients: [] } }, /The statement has no valid signature/],
      [{ statement: makeStatement(other, stating) }, /statement in the status is of another/],
      [{ statement: {} }, /has other members than one/],
      [Object.fromEntries(ids.map((id) => [id, 1])), /more than 1000 members in one place/],
    ] as const) {
      const { text } = await present(JSON.stringify({ ...status, ...change }));
      assert.match(text, expected);
      assert.equal(genuine.test(text), !/other|valid|says that|more/.test(String(expected)));
    }
  });

  it("names what is missing, cut off or changed", async () => {
    const lines = receipts.trim().split("\n");
    const bare = lines.slice(0, 3);
    for (const [content, expected] of [
      [bare.toSpliced(1, 1).join("\n"), /<li>Receipt 2 is missing\.<\/li>/],
      [bare.slice(0, 2).join("\n"), /ends with number 2, before the last receipt when the head/],
      [lines.toSpliced(0, 1).join("\n"), /was cut, or the manifest is of another file/],
      [trail.replace("key.create", "key.revoke"), /was changed: it differs from its hash/],
      [trail.replace(/"query":\{[^}]*\}/, '"query":{}'), /manifest has no valid signature/],
      [nasty, /has no manifest/],
      ["\u0000".repeat(300_000), /has no manifest/],
    ] as const) {
      const { status, text } = await present(content, { fields: { heads }, name: nasty });
      assert.equal(status, 200);
      assert.match(text, notGenuine);
      assert.match(text, expected);
      assert.doesNotMatch(text, /<script>alert/);
    }
  });

  it("verifies a file with the manifest beside it", async () => {
    const measure = new Measure();
    measure.rows = 1;
    measure.add("a,b\n1,2\n");
    const exported = {
      organizationId: "acme",
      query: { export: "records" },
      files: [measure.end()],
    };
    const fields = { manifest: JSON.stringify(await sealManifest(service.app, exported)) };
    assert.match((await present("a,b\n1,2\n", { fields })).text, genuine);
    assert.match((await present("a,b\n1,3\n", { fields })).text, notGenuine);
    for (const [name, message] of [
      ["manifest", /The text is not a manifest/],
      ["heads", /The heads are neither a signed note/],
    ] as const) {
      const { status, text } = await present("a", { fields: { [name]: "x" } });
      assert.equal(status, 400);
      assert.match(text, message);
      // The form is shown again, with what was typed.
      assert.match(text, new RegExp(`<textarea name="${name}"[^>]*>x</textarea>`));
    }
  });

  it("stays small, whatever a file says", async () => {
    const huge = "x".repeat(200_000);
    const receipt = JSON.parse(receipts.split("\n")[0] ?? "") as object;
    const lines = [
      ...Array.from({ length: 400 }, () =>
        JSON.stringify({ ...receipt, key_id: huge.slice(0, 9_000) }),
      ),
      `${manifestLineStart}${JSON.stringify({ type: "sluice-export-manifest", version: 1, store_id: huge, export_id: huge, organization_id: huge, made_at: huge, query: { huge }, files: [] })}}`,
    ];
    for (const content of [lines.join("\n"), `${manifestLineStart}${"[".repeat(100_000)}`]) {
      const { status, text } = await present(content);
      assert.equal(status, 200);
      assert.match(text, notGenuine);
      assert.ok(Buffer.byteLength(text) < 80_000, `${Buffer.byteLength(text)} bytes`);
    }
  });

  it("refuses a form without a file, and reads no more than the bound", async () => {
    const { status, text } = await present("", { name: "" });
    assert.equal(status, 400);
    assert.match(text, /No file was chosen|has no file/);
    let sent = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) yield await Promise.resolve(Buffer.alloc(1_024 * 1_024, ++sent));
    }
    const app = actAs(service.app, await findActiveOperator(service.app, "viewer"));
    const presented = { content: endless(), manifest: "", heads: "" };
    await assert.rejects(verifyUpload(app, presented), /has more than [\d,]+ bytes/);
    assert.equal(sent, presentedBytesMax / 1_024 / 1_024 + 1);
  });

  it("serves others while it verifies lines of which each takes time", async (test) => {
    let now = 0;
    test.mock.method(performance, "now", () => (now += 3));
    const app = actAs(service.app, await findActiveOperator(service.app, "viewer"));
    const content = Readable.from([
      Buffer.from(`{"entry_no":1,"previous_hash":""}${"\nx".repeat(32_768)}`),
    ]);
    let served = 0;
    const serve = (): void => {
      served += 1;
      serving = setImmediate(serve);
    };
    let serving = setImmediate(serve);
    const { kind, rows } = await verifyUpload(app, { content, manifest: "", heads: "" });
    clearImmediate(serving);
    assert.deepEqual([kind, rows], ["audit", 32_769]);
    assert.ok(served > 20, `others were served ${served} times`);
  });

  it("serves on when the connection breaks, and lets the person upload again", async () => {
    const { host } = new URL(service.address);
    const open = Array.from({ length: 3 }, () => openRaw(service.address));
    for (const { socket } of open) {
      socket.write(
        `POST /console/proof HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${service.address}\r\n` +
          `Cookie: ${cookies["viewer"] ?? ""}\r\nContent-Length: 1000000\r\n` +
          `Content-Type: multipart/form-data; boundary=x\r\n\r\n--x\r\n` +
          `Content-Disposition: form-data; name="file"; filename="a"\r\n\r\n{"entry_no":1`,
      );
    }
    await waitFor("a refusal", async () => (await present("a", { as: "viewer" })).status === 409);
    for (const { socket, closed } of open) {
      socket.resetAndDestroy();
      await closed;
    }
    await waitFor("room", async () => (await present("a", { as: "viewer" })).status === 200);
  });

  it("verifies the receipts of one organization, between which are those of others", async () => {
    const other = await makeCustomer(service.app, service.client);
    await deleteOne(service.client, other, "theirs");
    await deleteOne(service.client, customer, "tx-4");
    const { organizationId } = customer;
    service.clock.advanceMs(60_000);
    const cookie = await signIn(service.app, service.client, "auditor");
    const form = { organization: organizationId };
    const choice = await submit(service.client, "/console/organizations/choice", { cookie, form });
    const chosen = `${cookie}; ${cookieOf(choice)}`;
    const page = (await read(service.client, "/console/receipts", { cookie: chosen })).text;
    assert.match(page, new RegExp(`value="${organizationId}"[^]*Download the receipts of`));
    assert.match(page, /tx-1/);
    assert.doesNotMatch(page, /theirs/);
    const ofAll = await read(service.client, "/console/receipts?organization=", { cookie: chosen });
    assert.match(ofAll.text, /theirs/);
    const { text } = await submit(service.client, "/console/receipts/download", { cookie, form });
    assert.doesNotMatch(text, /theirs/);
    cookies["auditor"] = cookie;
    const verdict = (await present(text)).text;
    assert.match(verdict, genuine);
    assert.match(verdict, /4 receipts/);
    const without = text.split("\n").toSpliced(1, 1).join("\n");
    assert.match((await present(without)).text, notGenuine);
  });

  it("shows backups and restores to those who may read the trail", async () => {
    assert.match(await show("auditor"), /<h1>Verify a file</);
    assert.match(await show("auditor"), /Backups and restores.*<bdi>carla<\/bdi>/s);
    assert.doesNotMatch(await show("viewer"), /Backups and restores/);
    assert.doesNotMatch(await show("auditor"), /were not examined/);
    const act = { actor: "carla", now: service.clock.now() };
    for (let more = 0; more < 50; more += 1) await service.app.store.trail.note(note, act);
    assert.match(await show("auditor"), /Entries of the trail before number \d+ were not examined/);
  });
});
