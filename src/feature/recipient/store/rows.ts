// What the store part of recipients adds to the tables of the core, and its bounds.

import { nameRows } from "../../../basics/name-rows.ts";

/** How many recipients an organization can have. */
export const recipientsMax = 32;
export const recipientNameCharactersMax = 64;

export const errors = nameRows({
  no_such_recipient: {
    code: 40404,
    message: "There is no recipient with this name; GET /v2/recipient lists the existing ones.",
  },
  recipient_exists: {
    code: 40905,
    message: "A recipient with this name has other types. Remove it first, or choose another name.",
  },
  too_many_recipients: {
    code: 40906,
    message: `The organization has ${recipientsMax} recipients, which is the maximum; remove one first.`,
  },
});

/** Actions of entries of the audit trail. */
export const actions = nameRows({
  "recipient.create": { summary: "registered a recipient of changes" },
  "recipient.remove": { summary: "removed a recipient of changes" },
});
