// The reference pages that are written by hand, followed by what features add, which is in their folders.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { features } from "../../src/feature/features.ts";

const root = join(import.meta.dirname, "../..");
const marker =
  "<!-- What features add is below; each writes its own part in its folder, and `npm run docs` puts them together. -->";

/** Such as `settings`: docs/reference/settings.md, with docs/settings.md of each feature that has it. */
export function pageWithFeatures(name: string): { path: string; render: () => string } {
  const path = `docs/reference/${name}.md`;
  return { path, render: () => render(path, name) };
}

/** Throws TypeError if the page does not say where the parts begin. */
function render(path: string, name: string): string {
  const [byHand = "", ...after] = readFileSync(join(root, path), "utf8").split(marker);
  if (after.length !== 1) throw new TypeError(`${path} has to have this line once: ${marker}`);
  const parts = features
    .map((feature) => join(root, "src/feature", feature.name, `docs/${name}.md`))
    .filter(existsSync)
    .map((part) => readFileSync(part, "utf8").trimEnd());
  return `${[byHand.trimEnd(), marker, ...parts].join("\n\n")}\n`;
}
