// The fields of forms: renders and reads them. The error for an invalid field says what was expected, and a field that
// was not sent is undefined.

import { OperatorError } from "../../actions/operator/operator-error.ts";
import { limits } from "../../domain/limits.ts";
import { isFullDate } from "../../domain/timestamp.ts";
import { type Html, html, type HtmlValue, renderElement } from "./html.ts";

export type Form = Pick<URLSearchParams, "get" | "getAll">;

export interface Input {
  readonly type?: "date" | "datetime-local" | "text";
  readonly value?: string | number | null | undefined;
  readonly maxlength?: number;
  readonly required?: boolean;
  /** If omitted, browsers offer earlier values, except for a required field. */
  readonly autocomplete?: "on" | "off";
  /** The id of a list of what the field offers. */
  readonly list?: string;
  readonly inputmode?: "numeric";
  readonly placeholder?: number | undefined;
}

export function renderInput(label: string, name: string, input: Input = {}): Html {
  const autocomplete = input.required === true ? "off" : undefined;
  return html`<label>${label} ${renderElement("input", { name, autocomplete, ...input })}</label>`;
}

/** The reason for an act. Each form says who can read it. */
export function renderReason(label = "Reason"): Html {
  return renderInput(label, "reason", { maxlength: limits.reasonCharactersMax, required: true });
}

type Fields = Readonly<Record<string, string | number | undefined>>;

/** Fields of a form that nobody sees. */
export function renderHidden(fields: Fields): readonly Html[] {
  return Object.entries(fields).map(([name, value = ""]) =>
    renderElement("input", { type: "hidden", name, value }),
  );
}

export function fieldsOf(form: Form, names: readonly string[]): Fields {
  return Object.fromEntries(names.map((name) => [name, form.get(name) ?? ""]));
}

/** A form with nothing but a button. `main`: it is the main one of the page. */
export function renderButton(
  label: HtmlValue,
  path: string,
  { fields = {}, main = false }: { readonly fields?: Fields; readonly main?: boolean } = {},
): Html {
  return html`<form method="post" action="${path}">
    ${renderHidden(fields)}<button type="submit" class="${main && "main"}">${label}</button>
  </form>`;
}

/** A box to tick. */
export function renderTick(
  label: string,
  name: string,
  { value = "on", checked = false }: { readonly value?: string; readonly checked?: boolean } = {},
): Html {
  const box = renderElement("input", { type: "checkbox", name, value, checked });
  return html`<label class="tick">${box} ${label}</label>`;
}

/** Confirms what can't be undone: a person types the id. */
export function renderIdField(what: string): Html {
  return renderInput(`Id of the ${what}`, "confirm", { required: true });
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

/** Returns undefined for an empty text, too. */
export function readText(form: Form, name: string): string | undefined {
  return form.get(name)?.trim() || undefined;
}

/** Returns the beginning of the day in UTC, in Unix milliseconds. Throws OperatorError invalid. */
export function readDate(form: Form, name: string, label: string): number | undefined {
  const text = readText(form, name);
  if (text === undefined) return undefined;
  if (!isFullDate(text)) throw notValid(label, "a date such as 2026-01-31", name);
  return Date.parse(text);
}

/** Throws OperatorError invalid. */
export function readWhole(
  form: Form,
  name: string,
  { label, max }: { readonly label: string; readonly max: number },
): number | undefined {
  const text = readText(form, name);
  if (text === undefined) return undefined;
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value <= max)) throw notValid(label, `a whole number from 0 to ${max}`, name);
  return value;
}

export function notValid(label: string, rule: string, field: string): OperatorError {
  const message = `${label}: it must be ${rule}. Nothing was changed.`;
  return new OperatorError("invalid", message, { context: { field } });
}
