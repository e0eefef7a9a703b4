// Recipients, the registered readers of the feed of changes: their values, the commands `sluice recipient …`, and the
// part of the page of an organization.

import { createRecipient, listRecipients, removeRecipient } from "./recipients.ts";
import { optional, required } from "../../cli/command.ts";
import { text, typeList } from "../../cli/input/kinds.ts";
import { type Html, html } from "../../console/html/html.ts";
import type { Person } from "../../console/page.ts";
import type { ListedRecipient, Recipient } from "./recipient.ts";
import { recordTypes, titleOf } from "../../domain/record-types.ts";
import { defineAct, defineList, onlyOf, renderForms } from "../../noun/act.ts";
import { recipientNameCharactersMax } from "./store/rows.ts";
import { rights } from "./rows.ts";
import { defineNoun } from "../../noun/noun.ts";

const values = {
  name: { kind: "text" },
  types: {
    html: ({ types }: Recipient) => types.map(titleOf).join(", "),
    kind: "text",
  },
} as const;

/** A recipient as creating and removing it show it, without what a list computes. */
const registered = defineNoun<Recipient>({
  values,
  json: "organizationId, name, types, createdAt, acknowledgedAt",
});

const recipients = defineNoun<ListedRecipient>({
  values,
  json: "organizationId, name, types, createdAt, acknowledgedAt, behindSince, waitingSince",
  columns: "name, organizationId, createdAt, acknowledgedAt, behindSince, waitingSince, types",
  headings:
    "name, types, acknowledgedAt, behindSince, waitingSince: Erasures not acknowledged since",
});

const names = {
  organization: required(text("ID"), "Organization whose changes it reads."),
  name: required(text("NAME"), "Name of the recipient."),
};

export const recipientCreate = defineAct({
  name: "recipient create",
  summary: "Register a recipient of the changes of an organization.",
  details:
    "A recipient acknowledges up to where it has read the feed of changes, and is told what is erased from now on. Repeating " +
    "this with the same types changes nothing.",
  examples: [
    "sluice recipient create --organization acme --name warehouse",
    "sluice recipient create --organization acme --name ledger --types transaction,person",
  ],
  rights: [rights["recipient.create"]],
  options: {
    ...names,
    types: optional(
      typeList,
      "Record types that it receives, separated by commas. Default: all that are not confidential.",
    ),
  },
  act: (app, { organization: organizationId, name, types }) =>
    createRecipient(app, { organizationId, name, types }),
  json: registered.json,
  said: ({ name, organizationId, types }) =>
    `The recipient ${name} of organization ${organizationId} receives: ${types.join(", ")}.`,
  form: {
    path: "/console/organization/recipient/:id",
    heading: "Register a recipient",
    fields: {
      name: { label: "Name", maxlength: recipientNameCharactersMax, required: true },
      types: {
        label: "Record types; none for all that are not confidential",
        boxes: recordTypes.map(({ resourceType, title }) => [resourceType, title]),
        isUnset: true,
      },
    },
    folded: true,
  },
});

export const recipientList = defineList({
  name: "recipient list",
  plural: "recipients",
  summary:
    "List the recipients of changes: when each has acknowledged last, and since when it has not acknowledged a change or an erasure.",
  examples: ["sluice recipient list --organization acme"],
  rights: [rights["recipient.read"]],
  options: onlyOf("recipients"),
  rows: recipients,
  find: (app, { organization }) => listRecipients(app, organization),
  none: "There is no recipient.",
});

export const recipientRemove = defineAct({
  name: "recipient remove",
  summary: "Remove a recipient of changes. Nothing waits for it any more.",
  examples: ["sluice recipient remove --organization acme --name warehouse"],
  rights: [rights["recipient.remove"]],
  options: names,
  act: (app, { organization: organizationId, name }) =>
    removeRecipient(app, { organizationId, name }),
  json: registered.json,
  said: ({ name, organizationId }) =>
    `The recipient ${name} of organization ${organizationId} was removed.`,
  form: {
    path: "/console/organization/recipient/remove/:id",
    heading: "Remove a recipient",
    text: "It is no longer informed about erasures, and nothing waits for its acknowledgement.",
    fields: { name: { label: "Name of the recipient to remove", required: true } },
    folded: true,
  },
});

export async function renderRecipients({ app }: Person, organizationId: string): Promise<Html> {
  const found = await listRecipients(app, organizationId);
  const acts = found.length === 0 ? [recipientCreate] : [recipientCreate, recipientRemove];
  const empty = "No program has registered to be informed about erasures.";
  return html`<section aria-labelledby="recipients">
    <h2 id="recipients">Recipients of changes</h2>
    ${recipients.list(found, app, { empty })} ${renderForms(app, acts, organizationId)}
  </section>`;
}

export const heading = "Records";

export const groups = { recipient: "Create, list and remove recipients of changes." };

export const commands = [recipientCreate, recipientList, recipientRemove];
