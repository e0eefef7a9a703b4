// The types of the client: generated from the schemas and up to date, usable without Node's types,
// and consistent with what the service accepts: its examples compile, and what it rejects does not.

import assert from "node:assert/strict";
import { cpSync, globSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { pascalCase } from "../../client/generate/code-text.ts";
import { collectionName } from "../../client/generate/collections.ts";
import { clientFiles } from "../../client/generate/files.ts";
import { declare, type Declarations } from "../../client/generate/schema-types.ts";
import { recordTypes } from "../../src/domain/record-types.ts";
import { alternativesOf, type SchemaShape } from "../../src/domain/schema/schema-shape.ts";
import { blocksOf } from "../repository/rule/pages.ts";
import { readFile, root } from "../repository/tree.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { type BuiltClient, buildClient, compile, compileProgram } from "./built-client.ts";

function isDateTime(schema: SchemaShape): boolean {
  return (schema as { format?: string }).format === "date-time";
}

const browser = { lib: ["es2022", "dom"], types: [] };
const node = { lib: ["es2022"], types: ["node"], skipLibCheck: true };

describe("the generated files of the client", () => {
  for (const { path, render } of clientFiles) {
    it(`are up to date: ${path}`, () => {
      assert.equal(readFile(path).text, render(), "run npm run docs");
    });
  }

  it("are the only files in their folder", () => {
    const there = globSync("client/src/generated/*", { cwd: root });
    assert.deepEqual(there.sort(), clientFiles.map(({ path }) => path).sort());
  });

  it("omit nothing that types can express", () => {
    const style = { sent: true, fieldDocs: true, innerPrefix: "A" };
    const declarations: Declarations = new Map();
    for (const unsupported of [{ type: "object" }, { type: "array" }, { type: "date" }]) {
      const schema = { type: "object", properties: { unsupported } };
      declarations.clear();
      assert.throws(() => declare(declarations, "A", { schema, style }), /no TypeScript yet/);
    }
  });
});

describe("the types of the client", () => {
  let built: BuiltClient;
  before(async () => {
    built = await buildClient();
  });

  it("need only those of the language and of fetch: code that needs Node's is the only one reported", async () => {
    const copy = makeTempFolder();
    cpSync(join(root, "client"), join(copy, "client"), { recursive: true });
    cpSync(join(root, "tsconfig.json"), join(copy, "tsconfig.json"));
    writeFileSync(join(copy, "client/src/unsupported.ts"), "export const argv = process.argv;\n");
    const found = await compile("-p", join(copy, "client/tsconfig.json"));
    assert.match(found, /unsupported\.ts.*process/);
    assert.equal(found.match(/error/g)?.length, 1, found);
  });

  const imports = recordTypes.flatMap(({ resourceType }) => {
    const name = pascalCase(resourceType);
    return [name, `${name}Update`];
  });
  const opening = `import { Sluice, type ${imports.join(", type ")} } from "@sluice/client";
const sluice = new Sluice({ baseUrl: "http://127.0.0.1:8080", apiKey: "key", organizationId: "demo" });\n`;

  it("accept the examples of the service, and updates that clear every optional field", async () => {
    const lines = recordTypes.flatMap((type) => {
      const { resourceType, idField, example, addSchema } = type;
      const name = pascalCase(resourceType);
      const required = new Set((addSchema as { required?: readonly string[] }).required);
      const cleared = type.fieldNames.filter((field) => !required.has(field));
      const update = { [idField]: "id", timestamp: "2026-07-01T00:00:00Z" };
      const nulls = Object.fromEntries(cleared.map((field) => [field, null]));
      const collection = `sluice.${collectionName(type)}`;
      return [
        `const add${name}: ${name} = ${JSON.stringify(example)};`,
        `const update${name}: ${name}Update = ${JSON.stringify({ ...update, ...nulls })};`,
        `await ${collection}.add(add${name});`,
        `await ${collection}.add([add${name}]);`,
        `await ${collection}.update(update${name});`,
        `const found${name}: string | undefined = (await ${collection}.exists("id"))?.${idField};`,
        `for await (const { record } of ${collection}.addAll([add${name}])) record.${idField};`,
      ];
    });
    const code = `${opening}${lines.join("\n")}\n`;
    assert.equal(await compileProgram(built, code, browser), "");
    assert.equal(await compileProgram(built, code, node), "");
  });

  it("accept a Date for a date-time, which JSON has as the text that the service accepts", async () => {
    const dates = recordTypes.flatMap((type) => {
      const fields = Object.entries<SchemaShape>(type.addSchema.properties)
        .filter(([, schema]) => alternativesOf(schema).some(isDateTime))
        .map(([name]) => `${name}: new Date()`);
      assert.ok(fields.length > 0);
      return [`sluice.${collectionName(type)}.update({ ${type.idField}: "a", ${fields.join()} });`];
    });
    assert.equal(await compileProgram(built, opening + dates.join("\n"), browser), "");
  });

  it("reject what the service would reject", async () => {
    const time = 'timestamp: "2026-07-01T00:00:00Z"';
    const wrong = [
      `sluice.transactions.add({ tx_id: "a" })`,
      `sluice.customerSars.add({ sar_id: "a", status: "OPEN", ${time} })`,
      `sluice.customerSars.add({ sar_id: "a", status: null, ${time} })`,
      `sluice.persons.update({ person_id: "a", date_of_birth: new Date(), ${time} })`,
      `sluice.customerSars.add({ sar_id: "a", status: "FILED", reason: "b", ${time} })`,
      `sluice.customerSars.update({ sar_id: "a", status: null, ${time} })`,
      `sluice.customerSars.update({ sar_id: "a" })`,
      `sluice.customerSars.delete("a", "b")`,
      `sluice.transactions.delete("a")`,
      `sluice.transactions.addAll({})`,
      `new Sluice({ baseUrl: "a", apiKey: "b", organizationId: "c", scopes: ["everything"] })`,
    ];
    const code = wrong.map((line) => `// @ts-expect-error\n${line};\n`).join("");
    assert.equal(await compileProgram(built, opening + code, browser), "");
  });

  /** With names of the reader's own program. */
  const pages = {
    "README.md": "",
    "client/README.md": "",
    "docs/guides/sdk.md": "",
    "docs/guides/changes.md": `declare const baseUrl: string, apiKey: string, organizationId: string;
declare const stored: string | undefined;
declare function store(events: readonly unknown[], offset: string): Promise<void>;\n`,
    "docs/guides/webhooks.md": "declare const body: string, headers: Headers, secret: string;\n",
  };
  for (const [page, own] of Object.entries(pages)) {
    it(`are those that the documents import and use: ${page}`, async () => {
      const shown = blocksOf(readFile(page).text, "ts");
      const blocks = shown.filter((block) => !block.includes("@durable-streams/client"));
      assert.ok(blocks.length > 0);
      const [first = "", ...others] = blocks;
      const given = `declare const transactions: AsyncIterable<Transaction>;
declare const transaction: Transaction;
declare function report(what: unknown): void;\n`;
      const scoped = others.map((block) => `async () => {\n${block}\n};\n`).join("");
      const names = 'import type { Transaction } from "@sluice/client";\n';
      assert.equal(await compileProgram(built, names + first + given + own + scoped, node), "");
    });
  }
});
