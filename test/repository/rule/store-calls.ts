// Entry points reach the store and the ledger through actions only: they may hold an App, but not use these two members
// of it. The rule reads the syntax and not the types, so in these folders nothing else may have a property named
// `store`.

import {
  isBindingElement,
  isCallExpression,
  isElementAccessExpression,
  isPropertyAccessExpression,
  isStringLiteral,
} from "typescript/unstable/ast/is";
import type { Node } from "typescript/unstable/ast";
import { type CodeFile, placeOf, walk } from "../syntax.ts";

const entryPoints = /^src\/(?:http|console|cli|worker|bulk)\//;

export function findStoreCalls(files: readonly CodeFile[]): readonly string[] {
  return files.filter(({ path }) => entryPoints.test(path)).flatMap(findIn);
}

function findIn(file: CodeFile): readonly string[] {
  const found: string[] = [];
  walk(file.syntax, (node) => {
    const name = memberOf(node);
    if (name !== "store" && !(name === "ledger" && isMemberOfApp(node))) return;
    found.push(`${placeOf(file, node)}: reaches the ${name} past the actions`);
  });
  return found;
}

/**
 * The name in `app.name`, `app["name"]` and `{ name }`; undefined for a method of that name, as in
 * `submission.store()`.
 */
function memberOf(node: Node): string | undefined {
  if (isPropertyAccessExpression(node)) {
    const isMethod = isCallExpression(node.parent) && node.parent.expression === node;
    return isMethod ? undefined : node.name.text;
  }
  if (isElementAccessExpression(node)) {
    const { argumentExpression: argument } = node;
    return isStringLiteral(argument) ? argument.text : undefined;
  }
  return isBindingElement(node) ? (node.propertyName ?? node.name)?.getText() : undefined;
}

/** `ledger` is also the name of an option of commands. */
function isMemberOfApp(node: Node): boolean {
  return /\bapp\??\.ledger$/.test(node.getText());
}
