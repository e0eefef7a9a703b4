// Judges a payload by its record type: fields first, then the rules across fields. A good payload costs one call of the
// compiled validator and the rules; only a bad one is explained. Never changes what it looks at.

import { Compile } from "typebox/compile";
import type { FieldError } from "./error.ts";
import { errorsMax, explainErrors, explainRefusal } from "./explain.ts";
import { identifier } from "./fields.ts";
import { limits } from "./limits.ts";
import { nounOf, type Payload, type RecordType } from "./record-type.ts";
import { isJsonObject } from "./schema-shape.ts";

export type Operation = "add" | "update";

const noErrors: readonly FieldError[] = [];
const identifierValidator = Compile(identifier("An id."));
const nullMessage =
  "must not be null: null clears a field in an update (PUT); leave the field out when adding (POST)";

/** What is wrong with a payload, by field; empty when it is valid. */
export function validatePayload(
  type: RecordType,
  operation: Operation,
  value: unknown,
): readonly FieldError[] {
  const validator = operation === "add" ? type.addValidator : type.updateValidator;
  const isObject = isJsonObject(value);
  if (isObject && validator.Check(value)) return ruleErrors(type, operation, value);
  const errors = explainRefusal(validator, value, {
    what: nounOf(type),
    nullMessage: operation === "add" ? nullMessage : undefined,
  });
  if (!isObject) return errors;
  const explained = new Set(errors.map((error) => error.field));
  const more = ruleErrors(type, operation, value).filter((error) => !explained.has(error.field));
  return [...errors, ...more].slice(0, errorsMax);
}

/** What is wrong with an id from outside a body, such as a query parameter; empty when it is one. */
export function validateIdentifier(name: string, value: unknown): readonly FieldError[] {
  if (value === undefined) return [{ field: name, message: "is required" }];
  const errors = explainErrors(identifierValidator, value, { what: "id" });
  return errors.map((error) => ({ ...error, field: name }));
}

function ruleErrors(
  type: RecordType,
  operation: Operation,
  payload: Payload,
): readonly FieldError[] {
  let errors = noErrors;
  for (const rule of type.rules) {
    if (rule.on === "add" && operation !== "add") continue;
    const found = rule.check(payload);
    if (found.length > 0) errors = [...errors, ...found];
  }
  const repeated = repeatedKeys(payload["additional_properties"]);
  return repeated.length > 0 ? [...errors, ...repeated] : errors;
}

/** The keys of additional_properties are unique; JSON Schema can't say that of a part of an item. */
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
