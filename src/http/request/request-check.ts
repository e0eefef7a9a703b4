// Checks of request bodies that are not records, by a schema that the OpenAPI document shows too.

import { AppError } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";
import type { ObjectSchema, SchemaShape } from "../../domain/schema/schema-shape.ts";
import { explainErrors } from "../../domain/validation/explain.ts";

/** An object with all of these fields and no others. */
export function closedObject(
  properties: Readonly<Record<string, SchemaShape>>,
  options: SchemaShape = {},
): ObjectSchema {
  const required = Object.keys(properties);
  return { type: "object", required, properties, additionalProperties: false, ...options };
}

/** The check throws AppError validation_failed, which names each invalid field. */
export function requestCheck(schema: SchemaShape, what: string): (value: unknown) => void {
  return (value) => {
    const all = explainErrors(schema, value, { what });
    if (all.length === 0) return;
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
