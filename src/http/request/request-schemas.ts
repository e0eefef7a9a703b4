// The schemas of the requests that are not records: token, deletion. They validate, and the OpenAPI document shows them.

import { type TSchema, Type } from "typebox";
import { Compile, type Validator } from "typebox/compile";
import { AppError } from "../../domain/error.ts";
import { explainErrors } from "../../domain/validation/explain.ts";
import { identifier, oneOf } from "../../domain/schema/fields.ts";
import { limits } from "../../domain/limits.ts";
import { nounOf, type RecordType } from "../../domain/record-type.ts";
import { recordTypes } from "../../domain/record-types.ts";

export const tokenRequestSchema = closed({
  expiry_seconds: Type.Integer({
    description: "Requested lifetime in seconds.",
    minimum: limits.tokenSecondsMin,
    maximum: limits.tokenSecondsMax,
    expected: `a whole number from ${limits.tokenSecondsMin} to ${limits.tokenSecondsMax}`,
  }),
  scopes: closed(
    {
      organization_id: Type.String({
        description: "Organization for which the token is requested.",
        minLength: 1,
        maxLength: limits.idCharactersMax,
        expected: "the organization's id",
      }),
      scopes: Type.Array(Type.String({ expected: "the name of a scope" }), {
        description: "Scopes the token is to have.",
        minItems: 1,
        maxItems: limits.scopesMax,
        expected: `a list of 1 to ${limits.scopesMax} scopes, such as transactions:write`,
      }),
    },
    {
      expected: "an object with organization_id and scopes",
      description: "Scope grant requested.",
    },
  ),
});

const reason = Type.String({
  description: "Reason for deletion.",
  minLength: 1,
  maxLength: limits.reasonCharactersMax,
  format: "no-nul",
  expected: `text of 1 to ${limits.reasonCharactersMax} characters without NUL (U+0000)`,
});

/** The body of DELETE /v2/<type>. */
export function deletionRequestSchema(type: RecordType): TSchema {
  return closed({
    [type.idField]: identifier(`Unique identifier of the ${nounOf(type)}.`),
    reason,
  });
}

export const deletableTypes: readonly RecordType[] = recordTypes.filter((type) => type.deletable);

/** The body of POST /v2/deletion_request. */
export const anyDeletionRequestSchema = closed({
  resource_type: oneOf(
    "Type of the record.",
    deletableTypes.map((type) => type.resourceType),
  ),
  resource_id: identifier("Unique identifier of the record."),
  reason,
});

export interface RequestCheck {
  /** Throws AppError validation_failed that names each field at fault. */
  (value: unknown): void;
}

export function requestCheck(schema: TSchema, what: string): RequestCheck {
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

function closed(properties: Record<string, TSchema>, options: object = {}): TSchema {
  return Type.Object(properties, { additionalProperties: false, ...options });
}
