// The details of an audit entry for people: names in words, times as times, types as titles. Exports contain the entry
// unchanged.

import { type Html, html, type HtmlValue, renderFacts } from "./html.ts";
import { renderDeletionLink, titleOf } from "./link.ts";
import { formatDuration, formatNumber, renderAgo } from "./time.ts";
import { describeValue } from "./typed-value.ts";

type Detail = Readonly<Record<string, unknown>>;

/** How many facts the row itself shows; further ones are folded. */
const openMax = 1;
const factsMax = 12;
const itemsMax = 10;
const charactersMax = 160;

export function renderDetail(detail: Detail): Html {
  const facts = Object.entries(detail);
  if (facts.length === 0) return html`–`;
  const shown = facts
    .slice(0, factsMax)
    .map(([name, value]) => [inWords(name), renderValue(name, value)] as const);
  const left = facts.length - shown.length;
  const list = html`${renderFacts(shown)} ${left > 0 && html`<p>and ${left} more in the export</p>`}`;
  if (facts.length <= openMax) {
    return html`${shown.map(([name, value]) => html`<small>${name}</small> ${value}`)}`;
  }
  return html`<details>
    <summary>${facts.length} details</summary>
    ${list}
  </details>`;
}

/** `graceSeconds` and `grace_seconds` become `Grace seconds`. */
export function inWords(name: string): string {
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ")
    .toLowerCase()
    .replaceAll(/\bid\b/g, "ID");
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

function renderValue(name: string, value: unknown): HtmlValue {
  if (value === null || value === undefined) return "none";
  if (typeof value === "number") return renderNumber(name, value);
  if (Array.isArray(value)) return renderItems(name, value);
  if (typeof value === "object") return renderParts(value);
  const text = describeValue(value);
  if (/type$/i.test(name)) return titleOf(text);
  if (/^del_\w+$/.test(text)) return renderDeletionLink(text);
  return html`<bdi class="value">${shorten(text)}</bdi>`;
}

/** Times are Unix milliseconds, and recognized by name: `dueAt`, `until`. */
function renderNumber(name: string, value: number): HtmlValue {
  if (/(?:at|until|from|time)$/i.test(name) && value > 1e11) return renderAgo(value);
  if (/ms$/i.test(name)) return formatDuration(value);
  return formatNumber(value);
}

function renderItems(name: string, values: readonly unknown[]): HtmlValue {
  const shown = values
    .slice(0, itemsMax)
    .map((value, index) => html`${index > 0 && ", "}${renderValue(name, value)}`);
  const left = values.length - shown.length;
  return values.length === 0 ? "none" : html`${shown}${left > 0 && ` and ${left} more`}`;
}

function renderParts(value: object): HtmlValue {
  const parts = Object.entries(value).slice(0, itemsMax);
  if (parts.some(([, part]) => typeof part === "object" && part !== null)) {
    return shorten(describeValue(value));
  }
  return html`${parts.map(
    ([name, part], index) =>
      html`${index > 0 && ", "}${inWords(name).toLowerCase()} ${renderValue(name, part)}`,
  )}`;
}

/** Hashes are long and mean little to a reader. */
function shorten(text: string): string {
  const short = text.replaceAll(/(sha256:\w{12})\w+/g, "$1…");
  return short.length <= charactersMax ? short : `${short.slice(0, charactersMax)}…`;
}
