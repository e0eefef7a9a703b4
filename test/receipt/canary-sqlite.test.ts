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
after(async () => {
  await server.stop();
});

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

describe("the search for canaries", () => {
  it("finds one in each form, at any position", () => {
    for (const padding of ["", "x", "xx", "xxx"]) {
      const text = `${padding}${goes}-1-${padding}`;
      const escaped = Array.from(text).map(
        (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
      );
      const forms: Readonly<Record<string, Buffer>> = {
        raw: Buffer.from(text),
        "UTF-16LE": Buffer.from(text, "utf16le"),
        "UTF-16BE": Buffer.from(text, "utf16le").swap16(),
        hex: Buffer.from(Buffer.from(text).toString("hex")),
        base64: Buffer.from(Buffer.from(text).toString("base64")),
        "JSON-escaped": Buffer.from(escaped.join("")),
      };
      for (const [form, bytes] of Object.entries(forms)) {
        assert.equal(findWord(Buffer.concat([Buffer.from("…"), bytes]), goes)[form], 1, form);
      }
      assert.deepEqual(findWord(Buffer.from(`${padding}${stays}`), goes), {});
    }
  });
});
