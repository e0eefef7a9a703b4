// Error responses and error bodies as the document shows them, with examples that the service itself makes.

import { AppError, type ErrorKind } from "../../domain/error.ts";
import { errorAnswer } from "../reply/error-response.ts";
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
  const examples = (problem: boolean): Record<string, Example> =>
    Object.fromEntries(response.errors.map((kind) => exampleOf(response, kind, problem)));
  return {
    ...errorWithoutContent(response),
    content: {
      "application/json": { schema: schemaRef("Error"), examples: examples(false) },
      "application/problem+json": { schema: schemaRef("Problem"), examples: examples(true) },
    },
  };
}

/** The errors of a HEAD, whose replies have no body. */
export function errorWithoutContent({
  description,
  headers = [],
  early,
}: ErrorResponse): ResponseObject {
  const usual: readonly HeaderPart[] = early === true ? ["RequestId"] : usualHeaders;
  return { description, headers: headersOf(...usual, ...headers) };
}

/** The body as the service makes it, in one of its two forms. */
function exampleOf(
  { fields = [] }: ErrorResponse,
  kind: ErrorKind,
  problem: boolean,
): readonly [name: string, Example] {
  const error = new AppError(kind, { errors: kind === "validation_failed" ? fields : [] });
  const { body } = errorAnswer(error, { problem, apiKeyExpected: false });
  const value = JSON.parse(String(body)) as unknown;
  return [error.errorName, { summary: `${error.code}: ${error.message}`, value }];
}

const message = textSchema("Error message.");

/** The fields that are present only in replies to a token request in the form of OAuth 2.0. */
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
    { code: codeSchema, message, errors: fieldErrorsSchema, ...oauthFields },
    { sometimes: ["errors", ...Object.keys(oauthFields)] },
  ),
  Problem: objectSchema(
    "The same error in the form of RFC 9457, for `Accept: application/problem+json`: the fields of Error, and more.",
    {
      code: codeSchema,
      message,
      type: {
        type: "string",
        format: "uri",
        description: "Identifies the kind of error, by its code.",
      },
      title: textSchema("The HTTP status in words."),
      status: { type: "integer", format: "int32", description: "The HTTP status." },
      detail: textSchema("Error message, as `message`."),
      errors: fieldErrorsSchema,
    },
    { sometimes: ["errors"] },
  ),
};
