// The pages of the console: what a page shows or changes is the work of at most two files of actions, counting those
// that the files of the console enter which only this page needs. Types don't count, nor does the class of errors.

import { posix } from "node:path";
import { type CodeFile, importsOf } from "../syntax.ts";

const pages = "src/console/page/";
const actions = "src/actions/";
const errors = "src/actions/operator/operator-error.ts";
const entriesMax = 2;

export function findCrowdedPages(files: readonly CodeFile[]): readonly string[] {
  const targets = new Map(files.map((file) => [file.path, valuesOf(file)]));
  return files
    .filter(({ path }) => path.startsWith(pages))
    .flatMap(({ path }) => {
      const entered = [...ownFiles(path, targets)].flatMap((own) => targets.get(own) ?? []);
      const found = [...new Set(entered)].filter((one) => one.startsWith(actions));
      const counted = found.filter((one) => one !== errors).sort();
      return counted.length <= entriesMax ? [] : [`${path}: enters ${counted.join(", ")}`];
    });
}

/** The page, and the files of the console that nothing else imports; what the table of routes imports is a page. */
function ownFiles(
  page: string,
  targets: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> {
  const own = new Set([page]);
  for (const path of own) {
    for (const target of targets.get(path) ?? []) {
      const importers = [...targets].filter(([, imported]) => imported.includes(target));
      const isOwn = importers.every(([importer]) => own.has(importer));
      if (target.startsWith("src/console/") && isOwn) own.add(target);
    }
  }
  return own;
}

function valuesOf(file: CodeFile): readonly string[] {
  return importsOf(file)
    .filter(({ specifier, typesOnly }) => specifier.startsWith(".") && !typesOnly)
    .map(({ specifier }) => posix.join(posix.dirname(file.path), specifier));
}
