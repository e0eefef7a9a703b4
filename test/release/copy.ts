// Copies of the checkout that a test may break: only of the files that it needs, as a repository of its own.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Checkout } from "../../tools/release/check.ts";
import { readFile, root } from "../repository/tree.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

const { version } = JSON.parse(readFile("package.json").text) as { version: string };

export const ownCheckout: Checkout = { root, version };

/** The paths may be folders. */
export function copyOf(...paths: readonly string[]): Checkout {
  const folder = makeTempFolder();
  for (const path of paths) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(root, path), join(folder, path), { recursive: true });
  }
  return { root: folder, version };
}

/** A checkout with these files only. */
export function checkoutOf(files: Readonly<Record<string, string | object>>): Checkout {
  const folder = makeTempFolder();
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(
      join(folder, path),
      typeof content === "string" ? content : JSON.stringify(content),
    );
  }
  return { root: folder, version };
}

/** Replaces a text that has to be there. Returns a function that restores the file. */
export function edit({ root: folder }: Checkout, path: string, edited: (text: string) => string) {
  const place = join(folder, path);
  const before = readFileSync(place, "utf8");
  const after = edited(before);
  if (after === before) throw new Error(`${path} was not changed`);
  writeFileSync(place, after);
  return () => writeFileSync(place, before);
}

/** Runs git as nobody in particular, at a fixed time. */
export function git({ root: folder }: Checkout, ...words: readonly string[]): void {
  const date = "2026-01-31T09:30:00Z";
  execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@sluice.invalid", ...words], {
    cwd: folder,
    env: { ...process.env, GIT_COMMITTER_DATE: date, GIT_AUTHOR_DATE: date },
    stdio: "ignore",
  });
}

export function commitAll(checkout: Checkout): void {
  git(checkout, "init", "--initial-branch", "main");
  git(checkout, "add", "--all");
  git(checkout, "commit", "--no-gpg-sign", "--message", "A commit");
}
