// How files are named and opened, and that none is a barrel.

import { posix } from "node:path";
import { isExportDeclaration } from "typescript/unstable/ast/is";
import { type CodeFile, placeOf } from "../syntax.ts";
import type { TextFile } from "../tree.ts";

/** Names that say nothing about the content of the file. */
const emptyWords: ReadonlySet<string> = new Set([
  "util",
  "utils",
  "helper",
  "helpers",
  "common",
  "manager",
  "service",
  "misc",
]);

/** The composition root, which starts the service itself. */
export const vagueNamesAllowed: readonly string[] = ["test/support/service.ts"];

/** The exports of a package have to be named in one place; here only the client is a package. */
export const packageSurfaces: readonly string[] = ["client/src/sluice.ts"];

export function findNameViolations({ path }: TextFile): readonly string[] {
  const violations: string[] = [];
  const name = posix.basename(path).replace(/(?:\.test)?\.(?:ts|js)$/, "");
  const folders = posix.dirname(path).split("/");
  for (const word of [name, ...folders]) {
    if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(word))
      violations.push(`${path}: ${word} is not kebab-case`);
  }
  const empty = [name.split("-").at(-1) ?? "", ...folders].find((word) => emptyWords.has(word));
  if (empty !== undefined && !vagueNamesAllowed.includes(path)) {
    violations.push(`${path}: "${empty}" says nothing of what is in it`);
  }
  if (name === "index") violations.push(`${path}: name a file for what it exports`);
  return violations;
}

export function findOpeningViolation({ path, text }: TextFile): readonly string[] {
  const opening = text.startsWith("#!") ? text.slice(text.indexOf("\n") + 1) : text;
  if (/^\/\/ \S/.test(opening)) return [];
  return [`${path}: opens without a comment on what it is for`];
}

export function findBarrels(file: CodeFile): readonly string[] {
  if (packageSurfaces.includes(file.path)) return [];
  const barrels = file.syntax.statements.filter(
    (node) => isExportDeclaration(node) && node.moduleSpecifier !== undefined,
  );
  return barrels.map((node) => `${placeOf(file, node)}: a barrel; import from where it is defined`);
}
