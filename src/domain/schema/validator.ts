// Validators of schemas, each compiled when it is first needed. The only file that loads the library, which most
// commands and all threads that write need for nothing.

import { Format } from "typebox/format";
import { Check, Compile, type Validator } from "typebox/schema";
import { formats } from "./formats.ts";
import type { SchemaShape } from "./schema-shape.ts";

for (const [name, check] of Object.entries(formats)) Format.Set(name, check);

const compiled = new WeakMap<SchemaShape, Validator<object>>();

/** Compiles a schema that checks many values. */
export function validatorOf(schema: SchemaShape): Validator<object> {
  let validator = compiled.get(schema);
  if (validator === undefined) {
    validator = Compile<object>(schema);
    compiled.set(schema, validator);
  }
  return validator;
}

/** Checks a value without compiling, for a schema that checks few values. */
export function isValid(schema: SchemaShape, value: unknown): boolean {
  return Check(schema, value);
}
