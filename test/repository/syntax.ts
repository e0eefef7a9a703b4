// The syntax of TypeScript files, parsed by TypeScript itself, and the queries that the rules need.
// Its programming interface is marked unstable, so its version is pinned; nothing else uses it.

import { API } from "typescript/unstable/sync";
import { createVirtualFileSystem } from "typescript/unstable/fs";
import { type Node, type SourceFile, SyntaxKind } from "typescript/unstable/ast";
import {
  isCallExpression,
  isExportDeclaration,
  isImportDeclaration,
  isStringLiteral,
} from "typescript/unstable/ast/is";
import type { TextFile } from "./tree.ts";

export interface CodeFile extends TextFile {
  readonly syntax: SourceFile;
}

/** Parses all files at once: each start of the parser costs a process. */
export function parseFiles(files: readonly TextFile[]): readonly CodeFile[] {
  const paths = files.map(({ path }) => `/house/${path}`);
  const settings = {
    compilerOptions: { allowJs: true, noLib: true, noResolve: true, types: [], noEmit: true },
    files: paths,
  };
  const config = "/house/tsconfig.json";
  const contents = files.map(({ text }, index) => [paths[index], text]);
  const fs = createVirtualFileSystem({
    ...Object.fromEntries(contents),
    [config]: JSON.stringify(settings),
  });
  const parser = new API({ fs, cwd: "/house" });
  try {
    using snapshot = parser.updateSnapshot({ openProjects: [config] });
    const program = snapshot.getProject(config)?.program;
    return files.map((file, index) => {
      const syntax = program?.getSourceFile(paths[index] ?? "");
      if (syntax === undefined) throw new Error(`the parser returned no syntax for ${file.path}`);
      return { ...file, syntax };
    });
  } finally {
    parser.close();
  }
}

/** Visits every node, the outer ones first. */
export function walk(node: Node, requestContext: (node: Node) => void): void {
  requestContext(node);
  node.forEachChild((child) => walk(child, requestContext));
}

/** Counted from 1. */
export function lineOf({ syntax }: CodeFile, node: Node): number {
  return syntax.getLineAndCharacterOfPosition(node.getStart(syntax)).line + 1;
}

export function placeOf(file: CodeFile, node: Node): string {
  return `${file.path}:${lineOf(file, node)}`;
}

export interface Import {
  readonly specifier: string;
  readonly typesOnly: boolean;
  readonly node: Node;
}

/** What a file imports in any way: statically, by exporting it again, or at run time. */
export function importsOf({ syntax }: CodeFile): readonly Import[] {
  const imports: Import[] = [];
  walk(syntax, (node) => {
    if (isImportDeclaration(node) || isExportDeclaration(node)) {
      const { moduleSpecifier } = node;
      if (moduleSpecifier === undefined || !isStringLiteral(moduleSpecifier)) return;
      imports.push({ specifier: moduleSpecifier.text, typesOnly: importsTypesOnly(node), node });
    } else if (isCallExpression(node) && node.expression.kind === SyntaxKind.ImportKeyword) {
      const [argument] = node.arguments;
      const specifier = argument !== undefined && isStringLiteral(argument) ? argument.text : "?";
      imports.push({ specifier, typesOnly: false, node });
    }
  });
  return imports;
}

/** True of `import type …`, `export type …`, and of `import { type A, type B } …`. */
function importsTypesOnly(node: Node): boolean {
  const text = node.getText();
  if (/^(?:import|export)\s+type\b/.test(text)) return true;
  const names = /^(?:import|export)\s*\{([^}]*)\}/.exec(text)?.[1];
  return names?.split(",").every((name) => /^\s*(?:type\s|$)/.test(name)) ?? false;
}
