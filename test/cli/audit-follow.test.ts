// `sluice audit export --follow`, and the script and the configurations of the guide to it: every entry, in order,
// beside a serving process and whatever is killed.

import assert from "node:assert/strict";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { parse } from "yaml";
import type { App } from "../../src/actions/app.ts";
import { createOrganization } from "../../src/actions/access/create-organization.ts";
import { blocksOf } from "../repository/rule/pages.ts";
import { readFile, root } from "../repository/tree.ts";
import { usePostgres } from "../support/postgres/postgres-server.ts";
import { startServer } from "../support/server.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { waitFor } from "../support/wait-for.ts";
import { makeCommandLine } from "./command-line.ts";
import { type Started, startProcess, startProgram } from "./program.ts";

const postgres = await usePostgres();
const kinds = {
  SQLite: () => Promise.resolve({}),
  PostgreSQL: async () => ({ DATABASE_URL: await postgres.makeDatabase() }),
};
const follow = ["audit", "export", "--follow", "--json"];

async function addOrganizations(app: App, count: number): Promise<void> {
  for (let number = 0; number < count; number += 1) {
    await createOrganization(app, { name: "any", organizationId: undefined });
  }
}

async function numbersIn({ store }: App): Promise<readonly number[]> {
  return (await store.listAudit(0, 1_000)).map(({ entryNo }) => entryNo);
}

/** Of whole lines; one that was cut is not JSON. */
function numbersOf(text: string): readonly number[] {
  return text.split("\n").flatMap((line) => {
    try {
      return [(JSON.parse(line) as { readonly entry_no: number }).entry_no];
    } catch {
      return [];
    }
  });
}

/** Returns what the program has printed so far. */
function collect({ child }: Started): () => string {
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
  after(() => child.kill("SIGKILL"));
  return () => text;
}

for (const [engine, makeStore] of Object.entries(kinds)) {
  describe(`audit export --follow on ${engine}`, () => {
    it("prints each entry beside a serving process, and continues after a number", async () => {
      const server = await startServer({ environment: await makeStore() });
      after(() => server.stop());
      await server.operate((app) => addOrganizations(app, 3));
      const first = startProgram(follow, server.environment);
      const printed = collect(first);
      await waitFor("the entry of its start", () => printed().includes("audit.export"));
      await server.operate((app) => addOrganizations(app, 2));
      const all = await server.operate(numbersIn);
      await waitFor("the new entries", () => numbersOf(printed()).length === all.length);
      first.child.kill("SIGTERM");
      const { code, out, err } = await first.ended;
      assert.deepEqual([code, err], [0, ""]);
      assert.deepEqual(numbersOf(out), all);
      assert.ok(!out.includes("sluice_manifest"));
      assert.equal(out.split("audit.export").length, 2, "the start is in the trail");

      const last = all.at(-1) ?? 0;
      const second = startProgram([...follow, "--after", String(last)], server.environment);
      const more = collect(second);
      await waitFor("the entry of its start", () => numbersOf(more()).length > 0);
      second.child.kill("SIGINT");
      assert.equal((await second.ended).code, 0);
      assert.ok((numbersOf(more())[0] ?? 0) > last);
    });
  });
}

describe("audit export --follow", () => {
  it("ends with 0 when its reader has gone and there is a further entry", async () => {
    const line = makeCommandLine();
    await line.ask("organization create --name Acme --id acme");
    const { child, ended } = startProgram(follow, line.environment);
    after(() => child.kill("SIGKILL"));
    await once(child.stdout, "data");
    child.stdout.destroy();
    await line.ask("organization create --name Other --id other");
    assert.deepEqual(await ended.then(({ code, err }) => [code, err]), [0, ""]);
  });

  it("prints only the entries of an organization", async () => {
    const line = makeCommandLine();
    await line.ask("organization create --name Acme --id acme");
    const followed = startProgram([...follow, "--organization", "acme"], line.environment);
    const printed = collect(followed);
    await waitFor("the first", () => numbersOf(printed()).length === 1);
    await line.ask("organization create --name Other --id other");
    await line.ask("key create --organization acme");
    await waitFor("the second", () => numbersOf(printed()).length > 1);
    followed.child.kill("SIGTERM");
    const { out } = await followed.ended;
    assert.deepEqual(
      Array.from(out.matchAll(/"action":"([^"]+)"/g), ([, action]) => action),
      ["organization.create", "key.create"],
    );
  });

  it("ends when the store that it follows is restored", async () => {
    const line = makeCommandLine();
    await line.ask("organization create --name Acme --id acme");
    const backup = join(line.folder, "backup");
    await line.ask("backup", backup);
    const { child, ended } = startProgram(follow, line.environment);
    after(() => child.kill("SIGKILL"));
    await once(child.stdout, "data");
    await line.ask("restore", backup, "--replace");
    const { code, err } = await ended;
    assert.equal(code, 1);
    assert.match(err, /An operator has restored the store or replayed its deletions/);
  });
});

describe("the guide to a SIEM", () => {
  const { text } = readFile("docs/guides/siem.md");
  const file = "/var/log/sluice/audit.ndjson";

  it("has a script that continues after the last whole line, whenever it is killed", async () => {
    const line = makeCommandLine();
    const folder = makeTempFolder();
    const [script = ""] = blocksOf(text, "sh");
    const path = join(folder, "audit.ndjson");
    const sluice = `"${process.execPath}" "${join(root, "bin/sluice.js")}"`;
    writeFileSync(
      join(folder, "follow"),
      script.replace(file, path).replace("exec sluice", `exec ${sluice}`),
    );
    writeFileSync(path, "");
    for (let round = 0; round < 2; round += 1) {
      await line.ask("organization create --name Any --id", `org-${round}`);
      const { child } = startProcess(["/bin/sh", join(folder, "follow")], line.environment);
      after(() => child.kill("SIGKILL"));
      const ended = once(child, "close");
      await waitFor(
        "its own entry",
        () => readFileSync(path, "utf8").split('"audit.export"').length > round + 1,
      );
      child.kill("SIGKILL");
      await ended;
      appendFileSync(path, `{"entry_no":${1_000 + round},"at":1`);
    }
    const { out } = await line.type("audit export");
    const all = numbersOf(out).filter((number) => number !== undefined);
    assert.deepEqual(numbersOf(readFileSync(path, "utf8")), all);
  });

  it("has configurations that read this file from its beginning, and remember where", () => {
    const [vector, fluentBit, otel] = blocksOf(text, "yaml").map((block) =>
      JSON.stringify(parse(block)),
    );
    for (const [found, ...wanted] of [
      [vector, `"include":["${file}"]`, '"read_from":"beginning"', '"data_dir"', "del(.detail)"],
      [fluentBit, `"path":"${file}"`, '"read_from_head":"on"', '"db"', '"remove_key":"detail"'],
      [otel, `"include":["${file}"]`, '"start_at":"beginning"', '"storage"', '"body.detail"'],
    ]) {
      for (const part of wanted) assert.ok(found?.includes(part ?? ""), `${part} in ${found}`);
    }
  });
});
