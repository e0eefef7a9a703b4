// Makes the rules that the schema of one field can't express: as a sentence and as a check. A rule only reads which
// fields are present (null is not), so that it can run on a payload whose other fields are invalid; it never reports
// what a schema reports.

import type { FieldError } from "../error.ts";
import { jsonValueErrors } from "../json/json-value.ts";
import { limits } from "../limits.ts";
import type { Payload, Rule } from "../record-type.ts";
import { isJsonObject } from "./schema-shape.ts";

const none: readonly FieldError[] = [];

function has(payload: Payload, field: string): boolean {
  return (payload[field] ?? undefined) !== undefined;
}

/** A loop instead of `some`: rules run for every record, and a closure would cost more than the check. */
function hasAny(payload: Payload, fields: readonly string[]): boolean {
  for (const field of fields) if (has(payload, field)) return true;
  return false;
}

function listed(words: readonly string[], last: "and" | "or"): string {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;
}

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

/** No two of the fields may be sent together. Each field after the first is reported. */
export function atMostOneOf(...fields: readonly string[]): Rule {
  return {
    on: "always",
    summary: `At most one of ${listed(fields, "and")} may be sent.`,
    exclusive: fields,
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

/** If `field` is sent when the record is added, `companion` is required, but not the reverse. */
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

export function requiredWhen(
  condition: { readonly field: string; readonly is: string | number | boolean },
  fields: readonly string[],
): Rule {
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

/** The values in a map of any JSON can be stored as they were sent. */
export function jsonIn(field: string): Rule {
  return {
    on: "always",
    summary: `Lists and objects in ${field} are at most ${limits.jsonFieldDepthMax} levels deep, itself included.`,
    check: (payload) => {
      const value = payload[field];
      // A map with too many entries is reported by its schema.
      const isRead = isJsonObject(value) && Object.keys(value).length <= limits.listItemsMax;
      return isRead ? jsonValueErrors(field, value) : none;
    },
  };
}
