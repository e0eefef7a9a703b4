// Validates a payload against its record type: fields first, then the rules across fields. A valid payload costs one
// call of the compiled validator and the rules; only an invalid one is explained. Never changes the payload; has no
// clock.

import type { FieldError } from "../error.ts";
import { type ErrorBudget, explainErrors, explainRefusal } from "./explain.ts";
import { identifier } from "../schema/fields.ts";
import { errorsMax, limits } from "../limits.ts";
import { nounOf, type Operation, type Payload, type RecordType } from "../record-type.ts";
import { isJsonObject } from "../schema/schema-shape.ts";
import { validatorOf } from "../schema/validator.ts";
import { timestampMinDefault } from "../timestamp.ts";
import { timeErrors } from "./time-rules.ts";

const noErrors: readonly FieldError[] = [];
const idSchema = identifier("An id.");

export interface Validation {
  /** Unix milliseconds of arrival; without it, timestamps and dates of birth may be any time. */
  readonly now?: number | undefined;
  /** The first day of timestamps, such as 1980-01-01. */
  readonly timestampMin?: string | undefined;
  readonly budget?: ErrorBudget | undefined;
}

/** The errors of a payload; empty if it is valid. Linear in its size. */
export function validatePayload(
  type: RecordType,
  operation: Operation,
  value: unknown,
  { now, timestampMin = timestampMinDefault, budget }: Validation = {},
): readonly FieldError[] {
  const schema = operation === "add" ? type.addSchema : type.updateSchema;
  const isObject = isJsonObject(value);
  const options = { operation, now, timestampMin };
  if (isObject && validatorOf(schema).Check(value)) return ruleErrors(type, value, options);
  const errors = explainRefusal(schema, value, { what: nounOf(type), budget });
  if (!isObject) return errors;
  const explained = new Set(errors.map((error) => error.field));
  const more = ruleErrors(type, value, options).filter((error) => !explained.has(error.field));
  return [...errors, ...more].slice(0, errorsMax);
}

/** The errors of an id that is not in a body, such as a query parameter; empty if it is valid. */
export function validateIdentifier(name: string, value: unknown): readonly FieldError[] {
  if (value === undefined) return [{ field: name, message: "is required" }];
  const errors = explainErrors(idSchema, value, { what: "id" });
  return errors.map((error) => ({ ...error, field: name }));
}

interface Rules extends Pick<Validation, "now"> {
  readonly operation: Operation;
  readonly timestampMin: string;
}

function ruleErrors(
  type: RecordType,
  payload: Payload,
  { operation, now, timestampMin }: Rules,
): readonly FieldError[] {
  let errors = noErrors;
  for (const rule of type.rules) {
    if (rule.on === "add" && operation !== "add") continue;
    const faults = rule.check(payload);
    if (faults.length > 0) errors = [...errors, ...faults];
  }
  if (now !== undefined) {
    const faults = timeErrors(type, payload, { now, timestampMin });
    if (faults.length > 0) errors = [...errors, ...faults];
  }
  const repeated = repeatedKeys(payload["additional_properties"]);
  return repeated.length > 0 ? [...errors, ...repeated] : errors;
}

/** The keys of additional_properties must be unique; JSON Schema can't express that for a part of an item. */
function repeatedKeys(properties: unknown): readonly FieldError[] {
  if (!Array.isArray(properties) || properties.length > limits.listItemsMax) return noErrors;
  const firstIndexes = new Map<string, number>();
  const errors: FieldError[] = [];
  for (const [index, property] of properties.entries()) {
    const key: unknown = isJsonObject(property) ? property["key"] : undefined;
    if (typeof key !== "string") continue;
    const first = firstIndexes.get(key);
    if (first === undefined) firstIndexes.set(key, index);
    else if (errors.length < errorsMax) {
      const message = `must be unique, but additional_properties[${first}] has the same key`;
      errors.push({ field: `additional_properties[${index}].key`, message });
    }
  }
  return errors;
}
