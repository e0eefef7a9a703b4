// A generator function that is called without `yield*` does nothing, and neither the compiler nor
// the linter reports it. Where the result is used the types show it; this finds calls that stand
// alone.

import { posix } from "node:path";
import type { Node } from "typescript/unstable/ast";
import {
  isAwaitExpression,
  isCallExpression,
  isExpressionStatement,
  isIdentifier,
  isImportDeclaration,
  isNamespaceImport,
  isPropertyAccessExpression,
  isStringLiteral,
  isVoidExpression,
} from "typescript/unstable/ast/is";
import { type CodeFile, placeOf, walk } from "../syntax.ts";

const folder = /^src\/(?:store\/sql|feature\/[^/]+\/store)\//;

/**
 * In the folder every call of a function that stands alone, but not of a method, such as `push`;
 * elsewhere calls of functions that are imported from it.
 */
export function findYieldViolations(file: CodeFile): readonly string[] {
  const isShared = folder.test(file.path);
  const imported = importedNames(file);
  if (!isShared && imported.size === 0) return [];
  const violations: string[] = [];
  walk(file.syntax, (node) => {
    if (!isExpressionStatement(node)) return;
    const call = withoutPrefix(node.expression);
    if (!isCallExpression(call)) return;
    const isFunction = isShared && isIdentifier(call.expression);
    if (!isFunction && !imported.has(rootOf(call.expression))) return;
    const name = call.expression.getText();
    violations.push(
      `${placeOf(file, node)}: ${name} is called without ${isShared ? "yield*" : "perform"}`,
    );
  });
  return violations;
}

function withoutPrefix(expression: Node): Node {
  if (isAwaitExpression(expression) || isVoidExpression(expression)) return expression.expression;
  return expression;
}

/** `findKey` of findKey(…), `keys` of keys.findKey(…). */
function rootOf(called: Node): string {
  if (isPropertyAccessExpression(called)) return rootOf(called.expression);
  return isIdentifier(called) ? called.text : "";
}

function importedNames(file: CodeFile): ReadonlySet<string> {
  const names = new Set<string>();
  walk(file.syntax, (node) => {
    if (!isImportDeclaration(node) || !isStringLiteral(node.moduleSpecifier)) return;
    const target = posix.join(posix.dirname(file.path), node.moduleSpecifier.text);
    if (!folder.test(target)) return;
    const bindings = node.importClause?.namedBindings;
    if (bindings === undefined) return;
    if (isNamespaceImport(bindings)) names.add(bindings.name.text);
    else for (const { name } of bindings.elements) names.add(name.text);
  });
  return names;
}
