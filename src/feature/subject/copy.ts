// The copy of what is stored about a person or a company as one HTML file that people read and print: the latest state
// of each record by type, transactions as a table. It is sent while it is read, loads nothing, and runs nothing.

import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { findOrganization } from "../../actions/access/find-organization.ts";
import type { App } from "../../actions/app.ts";
import { escapeHtml } from "../../basics/escape-html.ts";
import { html, type Html } from "../../console/html/html.ts";
import { namesParties } from "../../domain/deletion/party.ts";
import type { Payload } from "../../domain/record-type.ts";
import { recordTypeByName } from "../../domain/record-types.ts";
import type { RecordKey } from "../../domain/record/record-write.ts";
import {
  type Count,
  findKeys,
  inOrder,
  readDeletionsOf,
  readEach,
  readRecords,
  type SubjectRecord,
  type SubjectRequest,
} from "./read-subject.ts";
import { renderColumns, renderRow, renderTable, type Row } from "./sheet.ts";
import { showText, type Texts } from "./texts.ts";

/** Further records are only in the copy for programs, which has no limit. */
const recordsMaxDefault = 25_000;
const valueCharactersMax = 2_000;
const deletionsMax = 1_000;

const style = readFileSync(new URL("copy.css", import.meta.url), "utf8");

/** Allows this style and nothing else. */
export const copyPolicy = `default-src 'none'; style-src 'sha256-${hash("sha256", style, "base64")}'; base-uri 'none'; form-action 'none'`;

interface Copy {
  readonly request: SubjectRequest;
  readonly texts: Texts;
  readonly organizationName: string;
  /** The first ones of all, by type. */
  readonly keys: ReadonlyMap<string, readonly RecordKey[]>;
  readonly counts: readonly Count[];
  readonly recordsMax: number;
}

/** The caller has written to the audit trail. Throws OperatorError too_much_to_search. */
export async function writeCopy(
  app: App,
  request: SubjectRequest,
  {
    texts,
    recordsMax = recordsMaxDefault,
  }: { readonly texts: Texts; readonly recordsMax?: number },
): Promise<AsyncIterable<string>> {
  const { name: organizationName } = await findOrganization(app, request.organizationId);
  const keys = new Map<string, RecordKey[]>();
  const counts = new Map<string, number>();
  let left = recordsMax;
  for await (const page of findKeys(app, request)) {
    const type = page[0]?.resourceType ?? "";
    counts.set(type, (counts.get(type) ?? 0) + page.length);
    const kept = keys.get(type) ?? [];
    kept.push(...page.slice(0, left));
    keys.set(type, kept);
    left = Math.max(0, left - page.length);
  }
  const content = { keys, counts: inOrder(counts), recordsMax };
  return renderCopy(app, { request, texts, organizationName, ...content });
}

async function* renderCopy(app: App, copy: Copy): AsyncGenerator<string> {
  const { request, texts, keys, counts } = copy;
  yield `<!doctype html>\n<html lang="${escapeHtml(texts.language)}"><head>`;
  yield renderHead(copy).text;
  yield `<style>${style}</style></head><body><main>`;
  yield renderSummary(copy, app.now()).text;
  for (const [type] of subjectFirst(counts, request)) {
    const read = readRecords(app, [await inTimeOrder(app, keys.get(type) ?? [])]);
    yield html`<h2>${texts.type(type)}</h2>`.text;
    yield* namesParties(type) ? renderList(read, texts) : renderEach(read, texts);
  }
  yield* renderDeletions(app, copy);
  yield renderLeftOut(copy).text;
  yield "</main></body></html>\n";
}

/** Sorts records by their last dates, which the copy shows. Normalised timestamps sort as text. */
async function inTimeOrder(app: App, keys: readonly RecordKey[]): Promise<readonly RecordKey[]> {
  const read = readEach([keys], async (key) => {
    return { key, at: (await app.store.findRecord(key))?.lastSeen ?? "" };
  });
  const seen = (await Array.fromAsync(read)).flat();
  return seen.sort((one, other) => (one.at < other.at ? -1 : 1)).map(({ key }) => key);
}

function subjectFirst(
  counts: readonly Count[],
  { resourceType }: SubjectRequest,
): readonly Count[] {
  return counts.toSorted(([one], [other]) => +(other === resourceType) - +(one === resourceType));
}

function renderHead({ texts }: Copy): Html {
  return html`<meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="${copyPolicy}" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="robots" content="noindex" />
    <title>${texts.say("copy.title")}</title>`;
}

function renderSummary(
  { request, texts, organizationName, keys, counts, recordsMax }: Copy,
  now: number,
): Html {
  const shown = (type: string) => keys.get(type)?.length ?? 0;
  const isCut = counts.some(([type, count]) => shown(type) < count);
  const isThere = keys
    .get(request.resourceType)
    ?.some(({ resourceId }) => resourceId === request.resourceId);
  const names = ["sheet.type", "sheet.records", ...(isCut ? ["copy.shown" as const] : [])] as const;
  return html`<h1>${texts.say("copy.title")}</h1>
    ${renderFields([
      [texts.say("sheet.organization"), showText(organizationName)],
      [texts.say("sheet.type"), texts.type(request.resourceType)],
      [texts.say("sheet.id"), showText(request.resourceId)],
      [texts.say("copy.as_of"), texts.time(now)],
    ])}
    ${request.confidential && html`<p><strong>${texts.say("copy.confidential")}</strong></p>`}
    <p>${texts.say("copy.intro")}</p>
    <h2>${texts.say("copy.contents")}</h2>
    <p>${texts.say("copy.contents_what")}</p>
    ${isThere !== true && html`<p>${texts.say("copy.no_record")}</p>`}
    ${renderTable({
      columns: texts.sayAll(...names),
      rows: counts.map(([type, count]) => [
        texts.type(type),
        texts.number(count),
        ...(isCut ? [texts.number(shown(type))] : []),
      ]),
    })}
    ${isCut && html`<p><strong>${texts.say("copy.cut", { count: recordsMax })}</strong></p>`}
    <p>${texts.say("copy.values_cut", { count: valueCharactersMax })}</p>`;
}

const leftOut = [
  "copy.left_text",
  "copy.left_erased",
  "copy.left_keys",
  "copy.left_later",
] as const;

/** The same whether or not anything was left out. */
function renderLeftOut({ texts, request: { confidential } }: Copy): Html {
  const reports = confidential ? ("copy.left_no_type" as const) : ("copy.left_reports" as const);
  return html`<h2>${texts.say("copy.left_out")}</h2>
    <ul>
      ${([reports, ...leftOut] as const).map((key) => html`<li>${texts.say(key)}</li>`)}
    </ul>`;
}

type Records = AsyncIterable<readonly SubjectRecord[]>;

async function* renderEach(pages: Records, texts: Texts): AsyncGenerator<string> {
  for await (const page of pages) {
    for (const { resource_type: type, resource_id: id, state } of page) {
      const idField = recordTypeByName(type)?.idField;
      const fields = Object.entries(state)
        .filter(([field]) => field !== idField)
        .map(([field, value]): Row => [texts.field(field), cut(texts.value(field, value))]);
      yield html`<h3>${showText(id)}</h3>
        ${renderFields(fields)}`.text;
    }
  }
}

type Cell = readonly [fields: readonly string[], cell: (state: Payload, texts: Texts) => string];

/** What is not in one of these columns is in the last one. */
const columns: readonly Cell[] = [
  columnOf("timestamp"),
  columnOf("type", "method"),
  [["amount", "currency"], describeAmount],
  columnOf("status"),
  columnOf("sender_id", "sender_country"),
  columnOf("receiver_id", "receiver_country"),
  columnOf("tx_id"),
];

/** Each field on a line of its own. */
function columnOf(...fields: readonly string[]): Cell {
  const presentIn = (state: Payload) => fields.filter((field) => state[field] !== undefined);
  return [
    fields,
    (state, texts) =>
      presentIn(state)
        .map((field) => texts.value(field, state[field]))
        .join("\n") || "–",
  ];
}

function describeAmount({ amount, currency }: Payload, texts: Texts): string {
  return typeof amount === "number" && typeof currency === "string"
    ? texts.amount(amount, currency)
    : `${texts.value("currency", currency)} ${texts.value("amount", amount)}`;
}

async function* renderList(pages: Records, texts: Texts): AsyncGenerator<string> {
  const placed = new Set(columns.flatMap(([fields]) => fields));
  const heading = ([[field = ""]]: Cell) => texts.field(field);
  yield `<div class="scroll" tabindex="0" role="region" aria-label="${escapeHtml(texts.type("transaction"))}"><table class="list">`;
  yield renderColumns([...columns.map(heading), texts.say("copy.details")]).text;
  yield "<tbody>";
  for await (const page of pages) {
    yield page
      .map(({ state }) => {
        const others = Object.entries(state).filter(([field]) => !placed.has(field));
        const details = texts.value("details", Object.fromEntries(others)).replaceAll("\n", "; ");
        return renderRow([...columns.map(([, cell]) => cell(state, texts)), details].map(cut)).text;
      })
      .join("");
  }
  yield "</tbody></table></div>";
}

async function* renderDeletions(app: App, { request, texts }: Copy): AsyncGenerator<string> {
  const rows: Row[] = [];
  for await (const page of readDeletionsOf(app, request)) {
    for (const { requested_at, status, due_at, reason } of page.slice(
      0,
      deletionsMax - rows.length,
    )) {
      rows.push([
        texts.date(requested_at),
        texts.say(`status.${status}`),
        due_at === undefined ? "–" : texts.date(due_at),
        showText(reason),
      ]);
    }
  }
  if (rows.length === 0) return;
  const names = ["sheet.requested", "copy.status", "copy.waits", "copy.reason"] as const;
  yield html`<h2>${texts.say("copy.deletions")}</h2>
    ${renderTable({ columns: texts.sayAll(...names), rows })}`.text;
}

function cut(text: string): string {
  if (text.length <= valueCharactersMax) return text;
  return `${text.slice(0, valueCharactersMax).toWellFormed()}…`;
}

/** A table of names and values. */
function renderFields(rows: readonly Row[]): Html {
  return html`<table class="fields">
    <tbody>
      ${rows.map(renderRow)}
    </tbody>
  </table>`;
}
