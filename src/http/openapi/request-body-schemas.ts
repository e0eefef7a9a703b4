// The schemas of what clients send, each published from the very schema that validates it.

import { nounOf, type RecordType } from "../../domain/record-type.ts";
import {
  anyDeletionRequestSchema,
  deletionRequestSchema,
  tokenRequestSchema,
} from "../request/request-schemas.ts";
import type { JsonSchema } from "./document.ts";
import { publishShape } from "./publish-schema.ts";
import { componentName } from "./wording.ts";

export function generalRequestSchemas(): Record<string, JsonSchema> {
  return {
    AccessTokenRequest: described("What access token is requested.", tokenRequestSchema),
    DeletionRequest: described("Which record to delete, and why.", anyDeletionRequestSchema),
  };
}

/** The record itself, its update, and the request to delete it. */
export function requestSchemasOf(type: RecordType): Record<string, JsonSchema> {
  const name = componentName(type);
  const noun = nounOf(type);
  const schemas: Record<string, JsonSchema> = {
    [name]: {
      ...described(type.summary + ruleList(type, ["add", "always"]), type.addSchema),
      ...forbidden(type, ["add", "always"]),
      examples: [type.example],
    },
    [`${name}Update`]: {
      ...described(
        `Changes to a record that exists. Null clears a field.${ruleList(type, ["always"])}`,
        withoutDefaults(type.updateSchema),
      ),
      ...forbidden(type, ["always"]),
    },
  };
  if (type.deletable === true) {
    schemas[`${name}DeletionRequest`] = described(
      `Which ${noun} to delete, and why.`,
      deletionRequestSchema(type),
    );
  }
  return schemas;
}

function described(description: string, schema: unknown): JsonSchema {
  return { ...publishShape(schema), description };
}

/**
 * What the rules across fields forbid, in the one keyword that generators pass over; conditions and alternatives beside
 * the properties become types that do not compile.
 */
function forbidden({ rules }: RecordType, on: readonly string[]): JsonSchema {
  const schemas = rules.flatMap(({ on: when, summary, forbids }) =>
    forbids === undefined || !on.includes(when) ? [] : [{ description: summary, ...forbids }],
  );
  const [first] = schemas;
  if (first === undefined) return {};
  return { not: schemas.length === 1 ? first : { anyOf: schemas } };
}

function ruleList({ rules }: RecordType, on: readonly string[]): string {
  const summaries = rules
    .filter((rule) => on.includes(rule.on))
    .map(({ summary }) => `\n- ${summary}`);
  return summaries.length === 0 ? "" : `\n\nRules:\n${summaries.join("")}`;
}

/** Left out of an update means unchanged, so a client that filled in a default would change what nobody asked to. */
function withoutDefaults(schema: unknown): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (_key, value: unknown) => {
    if (typeof value !== "object" || value === null || !("default" in value)) return value;
    const { default: _default, ...rest } = value;
    return rest;
  }) as JsonSchema;
}
