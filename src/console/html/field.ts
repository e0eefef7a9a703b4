// Reads the fields of forms; the error for an invalid field says what was expected. A field that was not sent is
// undefined.

import { OperatorError } from "../../actions/operator/operator-error.ts";
import { durationRule, parseDuration } from "../../basics/duration.ts";

export type Form = Pick<URLSearchParams, "get" | "getAll">;

/** Returns undefined for an empty text, too. */
export function readText(form: Form, name: string): string | undefined {
  return form.get(name)?.trim() || undefined;
}

/** Throws OperatorError invalid. */
export function readDuration(form: Form, name: string, label: string): number | undefined {
  const text = readText(form, name);
  if (text === undefined) return undefined;
  const ms = parseDuration(text);
  if (ms === undefined) throw notValid(label, durationRule);
  return ms;
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
  if (!(value <= max)) throw notValid(label, `a whole number from 0 to ${max}`);
  return value;
}

/** Throws OperatorError invalid unless the value is on or off. */
export function readOnOff(form: Form, name: string, label: string): boolean | undefined {
  const text = readText(form, name);
  if (text === undefined) return undefined;
  if (text !== "on" && text !== "off") throw notValid(label, "on or off");
  return text === "on";
}

function notValid(label: string, rule: string): OperatorError {
  return new OperatorError("invalid", `${label}: it must be ${rule}. Nothing was changed.`);
}
