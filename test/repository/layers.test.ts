// The layers and the absence of import cycles, in the real source and in examples that break them.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findCycles } from "./rule/cycles.ts";
import { findLayerViolations } from "./rule/layers.ts";
import { findLoadedPackages } from "./rule/loaded-packages.ts";
import { findShellCommands } from "./rule/words.ts";
import { findStoreCalls } from "./rule/store-calls.ts";
import { importsOf, parseFiles } from "./syntax.ts";
import { readCode } from "./tree.ts";

describe("the layers", () => {
  const house = parseFiles(readCode());

  it("are respected by every file of the source", () => {
    assert.deepEqual(findLayerViolations(house), []);
  });

  it("are kept by every call: entry points reach the store through actions only", () => {
    assert.deepEqual(findStoreCalls(house), []);
  });

  it("are kept by messages: an action names no command of the shell, which the console shows too", () => {
    assert.deepEqual(readCode().flatMap(findShellCommands), []);
    const text = '  "List them with: sluice deletion list",';
    assert.equal(findShellCommands({ path: "src/actions/a.ts", text }).length, 1);
    assert.equal(findShellCommands({ path: "src/actions/a.ts", text: `//${text}` }).length, 0);
    assert.equal(findShellCommands({ path: "src/cli/a.ts", text }).length, 0);
  });

  it("have no import cycle", () => {
    assert.deepEqual(findCycles(house), []);
  });

  it("load telemetry only where it is configured: by one import at run time", () => {
    const loading = house
      .filter(({ path }) => /^src\/(?!telemetry\/)/.test(path))
      .flatMap((file) => importsOf(file).map((found) => ({ ...found, path: file.path })))
      .filter(({ specifier, typesOnly }) => !typesOnly && specifier.includes("/telemetry/"))
      .map(({ path, specifier, node }) => `${path} ${specifier} ${node.getText().slice(0, 7)}`);
    assert.deepEqual(loading.sort(), [
      "src/process/start-telemetry.ts ../telemetry/open-telemetry.ts import(",
    ]);
  });

  const loaded: Readonly<Record<string, readonly string[]>> = {
    "src/cli/main.ts": ["commander"],
    "src/process/serve.ts": ["fastify", "pino", "typebox"],
    "src/process/bulk-thread.ts": ["typebox"],
    "src/store/sqlite/commit/writer-thread.ts": [],
    "src/store/sqlite/file/file-thread.ts": [],
  };
  for (const [entry, packages] of Object.entries(loaded)) {
    it(`load few packages at the start of ${entry}, each of which costs time`, () => {
      assert.deepEqual(findLoadedPackages(house, entry), packages);
    });
  }

  it("load what is imported at the start, by any way but types and imports at run time", () => {
    const files = parse({
      "src/a.ts": 'import { b } from "./b/b.ts";\nimport type { C } from "only-types";',
      "src/b/b.ts":
        'export { d } from "../d.ts";\nimport "node:fs";\nconst e = () => import("at-run-time");',
      "src/d.ts": 'import f from "@scope/name/part";\nimport "./b/b.ts";\nimport "plain";',
    });
    assert.deepEqual(findLoadedPackages(files, "src/a.ts"), ["@scope/name", "plain"]);
  });

  const violations: readonly (readonly [path: string, text: string, why: string])[] = [
    ["src/domain/a.ts", 'import { App } from "../actions/app.ts";', "domain imports upward"],
    ["src/domain/a.ts", 'import type { App } from "../actions/app.ts";', "also for a type"],
    ["src/domain/a.ts", 'import { readFileSync } from "node:fs";', "domain does input"],
    ["src/domain/a.ts", 'import { z } from "zod";', "domain imports another package"],
    ["src/domain/a.ts", 'import { z } from "typebox-other";', "a package with a like name"],
    ["src/domain/a.ts", 'export { App } from "../actions/app.ts";', "domain exports again"],
    ["src/domain/a.ts", 'const app = await import("../actions/app.ts");', "domain imports later"],
    ["src/domain/a.ts", "const app = await import(name);", "it is unknown what is imported"],
    [
      "src/store/interface/store.ts",
      'import { app } from "../actions/app.ts";',
      "the store calls an action",
    ],
    ["src/store/a.ts", 'import { a } from "./sqlite/a.ts";', "the store knows an engine"],
    ["src/store/sqlite/a.ts", 'import { a } from "../postgres/a.ts";', "an engine knows another"],
    ["src/store/sql/a.ts", 'import { a } from "../sqlite/a.ts";', "shared SQL knows an engine"],
    ["src/store/sql/a.ts", 'import { DatabaseSync } from "node:sqlite";', "and its driver"],
    [
      "src/store/a.ts",
      'import { findKey } from "./sql/access/api-key.ts";',
      "shared SQL outside an engine",
    ],
    [
      "src/actions/a.ts",
      'import { openStore } from "../store/interface/store.ts";',
      "more than types",
    ],
    [
      "src/actions/a.ts",
      'import { type A, open } from "../store/interface/store.ts";',
      "more than types",
    ],
    [
      "src/actions/a.ts",
      'import type { A } from "../store/open-store.ts";',
      "another file's types",
    ],
    [
      "src/actions/a.ts",
      'import { reply } from "../http/reply.ts";',
      "an action calls an entry point",
    ],
    ["src/actions/a.ts", 'import { makeLog } from "../log.ts";', "an action logs"],
    ["src/cli/a.ts", 'export const a = app.store.engine === "sqlite";', "a command knows engines"],
    ["src/cli/a.ts", "export const a = texts[engine];", "a table by engine"],
    ["src/basics/a.ts", 'import { limits } from "../domain/limits.ts";', "a basic has imports"],
    ["src/files/a.ts", 'import { limits } from "../domain/limits.ts";', "files know a rule"],
    ["src/domain/a.ts", 'import { isPresent } from "../files/present.ts";', "domain does input"],
    [
      "src/http/a.ts",
      'import type { Store } from "../store/interface/store.ts";',
      "http knows the store",
    ],
    ["src/http/a.ts", 'import { makeLog } from "../log.ts";', "http opens a log"],
    [
      "src/http/a.ts",
      'import { startLoop } from "../worker/loop.ts";',
      "an entry point calls an entry point",
    ],
    ["src/worker/a.ts", 'import { store } from "../store/open-store.ts";', "worker opens a store"],
    [
      "src/http/a.ts",
      'import type { Tracing } from "../telemetry/telemetry.ts";',
      "http knows what observes it",
    ],
    ["src/telemetry/a.ts", 'import { makeServer } from "../http/server.ts";', "more than types"],
    [
      "src/telemetry/a.ts",
      'import type { Config } from "../settings/config.ts";',
      "telemetry reads settings",
    ],
    [
      "src/cli/a.ts",
      'import type { Store } from "../../src/store/interface/store.ts";',
      "cli knows the store",
    ],
    ["src/bulk/a.ts", 'import type { Output } from "../cli/command.ts";', "bulk knows the cli"],
    [
      "src/bulk/a.ts",
      'import type { Store } from "../store/interface/store.ts";',
      "bulk knows the store",
    ],
    ["src/actions/a.ts", 'import { importFile } from "../bulk/a.ts";', "an action imports files"],
    ["src/http/a.ts", 'import { Sluice } from "../../client/src/sluice.ts";', "http uses the SDK"],
    [
      "src/cli/a.ts",
      'import { server } from "../http/server.ts";',
      "cli opens another entry point",
    ],
    ["src/cli/command/a.ts", 'import { loop } from "../../worker/loop.ts";', "cli runs the worker"],
    [
      "src/process/serve.ts",
      'import { a } from "../store/sqlite/a.ts";',
      "an engine, past the choice",
    ],
    [
      "src/process/serve.ts",
      'import { a } from "../../test/support/server.ts";',
      "the source needs a test",
    ],
    ["src/actions/a.ts", 'import { DatabaseSync } from "node:sqlite";', "a database outside"],
    ["src/actions/a.ts", 'import { readFileSync } from "fs";', "a module without node:"],
    ["src/actions/a.ts", 'const find = "SELECT id FROM record WHERE id = ?";', "SQL outside"],
    [
      "src/store/interface/store.ts",
      "const a = `insert into record (id) values (?)`;",
      "SQL outside",
    ],
    ["src/http/a.ts", "const a = `DELETE FROM record WHERE id = ${id}`;", "SQL with a gap"],
    [
      "client/src/a.ts",
      'import { limits } from "../../src/domain/limits.ts";',
      "needs the service",
    ],
    ["client/src/a.ts", 'import { setTimeout } from "node:timers";', "the client needs Node"],
    ["client/src/a.ts", 'import { fetch } from "undici";', "the client needs a package"],
    [
      "client/generate/a.ts",
      'import { openApp } from "../../src/process/app.ts";',
      "more than schemas",
    ],
    ["src/process/app.ts", 'const a = "PRAGMA journal_mode = WAL";', "SQL outside"],
  ];

  it("are violated by each of these", () => {
    const files = violations.map(([path, text], index) => ({
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
      "src/actions/a.ts":
        'import type { Store } from "../store/interface/store.ts";\nimport { hash } from "node:crypto";\n' +
        "// SELECT id FROM record WHERE it is only spoken of\nconst a = 'Select a record from the list';",
      "src/http/verb/a.ts": 'import { app } from "../../actions/app.ts";',
      "src/cli/command/a.ts": 'const { openApp } = await import("../../process/app.ts");',
      "src/bulk/import/a.ts":
        'import type { App } from "../../actions/app.ts";\n' +
        'import { Sluice } from "../../../client/src/sluice.ts";',
      "src/cli/a.ts": 'import { importFile } from "../bulk/import/import-file.ts";',
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

  it("would show a cycle, also one of types and one within a larger graph", () => {
    const files = parse({
      "src/a.ts": 'import { b } from "./b/b.ts";',
      "src/b/b.ts": 'import type { C } from "../c.ts";',
      "src/c.ts": 'export { b } from "./b/b.ts";',
      "src/d.ts": 'import { a } from "./a.ts";\nimport { b } from "./b/b.ts";',
    });
    assert.deepEqual(findCycles(files), ["import cycle: src/b/b.ts → src/c.ts → src/b/b.ts"]);
  });
});

function parse(files: Readonly<Record<string, string>>) {
  return parseFiles(Object.entries(files).map(([path, text]) => ({ path, text })));
}
