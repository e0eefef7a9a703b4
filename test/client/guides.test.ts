// The pages on clients, each assembled to a program and run against a real server: it prints what its page shows, has
// the described effects, and its receipt is genuine. A language that is not installed is skipped and reported. The
// types of the client: generated from the schemas and up to date, usable without Node's types, and consistent with what
// the service accepts: its examples compile, and what it rejects does not.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, globSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { promisify } from "node:util";
import { clientOf, useSite } from "./real-site.ts";
import { goEnvironment, goFolder, pythonEnvironment } from "../clients/subject.ts";
import { blocksOf, patternOf } from "../repository/rule/pages.ts";
import { readFile, root } from "../repository/tree.ts";
import { type Customer, makeCustomer } from "../support/customer.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { buildClient, type BuiltClient, compile, compileProgram } from "./built-client.ts";
import { pascalCase } from "../../client/generate/code-text.ts";
import { collectionName } from "../../client/generate/collections.ts";
import { clientFiles } from "../../client/generate/files.ts";
import { type Declarations, declare } from "../../client/generate/schema-types.ts";
import { recordTypes } from "../../src/domain/record-types.ts";
import { alternativesOf, type SchemaShape } from "../../src/domain/schema/schema-shape.ts";

const run = promisify(execFile);

interface Language {
  readonly name: string;
  readonly page: string;
  /** Of its blocks, and the program that they form. */
  readonly block: string;
  readonly file: string;
  /** The command that runs the file; `probe` tests whether it is installed. */
  readonly words: readonly [string, ...string[]];
  readonly probe: string;
}

const languages: readonly Language[] = [
  {
    name: "curl",
    page: "docs/guides/curl.md",
    block: "sh",
    file: "main.sh",
    words: ["sh", "-e", "main.sh"],
    probe: "-c curl --version",
  },
  {
    name: "typescript",
    page: "client/README.md",
    block: "ts",
    file: "main.ts",
    words: [process.execPath, "main.ts"],
    probe: "--version",
  },
  {
    name: "python",
    page: "clients/python/README.md",
    block: "python",
    file: "main.py",
    words: ["python3", "main.py"],
    // Python 3.10 has zip with strict.
    probe: "-c zip(strict=True)",
  },
  {
    name: "go",
    page: "clients/go/README.md",
    block: "go",
    file: "main.go",
    words: ["go", "run", "."],
    probe: "version",
  },
];

/** The client's own module is not on a proxy. */
const goModule = `module example.com/guide

go 1.22

require github.com/sluice-intake/sluice-go v0.0.0

replace github.com/sluice-intake/sluice-go => ${goFolder}
`;

/** What is before and after it shows how to install the client, and calls that are not part of the program. */
function programPart(page: string): string {
  const sections = readFile(page).text.split(/^(?=## )/m);
  const titles = sections.map((section) => section.split("\n", 1)[0]);
  return sections.slice(titles.indexOf("## Connect"), titles.indexOf("## Output") + 1).join("");
}

describe("the pages on clients", () => {
  const folder = makeTempFolder();
  const site = useSite();
  before(() => {
    for (const { name } of languages) mkdirSync(join(folder, name));
  });

  for (const language of languages) {
    it(`work as shown: ${language.page}`, async (context) => {
      const { block, file, words, name, probe } = language;
      const [command, ...rest] = words;
      if (!(await isHere(command, probe))) {
        context.skip(`needs ${command}, which answers to ${probe}`);
        return;
      }
      const text = programPart(language.page);
      const program = blocksOf(text, block).join("\n");
      const place = name === "typescript" ? await typescriptFolder(program) : join(folder, name);
      writeFileSync(join(place, file), program);
      if (name === "go") writeFileSync(join(place, "go.mod"), goModule);
      const { server } = site();
      const customer = await server.operate((app) => makeCustomer(app, server.client));
      const env = { ...process.env, ...environmentOf(customer, server.address) };
      const { stdout } = await run(command, rest, { cwd: place, env });
      const [shown = ""] = blocksOf(text, "text");
      assert.deepEqual(differences(stdout, shown), []);
      await requireEffects(customer, server.address);
      await requireGenuineReceipt(place);
    });
  }

  it("have the same parts in the same order", () => {
    const [first = [], ...others] = languages.map(partsOf);
    assert.equal(first.length, 11);
    for (const parts of others) {
      assert.deepEqual(
        parts.filter((part) => part !== "All of it"),
        first,
      );
    }
  });

  it("would be reported if any line, or their number, differed", () => {
    assert.deepEqual(differences("one\nsix\n", "one\n…\n"), []);
    assert.equal(differences("one\ntwo\n", "one\nthree\n").length, 1);
    assert.equal(differences("one\n", "one\ntwo\n").length, 1);
    assert.equal(differences("one\ntwo\n", "one\n").length, 1);
  });
});

function partsOf(language: Language): readonly string[] {
  const titles = programPart(language.page).matchAll(/^## (.+)$/gm);
  return [...titles].map(([, title = ""]) => title);
}

async function isHere(command: string, probe: string): Promise<boolean> {
  const [first = "", ...rest] = probe.split(" ");
  try {
    await run(command, rest.length > 0 ? [first, rest.join(" ")] : [first]);
    return true;
  } catch {
    return false;
  }
}

/** Where the package is found by its name. */
async function typescriptFolder(program: string): Promise<string> {
  const built = await buildClient();
  const settings = { lib: ["es2022"], types: ["node"], skipLibCheck: true };
  assert.equal(await compileProgram(built, program, settings), "");
  return built.folder;
}

function environmentOf(customer: Customer, address: string): Record<string, string> {
  return {
    SLUICE_URL: address,
    SLUICE_API_KEY: customer.apiKey,
    SLUICE_ORGANIZATION: customer.organizationId,
    ...goEnvironment,
    ...pythonEnvironment,
  };
}

function differences(printed: string, shown: string): readonly string[] {
  const [lines, patterns] = [printed.trimEnd().split("\n"), shown.trimEnd().split("\n")];
  return Array.from({ length: Math.max(lines.length, patterns.length) }, (_, at) => at)
    .filter((at) => !patternOf(patterns[at] ?? "").test(lines[at] ?? ""))
    .map((at) => `line ${at + 1} is "${lines[at]}" and not "${patterns[at]}"`);
}

/** What every page adds, and deletes. */
async function requireEffects(customer: Customer, address: string): Promise<void> {
  const client = clientOf(customer, address);
  const there = await Promise.all(
    ["tx-1", "tx-2", "tx-3", "tx-5"].map((id) => client.transactions.exists(id)),
  );
  assert.deepEqual(
    there.map((found) => found !== undefined),
    [false, true, true, false],
  );
}

async function requireGenuineReceipt(place: string): Promise<void> {
  const words = ["bin/sluice.js", "receipt", "verify", join(place, "receipt.json")];
  await run(process.execPath, [...words, "--keys", join(place, "keys.json")], { cwd: root });
}

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
      `sluice.transactions.delete("a", "b", { basis: "consent" })`,
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
    "docs/guides/changes.md": `declare const baseUrl: string, apiKey: string, organizationId: string;
declare const stored: string | undefined;
declare function store(events: readonly unknown[], offset: string): Promise<void>;\n`,
    "docs/guides/webhooks.md": "declare const body: string, headers: Headers, secret: string;\n",
  };
  it("are those that the documents import and use", async () => {
    const programs = Object.entries(pages).map(([page, own]) => {
      const shown = blocksOf(readFile(page).text.replace(programPart(page), ""), "ts");
      const blocks = shown.filter((block) => !block.includes("@durable-streams/client"));
      assert.ok(blocks.length > 0);
      const [first = "", ...others] = blocks;
      const given = `declare const transactions: AsyncIterable<Transaction>;
declare const transaction: Transaction;
declare function report(what: unknown): void;\n`;
      const scoped = others.map((block) => `async () => {\n${block}\n};\n`).join("");
      const names = 'import type { Transaction } from "@sluice/client";\n';
      return names + first + given + own + scoped;
    });
    assert.equal(await compileProgram(built, programs, node), "");
  });
});
