// Traversals of the OpenAPI document for its tests: all operations, all media types, all examples. Compiles schemas of
// the OpenAPI document with a validator that has nothing in common with the one that generated them. Strict: a keyword
// or a format that JSON Schema 2020-12 and OpenAPI 3.1 don't define is an error.

import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type {
  MediaType,
  OpenApiDocument,
  OperationObject,
  RequestBodyObject,
  ResponseObject,
} from "../../src/http/openapi/document.ts";
import { isFullDate, normaliseTimestamp } from "../../src/domain/timestamp.ts";

interface Found {
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

interface FoundMedia {
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

interface FoundExample {
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

export type Compile = (schema: object) => ValidateFunction;

const uri = "https://sluice.invalid/openapi.json";

/** `closed`: no object may contain a field that its schema does not name. */
export function makeCompiler(document: OpenApiDocument, { closed = false } = {}): Compile {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: true });
  ajv.addFormat("date-time", (text) => normaliseTimestamp(text) !== undefined);
  ajv.addFormat("date", isFullDate);
  ajv.addFormat("uri", (text) => URL.canParse(text));
  ajv.addFormat("double", { type: "number", validate: Number.isFinite });
  for (const integer of ["int32", "int64"]) {
    ajv.addFormat(integer, { type: "number", validate: Number.isSafeInteger });
  }
  const { schemas } = document.components;
  const prepare = (schema: unknown) => rewrite(schema, closed);
  const $defs = Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, prepare(schema)]),
  );
  ajv.addSchema({ $id: uri, $defs });
  const known = new Map<object, ValidateFunction>();
  return (schema) => {
    const validate = known.get(schema) ?? ajv.compile(prepare(schema) as object);
    known.set(schema, validate);
    return validate;
  };
}

/**
 * Components are under $defs, so that the validator sees only schemas and not the document around
 * them.
 */
function rewrite(schema: unknown, closed: boolean): unknown {
  const text = JSON.stringify(schema, (key, value: unknown) => {
    if (key === "$ref") return String(value).replace("#/components/schemas/", `${uri}#/$defs/`);
    const isObject = typeof value === "object" && value !== null && "properties" in value;
    const open = isObject && !("additionalProperties" in value) && "type" in value;
    return closed && open ? { ...value, additionalProperties: false } : value;
  });
  return JSON.parse(text) as unknown;
}
