// Restricted sets, for those who may know of confidential reports: what deletions had to keep, why and until when. Each
// reading is in the audit trail, so it is a form and not a link.

import {
  type HeldRecord,
  listRestrictedSets,
  type RestrictedSet,
  showRestrictedSet,
} from "../../actions/retention/restricted-sets.ts";
import { titleOf } from "../../domain/record-types.ts";
import { shownHolds } from "../../noun/hold.ts";
import { readText, renderButton, renderReason } from "../html/field.ts";
import { renderOrganizationInput, withOrganization } from "../html/filter.ts";
import { type Column, html, type Html, renderFacts, renderTable } from "../html/html.ts";
import { deletionPath, renderRecordName } from "../html/link.ts";
import { renderOrganization } from "../html/party.ts";
import { formatCounts, renderExactTime, renderTime, renderTimestamp } from "../html/time.ts";
import type { Next, Person } from "../page.ts";

const screen = "/console/restricted";
const recordsMax = 100;

export async function showRestricted(person: Person): Promise<Next> {
  const body = html`<p class="note">
      A confidential report that has to be kept does not delay a deletion: it moves to a restricted
      set, with the transactions and alerts that it names, and is erased when the last hold is
      released and the last floor has ended.
    </p>
    <form class="filters" method="post" action="${screen}">
      ${renderOrganizationInput(withOrganization(person), { required: true, autocomplete: "on" })}
      ${renderReason("Reason for reading")}
      <button type="submit" class="main">Show the restricted sets</button>
    </form>
    <p class="note">Your name and the reason go to the audit trail.</p>`;
  return { title: "Restricted sets", screen, body };
}

function readAccess(form: URLSearchParams) {
  return { organizationId: readText(form, "organization") ?? "", reason: readText(form, "reason") };
}

export async function listRestricted(person: Person, form: URLSearchParams): Promise<Next> {
  const access = readAccess(form);
  const sets = await listRestrictedSets(person.app, access);
  const mayShow = person.app.viewer.may("restricted.show");
  const showing: Column<RestrictedSet> = [
    html`<span class="sr">Records</span>`,
    ({ movedBy }) => movedBy && renderShowing(access, movedBy.deletionRequestId),
  ];
  const body = html`<p>Of ${renderOrganization(access.organizationId)}</p>
    ${renderTable(mayShow ? [...columns, showing] : columns, sets, { empty: "Nothing is restricted." })}`;
  return { title: "Restricted sets", screen, body };
}

function renderShowing(access: ReturnType<typeof readAccess>, id: string): Html {
  const fields = { organization: access.organizationId, reason: access.reason, id };
  return renderButton(html`Records<span class="sr"> of ${id}</span>`, `${screen}/set`, { fields });
}

const columns: readonly Column<RestrictedSet>[] = [
  ["Erased record", ({ movedBy }) => movedBy && renderMovedBy(movedBy), "bare"],
  ["Keeps", ({ counts }) => formatCounts(counts) || "only references"],
  ["Waits for", ({ deletion }) => html`<bdi>${deletion.waitingFor ?? "–"}</bdi>`, "text"],
  ["Moved", ({ movedBy }) => renderExactTime(movedBy?.completedAt)],
  ["Kept until", ({ deletion }) => renderExactTime(deletion.floorUntil)],
];

function renderMovedBy(moved: NonNullable<RestrictedSet["movedBy"]>): Html {
  return html`<a href="${deletionPath(moved.deletionRequestId)}">${renderRecordName(moved)}</a>`;
}

export async function showOneSet(person: Person, form: URLSearchParams): Promise<Next> {
  const wanted = { deletionRequestId: readText(form, "id") ?? "", limit: recordsMax };
  const shown = await showRestrictedSet(person.app, readAccess(form), wanted);
  const { deletion, movedBy, counts, records, more } = shown;
  const holds = records.flatMap((record) => record.holds);
  const body = html`${renderFacts([
      ["Erased record", movedBy && renderMovedBy(movedBy)],
      ["Organization", renderOrganization(deletion.restrictedOf)],
      ["Moved", renderTime(movedBy?.completedAt)],
      ["Keeps", formatCounts(counts) || "only references"],
      ["Waits for", html`<bdi>${deletion.waitingFor ?? "nothing"}</bdi>`],
      ["Kept until", renderTime(deletion.floorUntil)],
    ])}
    <h2>Records</h2>
    ${renderTable(recordColumns, records, { empty: "Only references are kept." })}
    ${more && html`<p>There are more; <code>sluice restricted export</code> has all of them.</p>`}
    ${
      holds.length > 0 &&
      html`<h2>Holds</h2>
        ${shownHolds.list(holds, person.app)}`
    }`;
  const title = "Restricted set";
  return { title, id: wanted.deletionRequestId, screen, body };
}

const recordColumns: readonly Column<HeldRecord>[] = [
  [
    "Record",
    ({ resourceType, resourceId }) => html`${titleOf(resourceType)} <bdi>${resourceId}</bdi>`,
    "bare",
  ],
  ["First seen", ({ firstSeen }) => renderTimestamp(firstSeen)],
  ["Last seen", ({ lastSeen }) => renderTimestamp(lastSeen)],
];
