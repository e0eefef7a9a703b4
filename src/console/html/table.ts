// Tables of pages, each in a box that scrolls sideways where the window is narrower than the table.

import { type Html, html } from "./html.ts";

/** A class of console.css; the rows of `cards` are shown one below the other in a narrow window. */
type Style = "cards" | "cards upload-columns" | "charts" | "content" | "plain";

type Headings = readonly (string | Html)[];

/** A table whose rows have links or buttons: moving the focus among them scrolls the box. */
export function renderTable(headings: Headings, rows: readonly Html[], style?: Style): Html {
  return html`<div class="scroll">${renderContent(headings, rows, style)}</div>`;
}

/** A table whose rows have none: the box itself takes the focus, so that the keyboard can scroll it. */
export function renderFocusableTable(
  headings: Headings,
  rows: readonly Html[],
  style?: Style,
): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Table">
    ${renderContent(headings, rows, style)}
  </div>`;
}

function renderContent(headings: Headings, rows: readonly Html[], style: Style = "cards"): Html {
  const content = html`<thead>
      <tr>
        ${headings.map((heading) => html`<th scope="col">${heading}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>`;
  return style === "plain"
    ? html`<table>
        ${content}
      </table>`
    : html`<table class="${style}">
        ${content}
      </table>`;
}
