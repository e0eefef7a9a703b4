// The organizations: a list, and the form that creates one.

import { createOrganization } from "../../actions/access/create-organization.ts";
import { listOrganizations } from "../../actions/access/find-organization.ts";
import type { Organization } from "../../domain/access.ts";
import { formatDuration } from "../../basics/duration.ts";
import { formatDays } from "../../domain/retention/floor.ts";
import type { Answer } from "../../http/reply/reply.ts";
import { redirectTo, showPage, type Person, readForm } from "../page.ts";
import { readOnOff, readText, renderInput, renderOnOff } from "../html/field.ts";
import { type Html, html, type Column, renderTable } from "../html/html.ts";

const screen = "/console/organizations";

export async function showOrganizations(person: Person): Promise<Answer> {
  const organizations = await listOrganizations(person.app);
  const body = html`${organizations.length === 0 ? nothing : renderTable(columns, organizations)}
  ${person.app.viewer.may("organization.create") && creation}`;
  return showPage(person, { title: "Organizations", screen, body });
}

const nothing = html`<p class="empty">
  There is no organization yet. Each customer of yours is one, with its own records and API keys.
  Create the first one here, or with <code>sluice organization create</code>.
</p>`;

export function organizationPath(organizationId: string): `/console${string}` {
  return `/console/organization/${encodeURIComponent(organizationId)}`;
}

export function describeRateLimit({ rateLimitPerSecond }: Organization): string {
  if (rateLimitPerSecond === undefined) return "that of the server";
  return rateLimitPerSecond === 0 ? "none" : `${rateLimitPerSecond} requests a second`;
}

export function describeRetention({ retainDays }: Organization): string {
  return retainDays === undefined ? "until a deletion is requested" : formatDays(retainDays);
}

export function renderOrganizationLink({
  organizationId,
}: Pick<Organization, "organizationId">): Html {
  return html`<a href="${organizationPath(organizationId)}">${organizationId}</a>`;
}

export function describeApproval({ deletionApproval }: Organization): string {
  return deletionApproval === true ? "by a second person" : "not needed";
}

const columns: readonly Column<Organization>[] = [
  ["Organization", renderOrganizationLink, "bare"],
  ["Name", ({ name }) => html`<bdi>${name}</bdi>`],
  ["State", ({ closedAt }) => (closedAt === undefined ? "open" : "closed")],
  ["Grace period", ({ deletionGraceSeconds }) => formatDuration(deletionGraceSeconds * 1_000)],
  ["Approval of deletions", describeApproval],
  ["Records kept", describeRetention],
  ["Rate limit", describeRateLimit],
];

const creation = html`<section aria-labelledby="create">
  <h2 id="create">Create an organization</h2>
  <form class="settings" method="post" action="/console/organizations">
    ${renderInput("Name", "name", { maxlength: 200, required: true })}
    ${renderInput("Id, which can't be changed; random if it is empty", "id", {
      maxlength: 64,
      autocomplete: "off",
    })}
    <label>Deletions need the approval of a second person ${renderOnOff("approval", false)}</label>
    <button type="submit" class="main">Create</button>
  </form>
</section>`;

export async function createOne(person: Person): Promise<Answer> {
  const form = await readForm(person);
  const { organizationId } = await createOrganization(person.app, {
    name: readText(form, "name") ?? "",
    organizationId: readText(form, "id"),
    deletionApproval: readOnOff(form, "approval", "Approval"),
  });
  return redirectTo(organizationPath(organizationId));
}
