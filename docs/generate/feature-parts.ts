// The pages that are written by hand, followed by what features add, which is in their folders.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { features } from "../../src/feature/features.ts";
import { table } from "./markdown.ts";

const root = join(import.meta.dirname, "../..");
const folder = "src/feature";
const marker =
  "<!-- What features add is below; each writes its own part in its folder, " +
  "and `npm run docs` puts them together. -->";

/** Pages of docs/reference to which a feature adds the file of this name in its folder `docs`. */
const names = ["settings", "metrics", "errors"];

export const pagesWithFeatures = [
  partOf("ARCHITECTURE.md", () => [renderList()]),
  partOf("docs/concepts/promises.md", () => readParts("docs/promises.md")),
  ...names.map((name) => partOf(`docs/reference/${name}.md`, () => readParts(`docs/${name}.md`))),
];

/** Throws TypeError if the page does not say where the parts begin. */
function partOf(path: string, read: () => readonly string[]) {
  const render = () => {
    const [byHand = "", ...after] = readFileSync(join(root, path), "utf8").split(marker);
    if (after.length !== 1) throw new TypeError(`${path} has to have this line once: ${marker}`);
    return `${[byHand.trimEnd(), marker, ...read()].join("\n\n")}\n`;
  };
  return { path, render, partly: true } as const;
}

/** The file of this name of each feature that has one. */
export function readParts(file: string): readonly string[] {
  return features
    .map(({ name }) => join(root, folder, name, file))
    .filter(existsSync)
    .map((path) => readFileSync(path, "utf8").trimEnd());
}

/** What the README of each says first. */
function renderList(): string {
  const rows = features.map(({ name }) => {
    const readme = `${folder}/${name}/README.md`;
    const [, about = ""] = readFileSync(join(root, readme), "utf8").split("\n\n");
    return [`[${name}](${readme})`, about.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")];
  });
  return `## Features\n\n${table(["feature", "what it does"], rows)}`;
}
