// Filters of lists: selects that keep their choice, which other forms use too, and the query of the next part of a
// list.

import { limits } from "../../domain/limits.ts";
import { titleOf } from "../../domain/record-types.ts";
import type { Person } from "../page.ts";
import { type Form, type Input, renderInput } from "./field.ts";
import { type Column, type Html, html, renderElement } from "./html.ts";
import { renderOrganization } from "./party.ts";

export interface Choice {
  readonly query: URLSearchParams;
  readonly values: readonly (readonly [value: string, label: string])[];
  readonly unset?: string | undefined;
  /** Nothing is selected by an empty value. */
  readonly required?: true;
}

export function renderChoice(
  label: string,
  name: string,
  { query, values, unset = "any", required }: Choice,
): Html {
  const options = values.map(([value, text]) =>
    renderElement("option", { value, selected: query.get(name) === value }, text),
  );
  const none = required === undefined && html`<option value="">${unset}</option>`;
  return html`<label
    >${label} ${renderElement("select", { name, required }, [none, options])}</label
  >`;
}

export function renderTypeChoice(
  query: URLSearchParams,
  types: readonly string[],
  {
    label = "Record type",
    name = "type",
    unset,
  }: Partial<Record<"label" | "name" | "unset", string>> = {},
): Html {
  const values = types.map((type) => [type, titleOf(type)] as const);
  return renderChoice(label, name, { query, values, ...(unset !== undefined && { unset }) });
}

export function renderOrganizationInput(form: Form, input: Input = {}): Html {
  const value = form.get("organization");
  const maxlength = limits.nameCharactersMax;
  const list = "organizations";
  return renderInput("Organization", "organization", { value, maxlength, list, ...input });
}

/** The query. It contains the chosen organization unless it names another one, or all of them with an empty value. */
export function withOrganization({
  query,
  organization,
}: Pick<Person, "query" | "organization">): URLSearchParams {
  if (organization === undefined || query.has("organization")) return query;
  const filled = new URLSearchParams(query);
  filled.set("organization", organization);
  return filled;
}

/** The organization of each row, unless all are of the one that is named above: `only`. */
export function organizationColumn<Row>(
  only: string | undefined,
  idOf: (row: Row) => string | undefined,
): readonly Column<Row>[] {
  return only === undefined ? [["Organization", (row) => renderOrganization(idOf(row))]] : [];
}

/** The organization of all of these rows; undefined if there are several, or none. */
export function onlyOrganization<Row>(
  rows: readonly Row[],
  idOf: (row: Row) => string,
): string | undefined {
  const [only, ...others] = new Set(rows.map(idOf));
  return others.length === 0 ? only : undefined;
}

interface Next {
  /** The filters of the list. They are in the address, so that bookmarks and Back work. */
  readonly query?: URLSearchParams;
  /** Where the next part begins; an undefined value means the end of the list. */
  readonly place: Readonly<Record<string, string | number | undefined>>;
}

export function renderNext(
  label: string,
  screen: string,
  { query, place }: Next,
): Html | undefined {
  const link = new URLSearchParams(query);
  for (const [name, value] of Object.entries(place)) {
    if (value === undefined) return undefined;
    link.set(name, String(value));
  }
  return html`<p><a href="${screen}?${link.toString()}">${label}</a></p>`;
}
