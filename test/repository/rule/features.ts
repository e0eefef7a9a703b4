// Features are folders that can be removed (docs/decisions/0076-features-as-folders.md): the core imports none, a
// feature imports only those above it in the list, and no text names one but its own and those of features below it.

import { posix } from "node:path";
import { type CodeFile, importsOf, placeOf } from "../syntax.ts";
import type { TextFile } from "../tree.ts";

/** The files that list features, in both trees. */
const list = /^(?:src|test)\/feature\/[^/]+$/;
/** Only these hand the lists down. */
const composing = /^src\/(?:process\/.+|cli\/main\.ts|.+-thread\.ts)$/;

/** The name of the feature whose folder the file is in. */
export function featureOf(path: string): string | undefined {
  return /^(?:src|test)\/feature\/([^/]+)\//.exec(path)?.[1];
}

/** `names`: in the order of the list. */
export function findFeatureImports(
  files: readonly CodeFile[],
  names: readonly string[],
): readonly string[] {
  return files
    .filter(({ path }) => path.startsWith("src/") && !list.test(path))
    .flatMap((file) =>
      importsOf(file)
        .filter(({ specifier }) => specifier.startsWith("."))
        .map(({ specifier, node }) => ({ node, target: targetOf(file, specifier) }))
        .filter(({ target }) => target.startsWith("src/feature/"))
        .filter(({ target }) => !mayImport(file.path, target, names))
        .map(({ target, node }) => `${placeOf(file, node)}: must not import ${target}`),
    );
}

function targetOf({ path }: CodeFile, specifier: string): string {
  return posix.join(posix.dirname(path), specifier);
}

function mayImport(path: string, target: string, names: readonly string[]): boolean {
  const [own, other] = [featureOf(path), featureOf(target)];
  if (own === undefined) return other === undefined && composing.test(path);
  if (other === undefined) return target === "src/feature/feature.ts";
  return other === own || names.indexOf(other) < names.indexOf(own);
}

/** `commands`: those of each feature, in the order of the list. */
export function findFeatureNames(
  texts: readonly TextFile[],
  commands: Readonly<Record<string, readonly string[]>>,
): readonly string[] {
  const names = Object.keys(commands);
  const known = Object.entries(commands).map(([name, own]) => {
    const words = [`feature/${name}`, ...own.map((command) => `sluice ${command}`)];
    return { name, named: new RegExp(`\\b(?:${words.join("|")})\\b`) };
  });
  return texts
    .filter(({ path }) => !list.test(path))
    .flatMap(({ path, text }) =>
      known
        .filter(({ name, named }) => !mayName(featureOf(path), name, names) && named.test(text))
        .map(({ name }) => `${path}: names the feature ${name}`),
    );
}

function mayName(own: string | undefined, other: string, names: readonly string[]): boolean {
  return own !== undefined && names.indexOf(other) <= names.indexOf(own);
}
