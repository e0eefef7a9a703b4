// Checks of request bodies that are not records, by a schema that the OpenAPI document shows too.

import { type TSchema, Type } from "typebox";
import { Compile, type Validator } from "typebox/compile";
import { AppError } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";
import { explainErrors } from "../../domain/validation/explain.ts";

/** An object that accepts no other fields. */
export function closedObject(properties: Record<string, TSchema>, options: object = {}): TSchema {
  return Type.Object(properties, { additionalProperties: false, ...options });
}

/** The check throws AppError validation_failed, which names each invalid field. */
export function requestCheck(schema: TSchema, what: string): (value: unknown) => void {
  const validator: Validator = Compile(schema);
  return (value) => {
    if (validator.Check(value)) return;
    const all = explainErrors(validator, value, { what });
    const errors = all.slice(0, limits.fieldErrorsMax);
    const more =
      all.length === errors.length
        ? ""
        : ` The first ${errors.length} errors are listed; there are more.`;
    throw new AppError("validation_failed", {
      message: `The ${what} is not valid.${more}`,
      errors,
    });
  };
}
