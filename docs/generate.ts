// Writes the generated reference pages (npm run docs). The others are written by hand, and a test compares them with
// the code; this changes only what it generates.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pages } from "./generate/pages.ts";

for (const { path, render } of pages) {
  writeFileSync(join(dirnameOfRoot(), path), render());
  process.stdout.write(`${path}\n`);
}

function dirnameOfRoot(): string {
  return join(import.meta.dirname, "..");
}
