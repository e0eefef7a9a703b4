// `sluice recipient …`: the registered readers of the feed of changes.

import {
  createRecipient,
  listRecipients,
  removeRecipient,
} from "../../actions/recipient/recipients.ts";
import type { ListedRecipient, Recipient } from "../../domain/recipient.ts";
import { defineStoreCommand, optional, required } from "../command.ts";
import { text, typeList } from "../input/kinds.ts";
import { type Column, formatTime, renderTable, timeOrNull } from "../output/table.ts";

const names = {
  organization: required(text("ID"), "Organization whose changes it reads."),
  name: required(text("NAME"), "Name of the recipient."),
};

export const recipientCreate = defineStoreCommand({
  name: "recipient create",
  summary: "Register a recipient of the changes of an organization.",
  details:
    "A recipient acknowledges up to where it has read the feed of changes, and is told what is erased from now on. Repeating " +
    "this with the same types changes nothing.",
  examples: [
    "sluice recipient create --organization acme --name warehouse",
    "sluice recipient create --organization acme --name ledger --types transaction,person",
  ],
  rights: ["recipient.create"],
  options: {
    ...names,
    types: optional(
      typeList,
      "Record types that it receives, separated by commas. Default: all that are not confidential.",
    ),
  },
  run: async (app, { organization, name, types }) => {
    const recipient = await createRecipient(app, { organizationId: organization, name, types });
    return {
      json: viewRecipient(recipient),
      text: `The recipient ${name} of organization ${organization} receives: ${recipient.types.join(", ")}.`,
    };
  },
});

export const recipientList = defineStoreCommand({
  name: "recipient list",
  summary:
    "List the recipients of changes: when each has acknowledged last, and since when it has not acknowledged a change or an erasure.",
  examples: ["sluice recipient list --organization acme"],
  rights: ["recipient.read"],
  options: { organization: optional(text("ID"), "Only the recipients of this organization.") },
  run: async (app, { organization }, { paint }) => {
    const recipients = await listRecipients(app, organization);
    return {
      json: { recipients: recipients.map(viewRecipient) },
      text:
        recipients.length === 0
          ? "There is no recipient."
          : renderTable(columns, recipients, paint),
    };
  },
});

const columns: readonly Column<ListedRecipient>[] = [
  ["name", ({ name }) => name],
  ["organization", ({ organizationId }) => organizationId],
  ["created", ({ createdAt }) => formatTime(createdAt)],
  ["acknowledged", ({ acknowledgedAt }) => formatTime(acknowledgedAt)],
  ["behind since", ({ behindSince }) => formatTime(behindSince)],
  ["waiting since", ({ waitingSince }) => formatTime(waitingSince)],
  ["types", ({ types }) => types.join(",")],
];

export const recipientRemove = defineStoreCommand({
  name: "recipient remove",
  summary: "Remove a recipient of changes. Nothing waits for it any more.",
  examples: ["sluice recipient remove --organization acme --name warehouse"],
  rights: ["recipient.remove"],
  options: names,
  run: async (app, { organization, name }) => {
    const removed = await removeRecipient(app, { organizationId: organization, name });
    return {
      json: viewRecipient(removed),
      text: `The recipient ${name} of organization ${organization} was removed.`,
    };
  },
});

function viewRecipient(recipient: Recipient | ListedRecipient) {
  return {
    organization_id: recipient.organizationId,
    name: recipient.name,
    types: recipient.types,
    created_at: formatTime(recipient.createdAt),
    acknowledged_at: timeOrNull(recipient.acknowledgedAt),
    ...("behindSince" in recipient
      ? {
          behind_since: timeOrNull(recipient.behindSince),
          waiting_since: timeOrNull(recipient.waitingSince),
        }
      : {}),
  };
}
