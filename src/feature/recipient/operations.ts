// POST, GET and DELETE /v2/recipient: the registered readers of the feed of changes.

import {
  endRecipient,
  findRecipients,
  type Registration,
  registerRecipient as register,
} from "./act-as-recipient.ts";
import { recipientNameRule, type Recipient } from "./recipient.ts";
import { recordTypes } from "../../domain/record-types.ts";
import { oneOf } from "../../domain/schema/fields.ts";
import type { SchemaShape } from "../../domain/schema/schema-shape.ts";
import { closedObject, jsonBody } from "../../http/request/request-check.ts";
import {
  jsonReply,
  jsonRequest,
  objectSchema,
  textSchema,
  timeSchema,
} from "../../http/openapi/content.ts";
import { schemaRef } from "../../http/openapi/document.ts";
import {
  changeErrors,
  errorResponse,
  requestInFlight,
} from "../../http/openapi/error-responses.ts";
import { exampleOffset } from "../../http/openapi/examples.ts";
import { changeTag } from "../../http/openapi/parts.ts";
import { describedShape } from "../../http/openapi/publish-schema.ts";
import type { Verb } from "../../http/operation.ts";
import { jsonAnswer } from "../../http/reply/reply.ts";
import { organizationMark } from "../../http/request/idempotency-key.ts";
import { errors, recipientNameCharactersMax, recipientsMax } from "../subscription/store/rows.ts";
import { queryIdentifier } from "../../http/request/query.ts";

const typeNames = recordTypes.map(({ resourceType }) => resourceType);

export const recipientNotFound = errorResponse("RecipientNotFound", {
  description: "Not found: this organization has no recipient of this name.",
  errors: [errors.no_such_recipient],
});
export const recipientName: SchemaShape = {
  type: "string",
  description: "Name of the recipient, unique in the organization.",
  minLength: 1,
  maxLength: recipientNameCharactersMax,
  format: "plain-name",
  expected: recipientNameRule,
};

const typesSchema: SchemaShape = {
  type: "array",
  description: "Record types that it receives; by default all that the token may read.",
  items: oneOf("A record type.", typeNames),
  minItems: 1,
  maxItems: typeNames.length,
  expected: `a list of 1 to ${typeNames.length} record types`,
};

const registration = closedObject(
  { name: recipientName, types: typesSchema },
  { required: ["name"] },
);
const removal = closedObject({ name: recipientName });

export const recipientSchema = objectSchema(
  "A recipient of changes.",
  {
    name: textSchema("Name of the recipient."),
    types: {
      type: "array",
      description: "Record types that it takes.",
      items: { type: "string", enum: typeNames },
    },
    created_at: timeSchema("When it was registered."),
    acknowledged_offset: textSchema("The offset that it has acknowledged last."),
    acknowledged_at: timeSchema("When it has acknowledged last."),
  },
  { sometimes: ["acknowledged_offset", "acknowledged_at"] },
);

const newRecipient = {
  name: "warehouse",
  types: ["transaction", "person"],
  created_at: "2026-03-01T10:00:00.000Z",
};

export const recipientExample = {
  ...newRecipient,
  acknowledged_offset: exampleOffset,
  acknowledged_at: "2026-03-01T10:05:00.000Z",
};

export function viewRecipient(recipient: Recipient): object {
  const { name, types, createdAt, acknowledgedOffset, acknowledgedAt } = recipient;
  return {
    name,
    types,
    created_at: new Date(createdAt).toISOString(),
    ...(acknowledgedOffset === undefined ? {} : { acknowledged_offset: acknowledgedOffset }),
    ...(acknowledgedAt === undefined
      ? {}
      : { acknowledged_at: new Date(acknowledgedAt).toISOString() }),
  };
}

const usual = {
  permission: "read",
  scope: "changes:read",
  body: "one",
  success: 200,
} as const;

export const registerRecipient: Verb = {
  verb: "register recipient",
  ...usual,
  errors: [
    errorResponse("RecipientExists", {
      description:
        "A recipient with this name has other types, there are too many, or a request with the same Idempotency-Key is " +
        "still in flight.",
      errors: [errors.recipient_exists, errors.too_many_recipients, "idempotency_in_flight"],
      headers: ["RetryAfter"],
    }),
    ...changeErrors,
  ],

  document: () => ({
    tag: changeTag,
    summary: "Register a recipient of changes",
    description:
      "A reader of the feed that acknowledges what it has read, and is told what is erased from then on. Registering it " +
      "again with the same types changes nothing. The token needs the `read` scope of each type.",
    parameters: [],
    request: jsonRequest({
      name: "RecipientRegistration",
      schema: describedShape("A recipient to register.", registration),
      examples: {
        recipient: {
          summary: "With types",
          value: { name: newRecipient.name, types: newRecipient.types },
        },
      },
    }),
    reply: jsonReply("The recipient.", {
      name: "Recipient",
      schema: recipientSchema,
      examples: { recipient: { summary: "Registered", value: newRecipient } },
    }),
  }),

  makeHandler: ({ app }, operation) => {
    const read = jsonBody(registration, "recipient");
    return async (input) => {
      const { body, bytes } = await read(input.request);
      const idempotency = organizationMark(input, operation, bytes);
      const recipient = await register(app, input.caller, {
        ...(body as Registration),
        idempotency,
      });
      return jsonAnswer(200, viewRecipient(recipient));
    };
  },
};

export const listRecipients: Verb = {
  verb: "list recipients",
  ...usual,
  body: "none",
  errors: [],

  document: () => ({
    tag: changeTag,
    summary: "List the recipients of changes",
    description: `All recipients of the organization, at most ${recipientsMax}, by name; or the one of a name, if there is any.`,
    parameters: [
      {
        name: "name",
        in: "query",
        required: false,
        description: "Only the recipient of this name.",
        schema: { type: "string" },
      },
    ],
    reply: jsonReply("The recipients.", {
      name: "RecipientList",
      schema: objectSchema("The recipients of the organization.", {
        recipients: {
          type: "array",
          description: "By name.",
          items: schemaRef("Recipient"),
        },
      }),
      parts: { Recipient: recipientSchema },
      examples: { recipients: { summary: "One", value: { recipients: [recipientExample] } } },
    }),
  }),

  makeHandler:
    ({ app }) =>
    async ({ request, caller }) => {
      const isNamed = Object.hasOwn(request.query as object, "name");
      const name = isNamed ? queryIdentifier(request, "name") : undefined;
      const recipients = await findRecipients(app, caller, name);
      return jsonAnswer(200, { recipients: recipients.map(viewRecipient) });
    },
};

export const removeRecipient: Verb = {
  verb: "remove recipient",
  ...usual,
  errors: [recipientNotFound, requestInFlight, ...changeErrors],

  document: () => ({
    tag: changeTag,
    summary: "Remove a recipient of changes",
    description:
      "Nothing waits for its acknowledgement any more, and it is not told what is erased.",
    parameters: [],
    request: jsonRequest({
      name: "RecipientRemoval",
      schema: describedShape("Which recipient to remove.", removal),
      examples: { recipient: { summary: "By name", value: { name: newRecipient.name } } },
    }),
    reply: jsonReply("The recipient, which was removed.", {
      name: "Recipient",
      schema: recipientSchema,
      examples: { recipient: { summary: "Removed", value: recipientExample } },
    }),
  }),

  makeHandler: ({ app }, operation) => {
    const read = jsonBody(removal, "removal");
    return async (input) => {
      const { body, bytes } = await read(input.request);
      const idempotency = organizationMark(input, operation, bytes);
      const removed = await endRecipient(app, input.caller, {
        ...(body as { name: string }),
        idempotency,
      });
      return jsonAnswer(200, viewRecipient(removed));
    };
  },
};
