// The changelog has a dated section for the version, in the format of Keep a Changelog, and nothing is left unreleased.

import type { Checkout, Outcome } from "../check.ts";
import { readText } from "../files.ts";

const path = "CHANGELOG.md";
const kinds: ReadonlySet<string> = new Set([
  "Added",
  "Changed",
  "Deprecated",
  "Removed",
  "Fixed",
  "Security",
]);

interface Section {
  readonly name: string;
  readonly date: string | undefined;
  readonly text: string;
}

/** `today` is a date such as 2026-01-31. */
export function checkChangelog(
  { root, version }: Checkout,
  today: string = new Date().toISOString().slice(0, 10),
): Outcome {
  const sections = readSections(readText(root, path));
  const unreleased = sections.find(({ name }) => name === "Unreleased");
  const section = sections.find(({ name }) => name === version);
  const problems: string[] = [];
  if (unreleased === undefined) problems.push(`${path}: has no section "## [Unreleased]".`);
  else if (unreleased.text !== "") {
    problems.push(`${path}: move what is under [Unreleased] to the section of the version.`);
  }
  if (section === undefined) {
    problems.push(`${path}: has no section "## [${version}] - YYYY-MM-DD".`);
    return { problems, found: "" };
  }
  const released = sections.filter(({ name }) => name !== "Unreleased");
  if (released[0] !== section) {
    problems.push(`${path}: the section of ${version} is not the latest.`);
  }
  problems.push(...released.flatMap((each) => findProblems(each, today)));
  return { problems, found: `${version} of ${section.date}` };
}

function readSections(text: string): readonly Section[] {
  const [, ...parts] = text.split(/^## /m);
  return parts.map((part) => {
    const [heading = "", ...lines] = part.split("\n");
    const [, name = heading, date] = /^\[([^\]]+)\](?: - (.*))?$/.exec(heading) ?? [];
    return { name, date, text: lines.join("\n").trim() };
  });
}

function findProblems({ name, date, text }: Section, today: string): readonly string[] {
  const problems: string[] = [];
  if (date === undefined || !isDate(date)) {
    problems.push(`${path}: the section of ${name} has no date such as "- ${today}".`);
  } else if (date > today) problems.push(`${path}: the section of ${name} has a date to come.`);
  const headings = [...text.matchAll(/^### (.*)$/gm)].map(([, heading = ""]) => heading);
  const unknown = headings.filter((heading) => !kinds.has(heading));
  if (unknown.length > 0) {
    problems.push(`${path}: ${unknown.join(", ")} is none of ${[...kinds].join(", ")}.`);
  }
  if (!/^### .*\n+- \S/m.test(text)) problems.push(`${path}: the section of ${name} is empty.`);
  return problems;
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}
