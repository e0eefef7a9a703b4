// What is installed is what was reviewed: every package has a checksum and comes from the public registry.

import type { Checkout, Outcome } from "../check.ts";
import { type LockedPackage, readLock } from "../files.ts";

const registry = "https://registry.npmjs.org/";
const path = "package-lock.json";

export function checkLockFile({ root }: Checkout): Outcome {
  const { lockfileVersion, packages } = readLock(root);
  const problems = Object.entries(packages).flatMap(([name, locked]) => findProblems(name, locked));
  if (lockfileVersion !== 3) problems.push(`${path}: has the format ${lockfileVersion}, not 3.`);
  const count = Object.keys(packages).filter((name) => name.startsWith("node_modules/")).length;
  return { problems, found: `${count} packages with checksums, no other registry` };
}

function findProblems(
  name: string,
  { integrity, resolved, link }: LockedPackage,
): readonly string[] {
  // The root and the workspaces are folders of the checkout.
  if (!name.includes("node_modules/")) return [];
  if (link === true) {
    const isInside = resolved !== undefined && /^(?!\.\.)[\w.-]+(?:\/[\w-]+)*$/.test(resolved);
    return isInside ? [] : [`${path}: ${name} links to ${resolved}, outside of the checkout.`];
  }
  const problems: string[] = [];
  if (!/^sha512-[\w+/]{86}==$/.test(integrity ?? "")) {
    problems.push(`${path}: ${name} has no SHA-512 checksum.`);
  }
  if (resolved !== undefined && !resolved.startsWith(registry)) {
    problems.push(`${path}: ${name} comes from ${resolved}, not from ${registry}.`);
  }
  return problems;
}
