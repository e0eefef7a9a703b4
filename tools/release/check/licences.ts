// Every package that is installed for production has a licence of the list, and its text is there.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Checkout, Outcome } from "../check.ts";
import { readLock, readText } from "../files.ts";

/** All permit use and redistribution, also in closed products, if their notice is kept. */
export const allowedLicences: ReadonlySet<string> = new Set([
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "CC0-1.0",
  "ISC",
  "MIT",
]);

/** Packages that state a licence, but whose files on the registry lack its text, and where the text is. */
export const textsElsewhere: Readonly<Record<string, string>> = {
  "@scalar/openapi-types": "https://github.com/scalar/scalar/blob/main/LICENSE",
  "@scalar/schemas": "https://github.com/scalar/scalar/blob/main/LICENSE",
  "abstract-logging": "http://jsumners.mit-license.org",
};

/** The Node of a checkout, which the workspace `tools/node` needs and no installation has. */
const ownNode = /^node-(?:bin-)?(?:linux|darwin|win)-\w+$/;

interface Installed {
  readonly path: string;
  readonly name: string;
  readonly license: string;
}

function productionPackages(root: string): readonly Installed[] {
  return Object.entries(readLock(root).packages)
    .filter(([path, { dev, link }]) => path.includes("node_modules/") && !dev && !link)
    .map(([path, { license = "no licence" }]) => {
      const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
      return { path, name, license };
    })
    .filter(({ name }) => !ownNode.test(name));
}

export function checkLicences(
  { root }: Checkout,
  elsewhere: Readonly<Record<string, string>> = textsElsewhere,
): Outcome {
  const packages = productionPackages(root);
  const names = new Set(packages.map(({ name }) => name));
  const problems = [
    ...packages.flatMap((one) => findProblems(root, one, elsewhere)),
    ...Object.keys(elsewhere)
      .filter((name) => !names.has(name))
      .map((name) => `licences: the text of ${name} is listed, but it is not installed.`),
  ];
  const licences = [...new Set(packages.map(({ license }) => license))];
  return { problems, found: `${packages.length} packages: ${licences.sort().join(", ")}` };
}

function findProblems(
  root: string,
  { path, name, license }: Installed,
  elsewhere: Readonly<Record<string, string>>,
): readonly string[] {
  const problems = isAllowed(license)
    ? []
    : [`licences: ${path} has ${license}, which is not one of the allowed ones.`];
  const hasText = findText(root, path);
  if (hasText === undefined) return [...problems, `licences: ${path} is missing; run npm ci.`];
  if (!hasText && elsewhere[name] === undefined) {
    problems.push(`licences: ${path} lacks the text of its licence.`);
  }
  if (hasText && elsewhere[name] !== undefined) {
    problems.push(`licences: ${path} has its text; remove it from the list of those that lack it.`);
  }
  return problems;
}

/** An SPDX expression with one kind of operator. One that has both is not allowed until somebody has read it. */
function isAllowed(expression: string): boolean {
  const plain = expression.replace(/^\((.*)\)$/, "$1");
  const either = plain.split(" OR ");
  if (either.length > 1) return either.some((licence) => allowedLicences.has(licence));
  return plain.split(" AND ").every((licence) => allowedLicences.has(licence));
}

/** Undefined where the package is not installed. */
function findText(root: string, path: string): boolean | undefined {
  let names: readonly string[];
  try {
    names = readdirSync(join(root, path));
  } catch {
    return undefined;
  }
  if (names.some((name) => /^(?:licen[cs]e|copying)/i.test(name))) return true;
  const readmes = names.filter((name) => /^readme/i.test(name));
  return readmes.some((name) =>
    /permission is hereby granted/i.test(readText(root, `${path}/${name}`)),
  );
}
