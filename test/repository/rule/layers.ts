// The layers: which part of the source may import which, and where SQL is allowed (ARCHITECTURE.md,
// "The map"). An import that is neither the part's own nor listed here is a violation, even if it
// imports only types.

import { builtinModules } from "node:module";
import { posix } from "node:path";
import { SyntaxKind } from "typescript/unstable/ast";
import { isBinaryExpression, isElementAccessExpression } from "typescript/unstable/ast/is";
import { type CodeFile, importsOf, type Import, placeOf, walk } from "../syntax.ts";

const basics = "src/basics/";

interface Layer {
  /** A file belongs to the first part with a matching prefix. */
  readonly beginsWith: string;
  /** Prefixes of the paths that it may import, besides `src/basics/`. */
  readonly may: readonly string[];
  /** The same for imports of types only. */
  readonly mayTypes?: readonly string[];
  /** Packages that it may import; all if omitted. */
  readonly packages?: readonly string[];
}

const engines = ["src/store/sqlite/", "src/store/postgres/"];
/** Statements that are the same on every engine; only the engines run them. */
const sharedSql = "src/store/sql/";
/** Lists the store parts of features. */
const storeParts = "src/feature/parts.ts";
/** The store parts of features, whose statements are the same on every engine, too. */
const ofFeature = /^src\/feature\/[^/]+\/store\//;
/** Threads that open a store pass them on. */
const writerThread = "src/store/sqlite/commit/writer-thread.ts";
/** The only file outside them that may import some of their types: the interface has the methods of this table. */
const storeInterface = "src/store/interface/store.ts";
const inInterface: ReadonlySet<string> = new Set([
  "src/store/sql/methods.ts",
  "src/store/sql/store-parts.ts",
]);
/** The only files outside an engine that may import it: those that choose the engine. */
const choosers: ReadonlySet<string> = new Set([
  "src/store/open-store.ts",
  "src/store/copy-store.ts",
  "src/store/open-record-writer.ts",
]);

const layers: readonly Layer[] = [
  // Small mechanisms, for any caller.
  { beginsWith: basics, may: [basics], packages: ["node:events", "node:worker_threads"] },
  { beginsWith: "src/domain/", may: ["src/domain/"], packages: ["typebox"] },
  // Facts about paths, for any caller.
  { beginsWith: "src/files/", may: ["src/files/"] },
  { beginsWith: writerThread, may: ["src/store/", "src/domain/", storeParts] },
  ...engines.map((engine) => ({
    beginsWith: engine,
    may: [engine, "src/store/", "src/domain/", "src/files/"],
  })),
  { beginsWith: sharedSql, may: ["src/store/", "src/domain/"] },
  { beginsWith: "src/store/", may: ["src/store/", "src/domain/", "src/files/"] },
  {
    beginsWith: "src/actions/",
    may: ["src/actions/", "src/domain/"],
    mayTypes: ["src/store/interface/", "src/settings/setting.ts"],
  },
  // The entry points write to the log that is passed to them; the log itself is opened in src/process.
  {
    beginsWith: "src/http/",
    may: ["src/http/", "src/actions/", "src/domain/"],
    mayTypes: ["src/log.ts"],
  },
  // Pages for people, served by the HTTP server, on which it is mounted where the service is put together.
  {
    beginsWith: "src/console/",
    may: ["src/console/", "src/noun/", "src/http/", "src/actions/", "src/domain/"],
    mayTypes: ["src/metrics/"],
  },
  {
    beginsWith: "src/worker/",
    may: ["src/worker/", "src/actions/", "src/domain/"],
    mayTypes: ["src/log.ts"],
  },
  // Export of records, and the compression of files.
  {
    beginsWith: "src/bulk/",
    may: ["src/bulk/", "src/actions/", "src/domain/", "src/files/"],
  },
  // What people see of a noun and do with it, described once for the command line and the console.
  {
    beginsWith: "src/noun/",
    may: [
      "src/noun/",
      "src/actions/",
      "src/domain/",
      "src/cli/command.ts",
      "src/cli/input/",
      "src/cli/output/",
      "src/console/html/",
    ],
    mayTypes: ["src/console/"],
  },
  // The command `openapi` prints the HTTP API's document without starting the entry point. An error of the store
  // reaches commands at any time, and says what to do.
  {
    beginsWith: "src/cli/",
    may: [
      "src/cli/",
      "src/noun/",
      "src/bulk/",
      "client/src/",
      "src/actions/",
      "src/domain/",
      "src/files/",
      "src/settings/",
      "src/process/",
      "src/data-folder/",
      "src/store/interface/store-error.ts",
      "src/log.ts",
    ],
  },
  // What a feature imports of others is in features.ts of this folder.
  { beginsWith: "src/feature/", may: ["src/", "client/src/"] },
  { beginsWith: "src/", may: ["src/"] },
  // Is published separately and runs anywhere: it depends on nothing else, not even on the service.
  { beginsWith: "client/src/", may: ["client/src/"], packages: [] },
  {
    beginsWith: "client/generate/",
    may: ["client/generate/", "src/domain/", "src/process/openapi.ts", "src/process/tables.ts"],
    mayTypes: ["src/http/openapi/"],
    packages: [],
  },
];

export function findLayerViolations(files: readonly CodeFile[]): readonly string[] {
  return files.filter(({ path }) => /^(?:src|client)\//.test(path)).flatMap(findViolationsOf);
}

function findViolationsOf(file: CodeFile): readonly string[] {
  const layer = layers.find(({ beginsWith }) => file.path.startsWith(beginsWith));
  if (layer === undefined) return [`${file.path}: is in no room of the source`];
  const imports = importsOf(file).filter((found) => !mayImport(layer, file.path, found));
  return [
    ...imports.map(({ specifier, node }) => `${placeOf(file, node)}: must not import ${specifier}`),
    ...findSql(file),
    ...findEngineTests(file),
  ];
}

function mayImport(layer: Layer, path: string, { specifier, typesOnly }: Import): boolean {
  if (!specifier.startsWith(".")) return mayImportPackage(layer, path, specifier);
  const target = posix.join(posix.dirname(path), specifier);
  const engine = engines.find((beginning) => target.startsWith(beginning));
  if (engine !== undefined && !path.startsWith(engine)) return choosers.has(path);
  if (target.startsWith(sharedSql) && !mayHoldSql(path)) {
    return typesOnly && path === storeInterface && inInterface.has(target);
  }
  const allowed = typesOnly ? [...layer.may, ...(layer.mayTypes ?? [])] : layer.may;
  return [...allowed, basics].some((beginning) => target.startsWith(beginning));
}

const databasePackages: ReadonlySet<string> = new Set(["node:sqlite", "pg", "postgres"]);

function mayImportPackage({ packages }: Layer, path: string, specifier: string): boolean {
  if (databasePackages.has(specifier)) return isInEngine(path);
  if (builtinModules.includes(specifier)) return false; // only as node:…
  if (packages === undefined) return true;
  return packages.some((name) => specifier === name || specifier.startsWith(`${name}/`));
}

function isInEngine(path: string): boolean {
  return engines.some((engine) => path.startsWith(engine));
}

const statement =
  "\\b(?:select\\s[^;]+\\sfrom\\s|insert\\s+(?:or\\s+\\w+\\s+)?into\\s|update\\s+\\w+\\s+set\\s|delete\\s+from\\s|" +
  "create\\s+(?:unique\\s+)?(?:table|index|view|trigger)\\s|alter\\s+table\\s|drop\\s+table\\s|pragma\\s+\\w)";
/** In lower case or in capitals; a sentence that begins with Select is not SQL. */
const sql = [
  new RegExp(statement),
  new RegExp(statement.replace(/(?<!\\)[a-z]/g, (letter) => letter.toUpperCase())),
];

function mayHoldSql(path: string): boolean {
  return (
    isInEngine(path) || path.startsWith(sharedSql) || path === storeParts || ofFeature.test(path)
  );
}

/** Checks each string in the code; comments may mention SQL. */
function findSql(file: CodeFile): readonly string[] {
  if (mayHoldSql(file.path)) return [];
  const violations: string[] = [];
  walk(file.syntax, (node) => {
    const { text } = node as { text?: unknown };
    if (node === file.syntax || typeof text !== "string" || !isSql(text)) return;
    violations.push(
      `${placeOf(file, node)}: SQL may stand only in src/store/sql, in an engine's folder and in the store folder of a feature`,
    );
  });
  return violations;
}

const comparisons: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.EqualsEqualsEqualsToken,
  SyntaxKind.ExclamationEqualsEqualsToken,
]);

/** What differs between engines is stated by each of them (src/store/interface/store.ts). */
function findEngineTests(file: CodeFile): readonly string[] {
  if (file.path.startsWith("src/store/")) return [];
  const violations: string[] = [];
  walk(file.syntax, (node) => {
    const isTest = isBinaryExpression(node) && comparisons.has(node.operatorToken.kind);
    const tested = isTest
      ? [node.left, node.right]
      : isElementAccessExpression(node)
        ? [node.argumentExpression]
        : [];
    if (!tested.some((part) => /\bengine$/.test(part.getText(file.syntax)))) return;
    violations.push(`${placeOf(file, node)}: only the store tells engines apart`);
  });
  return violations;
}

function isSql(text: string): boolean {
  return sql.some((pattern) => pattern.test(`${text} `));
}
