// Builders for the rules that one field's schema can't say. A rule asks only which fields are there (a null is not), so
// that it can be run on a payload whose other fields are wrong; it never reports what a schema reports.

import type { FieldError } from "./error.ts";
import type { Payload, Rule } from "./record-type.ts";

const none: readonly FieldError[] = [];

function has(payload: Payload, field: string): boolean {
  return (payload[field] ?? undefined) !== undefined;
}

/** A loop instead of `some`: rules are asked for every record, and a closure for each costs more than the question. */
function hasAny(payload: Payload, fields: readonly string[]): boolean {
  for (const field of fields) if (has(payload, field)) return true;
  return false;
}

function listed(words: readonly string[], last: "and" | "or"): string {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;
}

/** At least one of the fields has to be sent when the record is added. */
export function atLeastOneOf(...fields: readonly string[]): Rule {
  const summary = `At least one of ${listed(fields, "and")} is required.`;
  const error: FieldError = {
    field: fields[0] ?? "",
    message: `is required unless ${listed(fields.slice(1), "or")} is sent: send at least one of them`,
  };
  return {
    on: "add",
    summary,
    check: (payload) => (hasAny(payload, fields) ? none : [error]),
  };
}

/** No two of the fields may be sent together. Each one after the first is reported. */
export function atMostOneOf(...fields: readonly string[]): Rule {
  return {
    on: "always",
    summary: `At most one of ${listed(fields, "and")} may be sent.`,
    check: (payload) => {
      const sent = fields.filter((field) => has(payload, field));
      if (sent.length < 2) return none;
      const [first, ...more] = sent;
      return more.map((field) => ({
        field,
        message: `can't be sent together with ${first}: send at most one of ${listed(fields, "and")}`,
      }));
    },
  };
}

/** Where `field` is sent when the record is added, `companion` is required. The other way round it is not. */
export function needs(field: string, companion: string): Rule {
  const error: FieldError = {
    field: companion,
    message: `is required when ${field} is sent`,
  };
  return {
    on: "add",
    summary: `${companion} is required when ${field} is sent.`,
    check: (payload) => (has(payload, field) && !has(payload, companion) ? [error] : none),
  };
}

export interface Condition {
  readonly field: string;
  readonly is: string | number | boolean;
}

/** Where a field has a certain value when the record is added, others are required. */
export function requiredWhen(condition: Condition, fields: readonly string[]): Rule {
  const when = `when ${condition.field} is ${condition.is}`;
  return {
    on: "add",
    summary: `${listed(fields, "and")} are required ${when}.`,
    check: (payload) =>
      payload[condition.field] === condition.is
        ? fields
            .filter((field) => !has(payload, field))
            .map((field) => ({ field, message: `is required ${when}` }))
        : none,
  };
}
