// client/src/generated/replies.ts: the replies, and the scopes of tokens.

import { recordTypes } from "../../src/domain/record-types.ts";
import { buildOpenApi } from "../../src/process/openapi.ts";
import { file, pascalCase } from "./code-text.ts";
import { declare, type Declarations, namesIn } from "./schema-types.ts";

const what = "What is answered: the replies of the operations, and what tokens can be asked for.";

export function renderReplies(): string {
  const { schemas } = buildOpenApi().components;
  const declarations: Declarations = new Map();
  const add = (name: string): void => {
    const schema = schemas[name] ?? {};
    const style = { sent: false, fieldDocs: true, innerPrefix: name };
    declare(declarations, name, { schema, style });
    for (const inner of namesIn(schema)) add(inner);
  };
  for (const name of ["AccessToken", "WriteResult", "DeletionStatus", "ChangeEvent"]) add(name);
  for (const { resourceType, deletable } of recordTypes) {
    add(`${pascalCase(resourceType)}Existence`);
    if (deletable === true) add(`${pascalCase(resourceType)}DeletionAccepted`);
  }
  return file(what, ...[...declarations.values()].map((text) => text.trimEnd()));
}
