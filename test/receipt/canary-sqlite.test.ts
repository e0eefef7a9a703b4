// Canaries on SQLite: when the deletions are completed, no file of the data folder contains one of
// an erased record, in any form, while others continue to write; and everything that stays is
// there, unchanged.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { startServer, type Server } from "../support/server.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { findWord, goes, stays } from "./canary.ts";
import { type CanaryScene, playCanaries, requireKept } from "./canary-scene.ts";

const folder = makeTempFolder();
let server: Server;
let scene: CanaryScene;
/** By file name, when the last deletion was completed. */
let found: Readonly<Record<string, unknown>>;

function look(word: string): Readonly<Record<string, Readonly<Record<string, number>>>> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const forms = names.map((name) => [name, findWord(readFileSync(name), word)] as const);
  return Object.fromEntries(forms.filter(([, of]) => Object.keys(of).length > 0));
}

before(async () => {
  server = await startServer({ folder });
  scene = await playCanaries(server);
  found = look(goes);
  await scene.stopWriting();
});
after(() => server.stop());

describe("canaries in erased records", () => {
  it("are in no file of the data folder, in no form, when the deletions are completed", () => {
    assert.deepEqual(found, {});
  });

  it("do not come back when others continue to write, nor when the service stops and starts", async () => {
    assert.deepEqual(look(goes), {});
    await server.stop();
    server = await startServer({ folder });
    assert.deepEqual(look(goes), {});
  });
});

describe("canaries in records that stay", () => {
  it("are all there, unchanged", async () => {
    await server.operate(({ store }) => requireKept(store, scene));
    const raw = Object.values(look(stays)).reduce((sum, { raw: times = 0 }) => sum + times, 0);
    assert.ok(raw > scene.kept.length, `${raw}`);
  });
});
