// Compares what is in the store, bypassing all product code, with the files: each record exactly
// once, each of its changes exactly once and in order, and nothing else. Alters nothing.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { operate } from "../../support/server.ts";
import { keyOf } from "../ledger.ts";
import { readStored } from "../stored.ts";
import type { Book, Format, Input } from "./input.ts";
import { organizationId, type Place } from "./place.ts";

/** Only while nothing writes. */
export async function checkStore(place: Place, book: Book): Promise<readonly string[]> {
  const { ok, findings } = await operate(place.environment, (app) => app.store.checkIntegrity());
  const { records, faults } = readStored(place.databasePath);
  const stored = new Map([...records].map(([key, { payloads }]) => [key, payloads] as const));
  return [...(ok ? [] : findings), ...faults, ...compareBook(book, stored)];
}

/** `stored`: the payloads of each record, in the order of arrival, by `keyOf`. */
export function compareBook(
  book: Book,
  stored: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const findings: string[] = [];
  const left = new Map(stored);
  for (const [id, wanted] of book) {
    const key = keyOf({ organizationId, resourceType: "transaction", resourceId: id });
    const payloads = left.get(key);
    left.delete(key);
    if (payloads === undefined) {
      findings.push(`${id} is missing`);
      continue;
    }
    if (payloads.length !== wanted.length)
      findings.push(`${id} has ${payloads.length} changes instead of ${wanted.length}`);
    else if (!wanted.every((change, index) => isSame(change, payloads[index])))
      findings.push(`${id} has other changes than the file, or in another order`);
  }
  for (const key of left.keys()) findings.push(`${key} is in no file`);
  return findings;
}

/** A default that the type adds, such as is_test, is not in the file. */
function isSame(wanted: object, payload: string | undefined): boolean {
  const found: unknown = JSON.parse(payload ?? "null");
  if (typeof found !== "object" || found === null) return false;
  return isDeepStrictEqual({ ...found }, { ...found, ...wanted });
}

/** What the last run of an import reported and left behind. */
export function checkReport(place: Place, input: Input, out: string): readonly string[] {
  const [file = {}] = (JSON.parse(out) as { files: Record<string, unknown>[] }).files;
  const findings: string[] = [];
  for (const [name, wanted] of Object.entries(input.counts)) {
    if (file[name] !== wanted)
      findings.push(`${input.name}: ${name} is ${String(file[name])} instead of ${wanted}`);
  }
  const [stem = "", ending = ""] = input.name.split(".");
  const refusedName = `${stem}.refused.${ending}`;
  const text = readFileSync(join(place.inputFolder, refusedName), "utf8");
  const refused = rowsOf(text, ending === "csv" ? "csv" : "ndjson").toSorted((a, b) => a - b);
  if (!isDeepStrictEqual(refused, input.refusedRows))
    findings.push(
      `${refusedName} has rows ${refused.join(" ")} instead of ${input.refusedRows.join(" ")}`,
    );
  const leftovers = readdirSync(place.inputFolder).filter((name) => name.includes("sluice-import"));
  return [...findings, ...leftovers.map((name) => `${name} was left behind`)];
}

function rowsOf(text: string, format: Format): readonly number[] {
  const lines = text.split("\n").filter((line) => line !== "");
  if (format === "csv") return lines.slice(1).map((line) => Number(line.split(",")[0]));
  return lines.map((line) => (JSON.parse(line) as { sluice_row: number }).sluice_row);
}
