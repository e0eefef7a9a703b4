// Imports of a file into the store of a command line, as tests type them, and what they report.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FileCheck } from "../../../src/feature/import/check-file.ts";
import type { viewReports } from "../../../src/feature/import/run-import.ts";
import type { CommandLine } from "../../cli/command-line.ts";
import { acme } from "../../support/round-trip.ts";

/** Of a file with the columns id, from, value and day. */
export const mapping =
  "tx_id=~tx-{id},type==DEPOSIT,method==WIRE,amount=value,currency==EUR,status==SETTLED," +
  "sender_id=from,sender_country==DE,timestamp=day@days:2026-01-01";

export function importing(
  file: string,
  type = "transaction",
  ...options: readonly string[]
): readonly string[] {
  return ["import", file, "--type", type, "--organization", acme, ...options];
}

function textOf(line: unknown): string {
  return typeof line === "string" ? line : JSON.stringify(line);
}

/** Lines are text, or objects that become JSON. */
export function put(
  { folder }: Pick<CommandLine, "folder">,
  name: string,
  content: string | Uint8Array | readonly unknown[],
): string {
  const file = join(folder, name);
  writeFileSync(
    file,
    Array.isArray(content) ? `${content.map(textOf).join("\n")}\n` : (content as string),
  );
  return file;
}

export type Report = ReturnType<typeof viewReports>["files"][number];

/** What has become of the only file; some of its rows may have been refused. */
export async function report(line: CommandLine, ...words: readonly string[]): Promise<Report> {
  const { out, err } = await line.type(...words, "--json");
  assert.equal(err, "");
  return firstOf(out) as Report;
}

export async function check(
  line: CommandLine,
  ...words: readonly string[]
): Promise<FileCheck & { readonly code: number }> {
  const { code, out } = await line.type(...words, "--check", "--json");
  return { code, ...(firstOf(out) as FileCheck) };
}

export function firstOf(out: string): Report | FileCheck {
  const { files } = JSON.parse(out) as { readonly files: readonly (Report | FileCheck)[] };
  assert.ok(files[0] !== undefined, out);
  return files[0];
}
