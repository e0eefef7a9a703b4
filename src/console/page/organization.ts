// One organization: its settings, its number of records, its API keys, and the form that closes it.

import {
  changeOrganization,
  readOrganization,
  type ShownOrganization,
} from "../../actions/access/change-organization.ts";
import { closeOrganization } from "../../actions/access/close-organization.ts";
import type { Organization } from "../../domain/access.ts";
import { confidentialTypes } from "../../domain/confidentiality.ts";
import { formatDuration } from "../../basics/duration.ts";
import { limits } from "../../domain/limits.ts";
import { titleOf } from "../../domain/record-types.ts";
import type { Answer } from "../../http/reply/reply.ts";
import { redirectTo, showPage, type Person, readForm } from "../page.ts";
import { renderIdField, requireTyped } from "../html/confirmation.ts";
import { deletionPath, pathTo } from "../html/link.ts";
import {
  readDuration,
  readOnOff,
  readText,
  readWhole,
  renderInput,
  renderOnOff,
  renderReason,
} from "../html/field.ts";
import { type Html, html, renderFacts } from "../html/html.ts";
import { formatCounts, renderTime } from "../html/time.ts";
import { renderForms } from "../../noun/act.ts";
import { renderRulesLink } from "../../noun/identity.ts";
import { keyCreate, renderKeys } from "../../noun/key.ts";
import { renderRecipients } from "../../noun/recipient.ts";
import { renderWebhooksLink } from "../../noun/webhook.ts";
import {
  commonCeilingOf,
  describeApproval,
  describeRateLimit,
  renderOrganizationState,
} from "./organizations.ts";

const screen = "/console/organizations";

export async function showOrganization(person: Person): Promise<Answer> {
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
          ${app.viewer.may("key.read") && html`<p>${renderRulesLink(id)}</p>`}
        </section>
        ${isOpen && app.viewer.may("webhook.read") && html`<p>${renderWebhooksLink(id)}</p>`}
        ${isOpen && (await renderRecipients(person, id))}
      </div>
      <div>
        ${isOpen && app.viewer.may("organization.change") && renderSettings(organization)}
        ${isOpen && app.viewer.may("deletion.require_approval") && renderApproval(organization)}
      </div>
    </div>
    ${shown.mayClose && renderClosing(shown)}`;
  const title = `Organization ${organization.organizationId}`;
  return showPage(person, { title, screen, body, aside: renderOrganizationState(organization) });
}

function renderOwnFacts({ app }: Person, shown: ShownOrganization): Html {
  const { organization, counts, countedMax } = shown;
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
    ["Name", html`<bdi>${organization.name}</bdi>`],
    ["State", closedAt === undefined ? "open" : html`closed ${renderTime(closedAt)}${deletion}`],
    [
      "Records",
      html`${formatCounts(counts, countedMax) || (isOfficer && "none")}
      ${hidden && html`<small>${hidden}</small>`}`,
    ],
    commonCeilingOf(organization),
    ["Grace period of deletions", formatDuration(organization.deletionGraceSeconds * 1_000)],
    ["Approval of deletions", describeApproval(organization)],
    ["Rate limit", describeRateLimit(organization)],
    ["Strict scopes", organization.strictScopes ? "on" : "off"],
    [
      "Confidential types",
      [...confidentialTypes(organization.confidentialTypes)].map(titleOf).join(", "),
    ],
    ["Created", renderTime(organization.createdAt)],
  ]);
}

function renderSettings(organization: Organization): Html {
  const { organizationId, name, deletionGraceSeconds, rateLimitPerSecond } = organization;
  return html`<section aria-labelledby="settings">
    <h2 id="settings">Settings</h2>
    <form class="settings" method="post" action="${pathTo("organization", organizationId)}">
      ${renderInput("Name", "name", { maxlength: 200, value: name, required: true })}
      ${renderInput("Grace period of deletions, such as 24h", "grace", {
        value: formatDuration(deletionGraceSeconds * 1_000),
        required: true,
      })}
      ${renderInput(
        "Requests a second; 0 for no limit, empty for the limit of the server",
        "rate",
        {
          inputmode: "numeric",
          value: rateLimitPerSecond,
        },
      )}
      <label
        >Strict scopes: transactions:write covers transactions only
        ${renderOnOff("strict", organization.strictScopes)}</label
      >
      <button type="submit">Save</button>
    </form>
  </section>`;
}

function renderApproval({ organizationId, deletionApproval }: Organization): Html {
  return html`<section aria-labelledby="approval">
    <h2 id="approval">Approval of deletions</h2>
    <p>
      With on, a deletion that is requested from now on is processed only after another person with
      the role officer has approved it. Deletions that wait already need the approval even after it
      is turned off. A second person is then needed as well to turn it off, to lower a floor, to set
      or lower a ceiling, to release a hold and to close the organization.
    </p>
    <form
      class="settings"
      method="post"
      action="${pathTo("organization/approval", organizationId)}"
    >
      <label
        >Approval by a second person ${renderOnOff("approval", deletionApproval === true)}</label
      >
      <button type="submit">Save</button>
    </form>
  </section>`;
}

function renderClosing({ organization, awaitsExport }: ShownOrganization): Html {
  const { organizationId, closedAt, deletionApproval } = organization;
  if (awaitsExport) {
    return html`<p>
      Its closing was to export its records first. That export is still being made, or was
      interrupted; then the command <code>sluice organization close</code> continues.
    </p>`;
  }
  const interrupted =
    closedAt !== undefined &&
    html`<p>Its closing was interrupted; this continues it, without an export.</p>`;
  const approval =
    deletionApproval === true && html`This waits for the approval of a second person.`;
  return html`<section class="danger" aria-labelledby="close">
    <h2 id="close">Close</h2>
    ${interrupted}
    <p>
      All access of the organization ends at once, and everything that it has stored is erased for
      good, once no hold and no retention floor prevents it. ${approval} This can't be undone, and
      the id can't be used again. For an export of the records first, use
      <code>sluice organization close</code>. Type the id of the organization to confirm.
    </p>
    <form method="post" action="${pathTo("organization/close", organizationId)}">
      ${renderReason("Reason, which stays in the receipt")} ${renderIdField("organization")}
      <button type="submit">Close the organization</button>
    </form>
  </section>`;
}

export async function changeSettings(person: Person): Promise<Answer> {
  const form = await readForm(person);
  const name = readText(form, "name");
  const graceMs = readDuration(form, "grace", "Grace period");
  const strictScopes = readOnOff(form, "strict", "Strict scopes");
  const rate = readWhole(form, "rate", { label: "Requests a second", max: limits.rateLimitMax });
  await changeOrganization(person.app, person.id, {
    ...(name === undefined ? {} : { name }),
    ...(graceMs === undefined ? {} : { deletionGraceSeconds: Math.floor(graceMs / 1_000) }),
    ...(strictScopes === undefined ? {} : { strictScopes }),
    // An empty field means the limit of the server; a missing field changes nothing.
    ...(form.has("rate") ? { rateLimitPerSecond: rate ?? null } : {}),
  });
  return redirectTo(pathTo("organization", person.id));
}

export async function changeApproval(person: Person): Promise<Answer> {
  const form = await readForm(person);
  const deletionApproval = readOnOff(form, "approval", "Approval by a second person") ?? false;
  await changeOrganization(person.app, person.id, { deletionApproval });
  return redirectTo(pathTo("organization", person.id));
}

export async function closeOne(person: Person): Promise<Answer> {
  const form = await readForm(person);
  requireTyped(form, person.id, "organization");
  await closeOrganization(person.app, {
    organizationId: person.id,
    reason: readText(form, "reason") ?? "the organization was closed",
  });
  return redirectTo(pathTo("organization", person.id));
}
