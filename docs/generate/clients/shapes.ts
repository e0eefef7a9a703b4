// Prepares the OpenAPI document for the generators of the Python and the Go client: which schemas to declare, in which
// order, and the form of each. Independent of a language.

import type { RecordType } from "../../../src/domain/record-type.ts";
import { recordTypes } from "../../../src/domain/record-types.ts";
import { buildOpenApi } from "../../../src/process/openapi.ts";
import { namesIn, type Shape } from "../../../client/generate/schema-types.ts";
import { pascalCase } from "../../../client/generate/code-text.ts";

/** The use of a schema: a record that is added, an update of one, a part of both, or a reply. */
export type Use = "record" | "update" | "reply";

export interface NamedShape {
  readonly name: string;
  readonly use: Use;
  readonly shape: Shape;
  /** The prefix for the names of nested objects; an update uses the names of its record. */
  readonly innerPrefix: string;
}

/** Every schema that a client sends or reads, each once; schemas that it refers to follow. */
export function namedShapes(): readonly NamedShape[] {
  const schemas = buildOpenApi().components.schemas as Readonly<Record<string, Shape>>;
  const found = new Map<string, NamedShape>();
  const add = (name: string, use: Use, innerPrefix = name): void => {
    if (found.has(name)) return;
    const shape = schemas[name] ?? {};
    found.set(name, { name, use, shape, innerPrefix });
    const inner = use === "reply" ? use : "record";
    for (const shared of namesIn(shape as Readonly<Record<string, unknown>>)) add(shared, inner);
  };
  for (const type of recordTypes) {
    const name = typeName(type);
    add(name, "record");
    add(`${name}Update`, "update", name);
  }
  for (const name of ["AccessToken", "WriteResult", "DeletionStatus", "ChangeEvent"])
    add(name, "reply");
  for (const type of recordTypes) for (const name of replyNames(type)) add(name, "reply");
  return [...found.values()];
}

export function typeName({ resourceType }: RecordType): string {
  return pascalCase(resourceType);
}

/** The replies about an existing record and, if it can be deleted, an accepted deletion. */
export function replyNames(type: RecordType): readonly string[] {
  const name = typeName(type);
  return type.deletable === true
    ? [`${name}Existence`, `${name}DeletionAccepted`]
    : [`${name}Existence`];
}

/** `identity_verifications` for `identity_verification`. */
export function pluralOf({ resourceType }: RecordType): string {
  return resourceType.endsWith("y") ? `${resourceType.slice(0, -1)}ies` : `${resourceType}s`;
}

export function refName(ref: string): string {
  return ref.slice(ref.lastIndexOf("/") + 1);
}

/** The types of a shape, and whether it may be null. */
export function alternativesOf(shape: Shape): { types: readonly Shape[]; isNullable: boolean } {
  const all = flatten(shape);
  const types = all.filter(({ type }) => type !== "null");
  return { types, isNullable: types.length < all.length };
}

function flatten(shape: Shape): readonly Shape[] {
  if (shape.anyOf !== undefined) return shape.anyOf.flatMap(flatten);
  if (shape.type === undefined || typeof shape.type === "string") return [shape];
  return shape.type.map((type) => (type === "null" ? { type } : { ...shape, type }));
}

/** The values of an enumeration, without null, which `alternativesOf` reports. */
export function valuesOf({ enum: values = [] }: Shape): readonly (string | number)[] {
  return values.filter((value) => typeof value === "string" || typeof value === "number");
}
