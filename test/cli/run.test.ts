// Help, usage errors, and other errors before a command begins.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { commands, groups, headings } from "../../src/cli/commands.ts";
import { exitCodes } from "../../src/cli/exit-code.ts";
import { optionFlag } from "../../src/cli/program.ts";
import { settings } from "../../src/config.ts";
import { version } from "../../src/cli/version.ts";
import { makeCommandLine } from "./command-line.ts";

const line = makeCommandLine();

describe("the command line", () => {
  it("shows every command, or its group, in the help", async () => {
    const { code, out } = await line.type("--help");
    assert.equal(code, 0);
    for (const { name } of commands)
      assert.match(out, new RegExp(`^  ${name.split(" ")[0]}\\b`, "m"));
    assert.match(out, /DATABASE_URL {2,}\S/);
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
      const { code, name, message } = await line.fail(...words);
      assert.deepEqual([code, name], [2, "usage"]);
      assert.match(message, /the command is missing\. `sluice --help` lists all commands\./);
    }
  });

  it("also helps when help is typed first", async () => {
    for (const words of ["", "key", "key create", "serve"]) {
      const asked = await line.type(...`help ${words}`.trim().split(" "));
      assert.deepEqual(asked, await line.type(...`${words} --help`.trim().split(" ")));
      assert.equal(asked.code, 0);
    }
  });

  it("lists each first word under one heading of the help", () => {
    const first = new Set(commands.map(({ name }) => name.split(" ")[0] ?? ""));
    assert.deepEqual(Object.values(headings).flat().toSorted(), [...first].toSorted());
  });

  it("shows the exit codes and the settings with --help, and where to find them without", async () => {
    const full = (await line.type("--help")).out;
    for (const [code, meaning] of Object.entries(exitCodes)) {
      assert.match(full, new RegExp(`^  ${code} +${meaning.split(" ")[0]}`, "m"));
    }
    for (const { name } of Object.values(settings))
      assert.match(full, new RegExp(`^  ${name} `, "m"));
    const short = (await line.type()).err;
    assert.doesNotMatch(short, /DATABASE_URL/);
    assert.match(short, /`sluice --help` also lists the settings and exit codes/);
  });

  it("keeps to 100 columns in all of its help, except for examples", async () => {
    const asked = ["", ...Object.keys(groups), ...commands.map(({ name }) => name)];
    for (const words of asked) {
      const { out } = await line.type(...`${words} --help`.trim().split(" "));
      const long = out
        .split("\n")
        .filter((text) => text.length > 100 && !/^ {2}.*sluice /.test(text));
      assert.deepEqual(long, [], words);
    }
  });

  it("has a group for each first word of two, and no other", () => {
    const first = commands.map(({ name }) => name.split(" ")).filter(({ length }) => length === 2);
    assert.deepEqual(new Set(first.map(([word]) => word)), new Set(Object.keys(groups)));
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
    }
  });
});

describe("a usage error exits with 2 and one line that says what was expected", () => {
  const mistakes: readonly (readonly [words: string, says: RegExp])[] = [
    [
      "organisation list",
      /unknown command 'organisation'\. Did you mean `sluice organization list`\?/,
    ],
    ["organization lst", /unknown command 'lst'\. Did you mean `sluice organization list`\?/],
    [
      "create organization",
      /unknown command 'create'\. Did you mean `sluice organization create`\?/,
    ],
    ["verify", /unknown command 'verify'\. Did you mean `sluice receipt verify`\?/],
    ["start", /unknown command 'start'\. Did you mean `sluice serve`\?/],
    ["orgs show", /unknown command 'orgs'\. Did you mean `sluice organization show`\?/],
    ["frobnicate", /unknown command 'frobnicate'\. `sluice --help` lists all commands\./],
    ["toString", /unknown command 'toString'\. `sluice --help` lists all commands\./],
    ["organization create", /--name <NAME>/],
    ["organization create --name x surplus", /too many arguments/],
    ["organization set x --nam y", /unknown option '--nam'.*--name/],
    [
      "key create --organiztion x",
      /unknown option '--organiztion' \(Did you mean --organization\?\)/,
    ],
    [
      "key create --name=x",
      /required option '--organization <ID>' not specified\. `sluice key create --help`/,
    ],
    ["key --nothing", /unknown option '--nothing'\. `sluice key --help` lists its commands\./],
    ["organization show", /missing required argument 'ID'/],
    ["organization set x --strict-scopes yes", /must be "on" or "off"/],
    ["organization set x --deletion-grace 1w", /such as 90d, 12h, 30m or 45s/],
    ["organization set x --rate-limit many", /from 0 \(no limit\) to 10000000, or "default"/],
    [
      "key create --organization x --scopes transaction:write",
      /no scope "transaction:write".*transactions:write/,
    ],
    ["key create --organization x --expires never", /such as 90d, 12h, 30m or 45s/],
    ["deletion list --status done", /one of pending, processing, completed, cancelled/],
    ["deletion list --limit 0", /whole number from 1 to 10000/],
    ["deletion hold transaction tx-1 --reason x", /needs --organization/],
    ["deletion hold transaction --reason x --organization y", /TYPE ID --organization/],
    ["deletion release transaction tx-1", /needs --organization/],
    ["demo --count 0", /whole number from 1 to/],
  ];
  for (const [words, says] of mistakes) {
    it(words, async () => {
      const plain = await line.type(...words.split(" "));
      assert.equal(plain.code, 2);
      assert.equal(plain.out, "");
      assert.match(plain.err, /^sluice: [^\n]*\n$/);
      assert.match(plain.err, says);
      const { code, name, message } = await line.fail(...words.split(" "));
      assert.deepEqual({ code, name }, { code: 2, name: "usage" });
      assert.match(message, says);
    });
  }
});

describe("another error exits with 1", () => {
  it("invalid settings are named", async () => {
    const wrong = makeCommandLine({ environment: { PORT: "http" } });
    const { code, name, message } = await wrong.fail("organization", "list");
    assert.deepEqual({ code, name }, { code: 1, name: "settings" });
    assert.match(message, /PORT must be a whole number/);
  });

  it("an invalid address of Redis is named without being shown", async () => {
    const urls = [
      "localhost:6379",
      "http://u:hidden@h",
      "redis://",
      "redis://@/0",
      "redis://u:hid%den@h/0/x",
      "redis://u:hid/den@h",
    ];
    for (const url of urls) {
      const wrong = makeCommandLine({ environment: { RATE_LIMIT_REDIS_URL: url } });
      const { code, name, message } = await wrong.fail("serve");
      assert.deepEqual({ code, name }, { code: 1, name: "settings" }, url);
      assert.match(message, /RATE_LIMIT_REDIS_URL must be a URL such as redis:/);
      assert.doesNotMatch(message, /hid|localhost/);
    }
  });

  it("a store that can't be opened is named", async () => {
    const wrong = makeCommandLine({ environment: { DATABASE_URL: "sqlite:/dev/null/sluice.db" } });
    const { code, name, message } = await wrong.fail("organization", "list");
    assert.deepEqual({ code, name }, { code: 1, name: "store" });
    assert.match(message, /\/dev\/null/);
  });
});
