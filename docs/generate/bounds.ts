// docs/reference/bounds.md: what a client can use up, who can, and the constant that bounds it, with its value in the
// code. The rows of the core are in bounds.txt beside this file, those of a feature in its folder.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { limits } from "../../src/domain/limits.ts";
import { readParts } from "./feature-parts.ts";
import { generatedNote, page } from "./markdown.ts";

const root = join(import.meta.dirname, "../..");
const constant = /`(limits\.\w+|[\w/-]+\.ts#\w+)`/g;

export function renderBounds(): string {
  return page(
    "# Bounds",
    generatedNote,
    "What a client can use up, and who can. The bound names a constant: of `limits` in `src/domain/limits.ts`, or of " +
      "another\nfile below `src`.",
    withValues(readFileSync(join(import.meta.dirname, "bounds.txt"), "utf8").trimEnd()),
    ...readParts("docs/bounds.md").map(withValues),
  );
}

/** Throws TypeError for a constant that the code does not have. */
export function withValues(rows: string): string {
  return rows.replaceAll(constant, (quoted, name: string) => {
    const value = valueOf(name);
    if (value === undefined) throw new TypeError(`there is no constant ${name}`);
    return `${quoted} (${value.toLocaleString("en-US")})`;
  });
}

function valueOf(name: string): number | undefined {
  const [path = "", own] = name.split("#");
  if (own === undefined) return limits[path.replace("limits.", "") as keyof typeof limits];
  const file = join(root, "src", path);
  return existsSync(file) ? constantIn(readFileSync(file, "utf8"), own) : undefined;
}

/** The value of a constant, or of a property of one, that is written as a product or quotient of numbers. */
export function constantIn(text: string, name: string): number | undefined {
  const found = new RegExp(`\\b${name}(?: =|:) ([\\d_ */]+)[;,]`).exec(text)?.[1];
  if (found === undefined) return undefined;
  const [first = "", ...rest] = found.replaceAll("_", "").split(/ (?=[*/])/);
  return rest.reduce((value, step) => {
    const by = Number(step.slice(2));
    return step.startsWith("*") ? value * by : value / by;
  }, Number(first));
}
