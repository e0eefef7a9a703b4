// One organization: its settings, its number of records, its API keys, and the form that closes it.

import {
  readOrganization,
  type ShownOrganization,
} from "../../actions/access/change-organization.ts";
import { describeKept } from "../../actions/retention/kept-organization.ts";
import type { Organization } from "../../domain/access.ts";
import { formatDuration } from "../../basics/duration.ts";
import { type Next, type Person, readPanels } from "../page.ts";
import { deletionPath } from "../html/link.ts";
import { html, type Html, renderFacts } from "../html/html.ts";
import { formatCounts, renderTime } from "../html/time.ts";
import { renderForm, renderForms } from "../../noun/act.ts";
import { keyCreate, renderKeys } from "../../noun/key.ts";
import {
  approvalForm,
  closeForm,
  organizations,
  renderOrganizationState,
  settingsForm,
} from "../../noun/organization.ts";
import { sluice } from "../../basics/program-name.ts";

const screen = "/console/organizations";
export const organizationPath = "/console/organization/:id";

export async function showOrganization(person: Person): Promise<Next> {
  const { app, id } = person;
  const shown = await readOrganization(app, id);
  const { organization, keys } = shown;
  const isOpen = organization.closedAt === undefined;
  const body = html`<div class="sides">
      <div>
        <section>${renderOwnFacts(person, shown)}</section>
        <section aria-labelledby="keys">
          <h2 id="keys">API keys</h2>
          ${renderKeys(keys, app)} ${isOpen && renderForms(app, [keyCreate], id)}
        </section>
      </div>
      <div>
        ${isOpen && renderForms(app, [settingsForm, approvalForm], id, { values: valuesOf(organization) })}
      </div>
    </div>
    ${isOpen && (await readPanels(person, (panels) => panels.organization))}
    ${shown.mayClose && renderClosing(shown, await describeKept(app, { organizationId: id, counts: shown.counts }))}`;
  const { name: title, organizationId } = organization;
  const aside = renderOrganizationState(organization);
  return {
    title,
    id: organizationId,
    screen,
    body,
    aside,
    ...(isBeingErased(shown, app.now()) && { refreshSeconds }),
  };
}

const refreshSeconds = 5;
const followedMs = 3_600_000;

/** For a while after the closing, and for those who may know what is left. */
function isBeingErased(
  { organization: { closedAt }, counts }: ShownOrganization,
  now: number,
): boolean {
  const isRecent = closedAt !== undefined && now - closedAt < followedMs;
  return isRecent && Object.keys(counts).length > 0;
}

function renderOwnFacts({ app }: Person, shown: ShownOrganization): Html {
  const { organization, counts, countedMax, hasRestrictedSets } = shown;
  const { closedAt, deletionRequestId } = organization;
  const isOfficer = app.viewer.may("confidential.read");
  const deletion =
    isOfficer &&
    deletionRequestId !== undefined &&
    html`; <a href="${deletionPath(deletionRequestId)}">its deletion</a>`;
  const hidden =
    !isOfficer &&
    (closedAt === undefined
      ? "Confidential records are not shown."
      : "What is left of a closed organization is not shown.");
  return renderFacts([
    ["Closed", closedAt !== undefined && html`${renderTime(closedAt)}${deletion}`],
    [
      "Records",
      html`${formatCounts(counts, countedMax) || (isOfficer && "none")}
      ${hidden && html`<small>${hidden}</small>`}`,
    ],
    [
      "Restricted sets",
      hasRestrictedSets &&
        html`<a
            href="/console/restricted?organization=${encodeURIComponent(organization.organizationId)}"
            >some</a
          >
          <small>Each is erased by itself, and stays when the organization is closed.</small>`,
    ],
    ...organizations.facts(organization),
  ]);
}

function valuesOf(organization: Organization) {
  const { name, deletionGraceSeconds, rateLimitPerSecond, strictScopes } = organization;
  return {
    name,
    deletionGrace: formatDuration(deletionGraceSeconds * 1_000),
    rateLimit: rateLimitPerSecond,
    strictScopes: strictScopes ? "on" : "off",
    deletionApproval: organization.deletionApproval === true ? "on" : "off",
  };
}

function renderClosing(
  { organization, awaitsExport, hasRestrictedSets }: ShownOrganization,
  kept: string | undefined,
): Html {
  const { organizationId, closedAt, deletionApproval } = organization;
  if (awaitsExport) {
    return html`<p>
      Its closing was to export its records first. That export is still being made, or was
      interrupted; then the command <code>${sluice} organization close</code> continues.
    </p>`;
  }
  const interrupted =
    closedAt !== undefined && "Its closing was interrupted; this continues it, without an export.";
  const approval = deletionApproval === true && "This waits for the approval of a second person.";
  const restricted =
    hasRestrictedSets &&
    "Its restricted sets stay, until their own holds are released and their floors have ended.";
  const text = html`${interrupted} All access of the organization ends at once, and everything that
    it has stored is erased for good, once ${kept ?? "no hold and no floor prevents it"}.
    ${restricted} ${approval} This can't be undone, and the id can't be used again. For an export of
    the records first, use <code>${sluice} organization close</code>.`;
  return renderForm(closeForm, organizationId, { text });
}
