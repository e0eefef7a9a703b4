// Filters of lists: selects that keep their choice, which other forms use too, and the query of the next part of a
// list.

import { type Html, html } from "./html.ts";

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
    query.get(name) === value
      ? html`<option value="${value}" selected>${text}</option>`
      : html`<option value="${value}">${text}</option>`,
  );
  return html`<label
    >${label}
    <select name="${name}">
      <option value="">${unset}</option>
      ${options}
    </select></label
  >`;
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
