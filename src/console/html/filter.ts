// Filters of lists: selects that keep their choice, which other forms use too, and the query of the next part of a
// list.

import { renderInput } from "./field.ts";
import { type Html, html, renderElement } from "./html.ts";

export interface Choice {
  readonly query: URLSearchParams;
  readonly values: readonly (readonly [value: string, label: string])[];
  /** The label of no value. */
  readonly unset?: string;
}

/** The option that the query contains is selected. */
export function renderChoice(
  label: string,
  name: string,
  { query, values, unset = "any" }: Choice,
): Html {
  const options = values.map(([value, text]) =>
    renderElement("option", { value, selected: query.get(name) === value }, text),
  );
  return html`<label
    >${label}
    <select name="${name}">
      <option value="">${unset}</option>
      ${options}
    </select></label
  >`;
}

export function renderOrganizationInput(query: URLSearchParams): Html {
  const value = query.get("organization");
  return renderInput("Organization", "organization", { value, maxlength: 64 });
}

/**
 * A query with the same filters for the part before `next`. Filters are in the address, so that bookmarks and Back
 * work.
 */
export function withPlace(query: URLSearchParams, next: string | number): string {
  const link = new URLSearchParams(query);
  link.set("before", String(next));
  return link.toString();
}
