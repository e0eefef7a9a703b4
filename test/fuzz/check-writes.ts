// Compares what was accepted and rejected with what can be read back: accepted records are stored as they were sent,
// and nothing else is. What has to hold for every reply, whatever was sent: no server error, JSON in a documented form,
// a request id.

import type { App } from "../../src/actions/app.ts";
import { showRecord } from "../../src/actions/record/show-record.ts";
import type { RecordType } from "../../src/domain/record-type.ts";
import { isJsonObject } from "../../src/domain/schema/schema-shape.ts";
import { sortedJson } from "../crash/ledger.ts";
import { withoutInnerNulls, withoutNulls } from "../domain/arbitrary.ts";
import type { FieldFault, ItemOutcome, Reply } from "../support/http-client.ts";
import type { FuzzCase, WriteIntent } from "./fuzz-case.ts";

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
  const lineNumbers = linesOf(write.text ?? "").map(({ number }) => number);
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
  if (code !== 40_000 || !isJsonObject(item) || errors?.every(namesField) === true) return [];
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

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function idOf(type: RecordType, item: unknown): string | undefined {
  if (!isJsonObject(item) || !Object.hasOwn(item, type.idField)) return undefined;
  const id = item[type.idField];
  return typeof id === "string" && id !== "" ? id : undefined;
}

function withDefaults({ addSchema }: RecordType, item: Item): Item {
  const defaults = Object.entries(addSchema.properties as Record<string, { default?: unknown }>)
    .filter(([, property]) => property.default !== undefined)
    .map(([name, property]) => [name, property.default]);
  return { ...Object.fromEntries(defaults), ...item };
}

/** What is wrong with the reply. */
export function checkReply(sent: FuzzCase, reply: Reply): readonly string[] {
  const faults: string[] = [];
  const { status, headers } = reply;
  if (status >= 500) faults.push(`a ${status}`);
  if (!isRequestId(headers["x-request-id"])) faults.push("no X-Request-Id");
  if (!sent.authorized && status < 300 && sent.raw === undefined)
    faults.push("somebody was let in");
  if (sent.ask.method === "HEAD" || reply.bytes.length === 0) {
    const mayBeEmpty = sent.ask.method === "HEAD" || status === 204 || status === 304;
    return mayBeEmpty ? faults : [...faults, "no body"];
  }
  if (status >= 300) return [...faults, ...checkErrorItem(sent, reply)];
  return isText(reply) || readLines(reply) !== undefined
    ? faults
    : [...faults, "a body that is not JSON"];
}

const errorFields: ReadonlySet<string> = new Set(["code", "message", "errors"]);
const problemFields: ReadonlySet<string> = new Set(
  "type title status detail code message errors".split(" "),
);

function checkErrorItem(sent: FuzzCase, reply: Reply): readonly string[] {
  const kind = String(reply.headers["content-type"]);
  const { code, message, errors, detail } = reply.body as Reply["body"] & { detail?: unknown };
  if (!/^application\/(problem\+)?json/.test(kind)) return [`an error as ${kind}`];
  const faults: string[] = [];
  const isProblem = kind.startsWith("application/problem+json");
  if (!Number.isInteger(code)) faults.push("an error without a code");
  else if (Math.floor((code ?? 0) / 100) !== reply.status)
    faults.push("a code that is not of its status");
  if (typeof message !== "string" || message === "") faults.push("an error without a message");
  if (isProblem && detail !== message) faults.push("a problem whose detail is not its message");
  const known = isProblem ? problemFields : errorFields;
  const extra = Object.keys(reply.body).filter((name) => !known.has(name));
  if (extra.length > 0) faults.push(`an error with ${extra.join(", ")}`);
  if (errors !== undefined && !isFieldErrors(errors))
    faults.push("errors that are not of the form");
  return [...faults, ...checkNaming(sent, reply)];
}

/**
 * The error of a rejected record names the field; an item that is not a record has no field to
 * name.
 */
function checkNaming({ write }: FuzzCase, { body, status }: Reply): readonly string[] {
  if (write?.text === undefined || status !== 400 || body.code !== 40_000) return [];
  const value = parse(write.text);
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  const areRecords = items.every(isJsonObject) && items.length > 0;
  if (!areRecords || body.errors?.every(namesField) === true) return [];
  // About how it was sent, not what was sent.
  if (/^(The body must be|The Idempotency-Key)/.test(String(body.message))) return [];
  return ["a rejection that names no field"];
}

function namesField({ field, message }: FieldFault): boolean {
  return typeof field === "string" && field !== "" && typeof message === "string" && message !== "";
}

function isFieldErrors(errors: unknown): errors is readonly FieldFault[] {
  return (
    Array.isArray(errors) &&
    errors.length > 0 &&
    errors.length <= 100 &&
    errors.every(
      (error: unknown) =>
        isJsonObject(error) && Object.values(error).every((part) => typeof part === "string"),
    )
  );
}

/** Documentation and metrics are not for clients. */
function isText({ headers }: Reply): boolean {
  return /^(text|application\/javascript|font|image)/.test(String(headers["content-type"]));
}

/** The values of a body of JSON, or of JSON lines; undefined if it is neither. */
function readLines({ text, headers }: Reply): readonly unknown[] | undefined {
  const isStream = String(headers["content-type"]).startsWith("application/x-ndjson");
  const values = (isStream ? text.trimEnd().split("\n") : [text]).map(parse);
  return values.includes(undefined) ? undefined : values;
}

function isRequestId(value: unknown): boolean {
  return typeof value === "string" && /^[A-Za-z0-9._:/+=@-]{1,128}$/.test(value);
}
