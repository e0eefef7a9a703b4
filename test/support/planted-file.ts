// Places with a file that nobody may change or replace, though its name, or a link to it, is where another is written.

import assert from "node:assert/strict";
import { lstatSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after } from "node:test";
import { makeTempFolder, removeFolder } from "./temp-folder.ts";

const folder = makeTempFolder();
after(() => removeFolder(folder));
let count = 0;

/** A separate folder, with an unrelated file in it. */
export function makePlace(): { place: string; victim: string } {
  count += 1;
  const place = join(folder, String(count));
  mkdirSync(place);
  const victim = join(place, "victim");
  writeFileSync(victim, "precious", { mode: 0o644 });
  return { place, victim };
}

export function assertPrecious(victim: string): void {
  assert.equal(readFileSync(victim, "utf8"), "precious");
  assert.equal(statSync(victim).mode & 0o777, 0o644);
}

export function modeOf(path: string): number {
  return lstatSync(path).mode & 0o777;
}
