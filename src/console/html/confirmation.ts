// Confirms actions that can't be undone: a person types the id of the record or organization.

import { OperatorError } from "../../actions/operator/operator-error.ts";
import { type Form, readText } from "./field.ts";
import { type Html, html, type HtmlValue } from "./html.ts";

/**
 * The form that approves; or that somebody else has to approve; or nothing. `own`: what this person did, which prevents
 * the approval.
 */
export function renderApproving(mayApprove: boolean | "own", own: string, form: Html): HtmlValue {
  if (mayApprove !== "own") return mayApprove && form;
  return html`<section aria-labelledby="approve">
    <h2 id="approve">Approve</h2>
    <p>${own}, so another person has to approve it.</p>
  </section>`;
}

export function renderIdField(what: string): Html {
  return html`<label
    >Id of the ${what} <input name="confirm" required autocomplete="off"
  /></label>`;
}

/** Throws OperatorError not_confirmed unless the field `confirm` is this id. */
export function requireTyped(form: Form, id: string, what: string): void {
  if (readText(form, "confirm") === id.trim()) return;
  throw new OperatorError(
    "not_confirmed",
    `The id that was typed is not that of the ${what}. Nothing was changed.`,
    { context: { field: "confirm" } },
  );
}
