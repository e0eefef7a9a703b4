// Regular expressions that take more than linear time on some text: nested or adjacent repetitions
// that can share what they match, and a repetition that is tried again from each position where it
// can begin. Does not find alternatives inside one repetition that can match the same, such as
// (?:a|a)*.

import { createRequire } from "node:module";
import { isNewExpression } from "typescript/unstable/ast/is";
import { SyntaxKind } from "typescript/unstable/ast";
import { type CodeFile, placeOf, walk } from "../syntax.ts";

interface Analysis {
  readonly reports: readonly { readonly type: string; readonly exponential: boolean }[];
}

// The package's types do not match how it is loaded.
const checker = createRequire(import.meta.url)("scslre") as {
  analyse(literal: { source: string; flags: string }): Analysis;
};

/** No pattern is created at run time where requests are served: it could not be checked. */
const requestPath = /^src\/(?:console|domain|http|store|worker)\//;

export function findSlowPatterns(file: CodeFile): readonly string[] {
  const found: string[] = [];
  walk(file.syntax, (node) => {
    if (node.kind === SyntaxKind.RegularExpressionLiteral) {
      const text = node.getText(file.syntax);
      const reasons = slownessOf(text);
      if (reasons !== "") found.push(`${placeOf(file, node)}: ${text} can be slow: ${reasons}`);
    } else if (isNewExpression(node) && node.expression.getText(file.syntax) === "RegExp") {
      if (requestPath.test(file.path)) found.push(`${placeOf(file, node)}: makes a pattern`);
    }
  });
  return found;
}

function slownessOf(literal: string): string {
  const end = literal.lastIndexOf("/");
  const source = literal.slice(1, end);
  const { reports } = checker.analyse({ source, flags: literal.slice(end + 1) });
  return reports
    .map(({ type, exponential }) => `${type} (${exponential ? "exponential" : "polynomial"})`)
    .join(", ");
}
