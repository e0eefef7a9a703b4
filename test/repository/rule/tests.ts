// The tests themselves: none is skipped or exclusive.

import {
  isCallExpression,
  isIdentifier,
  isPropertyAccessExpression,
} from "typescript/unstable/ast/is";
import { type CodeFile, placeOf, walk } from "../syntax.ts";

const runners: ReadonlySet<string> = new Set(["it", "test", "describe", "suite"]);
const exceptions: ReadonlySet<string> = new Set(["only", "skip", "todo"]);

/**
 * `only` and `todo` are always rejected; `skip` is where it does not depend on the system, as in `{
 * skip: true }`.
 */
function isLeftOut(options: string): boolean {
  return /^\{[^}]*\b(?:only|todo|skip: *(?:true|["'`\d]))/.test(options);
}

/** A skipped test proves nothing; an exclusive one silences all others. */
export function findTestViolations(file: CodeFile): readonly string[] {
  const violations: string[] = [];
  walk(file.syntax, (node) => {
    if (!isCallExpression(node)) return;
    const { expression } = node;
    const isException =
      isPropertyAccessExpression(expression) &&
      runners.has(expression.expression.getText()) &&
      exceptions.has(expression.name.getText());
    const isRunner = isIdentifier(expression) && runners.has(expression.getText());
    const options = isRunner ? (node.arguments[1]?.getText() ?? "") : "";
    if (isException || isLeftOut(options)) {
      violations.push(`${placeOf(file, node)}: a test that is left out or alone`);
    }
  });
  return violations;
}
