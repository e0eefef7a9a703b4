// The organizations: a list, and the choice of the one in which a person works.

import { listOrganizations, requireOrganization } from "../../actions/access/find-organization.ts";
import type { Organization } from "../../domain/access.ts";
import { renderForms } from "../../noun/act.ts";
import { organizationCreate, organizations } from "../../noun/organization.ts";
import { type Next, type Person, redirectTo } from "../page.ts";
import { readText, renderButton, renderHidden, renderInput } from "../html/field.ts";
import { type Column, html, type Html } from "../html/html.ts";
import { formatCount } from "../../basics/format-count.ts";
import { organizationCookie } from "../sign-in/cookie.ts";
import { findScreen } from "../frame/screens.ts";
import { renderOrganization } from "../html/party.ts";
import { sluice } from "../../basics/program-name.ts";

const screen = "/console/organizations";

export async function showOrganizations(person: Person): Promise<Next> {
  const { app, query, organization } = person;
  const wanted = readText(query, "q")?.toLowerCase() ?? "";
  const matching = (await listOrganizations(app)).filter(
    ({ organizationId, name }) =>
      organizationId.toLowerCase().includes(wanted) || name.toLowerCase().includes(wanted),
  );
  const found = matching.slice(0, shownMax);
  const body = html`${renderSearch(person)}
  ${organization !== undefined && renderChosen(organization, person)}
  ${organizations.list(found, undefined, { more: [choiceOf(person)], empty: wanted === "" ? nothing : noneFound })}
  ${matching.length > shownMax && html`<p class="note">${formatCount(matching.length - shownMax, "more organization")}: search for a part of the id or of the name.</p>`}
  ${renderForms(app, [organizationCreate], "")}`;
  return { title: "Organizations", screen, body };
}

const shownMax = 100;

function renderSearch(person: Person): Html {
  const { query } = person;
  return html`<form class="filters" method="get" action="${screen}" role="search">
    ${renderInput("Part of the id or of the name", "q", { value: query.get("q"), maxlength: 200 })}
    ${renderHidden({ back: readBack(person) })}
    <button type="submit">Search</button>
  </form>`;
}

/** The screen from which the person came to choose an organization. */
function readBack({ query, sources }: Person, given = query): `/console${string}` {
  return findScreen(sources.tasks, given.get("back"))?.path ?? "/console";
}

function renderChosen(organizationId: string, person: Person): Html {
  return html`<form class="filters" method="post" action="${screen}/choice">
    <span
      >You work in <strong>${renderOrganization(organizationId)}</strong>: lists show only this
      organization.</span
    >
    ${renderHidden({ back: readBack(person) })}
    <button type="submit">Show all organizations</button>
  </form>`;
}

/** Remembers the organization in which the person works, for lists and forms; none means all. */
export async function chooseOne(person: Person, form: URLSearchParams): Promise<Next> {
  const organizationId = readText(form, "organization");
  await requireOrganization(person.app, organizationId);
  return redirectTo(readBack(person, form), organizationCookie(person.origin, organizationId));
}

const noneFound = "No organization has this in its id or its name.";
const nothing = html`There is no organization yet. Each customer of yours is one, with its own
  records and API keys. Create the first one here, or with
  <code>${sluice} organization create</code>.`;

function choiceOf(person: Person): Column<Organization> {
  const back = readBack(person);
  const choice = ({ organizationId }: Organization) =>
    organizationId === person.organization
      ? "chosen"
      : renderButton(html`Choose<span class="sr"> ${organizationId}</span>`, `${screen}/choice`, {
          fields: { organization: organizationId, back },
        });
  return [html`<span class="sr">Choice</span>`, choice];
}
