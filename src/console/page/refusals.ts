// Lists refusals by error, field and API key: a table without content, with filters in the address.

import { errorCatalogue } from "../../domain/error.ts";
import type { Refusal, RefusalsRead } from "../../metrics/refusals.ts";
import { type Html, html, renderElement } from "../html/html.ts";
import type { Person } from "../request/request.ts";
import { type Column, renderFocusableTable } from "../html/table.ts";
import { formatNumber, renderTime } from "../html/time.ts";
import { renderInput } from "../html/field.ts";

const hoursOf: Readonly<Record<string, number>> = { hour: 1, day: 24 };
const rowsShown = 100;

/** The message of each code; a code that is shown is always in this map. */
const messages: ReadonlyMap<number, string> = new Map(
  Object.values(errorCatalogue).map(({ code, message }) => [code, message]),
);

export function renderRefusals({ sources, query }: Person): Html {
  const hours = hoursOf[query.get("period") ?? "day"] ?? 24;
  const read = sources.refusals.read(hours);
  const found = read.refusals.filter((one) => fits(one, query));
  return html`<section aria-labelledby="refusals">
    <h2 id="refusals">Refusals</h2>
    ${renderFilters(query)} ${found.length === 0 ? renderNone(read) : renderFound(found)}
    ${
      read.others > 0 &&
      html`<p>
        ${formatNumber(read.others)} more are not listed: too many different ones were refused.
      </p>`
    }
    <p class="note">
      Errors in requests that this process has refused since its start, a day ago at most; other
      processes of the same store count their own. No values, no ids, and nothing about confidential
      types.
    </p>
  </section>`;
}

function fits({ code, organizationId, keyId }: Refusal, query: URLSearchParams): boolean {
  const is = (name: string, value: string) => {
    const wanted = query.get(name)?.trim() ?? "";
    return wanted === "" || wanted === value;
  };
  return (
    is("code", String(code)) && is("organization", organizationId ?? "") && is("key", keyId ?? "")
  );
}

function renderFilters(query: URLSearchParams): Html {
  const input = (label: string, name: string) =>
    renderInput(label, name, { value: query.get(name), maxlength: 64, autocomplete: "off" });
  const isHour = query.get("period") === "hour";
  return html`<form class="filters" method="get" action="/console/intake">
    ${input("Code", "code")} ${input("Organization", "organization")} ${input("API key", "key")}
    <label
      >Period
      <select name="period">
        <option value="day">the last 24 hours</option>
        ${renderElement("option", { value: "hour", selected: isHour }, "this hour")}
      </select></label
    >
    <button type="submit">Filter</button>
  </form>`;
}

function renderNone({ refusals }: RefusalsRead): Html {
  return refusals.length === 0
    ? html`<p class="empty">Nothing was refused.</p>`
    : html`<p class="empty">
        Nothing like this was refused. <a href="/console/intake">Show all refusals</a>
      </p>`;
}

function renderFound(found: readonly Refusal[]): Html {
  const more = found.length - rowsShown;
  return html`${renderFocusableTable(columns, found.slice(0, rowsShown))}
  ${more > 0 && html`<p>and ${formatNumber(more)} more kinds; use the filters</p>`}`;
}

const columns: readonly Column<Refusal>[] = [
  ["Error", ({ code }) => html`${code} <small>${messages.get(code) ?? ""}</small>`],
  ["Records", ({ resourceType }) => resourceType ?? "–"],
  ["Field", ({ field }) => (field === "" ? "–" : html`<code>${field}</code>`)],
  ["API key", renderKey],
  ["Times", ({ count }) => formatNumber(count)],
  ["Last", ({ at }) => renderTime(at)],
];

function renderKey({ keyId, organizationId }: Refusal): Html | string {
  if (keyId === undefined) return "unknown";
  return html`<bdi>${keyId}</bdi> <small><bdi>${organizationId ?? ""}</bdi></small>`;
}
