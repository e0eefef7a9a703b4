// The intake page: refusals, by error, field and API key, without content, and what features show of it.

import { type Column, html, type Html, renderTable } from "../html/html.ts";
import { type Next, type Person, readPanels } from "../page.ts";
import { renderAgo, formatNumber } from "../html/time.ts";
import type { ErrorRow } from "../../domain/error.ts";
import type { Refusal, RefusalsRead } from "../../metrics/refusals.ts";
import { readText, renderInput } from "../html/field.ts";
import { renderChoice, renderOrganizationInput } from "../html/filter.ts";
import { renderOrganization, renderParty } from "../html/party.ts";
import { nameKeys } from "../../actions/access/keys.ts";
import { titleOf } from "../../domain/record-types.ts";

const screen = "/console/intake";

export async function showIntake(person: Person): Promise<Next> {
  const parts = await readPanels(person, ({ intake }) => intake);
  // Those of the last features first: they use what the others show.
  const body = html`${parts.toReversed()} ${await renderRefusals(person)}`;
  return { title: "Intake", screen, body };
}

const rowsShown = 100;

async function renderRefusals({ app, sources, query }: Person): Promise<Html> {
  const read = sources.refusals.read(query.get("period") === "hour" ? 1 : 24);
  const found = read.refusals.filter((one) => fits(one, query));
  const names = await nameKeys(
    app,
    found.slice(0, rowsShown).flatMap(({ keyId }) => keyId ?? []),
  );
  return html`<section aria-labelledby="refusals">
    <h2 id="refusals">Refusals</h2>
    ${renderFilters(query)} ${renderFound(found, { errors: sources.errors, read, names })}
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
  const known = { code: String(code), organization: organizationId, key: keyId };
  return Object.entries(known).every(([name, value]) => {
    return (readText(query, name) ?? value) === value;
  });
}

function renderFilters(query: URLSearchParams): Html {
  const input = (label: string, name: string) =>
    renderInput(label, name, { value: query.get(name), maxlength: 64, autocomplete: "off" });
  return html`<form class="filters" method="get" action="/console/intake">
    ${input("Code", "code")} ${renderOrganizationInput(query)} ${input("API key", "key")}
    ${renderChoice("Period", "period", {
      query,
      values: [["hour", "this hour"]],
      unset: "the last 24 hours",
    })}
    <button type="submit">Filter</button>
  </form>`;
}

const nothingLike = html`Nothing like this was refused.
  <a href="/console/intake">Show all refusals</a>`;

function renderFound(
  found: readonly Refusal[],
  {
    errors,
    read: { refusals },
    names,
  }: {
    readonly errors: readonly ErrorRow[];
    readonly read: RefusalsRead;
    readonly names: ReadonlyMap<string, string>;
  },
): Html {
  const more = found.length - rowsShown;
  const messages = new Map(errors.map(({ code, message }) => [code, message]));
  const error = ({ code }: Refusal) => renderParty(messages.get(code), String(code));
  const key = ({ keyId }: Refusal) =>
    keyId === undefined ? "unknown" : renderParty(names.get(keyId), keyId);
  const shown = found.slice(0, rowsShown);
  const empty = refusals.length === 0 ? "Nothing was refused." : nothingLike;
  return html`${renderTable([["Error", error, "text"], ["API key", key], ...columns], shown, { empty })}
  ${more > 0 && html`<p>and ${formatNumber(more)} more kinds; use the filters</p>`}`;
}

const columns: readonly Column<Refusal>[] = [
  ["Organization", ({ organizationId }) => renderOrganization(organizationId)],
  ["Records", ({ resourceType }) => (resourceType === undefined ? "–" : titleOf(resourceType))],
  ["Field", ({ field }) => (field === "" ? "–" : html`<code>${field}</code>`)],
  ["Times", ({ count }) => formatNumber(count)],
  ["Last", ({ at }) => renderAgo(at)],
];
