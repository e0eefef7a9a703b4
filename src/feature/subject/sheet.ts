// A letter as a page to print: places for the letterhead, the address and the signature, in which somebody can write
// before it is printed. What is written there is not sent anywhere.

import { html, type Html, renderElement, renderFacts } from "../../console/html/html.ts";
import type { Texts } from "./texts.ts";

export type Row = readonly string[];

export interface Part {
  readonly heading?: string;
  readonly lines?: readonly (string | false)[];
  /** Its first column names the row. */
  readonly table?: { readonly columns: Row; readonly rows: readonly Row[] };
}

export interface Letter {
  readonly title: string;
  readonly organizationName: string;
  readonly at: number;
  readonly facts: readonly (readonly [name: string, value: string | undefined])[];
  readonly opening: string;
  /** Those that have nothing to say are left out. */
  readonly parts: readonly Part[];
  /** Stands above the signature. */
  readonly end: readonly (string | false)[];
}

export function renderSheet(texts: Texts, letter: Letter): Html {
  const { title, organizationName: organization, at, facts, opening, parts, end } = letter;
  const letterhead = texts.say("sheet.letterhead", { organization });
  return html`<p class="note screen">
      Write the letterhead and the address, then print this page with your browser, also as PDF.
      What you write here is not stored.
    </p>
    <article class="sheet" lang="${texts.language}">
      <textarea class="letterhead" aria-label="Letterhead" rows="3">${letterhead}</textarea>
      <textarea class="address" aria-label="Address" rows="5" placeholder="Address"></textarea>
      <p class="number">${texts.date(at)}</p>
      <h2>${title}</h2>
      ${renderFacts(facts.map(([name, value]) => [name, value]))}
      <p>${texts.say("sheet.greeting")}</p>
      <p>${opening}</p>
      ${parts.map(renderPart)}
      ${[...end, texts.say("sheet.dates")].map((line) => line !== false && html`<p>${line}</p>`)}
      <section class="signing" aria-label="${texts.say("sheet.signature")}">
        <p>${texts.say("sheet.closing")}</p>
        <p class="signature">${texts.say("sheet.signature")}</p>
      </section>
    </article>`;
}

function renderPart({ heading, lines = [], table }: Part): Html | false {
  const said = lines.filter((line) => line !== false);
  if (said.length === 0 && (table === undefined || table.rows.length === 0)) return false;
  return html`<section>
    ${heading !== undefined && html`<h3>${heading}</h3>`}
    ${said.map((line) => html`<p>${line}</p>`)}
    ${table !== undefined && table.rows.length > 0 && renderTable(table)}
  </section>`;
}

export function renderTable({ columns, rows }: NonNullable<Part["table"]>): Html {
  return html`<table>
    ${renderColumns(columns)}
    <tbody>
      ${rows.map(renderRow)}
    </tbody>
  </table>`;
}

export function renderColumns(names: Row): Html {
  return html`<thead>
    <tr>
      ${names.map((name) => html`<th scope="col">${name}</th>`)}
    </tr>
  </thead>`;
}

/** Words are not broken, so that no column is narrower than one, except very long ones. */
export function renderRow([name, ...values]: Row): Html {
  return html`<tr>
    ${renderElement("th", { scope: "row", class: classOf(name) }, name)}
    ${values.map((value) => renderElement("td", { class: classOf(value) }, value))}
  </tr>`;
}

function classOf(text = ""): string | undefined {
  return /[^\s-]{25}/.test(text) ? "long" : undefined;
}
