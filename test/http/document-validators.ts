// Compiles schemas of the OpenAPI document with a validator that has nothing in common with the one
// that generated them. Strict: a keyword or a format that JSON Schema 2020-12 and OpenAPI 3.1 don't
// define is an error.

import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { isFullDate, normaliseTimestamp } from "../../src/domain/timestamp.ts";
import type { OpenApiDocument } from "../../src/http/openapi/document.ts";

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
