// What people see of a noun, such as a key: which of its values --json has, a table of the command line, a table of a
// page, and the page of one row. A value is the property of its name, shown by its type, unless it is described.

import type { App } from "../actions/app.ts";
import type { Paint, Tone } from "../cli/output/paint.ts";
import {
  type Column as TextColumn,
  formatTime,
  renderTable as renderTextTable,
  timeOrNull,
} from "../cli/output/table.ts";
import { type Column, type Html, html, type HtmlValue, renderTable } from "../console/html/html.ts";
import { pathTo } from "../console/html/link.ts";
import { renderAgo, renderTime } from "../console/html/time.ts";

type Read<Row, Result> = (row: Row, app: App) => Result;

/** A value of a row in each form in which it is shown. What is omitted is as usual for the property. */
export interface Value<Row> {
  readonly json?: Read<Row, unknown>;
  /** On the command line. */
  readonly text?: Read<Row, string>;
  readonly tone?: Read<Row, Tone>;
  /** In a table of a page. */
  readonly html?: Read<Row, HtmlValue>;
  /** On the page of the row, if it differs; undefined for what is not shown. */
  readonly fact?: Read<Row, HtmlValue>;
  /** `bare`: names its row, and needs no label where rows are shown as cards. */
  readonly kind?: "bare" | "number";
}

/**
 * Names of values, separated by commas; each may be followed by a colon and its title, or its name in --json, which is
 * made of the name otherwise.
 */
type View = string;

interface Definition<Row> {
  /** Those that are not shown by their type alone. */
  readonly values: Readonly<Record<string, Value<Row>>>;
  readonly json?: View;
  /** On the command line, and in a table of a page. */
  readonly columns?: View;
  readonly headings?: View;
  /** On the page of the row. */
  readonly facts?: View;
}

export interface Noun<Row> {
  readonly json: (row: Row, app: App) => Readonly<Record<string, unknown>>;
  readonly table: (rows: readonly Row[], app: App, paint?: Paint) => string;
  /** `more`: columns of a single page. */
  readonly list: (rows: readonly Row[], app: App, more?: readonly Column<Row>[]) => Html;
  readonly facts: (row: Row, app: App) => readonly (readonly [name: string, value: HtmlValue])[];
}

export function defineNoun<Row extends object>(definition: Definition<Row>): Noun<Row> {
  const { values, json = "", columns = "", headings = "", facts = "" } = definition;
  const resolve = (view: View, titled: (name: string) => string) =>
    (view === "" ? [] : view.split(", ")).map((entry) => {
      const [name = "", title = titled(name)] = entry.split(": ");
      return { title, ...usualValue<Row>(name), ...values[name] };
    });
  const inJson = resolve(json, (name) => wordsOf(name, "_"));
  const inText = resolve(columns, titleOf);
  const inList = resolve(headings, capitalise);
  const shown = resolve(facts, capitalise);
  return {
    json: (row, app) =>
      Object.fromEntries(inJson.map(({ title, json: read }) => [title, read(row, app)])),
    table: (rows, app, paint) => {
      const made = inText.map(({ title, text, tone, kind }): TextColumn<Row> => {
        const options = {
          ...(kind === "number" && { right: true as const }),
          ...(tone !== undefined && { tone: (row: Row) => tone(row, app) }),
        };
        return [title, (row) => text(row, app), options];
      });
      return renderTextTable(made, rows, paint);
    },
    list: (rows, app, more = []) => {
      const own = inList.map(({ title, html: show, kind }): Column<Row> => {
        const cell = (row: Row) => show(row, app);
        return kind === undefined ? [title, cell] : [title, cell, kind];
      });
      return renderTable([...own, ...more], rows);
    },
    facts: (row, app) => shown.map(({ title, html: show, fact = show }) => [title, fact(row, app)]),
  };
}

function wordsOf(name: string, between: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => between + letter.toLowerCase());
}

/** `last used` for `lastUsedAt`. */
function titleOf(name: string): string {
  return wordsOf(name.replace(/(?:Id|At|On)$/, ""), " ");
}

function capitalise(name: string): string {
  const title = titleOf(name);
  return title.charAt(0).toUpperCase() + title.slice(1);
}

type UsualValue<Row> = Value<Row> & Required<Pick<Value<Row>, "json" | "text" | "html">>;

/** A time, a list or a text. */
function usualValue<Row>(name: string): UsualValue<Row> {
  const read = (row: Row) => (row as Readonly<Record<string, unknown>>)[name];
  if (/(?:At|Since)$/.test(name)) {
    const time = (row: Row) => read(row) as number | undefined;
    return {
      json: (row) => timeOrNull(time(row)),
      text: (row) => formatTime(time(row)),
      html: (row) => renderAgo(time(row)),
      fact: (row) => renderTime(time(row)),
    };
  }
  const join = (row: Row, separator: string, none: string) => {
    const value = read(row) ?? none;
    return Array.isArray(value) ? value.join(separator) : String(value);
  };
  return {
    json: (row) => read(row) ?? null,
    text: (row) => join(row, ",", "-"),
    html: (row) => html`<bdi>${join(row, ", ", "–")}</bdi>`,
  };
}

/** Links the id to the page of the row. */
export function idValue<Row>(route: string, read: (row: Row) => string): Value<Row> {
  return { html: (row) => renderIdLink(route, read(row)), kind: "bare" };
}

export function renderIdLink(route: string, id: string): Html {
  return html`<a href="${pathTo(route, id)}"><code>${id}</code></a>`;
}

interface OfOrganization {
  readonly organizationId: string;
}

export function renderOrganizationLink({ organizationId }: OfOrganization): Html {
  return html`<a href="${pathTo("organization", organizationId)}">${organizationId}</a>`;
}

/** Links to the page of the organization from that of a row. */
export const organizationValue: Value<OfOrganization> = { fact: renderOrganizationLink };
