// The intake in the console: refusals, counted wherever a record is refused and without anything that a client chose;
// and imports of this process and of others. The refused rows of an upload: their download, whatever the name of the
// file, and their removal.

import assert from "node:assert/strict";
import { readdirSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createOrganization } from "../../src/actions/access/create-organization.ts";
import { listImports } from "../../src/feature/import/imports.ts";
import { recordTypeByName } from "../../src/domain/record-types.ts";
import { fieldPointer, unknownField } from "../../src/domain/validation/field-pointer.ts";
import { makeCommandLine } from "../cli/command-line.ts";
import { type Customer, makeCustomer } from "../support/customer.ts";
import { type Service, startService } from "../support/service.ts";
import { addOperator, importUpload, read, signIn, submit } from "./browse.ts";
import { isUploadFolder } from "../../src/feature/upload/serving.ts";
import { openRaw } from "../support/raw-socket.ts";
import { waitFor } from "../support/wait-for.ts";

const nasty = `<script>alert("1")</script>`;
const person = { is_test_user: false, is_retail_customer: true, timestamp: "2026-01-31T09:30:00Z" };

/** The rows of a code, without tags. */
const counts = (page: string, code: number) =>
  [...page.matchAll(/<tr>[^]*?<\/tr>/g)]
    .map(([row]) => row.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " "))
    .filter((row) => row.includes(` ${code} `));

describe("the refusals in the console", () => {
  let service: Service;
  let acme: Customer;
  let cookie: string;

  before(async () => {
    service = await startService();
    acme = await makeCustomer(service.app, service.client);
    await addOperator(service.app, ["viewer"]);
    cookie = await signIn(service.app, service.client, "viewer");
  });
  after(() => service.stop());

  const post = (body: unknown, headers: Readonly<Record<string, string>> = {}, path = "person") =>
    service.client.send({
      method: "POST",
      path: `/v2/${path}`,
      token: acme.token,
      headers,
      body,
    });
  const show = async (query = "") =>
    (await read(service.client, `/console/intake${query}`, { cookie })).text;
  it("say first that nothing was refused", async () => {
    assert.match(await show(), /Nothing was refused\./);
  });

  it("count every way in which records are refused, without content", async () => {
    const strict = { person_id: `secret-${nasty}`, ...person, [nasty]: nasty, timestamp: nasty };
    await post(strict);
    const items = [{ person_id: "p1" }, { person_id: "p2", ...person }];
    await post(items, { prefer: "handling=lenient" });
    const long = Array.from({ length: 300 }, (_, index) => ({ person_id: `secret-${index}` }));
    await post(long, { prefer: "handling=lenient" });
    const ndjson = { "content-type": "application/x-ndjson" };
    await post(`{"person_id":"secret-s"}\nnot json\n`, ndjson);
    await post({ sar_id: "secret" }, {}, "customer_sar");
    await service.client.send({ method: "GET", path: "/v2/person?person_id=x", token: "wrong" });
    const page = await show();
    for (const hidden of ["secret", nasty, "alert", "customer_sar", "Customer SAR"]) {
      assert.ok(!page.includes(hidden), hidden);
    }
    const invalid = counts(page, 40_000);
    const timesOf = (field: string) =>
      invalid.find((row) => row.includes(` person ${field} `))?.match(/ (\d+) 2026/)?.[1];
    assert.equal(timesOf("/timestamp"), "303");
    assert.equal(timesOf("/is_test_user"), "302");
    assert.equal(timesOf(unknownField), "1");
    assert.ok(invalid.every((row) => row.includes(acme.keyId)));
    assert.equal(counts(page, 40_001).length, 1);
    assert.match(counts(page, 40_102)[0] ?? "", /unknown/);
  });

  it("do not count an existence check that finds nothing, nor does the overview", async () => {
    const { client } = service;
    const ask = (path: string, method = "GET") =>
      client.send({ method, path: `/v2/${path}`, token: acme.token });
    for (const method of ["GET", "HEAD"]) {
      assert.equal((await ask("person?person_id=none", method)).status, 404);
    }
    assert.equal((await ask("deletion_request?deletion_request_id=none")).status, 404);
    const page = await show();
    assert.deepEqual([counts(page, 40_401).length, counts(page, 40_402).length], [0, 1]);
    const overview = await read(client, "/console", { cookie });
    assert.match(overview.text, /Refused requests in the last hour/);
    assert.match(overview.text, />404\s*<[^]*?class="number">1</);
  });

  it("are filtered by code, organization and key", async () => {
    assert.equal(counts(await show("?code=40001"), 40_000).length, 0);
    assert.equal(counts(await show("?code=40001"), 40_001).length, 1);
    assert.match(await show("?key=none"), /Nothing like this was refused/);
    assert.equal(counts(await show(`?organization=${acme.organizationId}`), 40_001).length, 1);
  });
});

describe("the imports in the console", () => {
  let service: Service;
  const cookies: Record<string, string> = {};

  before(async () => {
    service = await startService();
    await createOrganization(service.app, { name: "Acme", organizationId: "acme" });
    for (const role of ["viewer", "officer"] as const) {
      await addOperator(service.app, [role]);
      cookies[role] = await signIn(service.app, service.client, role);
    }
  });
  after(() => service.stop());

  const show = async (role = "viewer") =>
    (await read(service.client, "/console/intake", { cookie: cookies[role] })).text;

  it("say first how to import", async () => {
    assert.match(await show(), /Nothing was imported within the last 30 days/);
  });

  it("are those of the command line too, with their outcome", async () => {
    const line = makeCommandLine({ folder: service.folder, now: service.clock.now });
    const file = join(service.folder, "persons.ndjson");
    const lines = [{ person_id: "p1", ...person }, { person_id: "p2" }];
    writeFileSync(file, lines.map((one) => JSON.stringify(one)).join("\n"));
    const words = ["--type", "person", "--organization", "acme"];
    assert.equal((await line.type("import", file, ...words)).code, 3);
    service.clock.advanceMs(1);
    const missing = join(service.folder, "missing.csv");
    assert.equal((await line.type("import", missing, ...words)).code, 1);
    const found = (await listImports(service.app)).map(({ outcome, rows, written, refused }) => [
      outcome,
      rows,
      written,
      refused,
    ]);
    assert.deepEqual(found, [
      ["failed", 0, 0, 0],
      ["finished", 2, 1, 1],
    ]);
    assert.match(
      await show(),
      /Person<[^]*?on the command line[^]*?finished[^]*?>2<[^]*?>1<[^]*?>1</,
    );
  });

  it("run until they end, and may have been interrupted; those of confidential types are hidden", async () => {
    const now = service.clock.now();
    const about = { organizationId: "acme", source: "command", startedBy: "root" } as const;
    const begin = (importId: string, resourceType: string) =>
      service.app.store.imports.begin({ ...about, importId, resourceType, startedAt: now });
    await begin("imp_1", "company");
    await begin("imp_2", "customer_sar");
    assert.match(await show(), /Company<[^]*?>running</);
    service.clock.advanceMs(180_000);
    assert.match(await show(), /Company<[^]*?no progress for 3 minutes/);
    assert.doesNotMatch(await show(), /customer_sar|Customer SAR/);
    assert.match(await show("officer"), /Customer SAR/);
  });
});

describe("the pointer of a field", () => {
  const cases = [
    ["company", "", ""],
    ["company", "[12].timestamp", "/timestamp"],
    ["company", "[12]", ""],
    ["company", "addresses[3].address.city", "/addresses/address/city"],
    ["company", `addresses[3].${nasty}`, `/addresses/${unknownField}`],
    ["company", "constructor", unknownField],
    ["company", "secret", unknownField],
    ["company", "additional_properties[2].key", "/additional_properties/key"],
    ["onboarding_flow", "outcome_reason.secret.deep", "/outcome_reason/*"],
  ] as const;

  for (const [name, field, pointer] of cases) {
    it(`of ${field === "" ? "a record" : field} is ${pointer === "" ? "empty" : pointer}`, () => {
      const type = recordTypeByName(name);
      assert.equal(type && fieldPointer(type, field), pointer);
    });
  }
});

const organization = "acme";

type Part = readonly [disposition: string, content: string];

function formOf(parts: readonly Part[]): string {
  return `${parts.map(renderPart).join("")}--x--\r\n`;
}

function renderPart([disposition, content]: Part): string {
  return `--x\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`;
}

/** The files of refused rows that this process has open. */
function filesOpen(): readonly string[] {
  const targets = readdirSync("/proc/self/fd").map((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`);
    } catch {
      // It was closed meanwhile.
      return "";
    }
  });
  return targets.filter((target) => target.includes("refused"));
}

describe("the refused rows of an upload", () => {
  let service: Service;
  let cookie: string;

  before(async () => {
    service = await startService();
    await createOrganization(service.app, { name: organization, organizationId: organization });
    await addOperator(service.app, ["operator"], "ada");
    cookie = await signIn(service.app, service.client, "ada");
  });

  after(() => service.stop());

  /** Uploads a file whose name is a parameter as browsers or programs write it, and imports it. */
  const importNamed = async (fileName: string, rows: readonly string[]): Promise<string> => {
    const { status, headers, text } = await service.client.send({
      method: "POST",
      path: "/console/upload",
      headers: {
        "content-type": "multipart/form-data; boundary=x",
        origin: service.address,
        cookie,
      },
      body: formOf([
        [`name="organization"`, organization],
        [`name="type"`, "transaction"],
        [`name="file"; ${fileName}`, ["tx_id,amount", ...rows].join("\n")],
      ]),
    });
    assert.equal(status, 303, text);
    const path = headers.location ?? "";
    await importUpload(service.client, path, { cookie });
    return path;
  };

  const filesStored = () =>
    readdirSync(service.folder)
      .filter(isUploadFolder)
      .flatMap((folder) => readdirSync(join(service.folder, folder)));
  const discard = (path: string) => submit(service.client, `${path}/discard`, { cookie });

  it("can be downloaded and removed whatever the name of the file contains", async () => {
    const names = [
      // Half of a character, in an encoding that has it.
      [`filename*=utf-16le''t%00%00%D8.%00c%00s%00v%00`, "t%EF%BF%BD.refused.csv"],
      [`filename="a'(*)&quot;.csv"`, "a%27%28%2A%29%26quot%3B.refused.csv"],
      [`filename="日本\x01.csv"`, "%E6%97%A5%E6%9C%AC%01.refused.csv"],
    ] as const;
    for (const [parameter, encoded] of names) {
      const path = await importNamed(parameter, ["t1,x"]);
      const { status, headers, text } = await read(service.client, `${path}/refused`, { cookie });
      assert.equal(status, 200, text);
      assert.equal(headers["content-disposition"], `attachment; filename*=UTF-8''${encoded}`);
      assert.match(text, /t1,x/);
      assert.equal((await discard(path)).status, 303);
      assert.deepEqual([filesStored(), filesOpen()], [[], []]);
    }
  });

  it("leave the disk when the file is removed, though a browser has not read them", async () => {
    const cells = "x".repeat(4_000);
    const rows = Array.from({ length: 4_000 }, (_, index) => `t${index},${cells}`);
    const path = await importNamed(`filename="tx.csv"`, rows);
    const stalled = openRaw(service.address);
    stalled.socket.pause();
    const { host } = new URL(service.address);
    stalled.socket.write(
      `GET ${path}/refused HTTP/1.1\r\nHost: ${host}\r\nCookie: ${cookie}\r\n\r\n`,
    );
    await waitFor("the download", () => filesOpen().length === 1);
    assert.equal((await discard(path)).status, 303);
    await waitFor("the end", () => filesOpen().length === 0);
    assert.deepEqual(filesStored(), []);
    stalled.socket.destroy();
  });
});
