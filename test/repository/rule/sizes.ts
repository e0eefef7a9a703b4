// Sizes: lines of a file, lines of a function, parameters of a function, columns of a comment. Blank lines and comments
// count. node:test requires tests to be inside the function of their group, so a group has no bound
// of its own.

import type { FunctionLikeDeclaration, Node, ParameterDeclaration } from "typescript/unstable/ast";
import {
  isArrayTypeNode,
  isArrowFunction,
  isBlock,
  isCallExpression,
  isExpressionStatement,
  isFunctionDeclaration,
  isFunctionLikeDeclaration,
  isFunctionTypeNode,
  isMethodDeclaration,
  isMethodSignatureDeclaration,
  isObjectBindingPattern,
  isVariableDeclaration,
} from "typescript/unstable/ast/is";
import { type CodeFile, placeOf, walk } from "../syntax.ts";

const codeLinesMax = 350;
/** Of a file of tests, tools and benchmarks. */
const otherLinesMax = 400;
const functionLinesMax = 70;
const positionsMax = 2;
const proseColumnsMax = 120;

/**
 * A table is most readable with a row per line, so a function that builds one row may take more
 * parameters.
 */
export const rowMakers: readonly string[] = ["src/settings/setting.ts setting"];

/** Generated, one type per record type. */
const generated = "client/src/generated/";

export function findSizeViolations(file: CodeFile): readonly string[] {
  if (file.path.startsWith(generated)) return [];
  const lines = file.text.trimEnd().split("\n").length;
  const linesMax = file.path.startsWith("src/") ? codeLinesMax : otherLinesMax;
  const violations = lines > linesMax ? [`${file.path}: ${lines} lines, at most ${linesMax}`] : [];
  return [
    ...violations,
    ...findWideComments(file),
    ...findLongFunctions(file),
    ...findLongSignatures(file),
  ];
}

/** Code is formatted by oxfmt, which leaves comments as they are. */
function findWideComments({ path, text }: CodeFile): readonly string[] {
  return text.split("\n").flatMap((line, at) => {
    const isWide = line.length > proseColumnsMax && /^\s*(?:\/\/|\/\*\*?|\*) /.test(line);
    return isWide ? [`${path}:${at + 1}: a comment of ${line.length} columns`] : [];
  });
}

function findLongFunctions(file: CodeFile): readonly string[] {
  const violations: string[] = [];
  walk(file.syntax, (node) => {
    if (!isFunctionLikeDeclaration(node) || isGroupOfTests(node)) return;
    const lines = linesOf(file, node);
    if (lines <= functionLinesMax) return;
    violations.push(
      `${placeOf(file, node)}: a function of ${lines} lines, at most ${functionLinesMax}`,
    );
  });
  return violations;
}

/** True where tests, or groups of them, are among the function's own statements. */
function isGroupOfTests({ body }: FunctionLikeDeclaration): boolean {
  if (body === undefined || !isBlock(body)) return false;
  return body.statements.some(
    (statement) =>
      isExpressionStatement(statement) &&
      isCallExpression(statement.expression) &&
      ["describe", "suite", "it", "test"].includes(statement.expression.expression.getText()),
  );
}

function linesOf({ syntax }: CodeFile, node: FunctionLikeDeclaration): number {
  const first = syntax.getLineAndCharacterOfPosition(node.getStart(syntax)).line;
  return syntax.getLineAndCharacterOfPosition(node.end).line - first + 1;
}

function findLongSignatures(file: CodeFile): readonly string[] {
  const violations: string[] = [];
  walk(file.syntax, (node) => {
    const signature = signatureOf(node);
    if (signature === undefined || !hasTooManyPositions(signature.parameters)) return;
    if (rowMakers.includes(`${file.path} ${signature.name}`)) return;
    violations.push(`${placeOf(file, node)}: more than two positional parameters after the first`);
  });
  return violations;
}

interface Signature {
  readonly name: string;
  readonly parameters: readonly ParameterDeclaration[];
}

/** Of a function that has a name; the receiver decides the signature of a callback. */
function signatureOf(node: Node): Signature | undefined {
  if (
    isFunctionDeclaration(node) ||
    isMethodDeclaration(node) ||
    isMethodSignatureDeclaration(node)
  ) {
    return { name: node.name?.getText() ?? "", parameters: node.parameters };
  }
  if (!isVariableDeclaration(node) || node.initializer === undefined) return undefined;
  if (!isArrowFunction(node.initializer)) return undefined;
  return { name: node.name.getText(), parameters: node.initializer.parameters };
}

/** The first argument, such as `app`, is not counted; an options object may come last. */
function hasTooManyPositions([, ...counted]: readonly ParameterDeclaration[]): boolean {
  const last = counted[positionsMax];
  if (last === undefined) return false;
  return counted.length > positionsMax + 1 || !isOptions(last);
}

function isOptions({ name, type, dotDotDotToken }: ParameterDeclaration): boolean {
  if (dotDotDotToken !== undefined) return false;
  if (isObjectBindingPattern(name)) return true;
  if (type === undefined || isArrayTypeNode(type) || isFunctionTypeNode(type)) return false;
  return (
    /^(?:\w+\.)*[A-Z{]/.test(type.getText()) &&
    !/^(?:Buffer|Uint8Array|Date)\b/.test(type.getText())
  );
}
