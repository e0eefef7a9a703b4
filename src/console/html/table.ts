// Tables of pages, each in a box that scrolls sideways where the window is narrower than the table; and lists of facts.

import { type Html, html, type HtmlValue, renderElement } from "./html.ts";

/** A class of console.css; the rows of `cards` are shown one below the other in a narrow window. */
type Style = "cards" | "cards upload-columns" | "charts" | "content" | "plain";

/**
 * The heading of a column, and what a row has there. A cell that is the `head` names its row; a `bare` cell needs no
 * label where rows are cards.
 */
export type Column<Row> = readonly [
  heading: string | Html,
  cell: (row: Row) => HtmlValue,
  kind?: "head" | "bare" | "number",
];

/** A table whose rows have links or buttons: moving the focus among them scrolls the box. */
export function renderTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  style?: Style,
): Html {
  return html`<div class="scroll">${renderContent(columns, rows, style)}</div>`;
}

/** A table whose rows have none: the box itself takes the focus, so that the keyboard can scroll it. */
export function renderFocusableTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  style?: Style,
): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Table">
    ${renderContent(columns, rows, style)}
  </div>`;
}

function renderContent<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  style: Style = "cards",
): Html {
  const isLabelled = style.startsWith("cards");
  return html`<table class="${style}">
    <thead>
      <tr>
        ${columns.map(([heading]) => html`<th scope="col">${heading}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (row) =>
          html`<tr>
            ${columns.map((column) => renderCell(column, row, isLabelled))}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function renderCell<Row>([heading, cell, kind]: Column<Row>, row: Row, isLabelled: boolean): Html {
  const label = isLabelled && kind !== "bare" && typeof heading === "string" && heading;
  const className = kind === "number" && "number";
  const attributes = { scope: kind === "head" && "row", class: className, "data-label": label };
  return renderElement(kind === "head" ? "th" : "td", attributes, cell(row));
}

/** A list of names with their values. */
export function renderFacts(facts: readonly (readonly [name: string, value: HtmlValue])[]): Html {
  const terms = facts.map(
    ([name, value]) =>
      html`<dt>${name}</dt>
        <dd>${value}</dd>`,
  );
  return html`<dl class="facts">${terms}</dl>`;
}
