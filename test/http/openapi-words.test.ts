// What linters and client generators require of the OpenAPI document besides being correct:
// everything has a name that works as a function or a type, and a description.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { buildOpenApi } from "../../src/process/openapi.ts";
import type { JsonSchema, OpenApiDocument } from "../../src/http/openapi/document.ts";
import { eachOperation } from "./document-walk.ts";

const document = buildOpenApi();

/** Every place in the document that lacks a description. */
function findUndescribed(given: OpenApiDocument): readonly string[] {
  const { schemas, parameters, responses, headers } = given.components;
  return [
    ...eachOperation(given).flatMap(({ method, path, operation }) => [
      ...lacking(operation, ["operationId", "summary", "description"], `${method} ${path}`),
      ...(operation.tags.length === 1 ? [] : [`${method} ${path} has not one tag`]),
      ...(operation.parameters ?? []).flatMap((parameter) =>
        lacking(parameter, ["description"], `${method} ${path} ${nameOf(parameter)}`),
      ),
      ...Object.entries(operation.responses).flatMap(([status, response]) =>
        lacking(response, ["description"], `${method} ${path} ${status}`),
      ),
    ]),
    ...Object.entries({ ...parameters, ...responses, ...headers, ...schemas }).flatMap(
      ([name, part]) => lacking(part, ["description"], name),
    ),
    ...Object.entries(schemas).flatMap(([name, schema]) => findUndescribedFields(schema, name)),
  ];
}

function findUndescribedFields(schema: unknown, where: string): readonly string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { properties = {}, items, additionalProperties, anyOf = [] } = schema as Parts;
  return [
    ...Object.entries(properties).flatMap(([name, field]) => [
      ...lacking(field, ["description"], `${where}.${name}`),
      ...findUndescribedFields(field, `${where}.${name}`),
    ]),
    ...[items, additionalProperties, ...anyOf].flatMap((part) =>
      findUndescribedFields(part, where),
    ),
  ];
}

interface Parts {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: unknown;
  readonly additionalProperties?: unknown;
  readonly anyOf?: readonly unknown[];
}

/** A reference is described at its target. */
function lacking(part: object, keys: readonly string[], where: string): readonly string[] {
  if ("$ref" in part) return [];
  const texts = part as Readonly<Record<string, unknown>>;
  return keys
    .filter((key) => typeof texts[key] !== "string" || texts[key] === "")
    .map((key) => `${where} has no ${key}`);
}

function nameOf(part: object): string {
  return "name" in part ? String(part.name) : "";
}

describe("the OpenAPI document", () => {
  it("describes everything", () => {
    assert.deepEqual(findUndescribed(document), []);
  });

  it("has names that work as functions and types in any language", () => {
    for (const { operation } of eachOperation(document)) {
      assert.match(operation.operationId, /^[a-z][A-Za-z0-9]+$/);
    }
    for (const name of Object.values(document.components).flatMap(Object.keys)) {
      assert.match(name, /^[A-Z][A-Za-z0-9]+$/);
    }
  });

  it("has paths without a slash at the end, and none that differ only in their parameters", () => {
    for (const path of Object.keys(document.paths)) assert.match(path, /^(?:\/[a-z0-9_.-]+)+$/);
  });
});
