// Help, usage errors, and other errors before a command begins.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadTable } from "../../src/process/command-table.ts";
import { optionFlag } from "../../src/cli/option-flag.ts";
import { version } from "../../src/process/version.ts";
import { makeCommandLine } from "./command-line.ts";

const { commands, groups, headings } = await loadTable();

const line = makeCommandLine();

describe("the command line", () => {
  it("shows every command, or its group, under its heading", async () => {
    const { code, out } = await line.type("--help");
    assert.equal(code, 0);
    for (const [heading, words] of Object.entries(headings)) {
      const part = out.slice(out.indexOf(`\n${heading}:\n`)).split("\n\n")[0] ?? "";
      for (const word of words) assert.match(part, new RegExp(`^  ${word} `, "m"));
    }
  });

  for (const command of commands) {
    it(`explains \`${command.name}\` with its parameters and an example`, async () => {
      const { code, out, err } = await line.type(...command.name.split(" "), "--help");
      assert.deepEqual({ code, err }, { code: 0, err: "" });
      assert.ok(out.includes("--json"));
      for (const name of Object.keys(command.options))
        assert.ok(out.includes(optionFlag(name)), name);
      for (const { placeholder } of Object.values(command.arguments))
        assert.ok(out.includes(placeholder));
      assert.ok(command.examples.length > 0);
      for (const example of command.examples) {
        assert.ok(out.includes(example));
        assert.ok(example.includes(`sluice ${command.name}`), example);
      }
    });
  }

  it("reports with --json alone that the command is missing", async () => {
    for (const words of [[], ["key"]]) {
      const { name, message } = await line.fail(...words);
      assert.equal(name, "usage");
      assert.match(message, /the command is missing\. `npx sluice --help` lists all commands\./);
    }
  });

  it("also helps when help is typed first", async () => {
    for (const words of ["", "key", "key create", "serve"]) {
      const asked = await line.type(...`help ${words}`.trim().split(" "));
      assert.deepEqual(asked, await line.type(...`${words} --help`.trim().split(" ")));
      assert.equal(asked.code, 0);
    }
  });

  it("names the values of each option that takes one of few", async () => {
    for (const { name, options } of commands) {
      const few = Object.values(options).flatMap(({ values: all = [] }) =>
        all.length > 10 ? [] : all,
      );
      const { out } = await line.type(`help ${name}`);
      for (const value of few) assert.ok(out.includes(value), `${name}: ${value}`);
    }
  });

  it("accepts -o for --organization wherever that exists", async () => {
    const organized = commands.filter(({ options }) => "organization" in options);
    assert.ok(organized.length > 5);
    for (const { name } of organized) {
      const { out } = await line.type(`help ${name}`);
      assert.match(out, /^ {2}-o, --organization <ID> /m, name);
    }
    await line.ask("organization create --name Acme --id acme");
    const made = await line.ask("key create -o acme");
    const { keys } = (await line.ask("key list -oacme")) as { keys: { key_id: string }[] };
    assert.deepEqual(
      keys.map(({ key_id: id }) => id),
      [made["key_id"]],
    );
  });

  it("lists each first word under one heading of the help", () => {
    const first = new Set(commands.map(({ name }) => name.split(" ")[0] ?? ""));
    assert.deepEqual(Object.values(headings).flat().toSorted(), [...first].toSorted());
  });

  it("loads for a first word all of its commands, its group and heading, and no other", async () => {
    for (const word of Object.values(headings).flat()) {
      const loaded = await loadTable(word);
      const own = commands.filter(({ name }) => name.split(" ")[0] === word);
      assert.deepEqual(loaded.commands, own);
      assert.equal(loaded.groups[word], groups[word]);
      const headingOf = (of: typeof headings) =>
        Object.entries(of).find(([, words]) => words.includes(word))?.[0];
      assert.equal(headingOf(loaded.headings), headingOf(headings));
    }
  });

  it("keeps to 80 columns in all of its help, except for examples", async () => {
    const asked = ["", ...Object.keys(groups), ...commands.map(({ name }) => name)];
    for (const words of asked) {
      const { out } = await line.type(...`${words} --help`.trim().split(" "));
      const long = out
        .split("\n")
        .filter((text) => text.length > 80 && !/^ {2}.*sluice /.test(text));
      assert.deepEqual(long, [], words);
    }
  });

  it("has a group for each first word of two, and no other", () => {
    const first = commands.map(({ name }) => name.split(" ")).filter(({ length }) => length === 2);
    // A command of one word has its own summary.
    const single = new Set(commands.map(({ name }) => name));
    const grouped = first.flatMap(([word = ""]) => (single.has(word) ? [] : [word]));
    assert.deepEqual(new Set(grouped), new Set(Object.keys(groups)));
  });

  it("prints its version", async () => {
    for (const words of ["--version", "-V", "version"]) {
      const { code, out } = await line.type(words);
      assert.deepEqual({ code, out }, { code: 0, out: `${version}\n` });
    }
    assert.match(version, /^\d+\.\d+\.\d+/);
  });

  it("exits with 2 and the help on standard error when a command is incomplete", async () => {
    for (const words of [[], ["organization"], ["deletion"]]) {
      const { code, out, err } = await line.type(...words);
      assert.deepEqual({ code, out }, { code: 2, out: "" });
      assert.match(err, /^Usage: sluice/);
      // Each command is explained by a sentence.
      for (const [, about = ""] of err.matchAll(/^ {2}\w.*? {2,}(\S.*)$/gm))
        assert.match(about, /^[A-Z]/);
    }
  });
});

describe("a usage error exits with 2 and one line that says what was expected", () => {
  const mistakes: readonly (readonly [words: string, says: RegExp])[] = [
    [
      "organisation list",
      /unknown command 'organisation'\. Did you mean `npx sluice organization list`\?/,
    ],
    ["organization lst", /unknown command 'lst'\. Did you mean `npx sluice organization list`\?/],
    [
      "create organization",
      /unknown command 'create'\. Did you mean `npx sluice organization create`\?/,
    ],
    ["help frobnicate", /unknown command 'frobnicate'\. `npx sluice --help` lists all commands\./],
    [
      "help organization lst",
      /unknown command 'organization lst'\. Did you mean `npx sluice organization list/,
    ],
    ["frobnicate", /unknown command 'frobnicate'\. `npx sluice --help` lists all commands\./],
    ["toString", /unknown command 'toString'\. `npx sluice --help` lists all commands\./],
    ["organization create", /--name <NAME>/],
    ["key create --name --expires=1d", /The value is missing, or begins with --/],
    ["organization create --name x surplus", /too many arguments/],
    ["organization set x --nam y", /unknown option '--nam'.*--name/],
    [
      "key create --organiztion x",
      /unknown option '--organiztion' \(Did you mean --organization\?\)/,
    ],
    [
      "key create --name=x",
      /required option '-o, --organization <ID>' not specified\. `npx sluice key create --help`/,
    ],
    ["key --nothing", /unknown option '--nothing'\. `npx sluice key --help` lists its commands\./],
    ["organization show", /missing required argument 'ID'/],
    ["organization set x --strict-scopes yes", /must be "on" or "off"/],
    ["organization set x --deletion-grace 1w", /such as 90d, 12h, 30m or 45s/],
    ["organization set x --rate-limit many", /from 0 \(no limit\) to 10000000, or "default"/],
    [
      "key create --organization x --scopes transaction:write",
      /no scope "transaction:write"\. Did you mean transactions:write\? The scopes/,
    ],
    [
      "key create --organization x --scopes Person:Read",
      /no scope "Person:Read"\. Did you mean person:read\?/,
    ],
    ["deletion list --status Pending", /, cancelled; did you mean pending\?/],
    ["key create --organization x --expires never", /such as 90d, 12h, 30m or 45s/],
    ["deletion list --status done", /one of pending, processing, completed, cancelled/],
    ["deletion list --limit 0", /whole number from 1 to 10000/],
    ["deletion hold transaction tx-1 --reason x", /needs --organization/],
    ["deletion hold transaction --reason x --organization y", /TYPE ID --organization/],
    ["deletion release transaction tx-1", /needs --organization/],
    ["retention show acme", /not specified; did you mean --organization acme\?/],
  ];
  for (const [words, says] of mistakes) {
    it(words, async () => {
      const plain = await line.type(...words.split(" "));
      assert.equal(plain.code, 2);
      assert.equal(plain.out, "");
      assert.match(plain.err, /^sluice: [^\n]*\n$/);
      assert.match(plain.err, says);
      await line.refused("usage", says, ...words.split(" "));
    });
  }
});

describe("another error exits with 1", () => {
  it("a store that can't be opened is named", async () => {
    const wrong = makeCommandLine({ environment: { DATABASE_URL: "sqlite:/dev/null/sluice.db" } });
    await wrong.refused("store", /\/dev\/null/, "organization list");
  });
});
