// Bodies of requests and replies as the files of verb/ state them, and the components that they refer to.

import { type Examples, type JsonSchema, type MediaType, schemaRef } from "./document.ts";
import type { HeaderPart } from "./parts.ts";

export interface Content {
  readonly description: string;
  readonly headers?: readonly HeaderPart[];
  /** In JSON. */
  readonly content: MediaType;
  readonly schemas: Readonly<Record<string, JsonSchema>>;
}

export interface Component {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly examples: Examples;
  readonly parts?: Readonly<Record<string, JsonSchema>>;
}

export function jsonReply(
  description: string,
  { name, schema, examples, parts }: Component,
): Content {
  const content = { schema: schemaRef(name), examples };
  return { description, content, schemas: { [name]: schema, ...parts } };
}

export const encodings = "May be sent with `Content-Encoding` gzip, br or zstd.";

export function jsonRequest(component: Component): Content {
  return jsonReply(encodings, component);
}

/** Replies are open, because later versions may add fields; a test compares real replies with the closed schemas. */
export function objectSchema(
  description: string,
  properties: Readonly<Record<string, JsonSchema>>,
  {
    sometimes = [],
    closed,
  }: { readonly sometimes?: readonly string[]; readonly closed?: true } = {},
): JsonSchema {
  const required = Object.keys(properties).filter((name) => !sometimes.includes(name));
  return {
    type: "object",
    description,
    ...(required.length > 0 ? { required } : {}),
    properties,
    ...(closed === true ? { additionalProperties: false } : {}),
  };
}

export function textSchema(description: string): JsonSchema {
  return { type: "string", description };
}

export function timeSchema(description: string): JsonSchema {
  return { type: "string", format: "date-time", description };
}

export function countSchema(description: string, minimum: 0 | 1 = 0): JsonSchema {
  return { type: "integer", format: "int64", minimum, description };
}
