// POST, GET and DELETE /v2/recipient: the registered readers of the feed of changes; and POST
// /v2/recipient_acknowledgement: up to where one has processed it.

import {
  acknowledge as acknowledgeOffset,
  endRecipient,
  findRecipients,
  type Registration,
  registerRecipient as register,
} from "./act-as-recipient.ts";
import { recipientNameRule, type Recipient } from "./recipient.ts";
import { recordTypes } from "../../domain/record-types.ts";
import { oneOf } from "../../domain/schema/fields.ts";
import type { SchemaShape } from "../../domain/schema/schema-shape.ts";
import { changeVerb, listVerb } from "../follow/verbs.ts";
import { viewFields } from "../follow/view-fields.ts";
import { closedObject } from "../../http/request/request-check.ts";
import { jsonReply, objectSchema, textSchema, timeSchema } from "../../http/openapi/content.ts";
import { errorResponse, offsetGone, requestInFlight } from "../../http/openapi/error-responses.ts";
import { exampleOffset } from "../../http/openapi/examples.ts";
import { changeTag as tag } from "../../http/openapi/parts.ts";
import { row } from "../../http/routes.ts";
import { errors, recipientNameCharactersMax, recipientsMax } from "./store/rows.ts";

const typeNames = recordTypes.map(({ resourceType }) => resourceType);

const recipientNotFound = errorResponse("RecipientNotFound", {
  description: "Not found: this organization has no recipient of this name.",
  errors: [errors.no_such_recipient],
});
const recipientName: SchemaShape = {
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

const offset: SchemaShape = {
  type: "string",
  description: "The offset of the feed up to which everything is processed.",
  minLength: 1,
  maxLength: exampleOffset.length,
  format: "identifier",
  expected: "an offset that the feed has returned",
};

const registration = closedObject(
  { name: recipientName, types: typesSchema },
  { required: ["name"] },
);
const removal = closedObject({ name: recipientName });
const acknowledgement = closedObject({ name: recipientName, offset });

const fields = {
  name: textSchema("Name of the recipient."),
  types: {
    type: "array",
    description: "Record types that it takes.",
    items: { type: "string", enum: typeNames },
  },
  created_at: timeSchema("When it was registered."),
  acknowledged_offset: textSchema("The offset that it has acknowledged last."),
  acknowledged_at: timeSchema("When it has acknowledged last."),
};

const viewRecipient = viewFields<Recipient>(fields);

const recipientSchema = objectSchema("A recipient of changes.", fields, {
  sometimes: ["acknowledged_offset", "acknowledged_at"],
});

const newRecipient = {
  name: "warehouse",
  types: ["transaction", "person"],
  created_at: "2026-03-01T10:00:00.000Z",
};

const recipientExample = {
  ...newRecipient,
  acknowledged_offset: exampleOffset,
  acknowledged_at: "2026-03-01T10:05:00.000Z",
};

function replyWith(value: object, { description, summary }: Readonly<Record<string, string>>) {
  const examples = { recipient: { summary: summary ?? "", value } };
  return jsonReply(description ?? "", { name: "Recipient", schema: recipientSchema, examples });
}

const registerRecipient = changeVerb<Registration>({
  verb: "register recipient",
  errors: [
    errorResponse("RecipientExists", {
      description:
        "A recipient with this name has other types, there are too many, or a request with the same Idempotency-Key is " +
        "still in flight.",
      errors: [errors.recipient_exists, errors.too_many_recipients, "idempotency_in_flight"],
      headers: ["RetryAfter"],
    }),
  ],
  tag,
  summary: "Register a recipient of changes",
  description:
    "A reader of the feed that acknowledges what it has read, and is told what is erased from then on. Registering it " +
    "again with the same types changes nothing. The token needs the `read` scope of each type.",
  request: {
    what: "recipient",
    name: "RecipientRegistration",
    about: "A recipient to register.",
    shape: registration,
    examples: {
      recipient: {
        summary: "With types",
        value: { name: newRecipient.name, types: newRecipient.types },
      },
    },
  },
  reply: replyWith(newRecipient, { description: "The recipient.", summary: "Registered" }),
  act: async ({ app }, caller, wanted) => viewRecipient(await register(app, caller, wanted)),
});

const listRecipients = listVerb({
  verb: "list recipients",
  tag,
  summary: "List the recipients of changes",
  description: `All recipients of the organization, at most ${recipientsMax}, by name; or the one of a name, if there is any.`,
  only: { name: "name", description: "Only the recipient of this name." },
  reply: {
    description: "The recipients.",
    name: "RecipientList",
    about: "The recipients of the organization.",
    of: "recipients",
    order: "By name.",
    row: ["Recipient", recipientSchema],
    examples: { recipients: { summary: "One", value: { recipients: [recipientExample] } } },
  },
  find: async ({ app }, caller, name) =>
    (await findRecipients(app, caller, name)).map((one) => viewRecipient(one)),
});

const removeRecipient = changeVerb<Pick<Recipient, "name">>({
  verb: "remove recipient",
  errors: [recipientNotFound, requestInFlight],
  tag,
  summary: "Remove a recipient of changes",
  description: "Nothing waits for its acknowledgement any more, and it is not told what is erased.",
  request: {
    what: "removal",
    name: "RecipientRemoval",
    about: "Which recipient to remove.",
    shape: removal,
    examples: { recipient: { summary: "By name", value: { name: newRecipient.name } } },
  },
  reply: replyWith(recipientExample, {
    description: "The recipient, which was removed.",
    summary: "Removed",
  }),
  act: async ({ app }, caller, wanted) => viewRecipient(await endRecipient(app, caller, wanted)),
});

const acknowledge = changeVerb<{ readonly name: string; readonly offset: string }>({
  verb: "acknowledge",
  errors: [recipientNotFound, requestInFlight, offsetGone],
  tag,
  summary: "Acknowledge changes",
  description:
    "States that the recipient has processed every event before this offset; the notices of erasures before it need " +
    "not be kept for it. An acknowledgement never goes back. The token needs the `read` scope of each type of the recipient.",
  request: {
    what: "acknowledgement",
    name: "Acknowledgement",
    about: "The position of the recipient.",
    shape: acknowledgement,
    examples: {
      acknowledgement: {
        summary: "An offset that was received",
        value: { name: recipientExample.name, offset: exampleOffset },
      },
    },
  },
  reply: replyWith(recipientExample, { description: "The recipient.", summary: "Acknowledged" }),
  act: async ({ app }, caller, sent) => viewRecipient(await acknowledgeOffset(app, caller, sent)),
});

export const tags = [];

export const operations = [
  row("registerRecipient", "POST /v2/recipient", registerRecipient),
  row("listRecipients", "GET /v2/recipient", listRecipients),
  row("removeRecipient", "DELETE /v2/recipient", removeRecipient),
  row("acknowledge", "POST /v2/recipient_acknowledgement", acknowledge),
];
