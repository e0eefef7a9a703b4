// Uploads in the console, over HTTP: the mapping on the first rows, the import, progress, refused rows, and what an
// attacker or a bad connection does.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { closeOrganization } from "../../../src/actions/access/close-organization.ts";
import { createOrganization } from "../../../src/actions/access/create-organization.ts";
import { disableOperator } from "../../../src/actions/operator/operators.ts";
import { listSessions, revokeSession } from "../../../src/actions/operator/session.ts";
import { listImports } from "../../../src/feature/import/imports.ts";
import { holdingWrites } from "./held-writes.ts";
import { filesUploaded } from "./upload-folder.ts";
import { findUnknownFiles } from "../../../src/data-folder/data-folder.ts";
import { openRaw } from "../../support/raw-socket.ts";
import { startService } from "../../support/service.ts";
import { waitFor } from "../../support/wait-for.ts";
import { addOperator, read, signIn, submit, uploadFile } from "../../console/browse.ts";
import { uploadInProcess } from "./upload-in-process.ts";

const organization = "acme";
const header = "tx_id,type,method,Betrag,currency,status,sender_id,sender_country,timestamp";
/** Of a time that only a setting allows. */
const row = (id: string, amount = "12.5") =>
  `${id},DEPOSIT,SEPA,${amount},EUR,PENDING,p1,DE,1955-01-31T09:30:00Z`;

/** A file whose columns all have names of fields. */
const plain = (...ids: readonly string[]) =>
  [header.replace("Betrag", "amount"), ...ids.map((id) => row(id)), ""].join("\n");

/** The mapping that a page shows. */
const seenOn = (page: string) => /name="seen" value="(\d+)"/.exec(page)?.[1] ?? "";

describe("uploads in the console", async () => {
  const cookies: Record<string, string> = {};
  const types: Readonly<Record<string, string>> = { organization, type: "transaction" };

  const service = await startService({
    environment: { UPLOAD_BYTES_MAX: "2000000", TIMESTAMP_MIN: "1955-01-01" },
    replaced: { upload: uploadInProcess },
  });
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= service.stop());
  after(stop);
  const holdWrites = holdingWrites(service);
  for (const id of [organization, "closed"]) {
    await createOrganization(service.app, { name: id, organizationId: id });
  }
  await closeOrganization(service.app, { organizationId: "closed", reason: "r" });
  const enter = async (name: string, role: "operator" | "viewer" = "operator") => {
    await addOperator(service.app, [role], name);
    cookies[name] = await signIn(service.app, service.client, name);
  };
  for (const name of ["operator", "other"]) await enter(name);
  await enter("viewer", "viewer");

  const upload = (
    content: string | Uint8Array<ArrayBuffer>,
    { path = "/console/upload", fields = types, name = "tx.csv", as = "operator" } = {},
  ) => uploadFile(service.client, { cookie: cookies[as], path, fields, name, content });
  const show = async (path: string, as = "operator") =>
    (await read(service.client, path, { cookie: cookies[as] })).text;
  const send = (
    path: string,
    form: Readonly<Record<string, string>> | string[][] = {},
    as = "operator",
  ) => submit(service.client, path, { cookie: cookies[as], form });
  /** Uploads a file and returns its page. */
  const uploaded = async (...args: Parameters<typeof upload>): Promise<string> => {
    const reply = await upload(...args);
    assert.equal(reply.status, 303, reply.text);
    return reply.headers.location ?? "";
  };
  const start = async (path: string) => {
    const reply = await send(`${path}/start`, { seen: seenOn(await show(path)) });
    assert.equal(reply.status, 303, reply.text);
  };
  const showing = (what: string, text: string) => (path: string, as?: string) =>
    waitFor(what, async () => {
      const page = await show(path, as);
      return page.includes(text) ? page : undefined;
    });
  const checked = showing("the check", "Import the other rows");
  const ended = showing("the import", 'id="result"');
  const discard = (path: string, as = "operator") => send(`${path}/discard`, {}, as);
  /** The head of a form with a file, and what its body begins with. */
  const sendRaw = (as: string, text = "") => {
    const connection = openRaw(service.address);
    connection.socket.write(
      `POST /console/upload HTTP/1.1\r\nHost: ${new URL(service.address).host}\r\n` +
        `Origin: ${service.address}\r\nCookie: ${cookies[as]}\r\nContent-Length: 1000000\r\n` +
        `Content-Type: multipart/form-data; boundary=x\r\n\r\n${text}`,
    );
    return connection;
  };
  const files = () => filesUploaded(service.folder);

  it("shows the mapping on the first rows before anything is written, and imports with the corrected one", async () => {
    const content = [header, ...Array.from({ length: 600 }, (_, index) => row(`t${index}`))];
    const path = await uploaded([...content, row("bad", "much")].join("\n"));
    const first = await show(path);
    assert.match(first, /not imported: 1 of 9 columns/);
    assert.match(first, /records of the type Transaction/);
    assert.match(first, /amount is required/);
    assert.deepEqual(findUnknownFiles(service.config), []);
    const wrong = { column: "Betrag", field: "amonut", time: "" };
    await send(path, wrong);
    assert.match(await show(path), /has no field &quot;amonut&quot;; did you mean amount\?/);
    assert.equal((await send(`${path}/start`, { seen: "2" })).status, 409);
    const form = header.split(",").flatMap((column) => [
      ["column", column],
      ["field", column === "Betrag" ? "amount" : column],
      ["time", ""],
    ]);
    const corrected = await send(path, form);
    assert.equal(corrected.status, 303, corrected.text);
    const page = await show(path);
    assert.match(page, /None of these first rows would be refused/);
    assert.match(page, /<dt>amount<\/dt>\s*<dd><bdi>12.5<\/bdi>/);
    assert.ok(Buffer.byteLength(page) < 60_000);
    assert.deepEqual(await service.app.store.countRecords(organization), {});
    const stale = await send(`${path}/start`, { seen: "1" });
    assert.match(stale.text, /mapping was changed since/);
    await start(path);
    const faults = await checked(path);
    assert.match(faults, /1 of 601 rows would be refused/);
    assert.match(
      faults,
      /amount \(column &quot;Betrag&quot;\) must .* not &quot;much&quot;[^]*>602</,
    );
    assert.doesNotMatch(faults, /<details open>/);
    assert.deepEqual(await service.app.store.countRecords(organization), {});
    assert.deepEqual(await listImports(service.app), []);
    await start(path);
    const result = await ended(path);
    assert.match(result, /The whole file was read, and all rows but the refused/);
    assert.match(result, /<td>601<\/td>\s*<td>602<\/td>[^]*amount must be a number/);
    assert.deepEqual(await service.app.store.countRecords(organization), { transaction: 600 });
    const trail = await service.app.store.listAudit(0, 1_000);
    const { detail } = trail.find(({ action }) => action === "records.import") ?? {};
    assert.equal(detail?.["rows"], 601);
    assert.doesNotMatch(JSON.stringify(detail), /tx\.csv/);
    const refused = await read(service.client, `${path}/refused`, { cookie: cookies["operator"] });
    assert.equal(
      refused.headers["content-disposition"],
      "attachment; filename*=UTF-8''tx.refused.csv",
    );
    assert.equal(refused.text.split("\n").length, 3);
    const others = [await uploaded(header), await uploaded(header)];
    const sent = { path: /action="([^"]*\/repair)"/.exec(result)?.[1] ?? "", fields: {} };
    const text = refused.text.replace("much,", "7,");
    assert.equal((await upload(text, { ...sent, as: "other" })).status, 404);
    assert.match((await upload("", sent)).text, /Refused rows[^]*The file is empty[^]*much/);
    const repaired = await uploaded(text, sent);
    const both = /this one replaces[^]*not &quot;much&quot;[^]*<dt>amount<\/dt>\s*<dd><bdi>7</;
    assert.match(await show(repaired), both);
    assert.match(await show(path), /This process has no such uploaded file/);
    for (const one of [repaired, ...others]) await discard(one);
    assert.deepEqual(files(), []);
  });

  it("are read also with a quote that is not closed before millions of empty lines", async () => {
    const text = [header, row("one", "1"), `"${"\n".repeat(4_500_000)}`, row("two", "2")].join(
      "\n",
    );
    const path = await uploaded(new Uint8Array(gzipSync(text)), { name: "tx.csv.gz" });
    assert.match(await show(path), /one[^]*a quote that is not closed[^]*two/);
    await discard(path);
  });

  it("are read in the layout that the page shows, or that the person gives", async () => {
    const text = [header, row("größe", '"1;5"')].join("\n").replaceAll(",", ";");
    const path = await uploaded(new Uint8Array(Buffer.from(text, "latin1")));
    const unread = await show(path);
    assert.match(unread, /not text in its encoding[^]*name="encoding"/);
    assert.doesNotMatch(unread, /--encoding/);
    const wrong = await send(path, { skip: "-1" });
    assert.match(wrong.text, /&quot;skip&quot; must be a number of lines/);
    const given = await send(path, { encoding: "windows-1252" });
    assert.equal(given.status, 303, given.text);
    const page = await show(path);
    assert.match(page, /name="encoding"[^>]* value="windows-1252"/);
    assert.match(page, /name="delimiter"[^>]* value=";"/);
    assert.match(page, /größe/);
    const more = "amount==1";
    await send(path, [
      ["encoding", "windows-1252"],
      ["more", more],
    ]);
    await start(path);
    assert.match(await ended(path), /The whole file was imported/);
    await discard(path);
  });

  it("are mapped by the preset that the person chooses, unless a field is given", async () => {
    const path = await uploaded(
      "sourceNodeId,targetNodeId,value,time,alert_id,is_sar\n501,502,12.5,31,-1,False\n",
    );
    assert.match(await show(path), /<option value="amlsim">/);
    assert.equal((await send(path, { preset: "none such" })).status, 400);
    await send(path, { preset: "amlsim", column: "alert_id", field: "tx_id", time: "" });
    const page = await show(path);
    assert.match(page, /<option value="amlsim" selected/);
    assert.match(page, /not imported: 1 of 6 columns[^]*by the preset/);
    assert.match(page, /<dt>amount<\/dt>\s*<dd><bdi>12.5</);
    assert.match(page, /<dt>tx_id<\/dt>\s*<dd><bdi>-1</);
    await discard(path);
  });

  it("are refused before anything is stored, each with what to do", async () => {
    const content = `${header}\n${row("t1")}\n`;
    const refusals: readonly (readonly [Parameters<typeof upload>[1], number, RegExp])[] = [
      [{ fields: { ...types, organization: "none" } }, 404, /There is no organization/],
      [{ fields: { ...types, organization: "closed" } }, 409, /is closed/],
      [{ fields: { ...types, type: "persn" } }, 404, /did you mean person/],
      [{ fields: { ...types, type: "customer_sar" } }, 403, /may not/],
      [{ name: "tx.exe" }, 400, /does not say what format.*; end it in .csv, .ndjson or .json/],
      [{ name: "tx.parquet" }, 400, /Run npx sluice import tx.parquet on the server/],
      [{ name: "" }, 400, /Choose a file/],
      [{ fields: { ...types, mode: "upsert" } }, 400, /mode must be add or update/],
      [{ as: "viewer" }, 403, /may not import records/],
    ];
    for (const [options, status, message] of refusals) {
      const reply = await upload(content, options);
      assert.equal(reply.status, status, reply.text);
      assert.match(reply.text, message);
    }
    const tooLarge = await upload(Buffer.alloc(2_000_001, "a"));
    assert.equal(tooLarge.status, 400);
    assert.match(tooLarge.text, /more than 2,000,000 bytes/);
    assert.match((await upload("")).text, /The file is empty/);
    assert.equal((await send("/console/upload", types)).status, 415);
    const foreign = { origin: "https://evil.example" };
    const from = { cookie: cookies["operator"], fields: types, name: "tx.csv", content };
    assert.equal((await uploadFile(service.client, { ...from, headers: foreign })).status, 403);
    assert.deepEqual(files(), []);
  });

  it("belong to one person, have no path, and are removed after an hour", async () => {
    const name = `../../<b>tx.csv`;
    const path = await uploaded(`${header}\n${row("<script>")}\n`, { name });
    const page = await show(path);
    assert.match(page, /<bdi>&lt;b&gt;tx.csv<\/bdi>/);
    assert.match(page, /&lt;script&gt;/);
    assert.equal(files().length, 1);
    for (const as of ["other", "viewer"]) {
      for (const part of ["", "/progress", "/refused"]) {
        const { status } = await read(service.client, path + part, { cookie: cookies[as] });
        assert.equal(status, as === "other" ? 404 : 403);
      }
      for (const part of ["", "/start", "/stop", "/discard"]) {
        assert.ok((await send(path + part, { seen: "1" }, as)).status >= 403);
      }
    }
    const paths = [path, await uploaded(header), await uploaded(header)];
    const pages = await Promise.all([...paths, ...paths].map((one) => show(one)));
    assert.ok(pages.every((one) => one.includes("<h1>Check the file</h1>")));
    const fourth = await upload(header);
    assert.equal(fourth.status, 409);
    assert.match(fourth.text, /You have 3 uploaded files already/);
    service.clock.advanceMs(3_600_001);
    assert.match(await show(path), /This process has no such uploaded file/);
    await waitFor("their removal", () => files().length === 0);
  });

  it("leave nothing when the connection breaks", async () => {
    const fields = Object.entries(types).map(
      ([name, value]) =>
        `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    );
    const file = `Content-Disposition: form-data; name="file"; filename="tx.csv"`;
    const text = `${fields.join("")}--x\r\n${file}\r\n\r\n${header}\n`;
    const { socket, closed } = sendRaw("operator", text);
    await waitFor("the file", () => files().length === 1);
    assert.doesNotMatch(await show("/console/intake"), /tx.csv/);
    socket.resetAndDestroy();
    await closed;
    await waitFor("its removal", () => files().length === 0);
  });

  it("show their progress until the session ends, and can be stopped", async () => {
    await enter("third");
    const held = holdWrites();
    const path = await uploaded(plain("e1"), { as: "third" });
    const page = await show(path, "third");
    await send(`${path}/start`, { seen: seenOn(page) }, "third");
    await held.called;
    assert.match(await show(path, "third"), /<noscript><meta http-equiv="refresh" content="2"/);
    const progress = () => read(service.client, `${path}/progress`, { cookie: cookies["third"] });
    assert.match((await progress()).text, /"share":0,"text":"0 %, 0 rows/);
    assert.equal((await send(`${path}/discard`, {}, "third")).status, 409);
    const sessions = await listSessions(service.app);
    const own = sessions.find(({ operator }) => operator.name === "third")?.session.sessionId ?? "";
    await revokeSession(service.app, own);
    assert.equal((await progress()).status, 303);
    cookies["third"] = await signIn(service.app, service.client, "third");
    await send(`${path}/stop`, {}, "third");
    held.release();
    assert.match(await ended(path, "third"), /It was stopped/);
    assert.match((await progress()).text, /"end":true/);
    await discard(path, "third");
  });

  it("arrive from a person at most three at a time, counted from the head of the form", async () => {
    const forms = Array.from({ length: 4 }, () => sendRaw("other"));
    await waitFor("a refusal", () => forms.some(({ received }) => received().includes(" 409 ")));
    const refused = forms.filter(({ received }) => received() !== "");
    assert.equal(refused.length, 1);
    assert.match(refused[0]?.received() ?? "", /Too many other files are arriving/);
    for (const { socket } of forms) socket.destroy();
    await waitFor("room", async () => {
      const reply = await upload(header, { as: "other" });
      return reply.status === 303;
    });
  });

  it("wait while another of the same person, or into the same organization, is imported", async () => {
    for (const id of ["beta", "gamma"]) {
      await createOrganization(service.app, { name: id, organizationId: id });
    }
    await enter("fourth");
    const held = holdWrites(2);
    const begin = async (into: string, as: string) => {
      const fields = { ...types, organization: into };
      const path = await uploaded(plain(`${as}-${into}`), { as, fields });
      const seen = seenOn(await show(path, as));
      assert.equal((await send(`${path}/start`, { seen }, as)).status, 303);
      return { path, as };
    };
    const first = await begin(organization, "operator");
    const free = await begin("beta", "fourth");
    await held.called;
    const ownNext = await begin("gamma", "operator");
    const sameOrganization = await begin(organization, "other");
    for (const waiting of [ownNext, sameOrganization]) {
      assert.match(await show(waiting.path, waiting.as), /waits for other imports/);
    }
    for (const running of [first, free]) {
      assert.match(await show(running.path, running.as), /0 %, 0 rows/);
    }
    await send(`${sameOrganization.path}/stop`, {}, "other");
    const all = [first, ownNext, sameOrganization, free];
    const results = Promise.all(
      all.map(async (one) => {
        const page = await ended(one.path, one.as);
        return page.includes("It was stopped");
      }),
    );
    held.release();
    assert.deepEqual(await results, [false, false, true, false]);
    for (const { path, as } of all) await discard(path, as);
  });

  it("end when the person is disabled, or the organization is closed, and say why", async () => {
    await enter("leaver");
    await createOrganization(service.app, { name: "Ending", organizationId: "ending" });
    const content = plain(...Array.from({ length: 1_000 }, (_, index) => `d${index}`));
    const fields = { ...types, organization: "ending" };
    const begin = async (as: string) => {
      const path = await uploaded(content, { fields, as });
      // Two lists are written at a time.
      const held = holdWrites(2);
      await send(`${path}/start`, { seen: seenOn(await show(path, as)) }, as);
      await held.called;
      return { path, held };
    };
    const first = await begin("leaver");
    await disableOperator(service.app, "leaver");
    first.held.release();
    await waitFor("the end", async () => {
      const all = await listImports(service.app);
      const own = all.find(({ organizationId }) => organizationId === "ending");
      return own?.outcome === "failed";
    });
    assert.deepEqual(await service.app.store.countRecords("ending"), { transaction: 500 });
    const second = await begin("operator");
    await closeOrganization(service.app, { organizationId: "ending", reason: "r" });
    second.held.release();
    assert.match(await ended(second.path), /The organization &quot;ending&quot; is closed/);
    await discard(second.path);
  });

  it("delay no stop of the service", async () => {
    const path = await uploaded(plain("z1"));
    const held = holdWrites();
    await start(path);
    await held.called;
    const stopping = stop();
    held.release();
    await stopping;
  });
});
