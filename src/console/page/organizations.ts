// The organizations: a list, and the form that creates one.

import { createOrganization } from "../../actions/access/create-organization.ts";
import { listOrganizations, requireOrganization } from "../../actions/access/find-organization.ts";
import type { Organization } from "../../domain/access.ts";
import { formatDuration } from "../../basics/duration.ts";
import { formatDays } from "../../domain/retention/floor.ts";
import type { Answer } from "../../http/reply/reply.ts";
import { redirectTo, showPage, type Person, readForm } from "../page.ts";
import { readOnOff, readText, renderInput, renderOnOff } from "../html/field.ts";
import { renderChip } from "../html/chip.ts";
import { type Html, html, type Column, renderTable } from "../html/html.ts";
import { pathTo } from "../html/link.ts";
import { formatCount } from "../html/time.ts";
import { organizationCookie } from "../sign-in/cookie.ts";
import { screens } from "../frame/screens.ts";

const screen = "/console/organizations";

export async function showOrganizations(person: Person): Promise<Answer> {
  const { app, query, organization } = person;
  const wanted = readText(query, "q")?.toLowerCase() ?? "";
  const organizations = (await listOrganizations(app)).filter(
    ({ organizationId, name }) =>
      organizationId.toLowerCase().includes(wanted) || name.toLowerCase().includes(wanted),
  );
  const found = organizations.slice(0, shownMax);
  const body = html`${renderSearch(query)}
  ${organization !== undefined && renderChosen(organization, query)}
  ${found.length === 0 ? (wanted === "" ? nothing : noneFound) : renderTable(columnsOf(person), found)}
  ${organizations.length > shownMax && html`<p class="note">${formatCount(organizations.length - shownMax, "more organization")}: search for a part of the id or of the name.</p>`}
  ${app.viewer.may("organization.create") && creation}`;
  return showPage(person, { title: "Organizations", screen, body });
}

const shownMax = 100;

function renderSearch(query: URLSearchParams): Html {
  return html`<form class="filters" method="get" action="${screen}" role="search">
    ${renderInput("Part of the id or of the name", "q", { value: query.get("q"), maxlength: 200 })}
    <input type="hidden" name="back" value="${readBack(query)}" />
    <button type="submit">Search</button>
  </form>`;
}

/** The screen from which the person came to choose an organization. */
function readBack(given: URLSearchParams): `/console${string}` {
  const back = given.get("back");
  return screens.find(({ path }) => path === back)?.path ?? "/console";
}

function renderChosen(organizationId: string, query: URLSearchParams): Html {
  return html`<form class="filters" method="post" action="${screen}/choice">
    <span
      >You work in <strong><bdi>${organizationId}</bdi></strong
      >: lists show only this organization.</span
    >
    <input type="hidden" name="back" value="${readBack(query)}" />
    <button type="submit">Show all organizations</button>
  </form>`;
}

/** Remembers the organization in which the person works, for lists and forms; none means all. */
export async function chooseOne(person: Person): Promise<Answer> {
  const form = await readForm(person);
  const organizationId = readText(form, "organization");
  await requireOrganization(person.app, organizationId);
  return redirectTo(readBack(form), organizationCookie(person.origin, organizationId));
}

const noneFound = html`<p class="empty">No organization has this in its id or its name.</p>`;

const nothing = html`<p class="empty">
  There is no organization yet. Each customer of yours is one, with its own records and API keys.
  Create the first one here, or with <code>sluice organization create</code>.
</p>`;

export function describeRateLimit({ rateLimitPerSecond }: Organization): string {
  if (rateLimitPerSecond === undefined) return "that of the server";
  return rateLimitPerSecond === 0 ? "none" : `${rateLimitPerSecond} requests a second`;
}

/** The ceilings of single types are on the page about retention. */
const commonCeiling = "Ceiling of types without one";

export function commonCeilingOf({ retainDays }: Organization): readonly [string, string] {
  return [commonCeiling, retainDays === undefined ? "none" : formatDays(retainDays)];
}

export function renderOrganizationLink({
  organizationId,
}: Pick<Organization, "organizationId">): Html {
  return html`<a href="${pathTo("organization", organizationId)}">${organizationId}</a>`;
}

export function describeApproval({ deletionApproval }: Organization): string {
  return deletionApproval === true ? "by a second person" : "not needed";
}

const columns: readonly Column<Organization>[] = [
  ["Organization", renderOrganizationLink, "bare"],
  ["Name", ({ name }) => html`<bdi>${name}</bdi>`],
  ["State", renderOrganizationState],
  ["Grace period", ({ deletionGraceSeconds }) => formatDuration(deletionGraceSeconds * 1_000)],
  ["Approval of deletions", describeApproval],
  [commonCeiling, (organization) => commonCeilingOf(organization)[1]],
  ["Rate limit", describeRateLimit],
];

function columnsOf(person: Person): readonly Column<Organization>[] {
  const back = readBack(person.query);
  const choice = ({ organizationId }: Organization) =>
    organizationId === person.organization
      ? "chosen"
      : html`<form method="post" action="${screen}/choice">
          <input type="hidden" name="organization" value="${organizationId}" />
          <input type="hidden" name="back" value="${back}" />
          <button type="submit">Choose<span class="sr"> ${organizationId}</span></button>
        </form>`;
  return [...columns, [html`<span class="sr">Choice</span>`, choice]];
}

export function renderOrganizationState({ closedAt }: Organization): Html {
  return closedAt === undefined ? renderChip("good", "open") : renderChip("over", "closed");
}

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
  return redirectTo(pathTo("organization", organizationId));
}
