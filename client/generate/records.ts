// client/src/generated/records.ts: the records of each type, and their updates.

import { recordTypes } from "../../src/domain/record-types.ts";
import { buildOpenApi } from "../../src/process/openapi.ts";
import type { JsonSchema } from "../../src/http/openapi/document.ts";
import { file, pascalCase } from "./code-text.ts";
import { declare, type Declarations, namesIn, type TypeStyle } from "./schema-types.ts";

const what = "What is sent: the records of every type, and updates of them.";

export function renderRecords(): string {
  const { schemas } = buildOpenApi().components;
  const declarations: Declarations = new Map();
  const sent = { sent: true, fieldDocs: true };
  const add = (name: string, style: TypeStyle): void => {
    const schema: JsonSchema = schemas[name] ?? {};
    declare(declarations, name, { schema, style });
    for (const shared of namesIn(schema)) add(shared, { ...sent, innerPrefix: shared });
  };
  for (const { resourceType } of recordTypes) {
    const name = pascalCase(resourceType);
    add(name, { ...sent, innerPrefix: name });
    // The record documents the fields.
    add(`${name}Update`, { ...sent, fieldDocs: false, innerPrefix: name });
  }
  return file(what, ...[...declarations.values()].map((text) => text.trimEnd()));
}
