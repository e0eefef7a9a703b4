// The template helper of every page. Values are always escaped; only the result of another template is inserted
// unchanged.

import { escapeHtml } from "../../basics/escape-html.ts";

class Markup {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  get text(): string {
    return this.#text;
  }
}

/** Only `html` makes it, so it never contains unescaped text. */
export type Html = Markup;

/** undefined and false render nothing, so that `condition && html…` works. */
export type HtmlValue = Html | string | number | undefined | false | readonly HtmlValue[];

/** Throws TypeError for a value inside a tag without quotes: escaping would not be enough there. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const [first = "", ...others] = withoutIndentation(parts);
  const rendered = values.map((value, index) => render(value) + (others[index] ?? ""));
  return new Markup(first + rendered.join(""));
}

type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** An element whose undefined, null and false attributes are omitted. True has no value. */
export function renderElement(
  name: "a" | "input" | "option" | "select" | "td" | "textarea" | "th" | "time",
  attributes: Attributes,
  content?: HtmlValue,
): Html {
  const given = Object.entries(attributes).map(([key, value]) => {
    if (value === undefined || value === null || value === false) return "";
    return value === true ? ` ${key}` : ` ${key}="${escapeHtml(String(value))}"`;
  });
  const start = `<${name}${given.join("")}>`;
  return new Markup(name === "input" ? start : `${start}${render(content)}</${name}>`);
}

const dense = new WeakMap<TemplateStringsArray, readonly string[]>();

/** Removes indentation, which would be a third of a page. Templates must not indent text in `pre`. */
function withoutIndentation(parts: TemplateStringsArray): readonly string[] {
  const known = dense.get(parts);
  if (known !== undefined) return known;
  requireQuotes(parts);
  const made = parts.map((part) => part.replaceAll(/\n\s+/g, "\n"));
  dense.set(parts, made);
  return made;
}

function requireQuotes(parts: TemplateStringsArray): void {
  let before = "";
  for (const part of parts.slice(0, -1)) {
    before += part;
    const inTag = /<[^<>]*$/.exec(before)?.[0];
    if (inTag === undefined || inTag.split('"').length % 2 === 0) continue;
    throw new TypeError(`the value after ${inTag} has to be in double quotes`);
  }
}

function render(value: HtmlValue): string {
  if (value === undefined || value === false) return "";
  if (value instanceof Markup) return value.text;
  if (typeof value === "string") return escapeHtml(value);
  return typeof value === "number" ? String(value) : value.map(render).join("");
}

// Tables of pages, each in a box that scrolls sideways if the window is narrower than the table; and lists of facts.

/** A class of console.css; the rows of `cards` are shown one below the other in a narrow window. */
type Style = "cards" | "cards report" | "cards upload-columns" | "charts" | "content" | "plain";

/**
 * The heading of a column, and what a row has there. A `head` cell names its row; a `bare` cell needs no label when
 * rows are shown as cards; a `text` may have several lines.
 */
export type Column<Row> = readonly [
  heading: string | Html,
  cell: (row: Row) => HtmlValue,
  kind?: "head" | "bare" | "number" | "text",
];

interface TableOptions {
  readonly style?: Style;
  readonly empty?: HtmlValue;
}

/** The box takes the focus, so that the keyboard can scroll it, unless moving the focus in the table does. */
export function renderTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { style = "cards", empty }: TableOptions = {},
): Html {
  if (rows.length === 0 && empty !== undefined) return renderEmpty(empty);
  const table = renderContent(columns, rows, style);
  if (/<(?:a|button|input|summary)\b/.test(table.text)) {
    return html`<div class="scroll">${table}</div>`;
  }
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Table">${table}</div>`;
}

export function renderEmpty(text: HtmlValue): Html {
  return html`<p class="empty">${text}</p>`;
}

/** A column in which no row has anything is left out. */
function renderContent<Row>(
  allColumns: readonly Column<Row>[],
  rows: readonly Row[],
  style: Style,
): Html {
  const isLabelled = style.startsWith("cards");
  const columns = allColumns.filter(
    ([, cell]) => rows.length === 0 || rows.some((row) => !isNone.test(html`${cell(row)}`.text)),
  );
  const cells = rows.map((row) => columns.map(([, cell]) => html`${cell(row)}`));
  const classes = columns.map(
    ([, , kind], index) => kind ?? kindOf(cells.map((row) => row[index])),
  );
  return html`<table class="${style}">
    <thead>
      <tr>
        ${columns.map(([heading], at) => renderElement("th", { scope: "col", class: classes[at] }, heading))}
      </tr>
    </thead>
    <tbody>
      ${cells.map(
        (row) =>
          html`<tr>
            ${row.map((cell, at) => renderCell(columns[at]?.[0], cell, { isLabelled, kind: classes[at] }))}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

const isNone = /^(?:<[^>]*>)*–(?:<[^>]*>)*$/;

/** Times, states, organizations and forms have the same width in each row, and the other columns share what is left. */
function kindOf(cells: readonly (Html | undefined)[]): string | undefined {
  const kinds = {
    moment: '<time class="exact"',
    ago: '<time class="ago"',
    time: "<time",
    state: '<span class="chip',
    act: "<form",
    party: "<span data-organization",
  };
  const starts = Object.entries(kinds);
  return starts.find(([, start]) => cells.some((cell) => cell?.text.startsWith(start)))?.[0];
}

interface Cell {
  readonly isLabelled: boolean;
  readonly kind: string | undefined;
}

function renderCell(heading: string | Html = "", cell: Html, { isLabelled, kind }: Cell): Html {
  const label = isLabelled && kind !== "bare" && labelOf(heading);
  const className = (kind === "number" || kind === "text") && kind;
  const attributes = { scope: kind === "head" && "row", class: className, "data-label": label };
  const content = kind === "party" ? html`<div class="owner">${cell}</div>` : cell;
  return renderElement(kind === "head" ? "th" : "td", attributes, content);
}

/** The text of a heading that is a link; empty for one that is only read out. */
function labelOf(heading: string | Html): string | false {
  if (typeof heading === "string") return heading;
  return /^<a [^>]*>([^<]*)/.exec(heading.text)?.[1]?.trim() ?? false;
}

export function renderFacts(facts: readonly (readonly [name: string, value: HtmlValue])[]): Html {
  const terms = facts
    .filter(([, value]) => value !== undefined && value !== false)
    .map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${value}</dd>`,
    );
  return html`<dl class="facts">${terms}</dl>`;
}

/** `state`: whether the value needs attention. */
export type Figure = readonly [name: string, value: HtmlValue, state?: "fine" | "warn"];

/** Large numbers in boxes; names without a value are omitted. */
export function renderFigures(figures: readonly Figure[]): Html {
  const boxes = figures
    .filter(([, value]) => value !== undefined)
    .map(
      ([name, value, state]) =>
        html`<div class="${state}">
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    );
  return html`<dl class="figures">${boxes}</dl>`;
}

const recordsShownMax = 100;

/** Records, or what is said of each, in columns; those that are left out are not rendered. */
export function renderRecords<Found>(
  records: readonly Found[],
  renderOne: (record: Found) => HtmlValue,
): Html {
  const left = records.length - recordsShownMax;
  return html`<ul class="records">
    ${records.slice(0, recordsShownMax).map((one) => html`<li>${renderOne(one)}</li>`)}
    ${left > 0 && html`<li>and ${left.toLocaleString("en")} more</li>`}
  </ul>`;
}
