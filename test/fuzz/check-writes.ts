// Compares what was accepted and rejected with what can be read back: accepted records are stored
// as they were sent, and nothing else is.

import type { App } from "../../src/actions/app.ts";
import { showRecord } from "../../src/actions/record/show-record.ts";
import type { RecordType } from "../../src/domain/record-type.ts";
import { sortedJson } from "../crash/ledger.ts";
import { withoutInnerNulls, withoutNulls } from "../domain/arbitrary.ts";
import type { ItemOutcome, Reply } from "../support/http-client.ts";
import type { WriteIntent } from "./fuzz-case.ts";
import { namesField, readLines } from "./check-reply.ts";

type Item = Readonly<Record<string, unknown>>;

export class Expectation {
  /** What each record has to contain, in the order of sending, as sorted JSON. */
  readonly #changes = new Map<string, string[]>();
  readonly #counts = new Map<string, number>();

  /** What is wrong with the store's content after the reply. */
  async evaluate(app: App, write: WriteIntent, reply: Reply): Promise<readonly string[]> {
    const items = itemsOf(write);
    if (items === undefined) return [];
    const { accepted, faults } = verdicts(write, reply, items);
    const found = [...faults];
    if (write.valid && accepted.includes(false)) found.push("a valid record was refused");
    for (const [index, item] of items.entries()) {
      const id = idOf(write.type, item);
      if (accepted[index] === true) {
        if (id === undefined) found.push(`item ${index} was accepted without an id`);
        else this.#note(write, id, item);
      }
    }
    for (const item of items) {
      const id = idOf(write.type, item);
      if (id !== undefined) found.push(...(await this.#compare(app, write, id)));
    }
    return found;
  }

  /** Whether the organizations have as many records of each type as were accepted. */
  async checkCounts(app: App, organizationIds: readonly string[]): Promise<readonly string[]> {
    const faults: string[] = [];
    for (const organizationId of organizationIds) {
      const counts = await app.store.countRecords(organizationId);
      for (const [key, expected] of this.#counts) {
        const [organization, type = ""] = key.split(" ");
        const count = counts[type] ?? 0;
        if (organization === organizationId && count !== expected) {
          faults.push(`${count} records of ${type}, not ${expected}`);
        }
      }
    }
    return faults;
  }

  get accepted(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  #note({ type, organizationId, operation }: WriteIntent, id: string, item: unknown): void {
    const key = JSON.stringify([organizationId, type.resourceType, id]);
    const known = this.#changes.get(key);
    const meant =
      operation === "add"
        ? withoutNulls(type.addSchema, item)
        : withoutInnerNulls(type, item as Item);
    const text = sortedJson(meant);
    // A list of transactions skips what already exists.
    if (known?.includes(text) === true) return;
    this.#changes.set(key, [...(known ?? []), text]);
    if (known !== undefined) return;
    const count = `${organizationId} ${type.resourceType}`;
    this.#counts.set(count, (this.#counts.get(count) ?? 0) + 1);
  }

  async #compare(
    app: App,
    { type, organizationId }: WriteIntent,
    id: string,
  ): Promise<readonly string[]> {
    const { resourceType } = type;
    const key = { organizationId, resourceType, resourceId: id };
    const expected = this.#changes.get(JSON.stringify([organizationId, resourceType, id])) ?? [];
    const history = await app.store.readHistory(key);
    const stored = (history?.changes ?? []).map(({ payload }) => sortedJson(JSON.parse(payload)));
    if (stored.join("\n") !== expected.join("\n")) {
      return [
        `${stored.length} changes are stored and ${expected.length} were accepted, or they differ`,
      ];
    }
    const [only, ...more] = expected;
    if (only === undefined || more.length > 0) return [];
    const { state } = await showRecord(app, key);
    const isSame = sortedJson(state) === sortedJson(withDefaults(type, JSON.parse(only) as Item));
    return isSame ? [] : ["the state differs"];
  }
}

/** Which items were written according to the reply. */
function verdicts(
  write: WriteIntent,
  reply: Reply,
  items: readonly unknown[],
): { accepted: readonly boolean[]; faults: readonly string[] } {
  const values = readLines(reply);
  if (reply.status >= 300 || values === undefined)
    return { accepted: items.map(() => false), faults: [] };
  if (String(reply.headers["content-type"]).startsWith("application/x-ndjson")) {
    return streamVerdicts(write, values, items);
  }
  const { results, write_count: count } = reply.body;
  if (results === undefined) return { accepted: items.map(() => true), faults: [] };
  const accepted = items.map((_, index) => results[index]?.status !== "refused");
  const written = results.filter(({ status }) => status === "created" || status === "updated");
  const faults = results.flatMap((result) => refusalFaults(result, items[result.index]));
  if (written.length !== count) faults.push("a write_count that the results do not bear out");
  if (results.length !== items.length) faults.push("not a result for each item");
  return { accepted, faults };
}

function streamVerdicts(
  write: WriteIntent,
  values: readonly unknown[],
  items: readonly unknown[],
): { accepted: readonly boolean[]; faults: readonly string[] } {
  const refusals = values.slice(0, -1) as readonly (ItemOutcome & { line: number })[];
  const summary = values.at(-1) as { received?: number; refused?: number } | undefined;
  const lineNumbers = lineNumbersOf(write.text ?? "");
  const refused = new Set(refusals.map(({ line }) => lineNumbers.indexOf(line)));
  const faults = refusals.flatMap((result) =>
    refusalFaults(result, items[lineNumbers.indexOf(result.line)]),
  );
  if (summary?.received !== items.length)
    faults.push(`${summary?.received} of ${items.length} lines received`);
  if (summary?.refused !== refusals.length) faults.push("refusals that the summary does not count");
  return { accepted: items.map((_, index) => !refused.has(index)), faults };
}

function refusalFaults({ code, errors, ...rest }: ItemOutcome, item: unknown): string[] {
  const status = (rest as { status?: string }).status ?? "refused";
  if (status !== "refused") return [];
  if (!Number.isInteger(code)) return ["a rejected item without a code"];
  const isRecord = typeof item === "object" && item !== null && !Array.isArray(item);
  if (code !== 40_000 || !isRecord || errors?.every(namesField) === true) return [];
  return ["a rejected item that names no field"];
}

/**
 * The items of the body, read as the service has to read it; undefined for lines and bodies that
 * are not JSON.
 */
function itemsOf({ text, form }: WriteIntent): readonly unknown[] | undefined {
  if (text === undefined) return undefined;
  if (form === "stream") return linesOf(text).map(({ line }) => parse(line));
  const value = parse(text);
  if (value === undefined) return undefined;
  return Array.isArray(value) ? value : [value];
}

function linesOf(text: string): readonly { line: string; number: number }[] {
  return text
    .split("\n")
    .map((line, index) => ({ line, number: index + 1 }))
    .filter(({ line }) => /[^ \t\r]/.test(line));
}

function lineNumbersOf(text: string): readonly number[] {
  return linesOf(text).map(({ number }) => number);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function idOf(type: RecordType, item: unknown): string | undefined {
  if (typeof item !== "object" || item === null || !Object.hasOwn(item, type.idField))
    return undefined;
  const id = (item as Item)[type.idField];
  return typeof id === "string" && id !== "" ? id : undefined;
}

function withDefaults({ addSchema }: RecordType, item: Item): Item {
  const defaults = Object.entries(addSchema.properties as Record<string, { default?: unknown }>)
    .filter(([, property]) => property.default !== undefined)
    .map(([name, property]) => [name, property.default]);
  return { ...Object.fromEntries(defaults), ...item };
}
