// POST /v2/recipient_acknowledgement: up to where a recipient has processed the feed of changes.

import { acknowledge as acknowledgeOffset } from "./act-as-recipient.ts";
import type { SchemaShape } from "../../domain/schema/schema-shape.ts";
import { closedObject, jsonBody } from "../../http/request/request-check.ts";
import { jsonReply, jsonRequest } from "../../http/openapi/content.ts";
import {
  changeErrors,
  offsetGone,
  requestInFlight,
} from "../../http/openapi/error-responses.ts";
import { exampleOffset } from "../../http/openapi/examples.ts";
import { changeTag } from "../../http/openapi/parts.ts";
import { describedShape } from "../../http/openapi/publish-schema.ts";
import type { Verb } from "../../http/operation.ts";
import { jsonAnswer } from "../../http/reply/reply.ts";
import { organizationMark } from "../../http/request/idempotency-key.ts";
import {
  recipientExample,
  recipientName,
  recipientNotFound,
  recipientSchema,
  viewRecipient,
} from "./operations.ts";

const offsetSchema: SchemaShape = {
  type: "string",
  description: "The offset of the feed up to which everything is processed.",
  minLength: 1,
  maxLength: exampleOffset.length,
  format: "identifier",
  expected: "an offset that the feed has returned",
};

const acknowledgement = closedObject({ name: recipientName, offset: offsetSchema });

export const acknowledge: Verb = {
  verb: "acknowledge",
  permission: "read",
  scope: "changes:read",
  body: "one",
  success: 200,
  errors: [recipientNotFound, requestInFlight, offsetGone, ...changeErrors],

  document: () => ({
    tag: changeTag,
    summary: "Acknowledge changes",
    description:
      "States that the recipient has processed every event before this offset; the notices of erasures before it need " +
      "not be kept for it. An acknowledgement never goes back. The token needs the `read` scope of each type of the recipient.",
    parameters: [],
    request: jsonRequest({
      name: "Acknowledgement",
      schema: describedShape("The position of the recipient.", acknowledgement),
      examples: {
        acknowledgement: {
          summary: "An offset that was received",
          value: { name: recipientExample.name, offset: exampleOffset },
        },
      },
    }),
    reply: jsonReply("The recipient.", {
      name: "Recipient",
      schema: recipientSchema,
      examples: { recipient: { summary: "Acknowledged", value: recipientExample } },
    }),
  }),

  makeHandler: ({ app, feed }, operation) => {
    const read = jsonBody(acknowledgement, "acknowledgement");
    return async (input) => {
      const { body, bytes } = await read(input.request);
      const idempotency = organizationMark(input, operation, bytes);
      const given = body as { name: string; offset: string };
      const recipient = await acknowledgeOffset(app, input.caller, { ...given, feed, idempotency });
      return jsonAnswer(200, viewRecipient(recipient));
    };
  },
};
