// The rules of the layers, in examples that keep and break them (code.test.ts applies them).

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findCrowdedPages } from "./rule/console-pages.ts";
import { findLayerViolations } from "./rule/layers.ts";
import { findLoaded } from "./rule/loaded.ts";
import { findShellCommands } from "./rule/words.ts";
import { findStoreCalls } from "./rule/store-calls.ts";
import { parseFiles } from "./syntax.ts";

describe("the layers", () => {
  it("are broken by a message of an action that names a command of the shell", () => {
    const text = '  "List them with: sluice deletion list",';
    assert.equal(findShellCommands({ path: "src/actions/a.ts", text }).length, 1);
    assert.equal(findShellCommands({ path: "src/actions/a.ts", text: `//${text}` }).length, 0);
    assert.equal(findShellCommands({ path: "src/cli/a.ts", text }).length, 0);
    const named = text.replace("sluice", "${sluice}");
    assert.equal(findShellCommands({ path: "src/actions/a.ts", text: named }).length, 1);
  });

  it("are broken by a message that does not name the program as it has to be typed", () => {
    const text = "<code>sluice check</code>";
    assert.equal(findShellCommands({ path: "src/console/a.ts", text }).length, 1);
    const named = text.replace("sluice", "${sluice}");
    assert.equal(findShellCommands({ path: "src/console/a.ts", text: named }).length, 0);
  });

  it("load what is imported at the start, by any way but types and imports at run time", () => {
    const files = parse({
      "src/a.ts": 'import { b } from "./b/b.ts";\nimport type { C } from "only-types";',
      "src/b/b.ts":
        'export { d } from "../d.ts";\nimport "node:fs";\nconst e = () => import("at-run-time");',
      "src/d.ts": 'import f from "@scope/name/part";\nimport "./b/b.ts";\nimport "plain";',
    });
    assert.deepEqual(findLoaded(files, "src/a.ts").packages, ["@scope/name", "plain"]);
    const { packages: all } = findLoaded(files, "src/a.ts", { later: true });
    assert.deepEqual(all, ["@scope/name", "at-run-time", "plain"]);
  });

  /** What a file imports; only types where it says so. */
  const imports: readonly (readonly [path: string, imported: string, why: string])[] = [
    ["src/domain/a.ts", "../actions/app.ts", "domain imports upward"],
    ["src/domain/a.ts", "type ../actions/app.ts", "also for a type"],
    ["src/domain/a.ts", "node:fs", "domain does input"],
    ["src/domain/a.ts", "zod", "domain imports another package"],
    ["src/domain/a.ts", "typebox-other", "a package with a like name"],
    ["src/store/interface/store.ts", "../actions/app.ts", "the store calls an action"],
    ["src/store/a.ts", "./sqlite/a.ts", "the store knows an engine"],
    ["src/store/sqlite/a.ts", "../postgres/a.ts", "an engine knows another"],
    ["src/store/sql/a.ts", "../sqlite/a.ts", "shared SQL knows an engine"],
    ["src/store/sql/a.ts", "node:sqlite", "and its driver"],
    ["src/store/a.ts", "./sql/access/api-key.ts", "shared SQL outside an engine"],
    ["src/store/interface/store.ts", "../sql/methods.ts", "more than types of shared SQL"],
    ["src/store/interface/a.ts", "type ../sql/methods.ts", "an interface knows statements"],
    ["src/store/sqlite/a.ts", "../../feature/parts.ts", "an engine knows what features have"],
    ["src/actions/a.ts", "../store/interface/store.ts", "more than types"],
    ["src/actions/a.ts", "type ../store/open-store.ts", "another file's types"],
    ["src/actions/a.ts", "../http/reply.ts", "an action calls an entry point"],
    ["src/actions/a.ts", "../log.ts", "an action logs"],
    ["src/basics/a.ts", "../domain/limits.ts", "a basic has imports"],
    ["src/files/a.ts", "../domain/limits.ts", "files know a rule"],
    ["src/domain/a.ts", "../files/present.ts", "domain does input"],
    ["src/http/a.ts", "type ../store/interface/store.ts", "http knows the store"],
    ["src/http/a.ts", "../log.ts", "http opens a log"],
    ["src/http/a.ts", "../worker/loop.ts", "an entry point calls an entry point"],
    ["src/worker/a.ts", "../store/open-store.ts", "worker opens a store"],
    ["src/cli/a.ts", "type ../../src/store/interface/store.ts", "cli knows the store"],
    ["src/bulk/a.ts", "type ../cli/command.ts", "bulk knows the cli"],
    ["src/bulk/a.ts", "type ../store/interface/store.ts", "bulk knows the store"],
    ["src/actions/a.ts", "../bulk/a.ts", "an action imports files"],
    ["src/http/a.ts", "../../client/src/sluice.ts", "http uses the SDK"],
    ["src/cli/a.ts", "../http/server.ts", "cli opens another entry point"],
    ["src/cli/command/a.ts", "../../worker/loop.ts", "cli runs the worker"],
    ["src/process/serve.ts", "../store/sqlite/a.ts", "an engine, past the choice"],
    ["src/process/serve.ts", "../../test/support/server.ts", "the source needs a test"],
    ["src/actions/a.ts", "node:sqlite", "a database outside"],
    ["src/actions/a.ts", "fs", "a module without node:"],
    ["client/src/a.ts", "../../src/domain/limits.ts", "needs the service"],
    ["client/src/a.ts", "node:timers", "the client needs Node"],
    ["client/src/a.ts", "undici", "the client needs a package"],
    ["client/generate/a.ts", "../../src/process/app.ts", "more than schemas"],
  ];

  const texts: readonly (readonly [path: string, text: string, why: string])[] = [
    ["src/domain/a.ts", 'export { App } from "../actions/app.ts";', "domain exports again"],
    ["src/domain/a.ts", 'const app = await import("../actions/app.ts");', "domain imports later"],
    ["src/domain/a.ts", "const app = await import(name);", "it is unknown what is imported"],
    [
      "src/actions/a.ts",
      'import { type A, open } from "../store/interface/store.ts";',
      "more than types",
    ],
    ["src/cli/a.ts", 'export const a = app.store.engine === "sqlite";', "a command knows engines"],
    ["src/cli/a.ts", "export const a = texts[engine];", "a table by engine"],
    ["src/actions/a.ts", 'const find = "SELECT id FROM record WHERE id = ?";', "SQL outside"],
    ["src/feature/one/a.ts", 'const find = "SELECT id FROM a WHERE id = ?";', "SQL of a feature"],
    [
      "src/store/interface/store.ts",
      "const a = `insert into record (id) values (?)`;",
      "SQL outside",
    ],
    ["src/http/a.ts", "const a = `DELETE FROM record WHERE id = ${id}`;", "SQL with a gap"],
    ["src/process/app.ts", 'const a = "PRAGMA journal_mode = WAL";', "SQL outside"],
  ];

  it("are violated by each of these", () => {
    const statements = imports.map(([path, imported]) => {
      const [from = "", isType] = imported.split(" ").toReversed();
      return [path, `import ${isType === undefined ? "" : "type "}{ a } from "${from}";`] as const;
    });
    const files = [...statements, ...texts].map(([path, text], index) => ({
      path: path.replace(/a\.ts$/, `a${index}.ts`),
      text,
    }));
    const missed = parseFiles(files).filter((file) => findLayerViolations([file]).length !== 1);
    assert.deepEqual(
      missed.map(({ path, text }) => `${path}: ${text}`),
      [],
    );
  });

  it("are respected by each of these", () => {
    const fine = {
      "src/domain/a.ts":
        'import { Compile } from "typebox/compile";\nimport { limits } from "./b.ts";',
      "src/domain/record-type/a.ts": 'import { limits } from "../limits.ts";',
      "src/store/sqlite/a.ts":
        'import { DatabaseSync } from "node:sqlite";\nimport type { Store } from "../interface/store.ts";\n' +
        'const find = "SELECT id FROM record";',
      "src/store/sql/a.ts":
        'import type { Act } from "../interface/act.ts";\nconst find = "SELECT id FROM record";',
      "src/store/postgres/a.ts": 'import { findKey } from "../sql/access/api-key.ts";',
      "src/store/open-store.ts": 'import { openSqlite } from "./sqlite/open-sqlite.ts";',
      "src/store/interface/store.ts": 'import type { StoreParts } from "../sql/store-parts.ts";',
      "src/store/sqlite/commit/writer-thread.ts":
        'import { storeParts } from "../../../feature/parts.ts";',
      "src/actions/a.ts":
        'import type { Store } from "../store/interface/store.ts";\nimport { hash } from "node:crypto";\n' +
        "// SELECT id FROM record WHERE it is only spoken of\nconst a = 'Select a record from the list';",
      "src/http/verb/a.ts": 'import { app } from "../../actions/app.ts";',
      "src/cli/command/a.ts": 'const { openApp } = await import("../../process/app.ts");',
      "src/bulk/export/a.ts": 'import type { App } from "../../actions/app.ts";',
      "src/feature/one/a.ts": 'import { Sluice } from "../../../client/src/sluice.ts";',
      "src/cli/a.ts": 'import { openText } from "../bulk/formats/text-input.ts";',
      "src/process/app.ts": 'import { openStore } from "../store/open-store.ts";',
      "test/a.ts":
        'import { DatabaseSync } from "node:sqlite";\nconst a = "SELECT id FROM record";',
    };
    assert.deepEqual(findLayerViolations(parse(fine)), []);
  });

  it("are broken by each of these calls", () => {
    const calls = [
      "await app.store.listKeys(id);",
      "await context.app.store.holds.list({});",
      "const { store } = app;",
      "const { store: kept } = app;",
      "const f = ({ app: { store } }: Context) => store.ping();",
      "const { store } = context.app, now = 1;",
      "const kept = app.store;",
      'await app["store"].ping();',
      "await app?.store?.ping();",
      "await app.ledger.state();",
    ];
    for (const folder of ["http", "cli", "worker", "bulk"]) {
      const files = calls.map((text, index) => ({ path: `src/${folder}/a${index}.ts`, text }));
      const missed = parseFiles(files).filter((file) => findStoreCalls([file]).length === 0);
      assert.deepEqual(
        missed.map(({ path, text }) => `${path}: ${text}`),
        [],
      );
    }
  });

  it("are kept by these calls", () => {
    const fine = {
      "src/actions/a.ts": "export const f = ({ store }: App) => store.ping();",
      "src/process/serve.ts": "app.store.refuseWrites();",
      "src/http/a.ts": "await submission.store(writer);\nawait listKeys(app, id);",
      "src/cli/a.ts": "import { storeTarget } from '../bulk/store-target.ts';\nstoreTarget(app);",
    };
    assert.deepEqual(findStoreCalls(parse(fine)), []);
  });

  const two = ["one", "two"].map((name) => `import { ${name} } from "../../actions/${name}.ts";`);

  it("are broken by a page of the console that enters a third file of actions, itself or by its part", () => {
    const direct = 'import { five } from "../../actions/five.ts";';
    for (const third of ['import { part } from "./part.ts";', direct]) {
      const [found = "", ...others] = findCrowdedPages(parse(page([...two, third])));
      assert.match(found, /page\/a\.ts: enters (?:\S+, ){2}\S+$/);
      assert.deepEqual(others, []);
    }
  });

  it("are kept by a page that needs two, types, the class of errors, and what pages share", () => {
    const fine = [
      ...two,
      'import type { Five } from "../../actions/five.ts";',
      'import { OperatorError } from "../../actions/operator/operator-error.ts";',
      'import { shared } from "../html/shared.ts";',
    ];
    assert.deepEqual(findCrowdedPages(parse(page(fine))), []);
  });
});

function parse(files: Readonly<Record<string, string>>) {
  return parseFiles(Object.entries(files).map(([path, text]) => ({ path, text })));
}

/** A console with two pages, the first of which has these lines. */
function page(lines: readonly string[]) {
  return {
    "src/console/routes.ts": 'import { a } from "./page/a.ts";\nimport { b } from "./page/b.ts";',
    "src/console/page/a.ts": lines.join("\n"),
    "src/console/page/part.ts": 'import { three } from "../../actions/three.ts";',
    "src/console/html/shared.ts": 'import { four } from "../../actions/four.ts";',
    "src/console/page/b.ts": 'import { shared } from "../html/shared.ts";',
  };
}
