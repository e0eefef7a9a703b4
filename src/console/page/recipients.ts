// The recipients of an organization's changes, as a part of its page: a list, and forms that register and remove one.

import {
  createRecipient,
  listRecipients,
  removeRecipient,
} from "../../actions/recipient/recipients.ts";
import type { Organization } from "../../domain/access.ts";
import { limits } from "../../domain/limits.ts";
import type { ListedRecipient } from "../../domain/recipient.ts";
import { recordTypes, titleOf } from "../../domain/record-types.ts";
import type { Answer } from "../../http/reply/reply.ts";
import { type Person, readForm, redirectTo } from "../page.ts";
import { readText, renderBoxes, renderInput } from "../html/field.ts";
import { type Html, html, renderTable } from "../html/html.ts";
import { pathTo } from "../html/link.ts";
import { renderAgo } from "../html/time.ts";

export async function renderRecipients(
  { app }: Person,
  organization: Organization,
): Promise<Html | undefined> {
  if (organization.closedAt !== undefined) return undefined;
  const recipients = await listRecipients(app, organization.organizationId);
  return html`<section aria-labelledby="recipients">
    <h2 id="recipients">Recipients of changes</h2>
    ${
      recipients.length === 0
        ? html`<p class="empty">No program has registered to be informed about erasures.</p>`
        : renderList(recipients)
    }
    ${app.viewer.may("recipient.create") && renderCreation(organization)}
    ${app.viewer.may("recipient.remove") && recipients.length > 0 && renderRemoval(organization)}
  </section>`;
}

function renderList(recipients: readonly ListedRecipient[]): Html {
  return renderTable(
    [
      ["Name", ({ name }) => name],
      ["Types", ({ types }) => types.map(titleOf).join(", ")],
      ["Acknowledged", ({ acknowledgedAt }) => renderAgo(acknowledgedAt)],
      ["Behind since", ({ behindSince }) => renderAgo(behindSince)],
      ["Erasures not acknowledged since", ({ waitingSince }) => renderAgo(waitingSince)],
    ],
    recipients,
  );
}

function renderCreation({ organizationId }: Organization): Html {
  const values = recordTypes.map(({ resourceType, title }) => [resourceType, title] as const);
  return html`<details>
    <summary>Register a recipient</summary>
    <form
      class="settings"
      method="post"
      action="${pathTo("organization/recipient", organizationId)}"
    >
      ${renderInput("Name", "name", { maxlength: limits.recipientNameCharactersMax, required: true })}
      ${renderBoxes("Record types; none for all that are not confidential", "type", { values })}
      <button type="submit" class="main">Register the recipient</button>
    </form>
  </details>`;
}

function renderRemoval({ organizationId }: Organization): Html {
  return html`<details>
    <summary>Remove a recipient</summary>
    <form
      class="settings"
      method="post"
      action="${pathTo("organization/recipient/remove", organizationId)}"
    >
      <p>It is no longer informed about erasures, and nothing waits for its acknowledgement.</p>
      ${renderInput("Name of the recipient to remove", "name", { required: true })}
      <button type="submit">Remove the recipient</button>
    </form>
  </details>`;
}

export async function registerOne(person: Person): Promise<Answer> {
  const form = await readForm(person);
  const types = form.getAll("type");
  await createRecipient(person.app, {
    organizationId: person.id,
    name: readText(form, "name") ?? "",
    types: types.length === 0 ? undefined : types,
  });
  return redirectTo(pathTo("organization", person.id));
}

export async function removeOne(person: Person): Promise<Answer> {
  const form = await readForm(person);
  const name = readText(form, "name") ?? "";
  await removeRecipient(person.app, { organizationId: person.id, name });
  return redirectTo(pathTo("organization", person.id));
}
