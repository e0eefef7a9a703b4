// An operation of the route table as the document shows it.

import { identifier } from "../../domain/schema/fields.ts";
import { allScopes, coveredScopes } from "../../domain/scope.ts";
import {
  type Operation,
  type OperationDocument,
  type QueryParameter,
  requireType,
  scopesOf,
} from "../operation.ts";
import type { PublicDocument, PublicRoute } from "../public/public-route.ts";
import type { Content } from "./content.ts";
import type {
  Media,
  OperationObject,
  ParameterObject,
  Reference,
  RequestBodyObject,
  ResponseObject,
} from "./document.ts";
import { errorRef, errorWithoutContent } from "./error-object.ts";
import {
  type ErrorResponse,
  errorsOf,
  headersTooLarge,
  internalError,
  malformedRequest,
  rateLimitExceeded,
} from "./error-responses.ts";
import { type HeaderPart, headersOf, parameterRef, serviceTag, usualHeaders } from "./parts.ts";
import { publishSchema } from "./publish-schema.ts";

export function operationObject(
  operation: Operation,
  document: OperationDocument,
): OperationObject {
  const { tag, summary, description, request, reply } = document;
  const parameters = parametersOf(operation, document);
  const empty = Object.entries(document.empty ?? {});
  const errors = errorsOf(operation).map((response) => [response.status, errorRef(response)]);
  return {
    operationId: operation.name,
    tags: [tag ?? requireType(operation).title],
    summary,
    description: [description, ...scopeSentence(operation)].join("\n\n"),
    security: [operation.permission === undefined ? { ApiKey: [] } : { BearerToken: [] }],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(request === undefined ? {} : { requestBody: requestBody(request) }),
    responses: {
      [operation.success]: { ...withoutContent(reply), content: inJson(reply) },
      ...Object.fromEntries(empty.map(([status, one]) => [status, withoutContent(one)])),
      ...Object.fromEntries(errors),
    },
  };
}

export function headObject(operation: Operation, document: OperationDocument): OperationObject {
  const { summary, description, ...rest } = operationObject(operation, document);
  const errors = errorsOf(operation).map((error) => [error.status, errorWithoutContent(error)]);
  return {
    ...rest,
    operationId: operation.name.replace(/^[a-z]+/, "head"),
    summary: `${summary} (without a body)`,
    description: `The same as GET, but the reply has no body. ${description}`,
    responses: {
      [operation.success]: withoutContent(document.reply),
      ...Object.fromEntries(errors),
    },
  };
}

function requestBody(request: Content): RequestBodyObject {
  return { description: request.description, required: true, content: inJson(request) };
}

function inJson({ content }: Content): Media {
  return { "application/json": content };
}

function withoutContent({
  description,
  headers = [],
}: Omit<Content, "content" | "schemas">): ResponseObject {
  return { description, headers: headersOf(...usualHeaders, ...headers) };
}

function parametersOf(
  { permission, body }: Operation,
  { query, parameters }: OperationDocument,
): readonly (ParameterObject | Reference)[] {
  if (parameters !== undefined) return parameters;
  if (query !== undefined) return [queryParameter(query)];
  if (permission === undefined) return [];
  return [parameterRef("IdempotencyKey"), ...(body === "one" ? [] : [parameterRef("Prefer")])];
}

function queryParameter({ name, description, example }: QueryParameter): ParameterObject {
  const { description: _same, ...schema } = publishSchema(identifier(description));
  return { name, in: "query", required: true, description, schema, example };
}

function scopeSentence(operation: Operation): readonly string[] {
  const wanted = scopesOf(operation).map((scope) => {
    const others = allScopes.filter(
      (other) => other !== scope && coveredScopes([other], false).has(scope),
    );
    const included = others.map((other) => `\`${other}\``).join(" and ");
    return included === "" ? `\`${scope}\`` : `\`${scope}\` (included in ${included})`;
  });
  if (wanted.length === 0) return [];
  const which = operation.type === undefined ? ", whichever the type of the record requires" : "";
  return [`Scope: ${wanted.join(", ")}${which}.`];
}

// A public route as the document shows it.

export function publicErrors(
  { limited }: PublicRoute,
  { errors = [] }: PublicDocument,
): readonly ErrorResponse[] {
  const usual = [malformedRequest, headersTooLarge, internalError];
  return [...usual, ...errors, ...(limited ? [rateLimitExceeded] : [])];
}

export function publicObject(route: PublicRoute, document: PublicDocument): OperationObject {
  const { operationId, summary, description, answers, contentType, schema, example, cached } =
    document;
  const examples =
    example === undefined ? {} : { examples: { reply: { summary: answers, value: example } } };
  const names: readonly HeaderPart[] = cached === true ? ["RequestId", "ETag"] : ["RequestId"];
  const headers = headersOf(...names);
  const unchanged = {
    description: "The client already has this content, according to `If-None-Match`.",
    headers,
  };
  const errors = publicErrors(route, document);
  return {
    operationId,
    tags: [serviceTag],
    summary,
    description,
    security: [],
    responses: {
      200: { description: answers, headers, content: { [contentType]: { schema, ...examples } } },
      ...(cached === true ? { 304: unchanged } : {}),
      ...Object.fromEntries(errors.map((response) => [response.status, errorRef(response)])),
    },
  };
}
