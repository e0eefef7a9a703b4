// Compares every reply that a client gets with the OpenAPI document of the service: the operation and
// the status have to be in it, and the headers and the body have to match it.

import assert from "node:assert/strict";
import type {
  JsonSchema,
  MediaType,
  OpenApiDocument,
  OperationObject,
  Reference,
  ResponseObject,
} from "../../src/http/openapi/document.ts";
import { type Compile, makeCompiler } from "../http/document-walk.ts";
import type { Ask, Reply } from "./http-client.ts";

/** Throws an AssertionError that names the difference from the document. */
export function makeOpenApiCheck(document: OpenApiDocument): (ask: Ask, reply: Reply) => void {
  const validators = makeCompiler(document);
  return (ask, reply) => {
    const methods = document.paths[ask.path.split("?", 1)[0] ?? ""] as Methods | undefined;
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

type Methods = Readonly<Record<string, OperationObject>>;

interface Evaluated {
  readonly where: string;
  readonly response: ResponseObject;
  readonly reply: Reply;
  readonly validators: Compile;
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
    const validate = validators(resolve(document, given)?.schema ?? anyText);
    const isWhole = typeof value === "string" && /^\d+$/.test(value);
    const fits = validate(value) || (isWhole && validate(Number(value)));
    assert.ok(fits, `${where} has a wrong header ${name}: ${String(value)}`);
  }
}

const [anyText, whole] = [{ type: "string" }, { type: "integer", minimum: 0 }];
const errors = { type: "array", items: { $ref: "#/components/schemas/ErrorItem" } };
const told = { code: whole, message: anyText, errors };

function closedObject(properties: object, sometimes: readonly string[]): JsonSchema {
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
  const validate = validators(content.schema);
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
  given: Found | Reference | undefined,
): Found | undefined {
  const reference = (given as { $ref?: string } | undefined)?.$ref;
  if (reference === undefined) return given as Found | undefined;
  let found: unknown = document;
  for (const step of reference.replace(/^#\//, "").split("/")) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    found = (found as Record<string, unknown> | undefined)?.[name];
  }
  return resolve(document, found as Found | undefined);
}
