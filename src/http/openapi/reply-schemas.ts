// The schemas of what the service answers. They leave room for fields to come; a test holds real replies against them
// with that room closed.

import { deletionStatuses } from "../../domain/deletion/deletion.ts";
import { nounOf, type RecordType } from "../../domain/record-type.ts";
import { allScopes } from "../../domain/scope.ts";
import { type JsonSchema, schemaRef } from "./document.ts";
import { deletionReceipt } from "./receipt-schema.ts";
import { componentName } from "./wording.ts";

/** All of the fields are there in every reply, but for those named in `sometimes`. */
function reply(
  description: string,
  properties: Readonly<Record<string, JsonSchema>>,
  { sometimes = [] }: { sometimes?: readonly string[] } = {},
): JsonSchema {
  const required = Object.keys(properties).filter((name) => !sometimes.includes(name));
  return { type: "object", description, ...(required.length > 0 ? { required } : {}), properties };
}

function text(description: string): JsonSchema {
  return { type: "string", description };
}

function dateTime(description: string): JsonSchema {
  return { type: "string", format: "date-time", description };
}

function count(description: string): JsonSchema {
  return { type: "integer", format: "int64", minimum: 0, description };
}

const organizationId = text("Organization that it belongs to.");
const code: JsonSchema = {
  type: "integer",
  format: "int32",
  description: "Error code: the HTTP status times 100 plus a number. Stable, unlike the message.",
};
const fieldErrors: JsonSchema = {
  type: "array",
  description: "Detail about errors in specific fields.",
  items: schemaRef("ErrorItem"),
};

export const generalSchemas: Readonly<Record<string, JsonSchema>> = {
  Scope: { type: "string", description: "The name of a scope.", enum: [...allScopes] },
  AccessToken: reply("An access token; told once and kept nowhere.", {
    token: text("The access token, for `Authorization: Bearer <token>`."),
    expiry: {
      type: "integer",
      format: "int64",
      description:
        "Expiration time as Unix time, in seconds: as requested, or when the API key ends if that is sooner.",
    },
    organization_id: text("Organization for which the token was requested."),
    organization_name: text("Name of that organization."),
    scopes: schemaRef("AccessTokenScope"),
  }),
  WriteResult: reply(
    "What became of a write. The data is on stable storage.",
    {
      success: { type: "boolean", description: "True: the request was processed." },
      write_count: count("How many changes were stored."),
      message: text("The same in words."),
      organization_id: organizationId,
      results: {
        type: "array",
        description: "One entry an item, in order; only with `Prefer: handling=lenient`.",
        items: schemaRef("WriteItemResult"),
      },
    },
    { sometimes: ["results"] },
  ),
  WriteItemResult: reply(
    "What became of one item of a list.",
    {
      index: count("Place of the item in the list, from 0."),
      id: text("Identifier of the record; missing if the item has none that can be read."),
      status: {
        type: "string",
        description: "What became of it.",
        enum: ["created", "updated", "unchanged", "refused"],
      },
      code,
      message: text("Why it was refused."),
      errors: fieldErrors,
    },
    { sometimes: ["id", "code", "message", "errors"] },
  ),
  StreamRefusal: reply(
    "A line of the reply to a stream: a record that was refused.",
    {
      line: count("Line of the request, from 1."),
      id: text("Identifier of the record; missing if the line has none that can be read."),
      code,
      message: text("Why it was refused."),
      errors: fieldErrors,
    },
    { sometimes: ["id", "message", "errors"] },
  ),
  StreamSummary: reply(
    "The last line of the reply to a stream. Without it the stream broke off, and may be sent again as it is.",
    {
      success: { type: "boolean", description: "True if the stream was read to its end." },
      write_count: count("How many changes were stored."),
      message: text("The same in words, or why the stream was not read to its end."),
      organization_id: organizationId,
      received: count("Lines that were read, without blank ones."),
      unchanged: count("Records that were there already, identical."),
      refused: count("Records that were refused."),
      unlisted: count(
        "Refused records without a line here, because the reply was not read while the stream was sent.",
      ),
      code,
    },
    { sometimes: ["unlisted", "code"] },
  ),
  DeletionStatus: reply(
    "How far a deletion has come.",
    {
      deletion_request_id: text("Unique identifier of the deletion request."),
      resource_type: text("Type of the record."),
      resource_id: text("Unique identifier of the record."),
      status: { type: "string", description: "State of the request.", enum: [...deletionStatuses] },
      requested_at: dateTime("When it was requested."),
      completed_at: dateTime("When it was completed and verified."),
      erased: {
        type: "object",
        description: "How many records were erased, by type; types with none are left out.",
        additionalProperties: { type: "integer", format: "int64", minimum: 1 },
      },
      receipt: schemaRef("DeletionReceipt"),
    },
    { sometimes: ["completed_at", "erased", "receipt"] },
  ),
  DeletionReceipt: deletionReceipt,
  ErrorItem: reply(
    "Detail about an error in one field.",
    {
      field: text("The field, as a path such as `amount` or `[3].addresses[0].type`."),
      message: text("What was expected, and what to do."),
    },
    { sometimes: ["field", "message"] },
  ),
  Error: reply(
    "The body of every error response.",
    { code, message: text("Error message."), errors: fieldErrors },
    { sometimes: ["errors"] },
  ),
  Problem: reply(
    "The same error as RFC 9457 has it, for `Accept: application/problem+json`: all of Error, and more.",
    {
      code,
      message: text("Error message."),
      type: { type: "string", format: "uri", description: "Names the kind of error, by its code." },
      title: text("The HTTP status in words."),
      status: { type: "integer", format: "int32", description: "The HTTP status." },
      detail: text("Error message, as `message`."),
      errors: fieldErrors,
    },
    { sometimes: ["errors"] },
  ),
};

/** What a type adds: the reply of its check, and that of its deletion. */
export function replySchemasOf(type: RecordType): Record<string, JsonSchema> {
  const name = componentName(type);
  const noun = nounOf(type);
  const id = text(`Unique identifier of the ${noun}.`);
  const schemas: Record<string, JsonSchema> = {
    [`${name}Existence`]: reply(`That the ${noun} exists.`, {
      [type.idField]: id,
      first_seen: dateTime(`Earliest timestamp associated with the ${noun}.`),
      last_seen: dateTime(`Latest timestamp associated with the ${noun}.`),
      organization_id: text(`Organization for which the ${noun} was found.`),
    }),
  };
  if (type.deletable === true) {
    schemas[`${name}DeletionAccepted`] = reply("That the deletion is queued.", {
      [type.idField]: id,
      deletion_request_id: text(
        "Unique identifier of the deletion request, for `GET /v2/deletion_request`.",
      ),
    });
  }
  return schemas;
}

/** The reply of POST /v2/deletion_request: that of the DELETE it stands for. */
export function deletionAccepted(types: readonly RecordType[]): JsonSchema {
  const accepted = types.filter(({ deletable }) => deletable === true);
  return {
    description: "That the deletion is queued; as the DELETE of the type answers.",
    oneOf: accepted.map((type) => schemaRef(`${componentName(type)}DeletionAccepted`)),
  };
}
