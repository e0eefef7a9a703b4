// Traversals of the OpenAPI document for its tests: all operations, all media types, all examples.

import type {
  MediaType,
  OpenApiDocument,
  OperationObject,
  RequestBodyObject,
  ResponseObject,
} from "../../src/http/openapi/document.ts";

export interface Found {
  readonly method: string;
  readonly path: string;
  readonly operation: OperationObject;
}

export function eachOperation(document: OpenApiDocument): readonly Found[] {
  return Object.entries(document.paths).flatMap(([path, { parameters: _shared, ...methods }]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
}

export interface FoundMedia {
  readonly where: string;
  readonly media: MediaType;
}

/** Of requests, of replies, and of the error responses that operations share. */
export function mediaTypesOf(document: OpenApiDocument): readonly FoundMedia[] {
  const ofOperations = eachOperation(document).flatMap(({ operation }) => {
    const { operationId, requestBody, responses } = operation;
    const replies = Object.entries(responses).flatMap(([status, response]) =>
      "$ref" in response ? [] : contentOf(`${operationId} ${status}`, response),
    );
    return [...(requestBody === undefined ? [] : contentOf(operationId, requestBody)), ...replies];
  });
  const shared = Object.entries(document.components.responses).flatMap(([name, response]) =>
    contentOf(name, response),
  );
  return [...ofOperations, ...shared];
}

function contentOf(where: string, part: RequestBodyObject | ResponseObject): FoundMedia[] {
  return Object.entries(part.content ?? {}).map(([type, media]) => ({
    where: `${where} ${type}`,
    media,
  }));
}

export interface FoundExample {
  readonly where: string;
  readonly schema: object;
  readonly value: unknown;
}

export function examplesOf(document: OpenApiDocument): readonly FoundExample[] {
  const ofBodies = mediaTypesOf(document).flatMap(({ where, media }) =>
    Object.entries(media.examples ?? {}).map(([name, { value }]) => ({
      where: `${where} ${name}`,
      schema: media.schema,
      value,
    })),
  );
  const ofSchemas = Object.entries(document.components.schemas).flatMap(([name, schema]) =>
    ((schema["examples"] ?? []) as unknown[]).map((value) => ({ where: name, schema, value })),
  );
  const ofHeaders = Object.entries(document.components.headers).map(([where, header]) => ({
    where,
    schema: header.schema,
    value: header.example,
  }));
  const ofParameters = eachOperation(document).flatMap(({ operation }) =>
    (operation.parameters ?? []).flatMap((parameter) =>
      "$ref" in parameter || parameter.example === undefined
        ? []
        : [
            {
              where: `${operation.operationId} ${parameter.name}`,
              schema: parameter.schema,
              value: parameter.example,
            },
          ],
    ),
  );
  return [...ofBodies, ...ofSchemas, ...ofHeaders, ...ofParameters];
}
