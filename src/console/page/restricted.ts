// Restricted sets, for those who may know of confidential reports: what deletions had to keep, why and until when. Each
// reading is in the audit trail, so it is a form and not a link.

import { listRestrictedSets, showRestrictedSet } from "../../actions/retention/restricted-sets.ts";
import { shownHolds } from "../../noun/hold.ts";
import { keptRecords, rowOf, sets } from "../../noun/restricted.ts";
import { readText, renderButton, renderReason } from "../html/field.ts";
import { renderOrganizationInput, withOrganization } from "../html/filter.ts";
import { type Column, html, type Html, renderFacts } from "../html/html.ts";
import { renderOrganization } from "../html/party.ts";
import type { Next, Person } from "../page.ts";
import { sluice } from "../../basics/program-name.ts";

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
  const found = await listRestrictedSets(person.app, access);
  const mayShow = person.app.viewer.may("restricted.show");
  const showing: Column<ReturnType<typeof rowOf>> = [
    html`<span class="sr">Records</span>`,
    ({ deletionRequestId: id }) => id && renderShowing(access, id),
  ];
  const options = { more: mayShow ? [showing] : [], empty: "Nothing is restricted." };
  const body = html`<p>Of ${renderOrganization(access.organizationId)}</p>
    ${sets.list(found.map(rowOf), undefined, options)}`;
  return { title: "Restricted sets", screen, body };
}

function renderShowing(access: ReturnType<typeof readAccess>, id: string): Html {
  const fields = { organization: access.organizationId, reason: access.reason, id };
  return renderButton(html`Records<span class="sr"> of ${id}</span>`, `${screen}/set`, { fields });
}

export async function showOneSet(person: Person, form: URLSearchParams): Promise<Next> {
  const wanted = { deletionRequestId: readText(form, "id") ?? "", limit: recordsMax };
  const shown = await showRestrictedSet(person.app, readAccess(form), wanted);
  const { records, more } = shown;
  const holds = records.flatMap((record) => record.holds);
  const body = html`${renderFacts(sets.facts(rowOf(shown)))}
    <h2>Records</h2>
    ${keptRecords.list(records, undefined, { empty: "Only references are kept." })}
    ${more && html`<p>There are more; <code>${sluice} restricted export</code> has all of them.</p>`}
    ${
      holds.length > 0 &&
      html`<h2>Holds</h2>
        ${shownHolds.list(holds, person.app)}`
    }`;
  const title = "Restricted set";
  return { title, id: wanted.deletionRequestId, screen, body };
}
