// The OpenAPI 3.1 document, made from the tables of routes and the schemas that validate. Pure.

import type { RecordType } from "../domain/record-type.ts";
import type { JsonSchema, OpenApiDocument, PathItem } from "./openapi/document.ts";
import { errorObject, errorSchemas } from "./openapi/error-object.ts";
import { type ErrorResponse, errorsOf } from "./openapi/error-responses.ts";
import {
  headObject,
  operationObject,
  publicErrors,
  publicObject,
} from "./openapi/operation-object.ts";
import type { Grant, Operation, OperationDocument } from "./operation.ts";
import {
  changeTag,
  deletionTag,
  headers,
  parameterRef,
  parameters,
  securitySchemes,
  serviceTag,
  tokenTag,
} from "./openapi/parts.ts";
import { sharedSchemas } from "./openapi/publish-schema.ts";
import type { PublicRoute } from "./public/public-route.ts";
import { operationsFor } from "./routes.ts";
import type { ErrorRow } from "../domain/error.ts";
import { limits } from "../domain/limits.ts";

/** Replaced by a relative URL where the document is served. */
const serverUrl = "http://127.0.0.1:8080";

interface Added {
  readonly operations: readonly Operation[];
  readonly publicRoutes: readonly PublicRoute[];
  readonly grants: readonly Grant[];
  readonly tags: OpenApiDocument["tags"];
  readonly errors: readonly ErrorRow[];
}

export function publishOpenApi(types: readonly RecordType[], added: Added): OpenApiDocument {
  const { components, ...document } = makePortable(buildOpenApi(types, added));
  const used = withoutUnused({ ...components, securitySchemes: {} }, document.paths);
  return { ...document, components: { ...used, securitySchemes } };
}

export function buildOpenApi(types: readonly RecordType[], added: Added): OpenApiDocument {
  const paths: Record<string, PathItem> = {};
  const schemas: Record<string, JsonSchema> = { ...sharedSchemas(), ...errorSchemas };
  const errors: ErrorResponse[] = [];
  const addPath = (path: string, methods: PathItem): void => {
    paths[path] = { parameters: [parameterRef("RequestId")], ...paths[path], ...methods };
  };
  for (const operation of operationsFor(types, added)) {
    const document = operation.document(operation, types);
    addPath(operation.path, methodsOf(operation, document));
    Object.assign(schemas, document.request?.schemas, document.reply.schemas);
    errors.push(...errorsOf(operation));
  }
  for (const route of added.publicRoutes) {
    if (route.document === undefined) continue;
    addPath(route.path, { get: publicObject(route, route.document) });
    errors.push(...publicErrors(route, route.document));
  }
  const responses = Object.fromEntries(errors.map((error) => [error.name, errorObject(error)]));
  const components = withoutUnused({ schemas, responses, parameters, headers }, paths);
  return {
    openapi: "3.1.0",
    info: {
      title: "Sluice",
      version: "2.0",
      summary: "Intake of financial records, with erasure that is verified.",
      description: introduction(added.errors),
      contact: { name: "The operator of this service" },
      license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: serverUrl, description: "This service: v1.0 and v2.0 have the same base." }],
    tags: tagsFor(types, added),
    security: [{ BearerToken: [] }],
    paths,
    components: { ...components, securitySchemes },
  };
}

/** Fastify serves HEAD wherever it serves GET. */
function methodsOf(operation: Operation, document: OperationDocument): PathItem {
  const own = { [operation.method.toLowerCase()]: operationObject(operation, document) };
  return operation.method === "GET" ? { ...own, head: headObject(operation, document) } : own;
}

function tagsFor(types: readonly RecordType[], { tags }: Added): OpenApiDocument["tags"] {
  return [
    { name: tokenTag, description: "Short-lived access to one organization's records." },
    ...types.map(({ title, summary }) => ({ name: title, description: summary })),
    { name: changeTag, description: "What was added and updated, in the order of arrival." },
    ...tags,
    { name: deletionTag, description: "Requests to delete a record, and their status." },
    { name: serviceTag, description: "For monitoring and tools; no access token is needed." },
  ];
}

type Named = Readonly<Record<string, object>>;

/** In alphabetical order. Linters reject components without a reference. */
function withoutUnused<Parts extends Readonly<Record<string, Named>>>(
  all: Parts,
  paths: object,
): Parts {
  const used = new Set<string>();
  const follow = (part: object): void => {
    for (const [, kind = "", name = ""] of JSON.stringify(part).matchAll(reference)) {
      const target = all[kind]?.[name];
      if (target === undefined) throw new Error(`the document has no component ${kind}/${name}`);
      if (used.has(`${kind}/${name}`)) continue;
      used.add(`${kind}/${name}`);
      follow(target);
    }
  };
  follow(paths);
  const usedParts = Object.entries(all).map(([kind, parts]) => {
    const names = Object.keys(parts).filter((name) => used.has(`${kind}/${name}`));
    return [kind, Object.fromEntries(names.toSorted().map((name) => [name, parts[name]]))];
  });
  return Object.fromEntries(usedParts) as Parts;
}

const reference = /"\$ref":"#\/components\/(\w+)\/([\w.-]+)"/g;

function introduction(errors: readonly ErrorRow[]): string {
  return [...sections, sectionOn(errors)]
    .map(([title, text]) => (title === "" ? text : `## ${title}\n\n${text}`))
    .join("\n\n");
}

const sections: readonly (readonly [title: string, text: string])[] = [
  [
    "",
    "Accepts financial records of organizations, stores them durably, and erases them permanently on request. A reply of " +
      "success means that the data is on stable storage.",
  ],
  [
    "Access",
    "An organization exchanges its API key for an access token at `POST /auth/token`; every `/v2` operation takes the token " +
      "as `Authorization: Bearer <token>`. Each operation names the scope that it requires. `<family>:write` includes " +
      "`<family>:read`. `transactions:write` also includes the deletion of transactions and all risk assessment operations, " +
      "unless the operator has turned that off for the organization.",
  ],
  [
    "Records",
    "A record is a series of changes: each accepted POST or PUT appends one. `timestamp` is business time, so the order in " +
      "which changes arrive does not matter. Text is stored exactly as sent and must be well-formed Unicode. Unknown fields " +
      "are refused, and so are numbers with more digits than a double holds.",
  ],
  [
    "Limits",
    `A JSON body may have ${limits.bodyBytesMax / 1_048_576} MiB, also when decoded, and ${limits.batchItemsMax} items; one ` +
      `record ${limits.recordBytesMax / 1_024} KiB. Streams (\`application/x-ndjson\`) may have any length. Every reply ` +
      "to a valid request has what is left of the rate limit in `RateLimit` and `RateLimit-Policy`; a 429 has the seconds " +
      "to wait in `Retry-After`.",
  ],
];

function sectionOn(errors: readonly ErrorRow[]): (typeof sections)[number] {
  const rows = errors.map(({ code, message }) => `| ${code} | ${message} |`);
  const codes = ["| code | meaning |", "|---|---|", ...rows].join("\n");
  return [
    "Errors",
    "Every error has the body `Error`, or `Problem` (RFC 9457) for `Accept: application/problem+json`. Its `code` is stable: " +
      `the HTTP status times 100 plus a number.\n\n${codes}`,
  ];
}

/** The same operations and components, with simpler schemas. */
export function makePortable(document: OpenApiDocument): OpenApiDocument {
  const { schemas } = document.components;
  const convert = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(convert);
    if (typeof value !== "object" || value === null) return value;
    const parts = Object.entries(simplify(value as JsonSchema, schemas));
    return Object.fromEntries(
      parts.map(([name, part]) => [name, isValue(name) ? part : convert(part)]),
    );
  };
  return convert(document) as OpenApiDocument;
}

/** Examples are values of clients, whatever their members are called. */
function isValue(name: string): boolean {
  return name === "example" || name === "examples";
}

/** A schema and null become a list of types; any other union becomes a schema that accepts everything. */
function simplify(
  schema: JsonSchema,
  components: Readonly<Record<string, JsonSchema>>,
): JsonSchema {
  const { anyOf, ...rest } = withoutClosing(schema) as { readonly anyOf?: readonly JsonSchema[] };
  if (anyOf === undefined) return rest;
  const [only = {}, ...others] = anyOf.filter(({ type }) => type !== "null");
  if (others.length > 0) return rest;
  return { ...withNull(withoutClosing(resolve(only, components))), ...rest };
}

/** Generators make a map of a false value, whose name is that of the field `additional_properties`. */
function withoutClosing(schema: JsonSchema): JsonSchema {
  const { additionalProperties, ...rest } = schema;
  return additionalProperties === false ? rest : schema;
}

function resolve(schema: JsonSchema, components: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const { $ref } = schema as { readonly $ref?: string };
  if ($ref === undefined) return schema;
  return components[$ref.slice($ref.lastIndexOf("/") + 1)] ?? {};
}

function withNull(schema: JsonSchema): JsonSchema {
  return { ...schema, type: [schema["type"], "null"] };
}
