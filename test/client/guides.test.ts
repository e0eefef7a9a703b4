// The pages on clients, each assembled to a program and run against a real server: it prints what
// its page shows, has the described effects, and its receipt is genuine. A language that is not
// installed is skipped and reported.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { clientOf, useSite } from "./real-site.ts";
import { goEnvironment, goFolder, pythonEnvironment } from "../clients/subject.ts";
import { blocksOf, patternOf } from "../repository/rule/pages.ts";
import { readFile, root } from "../repository/tree.ts";
import { type Customer, makeCustomer } from "../support/customer.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { buildClient, compileProgram } from "./built-client.ts";

const run = promisify(execFile);

interface Language {
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
    page: "curl",
    block: "sh",
    file: "main.sh",
    words: ["sh", "-e", "main.sh"],
    probe: "-c curl --version",
  },
  {
    page: "typescript",
    block: "ts",
    file: "main.ts",
    words: [process.execPath, "main.ts"],
    probe: "--version",
  },
  {
    page: "python",
    block: "python",
    file: "main.py",
    words: ["python3", "main.py"],
    // Python 3.10 has zip with strict.
    probe: "-c zip(strict=True)",
  },
  { page: "go", block: "go", file: "main.go", words: ["go", "run", "."], probe: "version" },
];

/** The client's own module is not on a proxy. */
const goModule = `module example.com/guide

go 1.22

require github.com/sluice-intake/sluice-go v0.0.0

replace github.com/sluice-intake/sluice-go => ${goFolder}
`;

const pathOf = ({ page }: Language): string => `docs/guides/clients/${page}.md`;

describe("the pages on clients", () => {
  const folder = makeTempFolder();
  const site = useSite();
  before(() => {
    for (const { page } of languages) mkdirSync(join(folder, page));
  });
  after(() => removeFolder(folder));

  for (const language of languages) {
    it(`work as shown: ${language.page}`, async (context) => {
      const { block, file, words, page, probe } = language;
      const [command, ...rest] = words;
      if (!(await isHere(command, probe))) {
        context.skip(`needs ${command}, which answers to ${probe}`);
        return;
      }
      const { text } = readFile(pathOf(language));
      const program = blocksOf(text, block).join("\n");
      const place = page === "typescript" ? await typescriptFolder(program) : join(folder, page);
      writeFileSync(join(place, file), program);
      if (page === "go") writeFileSync(join(place, "go.mod"), goModule);
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
  const titles = readFile(pathOf(language)).text.matchAll(/^## (.+)$/gm);
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
