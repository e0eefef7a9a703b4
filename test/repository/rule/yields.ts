// A generator function that is called without `yield*` does nothing, and neither the compiler nor the linter says so. Where the
// result is used the types show it; this finds calls that stand alone.

import { posix } from "node:path";
import type { Node } from "typescript/unstable/ast";
import {
  isAwaitExpression,
  isCallExpression,
  isExpressionStatement,
  isIdentifier,
  isImportDeclaration,
  isNamedImports,
  isStringLiteral,
  isVoidExpression,
} from "typescript/unstable/ast/is";
import { type CodeFile, placeOf, walk } from "../syntax.ts";

const folder = "src/store/sql/";

/** In the folder every call that stands alone, whatever it calls; elsewhere those of functions that are imported from it. */
export function findYieldFaults(file: CodeFile): readonly string[] {
  const isShared = file.path.startsWith(folder);
  const imported = isShared ? new Set<string>() : importedNames(file);
  if (!isShared && imported.size === 0) return [];
  const faults: string[] = [];
  walk(file.syntax, (node) => {
    if (!isExpressionStatement(node)) return;
    const call = withoutPrefix(node.expression);
    if (!isCallExpression(call)) return;
    const called = isIdentifier(call.expression) ? call.expression.text : undefined;
    if (!isShared && !imported.has(called ?? "")) return;
    const name = call.expression.getText();
    faults.push(
      `${placeOf(file, node)}: ${name} is called without ${isShared ? "yield*" : "perform"}`,
    );
  });
  return faults;
}

function withoutPrefix(expression: Node): Node {
  if (isAwaitExpression(expression) || isVoidExpression(expression)) return expression.expression;
  return expression;
}

function importedNames(file: CodeFile): ReadonlySet<string> {
  const names = new Set<string>();
  walk(file.syntax, (node) => {
    if (!isImportDeclaration(node) || !isStringLiteral(node.moduleSpecifier)) return;
    const target = posix.join(posix.dirname(file.path), node.moduleSpecifier.text);
    if (!target.startsWith(folder)) return;
    const bindings = node.importClause?.namedBindings;
    if (bindings === undefined || !isNamedImports(bindings)) return;
    for (const { name } of bindings.elements) names.add(name.text);
  });
  return names;
}
