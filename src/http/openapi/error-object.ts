// Error responses and error bodies as the document shows them, with examples that the service itself makes.

import { AppError, type ErrorKind } from "../../domain/error.ts";
import { errorBody } from "../reply/error-response.ts";
import { objectSchema, textSchema } from "./content.ts";
import {
  type Example,
  type JsonSchema,
  type Reference,
  type ResponseObject,
  schemaRef,
} from "./document.ts";
import { codeSchema, type ErrorResponse, fieldErrorsSchema } from "./error-responses.ts";
import { type HeaderPart, headersOf, usualHeaders } from "./parts.ts";

export function errorRef({ name }: ErrorResponse): Reference {
  return { $ref: `#/components/responses/${name}` };
}

export function errorObject(response: ErrorResponse): ResponseObject {
  const examples = Object.fromEntries(response.errors.map((kind) => exampleOf(response, kind)));
  const content = { "application/json": { schema: schemaRef("Error"), examples } };
  return { ...errorWithoutContent(response), content };
}

export function errorWithoutContent({
  description,
  headers = [],
  early,
}: ErrorResponse): ResponseObject {
  const usual: readonly HeaderPart[] = early === true ? ["RequestId"] : usualHeaders;
  return { description, headers: headersOf(...usual, ...headers) };
}

function exampleOf(
  { fields = [] }: ErrorResponse,
  kind: ErrorKind,
): readonly [name: string, Example] {
  const error = new AppError(kind, { errors: kind === "validation_failed" ? fields : [] });
  const summary = `${error.code}: ${error.message}`;
  return [error.errorName, { summary, value: errorBody(error) }];
}

const oauthFields = {
  error: textSchema(
    "The error code of OAuth 2.0 (RFC 6749), where the request is one of OAuth 2.0.",
  ),
  error_description: textSchema("The message, where there is `error`."),
};

export const errorSchemas: Readonly<Record<string, JsonSchema>> = {
  ErrorItem: objectSchema(
    "Detail about an error in one field.",
    {
      field: textSchema("The field, as a path such as `amount` or `[3].addresses[0].type`."),
      message: textSchema("What was expected, and what to do."),
    },
    { sometimes: ["field", "message"] },
  ),
  Error: objectSchema(
    "The body of every error response.",
    {
      code: codeSchema,
      message: textSchema("Error message."),
      errors: fieldErrorsSchema,
      ...oauthFields,
    },
    { sometimes: ["errors", ...Object.keys(oauthFields)] },
  ),
};
