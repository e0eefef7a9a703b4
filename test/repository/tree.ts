// The files of this repository as the rules read them, and invented ones for tests of the rules.
// Only reads.

import { globSync, readFileSync, statSync } from "node:fs";
import { dirname, join, sep } from "node:path";

export const root = dirname(dirname(import.meta.dirname));

export interface TextFile {
  /** From the root, with slashes. */
  readonly path: string;
  readonly text: string;
}

/** In these folders the checkout contains files that are not the project's own. */
const exclude = ["node_modules/**", ".git/**", "data/**", "dist/**", "client/dist/**"];

export function readFiles(...patterns: readonly string[]): readonly TextFile[] {
  return globSync([...patterns], { cwd: root, exclude })
    .map((path) => path.split(sep).join("/"))
    .sort()
    .map(readFile);
}

export function readFile(path: string): TextFile {
  return { path, text: readFileSync(join(root, path), "utf8") };
}

/** The text of a file, empty for a folder; undefined where there is neither. */
export function findText(path: string): string | undefined {
  const stats = statSync(join(root, path), { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  return stats.isDirectory() ? "" : readFile(path).text;
}

/** Whether any file or folder matches a pattern such as `src/domain/*.ts`. */
export function exists(pattern: string): boolean {
  return globSync(pattern, { cwd: root }).length > 0;
}

/** Every TypeScript file of the project. */
export function readCode(): readonly TextFile[] {
  return readFiles("{src,client,test,bench,docs,tools}/**/*.ts");
}

/** Every page of the documents. */
export function readPages(): readonly TextFile[] {
  return readFiles("*.md", "docs/**/*.md", "client/*.md", "clients/*/*.md");
}

/** Every hand-written text, whatever its kind. */
export function readTexts(): readonly TextFile[] {
  const kinds = "ts,js,md,json,yml,yaml";
  return [
    ...readFiles(`{src,client,test,bench,docs,tools,bin}/**/*.{${kinds}}`, "*.md", ".ci/*"),
    ...readFiles(
      "deploy/**/*.{md,yml,yaml,js,json,service,timer,conf,cron}",
      "deploy/*/{Containerfile,Caddyfile}",
    ),
    ...readFiles("{clients,test}/**/*.{py,go,toml,mod}", "clients/**/*.md"),
    ...readFiles("package.json", "tsconfig.json", ".oxlintrc.json", ".npmrc", ".gitignore"),
  ];
}
