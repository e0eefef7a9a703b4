// The promises of the README, and the tests that the table of promises names for each.

import { rowsOf } from "./reference.ts";

export interface Promised {
  readonly promise: string;
  readonly path: string;
  readonly title: string;
}

/** `- **Durable.** …` under "What it promises". */
export function promisesOf(readme: string): readonly string[] {
  const part = readme.split("\n## What it promises\n")[1]?.split("\n## ")[0] ?? "";
  return [...part.matchAll(/^- \*\*([^*.]+)\.\*\*/gm)].map(([, promise = ""]) => promise);
}

/** Rows of three cells below such titles: promise, test, title. */
export function promisedTests(page: string): readonly Promised[] {
  return rowsOf(page)
    .filter(([, test]) => test !== "test")
    .map(([promise = "", path = "", title = ""]) => ({ promise, path, title }));
}

export function findPromiseViolations(
  promises: readonly string[],
  tests: readonly Promised[],
  read: (path: string) => string | undefined,
): readonly string[] {
  return [
    ...(promises.length === 0 ? ["the README promises nothing"] : []),
    ...promises
      .filter((promise) => tests.every((test) => test.promise !== promise))
      .map((promise) => `no test is named for the promise "${promise}"`),
    ...tests
      .filter(({ promise }) => !promises.includes(promise))
      .map(({ promise, title }) => `the README does not promise "${promise}" (${title})`),
    ...tests
      .filter((test) => !isThere(test, read))
      .map(({ path, title }) => `${path} has no test "${title}"`),
  ];
}

/** The first argument of `it`; an ellipsis in the title matches an expression in a template. */
function isThere({ path, title }: Promised, read: (path: string) => string | undefined): boolean {
  const parts = title.split("…").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const quoted = parts.join("\\$\\{[^}]+\\}");
  return new RegExp(`\\bit\\(\\s*(["'\`])${quoted}\\1`).test(read(path) ?? "");
}
