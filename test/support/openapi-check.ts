// Compares every reply that a client gets with the OpenAPI document of the service: the operation and
// the status have to be in it, and the headers and the body have to match it.

import assert from "node:assert/strict";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { normaliseTimestamp } from "../../src/domain/timestamp.ts";
import type { Ask, Reply } from "./http-client.ts";

interface HeaderObject {
  readonly schema?: object;
}

interface MediaType {
  readonly schema?: object;
}

interface ResponseObject {
  readonly headers?: Readonly<Record<string, HeaderObject>>;
  readonly content?: Readonly<Record<string, MediaType>>;
}

interface OperationObject {
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

export interface OpenApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
}

/** Throws an AssertionError that names the difference from the document. */
export function makeOpenApiCheck(document: OpenApiDocument): (ask: Ask, reply: Reply) => void {
  const validators = makeValidators(document);
  return (ask, reply) => {
    const methods = document.paths[ask.path.split("?", 1)[0] ?? ""];
    const operation =
      methods?.[ask.method.toLowerCase()] ?? methods?.[ask.method === "HEAD" ? "get" : ""];
    if (operation === undefined) {
      const isMissing = [404, 405, 429].includes(reply.status);
      assert.ok(
        isMissing,
        `${ask.method} ${ask.path} is not in the document, but answers ${reply.status}`,
      );
      return;
    }
    const where = `${ask.method} ${ask.path} ${reply.status}`;
    const response = resolve(document, operation.responses[String(reply.status)]);
    assert.ok(
      response !== undefined,
      `${where} is not in the document: ${reply.text.slice(0, 300)}`,
    );
    checkHeaders(document, { where, response, reply, validators });
    if (ask.method !== "HEAD") checkBody({ where, response, reply, validators });
  };
}

interface Evaluated {
  readonly where: string;
  readonly response: ResponseObject;
  readonly reply: Reply;
  readonly validators: (schema: object) => ValidateFunction;
}

/** Headers that the document names for a response, and that only some of its replies have. */
function mayLack(name: string, status: number): boolean {
  if (name === "Preference-Applied") return true;
  // Only at the end of the feed or of a live request.
  if (name === "Stream-Up-To-Date" || name === "Stream-Cursor") return true;
  // Only a reply about a request in flight says when to try again; one that is rejected early knows
  // of no limit.
  if (name === "Retry-After") return status === 409;
  return name.startsWith("RateLimit") && status === 503;
}

function checkHeaders(
  document: OpenApiDocument,
  { where, response, reply, validators }: Evaluated,
): void {
  for (const [name, given] of Object.entries(response.headers ?? {})) {
    const value = reply.headers[name.toLowerCase()];
    if (value === undefined && mayLack(name, reply.status)) continue;
    assert.ok(value !== undefined, `${where} lacks the header ${name}`);
    const validate = validators(resolve(document, given)?.schema ?? {});
    const isWhole = typeof value === "string" && /^\d+$/.test(value);
    const fits = validate(value) || (isWhole && validate(Number(value)));
    assert.ok(fits, `${where} has a wrong header ${name}: ${String(value)}`);
  }
}

const [anyText, whole] = [{ type: "string" }, { type: "integer", minimum: 0 }];
const errors = { type: "array", items: { $ref: "#/components/schemas/ErrorItem" } };
const told = { code: whole, message: anyText, errors };

function closedObject(properties: object, sometimes: readonly string[]): object {
  const required = Object.keys(properties).filter((name) => !sometimes.includes(name));
  return { type: "object", properties, required, additionalProperties: false };
}

/** What the document leaves out, because generators of clients can't use it. */
const unstated: Readonly<Record<string, MediaType>> = {
  "application/problem+json": {
    schema: closedObject(
      { ...told, type: anyText, title: anyText, status: whole, detail: anyText },
      ["errors"],
    ),
  },
  /** A line of the reply to a stream. */
  "application/x-ndjson": {
    schema: {
      oneOf: [
        closedObject({ line: whole, id: anyText, ...told }, ["id", "message", "errors"]),
        closedObject(
          {
            success: { type: "boolean" },
            write_count: whole,
            message: anyText,
            organization_id: anyText,
            received: whole,
            unchanged: whole,
            refused: whole,
            unlisted: whole,
            code: whole,
          },
          ["unlisted", "code"],
        ),
      ],
    },
  },
  "text/event-stream": { schema: anyText },
};

function checkBody({ where, response, reply, validators }: Evaluated): void {
  // For a 304, for example.
  if (response.content === undefined && reply.text === "") return;
  const mediaType = reply.headers["content-type"]?.split(";", 1)[0] ?? "";
  const content = response.content?.[mediaType] ?? unstated[mediaType];
  assert.ok(content !== undefined, `${where} answers ${mediaType}, which is not in the document`);
  const validate = validators(content.schema ?? {});
  const isLines = mediaType === "application/x-ndjson";
  for (const text of isLines ? reply.text.trim().split("\n") : [reply.text]) {
    const found: unknown = /json/.test(mediaType) ? JSON.parse(text) : text;
    assert.ok(
      validate(found),
      `${where}: ${JSON.stringify(validate.errors)} in ${text.slice(0, 500)}`,
    );
  }
}

/** Follows a reference within the document. */
function resolve<Found extends object>(
  document: OpenApiDocument,
  given: Found | undefined,
): Found | undefined {
  const reference = (given as { $ref?: string } | undefined)?.$ref;
  if (reference === undefined) return given;
  let found: unknown = document;
  for (const step of reference.replace(/^#\//, "").split("/")) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    found = (found as Record<string, unknown> | undefined)?.[name];
  }
  return resolve(document, found as Found | undefined);
}

const uri = "https://sluice.invalid/openapi.json";

function makeValidators(document: OpenApiDocument): (schema: object) => ValidateFunction {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  ajv.addFormat("date-time", (text) => normaliseTimestamp(text) !== undefined);
  for (const other of formatsOf(document)) if (other !== "date-time") ajv.addFormat(other, true);
  ajv.addSchema(document, uri);
  const compiled = new WeakMap<object, ValidateFunction>();
  return (schema) => {
    let validate = compiled.get(schema);
    if (validate === undefined) {
      validate = ajv.compile(withAbsoluteReferences(schema) as object);
      compiled.set(schema, validate);
    }
    return validate;
  };
}

function withAbsoluteReferences(schema: unknown): unknown {
  const text = JSON.stringify(schema, (key, value: unknown) =>
    key === "$ref" && typeof value === "string" && value.startsWith("#") ? uri + value : value,
  );
  return JSON.parse(text) as unknown;
}

/**
 * Formats of this service that mean more than JSON Schema can check; the patterns next to them are
 * checked.
 */
function formatsOf(document: OpenApiDocument): ReadonlySet<string> {
  const formats = new Set<string>();
  JSON.stringify(document, (key, value: unknown) => {
    if (key === "format" && typeof value === "string") formats.add(value);
    return value;
  });
  return formats;
}
