// Validators of schemas, each compiled when it is first needed. Only this file loads the library: 235 modules, which
// take an eighth of a second of processor time, and which a start, most commands and all writing threads don't need.

import { formats } from "./formats.ts";
import type { JsonObject, SchemaShape } from "./schema-shape.ts";

type Library = typeof import("typebox/schema");

let loaded: Library | undefined;

/** A promise would have every validation wait, so the library is required rather than imported. */
function library(): Library {
  if (loaded === undefined) {
    const require = process.getBuiltinModule("node:module").createRequire(import.meta.url);
    const { Format } = require("typebox/format") as typeof import("typebox/format");
    for (const [name, check] of Object.entries(formats)) Format.Set(name, check);
    loaded = require("typebox/schema") as Library;
  }
  return loaded;
}

/** Whether a value conforms to the schema. */
export interface SchemaValidator {
  Check(value: unknown): boolean;
  /** False if code can't be generated in this process; then each check walks the schema. */
  IsAccelerated(): boolean;
}

const compiled = new WeakMap<SchemaShape, SchemaValidator>();

export function validatorOf(schema: SchemaShape): SchemaValidator {
  let validator = compiled.get(schema);
  if (validator === undefined) {
    validator =
      schema.additionalProperties === false ? compileExact(schema) : library().Compile(schema);
    compiled.set(schema, validator);
  }
  return validator;
}

/** The library would match each name with a regular expression of all, as slow as validating half the fields. */
function compileExact(schema: SchemaShape): SchemaValidator {
  const fields = library().Compile<object>({ ...schema, additionalProperties: true });
  const names = new Set(Object.keys(schema.properties ?? {}));
  return {
    Check: (value) => fields.Check(value) && hasOnly(names, value as JsonObject),
    IsAccelerated: () => fields.IsAccelerated(),
  };
}

function hasOnly(names: ReadonlySet<string>, value: JsonObject): boolean {
  // A parsed object has no enumerable names but its own.
  for (const name in value) if (!names.has(name)) return false;
  return true;
}

/** Checks a value without compiling, for a schema that checks few values. */
export function isValid(schema: SchemaShape, value: unknown): boolean {
  return library().Check(schema, value);
}
