// What people see of a noun, such as a key: which of its values --json has, a table of the command line, a table of a
// page, and the page of one row. A value is the property of its name, shown by its type, unless it is described.

import type { App } from "../actions/app.ts";
import {
  type Column as TextColumn,
  formatTime,
  renderFields,
  renderTable as renderTextTable,
  timeOrNull,
} from "../cli/output/table.ts";
import { type Column, type Html, html, type HtmlValue, renderTable } from "../console/html/html.ts";
import { pathTo } from "../console/html/link.ts";
import { renderOrganization, renderParty } from "../console/html/party.ts";
import { renderAgo, renderTime } from "../console/html/time.ts";

/** `From`: what is needed besides the row. */
type Read<Row, From, Result> = (row: Row, from: From) => Result;

/** A value of a row in each form in which it is shown. What is omitted is as usual for the property. */
export interface Value<Row, From = App> {
  readonly json?: Read<Row, From, unknown>;
  /** On the command line. */
  readonly text?: Read<Row, From, string>;
  /** In a table of a page. */
  readonly html?: Read<Row, From, HtmlValue>;
  /** On the page of the row, if it differs; undefined for what is not shown. */
  readonly fact?: Read<Row, From, HtmlValue>;
  /** `bare`: names its row, and needs no label where rows are shown as cards. `text`: may have several lines. */
  readonly kind?: "bare" | "number" | "text";
}

export type NamedValues = readonly (readonly [name: string, value: HtmlValue])[];

/**
 * Views are names of values, separated by commas. After a name, a colon and a text replace the title, or the name in
 * --json, which otherwise is made from the name.
 */
interface Definition<Row, From> {
  readonly values: Readonly<Record<string, Value<Row, From>>>;
  readonly json?: string;
  /** A table on the command line, and the values of one row there. */
  readonly columns?: string;
  readonly fields?: string;
  /** A table on a page, and the page of one row. */
  readonly headings?: string;
  readonly facts?: string;
}

interface ListOptions<Row> {
  readonly more?: readonly Column<Row>[];
  readonly empty?: HtmlValue;
}

export interface Noun<Row, From = App> {
  readonly json: (row: Row, from: From) => Readonly<Record<string, unknown>>;
  readonly table: (rows: readonly Row[], from: From) => string;
  readonly describe: (row: Row, from: From) => string;
  readonly list: (rows: readonly Row[], from: From, options?: ListOptions<Row>) => Html;
  readonly facts: (row: Row, from: From) => NamedValues;
}

export function defineNoun<Row extends object, From = App>(
  definition: Definition<Row, From>,
): Noun<Row, From> {
  const { values, json = "", columns = "", fields = "", headings = "", facts = "" } = definition;
  const resolve = (view: string, titled: (name: string) => string) =>
    (view === "" ? [] : view.split(", ")).map((entry) => {
      const [name = "", title = titled(name)] = entry.split(": ");
      const own = values[name];
      return { title, ...usualValue<Row>(name), ...likeText(own?.text), ...own };
    });
  const inJson = resolve(json, (name) => wordsOf(name, "_"));
  const [inText, described] = [resolve(columns, titleOf), resolve(fields, titleOf)];
  const [inList, shown] = [resolve(headings, capitalise), resolve(facts, capitalise)];
  return {
    json: (row, from) =>
      Object.fromEntries(inJson.map(({ title, json: read }) => [title, read(row, from)])),
    table: (rows, from) =>
      renderTextTable(
        inText.map(({ title, text, kind }): TextColumn<Row> => {
          const cell = (row: Row) => text(row, from);
          return kind === "number" ? [title, cell, { right: true }] : [title, cell];
        }),
        rows,
      ),
    describe: (row, from) =>
      renderFields(described.map(({ title, text }) => [title, text(row, from)])),
    list: (rows, from, { more = [], empty } = {}) => {
      const own = inList.map(({ title, html: show, kind }): Column<Row> => {
        const cell = (row: Row) => show(row, from);
        return kind === undefined ? [title, cell] : [title, cell, kind];
      });
      return renderTable([...own, ...more], rows, empty === undefined ? {} : { empty });
    },
    facts: (row, from) =>
      shown.map(({ title, html: show, fact = show }) => [title, fact(row, from)]),
  };
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An object for --json, which has no noun of its own. */
export function viewObject(given: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]: [string, unknown]) => [
      wordsOf(name, "_"),
      isObject(value) ? viewObject(value) : value,
    ]),
  );
}

/** What is described for the command line looks the same on pages, unless it is described for them, too. */
function likeText<Row, From>(text: Read<Row, From, string> | undefined) {
  return text && { html: (row: Row, from: From) => html`<bdi>${text(row, from)}</bdi>` };
}

function wordsOf(name: string, between: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => between + letter.toLowerCase());
}

function titleOf(name: string): string {
  return wordsOf(name.replace(/(?:Id|At|On)$/, ""), " ");
}

function capitalise(name: string): string {
  const title = titleOf(name);
  return title.charAt(0).toUpperCase() + title.slice(1);
}

type UsualValue<Row> = Value<Row, unknown> &
  Required<Pick<Value<Row, unknown>, "json" | "text" | "html">>;

function usualValue<Row>(name: string): UsualValue<Row> {
  const read = (row: Row) => (row as Readonly<Record<string, unknown>>)[name];
  if (/(?:At|Since|Until)$/.test(name)) {
    const time = (row: Row) => read(row) as number | undefined;
    return {
      json: (row) => timeOrNull(time(row)),
      text: (row) => formatTime(time(row)),
      html: (row) => renderAgo(time(row)),
      fact: (row) => renderTime(time(row)),
    };
  }
  if (name === "organizationId") {
    const id = (row: Row) => read(row) as string | undefined;
    return {
      json: (row) => id(row) ?? null,
      text: (row) => id(row) ?? "-",
      html: (row) => renderOrganization(id(row)),
    };
  }
  const join = (row: Row, separator: string, none: string) => {
    const value = (read(row) ?? none) as string | number | readonly string[];
    return typeof value === "object" ? value.join(separator) : String(value);
  };
  return {
    json: (row) => read(row) ?? null,
    text: (row) => join(row, ",", "-"),
    html: (row) => html`<bdi>${join(row, ", ", "–")}</bdi>`,
  };
}

/** The name of the row with its id beside it, as a link to its page. */
export function idValue<Id extends string, Row extends Readonly<Record<Id, string>>>(
  route: string,
  id: Id,
  nameOf: (row: Row) => string,
): Value<Row, unknown> {
  const show = (row: Row) =>
    html`<a href="${pathTo(route, row[id])}">${renderParty(nameOf(row), row[id])}</a>`;
  return { html: show, kind: "text" };
}

export const organizationValue: Value<{ readonly organizationId: string }, unknown> = {
  fact: ({ organizationId: id }) =>
    html`<a href="${pathTo("organization", id)}">${renderOrganization(id)}</a>`,
};
