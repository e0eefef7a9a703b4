// Removes a feature from a copy of the checkout, as somebody would by hand: the features that import it, its two
// folders, its pages of the documents, and its lines in the lists of features.

import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export function removeFeature(folder: string, name: string): void {
  for (const other of findUsers(folder, name)) removeFeature(folder, other);
  revokeTables(folder, name);
  for (const tree of ["src", "test"]) {
    rmSync(join(folder, tree, "feature", name), { recursive: true, force: true });
  }
  rmSync(join(folder, "docs/generate/feature", `${name}.ts`), { force: true });
  for (const path of globSync("{src,test}/feature/*.ts", { cwd: folder })) {
    const file = join(folder, path);
    writeFileSync(file, withoutFeature(readFileSync(file, "utf8"), name));
  }
}

/** The features that import it. */
function findUsers(folder: string, name: string): readonly string[] {
  const paths = globSync("src/feature/*/**/*.ts", { cwd: folder });
  const users = paths.filter((path) => {
    const text = readFileSync(join(folder, path), "utf8");
    return new RegExp(`from "(?:\\.\\./)+${name}/`).test(text);
  });
  return [...new Set(users.map((path) => path.split("/")[2] ?? ""))].filter((one) => one !== name);
}

const guides = ["guides/citus", "guides/postgresql", "reference/what-we-erase"];

/** The guides name the tables of the feature in lists, too. */
function revokeTables(folder: string, name: string): void {
  const [schema] = globSync(`src/feature/${name}/store/schema.sql`, { cwd: folder });
  if (schema === undefined) return;
  const text = readFileSync(join(folder, schema), "utf8");
  const tables = Array.from(text.matchAll(/^CREATE TABLE (\w+)/gm), ([, table]) => table);
  if (tables.length === 0) return;
  const listed = new RegExp(`,\\s+(['\`]?)(?:${tables.join("|")})\\1(?!\\w)`, "g");
  for (const guide of guides) {
    const file = join(folder, `docs/${guide}.md`);
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(listed, ""));
  }
}

/** The text of a list without what it imports from the folder, and without the names of these imports. */
export function withoutFeature(list: string, name: string): string {
  const statement = new RegExp(`^import [^;]*? from "\\./${name}/[^"]+";\\n`, "gm");
  const names = list
    .match(statement)
    ?.flatMap((text) => /[{*]([^}]*?)\}? from/s.exec(text)?.[1]?.split(",") ?? [])
    .map((text) => text.trim().split(/\s/).at(-1) ?? "")
    .filter((text) => text !== "");
  return (names ?? []).reduce(
    (text, local) => text.replace(new RegExp(`\\s*(?:\\.\\.\\.)?\\b${local}\\b,?`, "g"), ""),
    list.replace(statement, ""),
  );
}
