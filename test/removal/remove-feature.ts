// Removes a feature from a copy of the checkout, as somebody would by hand: the features that import it, its two
// folders, its pages of the documents, and its lines in the lists of features. It leaves migrations that
// drop its tables.

import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export function removeFeature(folder: string, name: string): void {
  for (const other of findUsers(folder, name)) removeFeature(folder, other);
  dropTables(folder, name);
  for (const tree of ["src", "test"]) {
    rmSync(join(folder, tree, "feature", name), { recursive: true, force: true });
  }
  rmSync(join(folder, "docs/generate/feature", `${name}.ts`), { force: true });
  for (const path of globSync("{src,test}/feature/*.ts", { cwd: folder }))
    edit(folder, path, (text) => withoutFeature(text, name));
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

/** The guides name its tables in lists, too. A part may have an index of a table of the core. */
function dropTables(folder: string, name: string): void {
  const [schema] = globSync(`src/feature/${name}/store/schema.sql`, { cwd: folder });
  if (schema === undefined) return;
  const text = readFileSync(join(folder, schema), "utf8");
  const made = [...text.matchAll(/^(?:--\w+ )?CREATE (?:UNIQUE )?(TABLE|INDEX) (\w+)/gm)];
  const drops = made.map(([, what, one]) => `  "DROP ${what} IF EXISTS ${one};",\n`).toReversed();
  edit(folder, "src/store/sql/migrations.ts", (list) =>
    list.replace(/^\];$/m, `${drops.join("")}];`),
  );
  const tables = made.flatMap(([, what, one]) => (what === "TABLE" ? [one] : []));
  const listed = new RegExp(`,\\s+(['\`]?)(?:${tables.join("|")})\\1(?!\\w)`, "g");
  for (const guide of guides)
    edit(folder, `docs/${guide}.md`, (page) => page.replaceAll(listed, ""));
}

function edit(folder: string, path: string, change: (text: string) => string): void {
  const file = join(folder, path);
  writeFileSync(file, change(readFileSync(file, "utf8")));
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
