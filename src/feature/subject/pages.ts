// A request for access: how much is stored about a person or a company, until when it has to be answered, and the copy.

import {
  beginSubject,
  countSubject,
  describeWait,
  readSubject,
  type SubjectCount,
  type SubjectDeletion,
  type SubjectRecord,
  type SubjectRequest,
} from "./read-subject.ts";
import { limits } from "../../domain/limits.ts";
import { partyTypes } from "../../domain/deletion/party.ts";
import { answerDates } from "./answer-dates.ts";
import { nounOf, titleOf } from "../../domain/record-types.ts";
import { readDate, renderButton, renderInput } from "../../console/html/field.ts";
import {
  renderOrganizationInput,
  renderTypeChoice,
  withOrganization,
} from "../../console/html/filter.ts";
import { type Column, html, type Html, renderFacts, renderTable } from "../../console/html/html.ts";
import {
  keyFields,
  readRecordKey,
  recordPath,
  renderDeletionLink,
  renderRecordLink,
} from "../../console/html/link.ts";
import { renderChip, renderStatus } from "../../console/html/chip.ts";
import { formatNumber, renderTime } from "../../console/html/time.ts";
import type { Next, Person } from "../../console/page.ts";
import { sendDownload } from "../../console/request/download.ts";
import { renderOrganization } from "../../console/html/party.ts";

const screen = "/console/access";
/** If more has to be searched, the command has to be used, because it has the time. */
const searchedMax = 100_000;

export async function showAccess(person: Person): Promise<Next> {
  const query = withOrganization(person);
  const body = html`<p class="note">
      A person may ask what is stored, and for a copy (Articles 15 and 20 of the GDPR). First make
      sure that the request comes from this person. Find the id on the page
      <a href="/console/find">Find</a>.
    </p>
    ${renderRequest(query, person.app.now())}`;
  return { title: "Access request", screen, body };
}

function renderRequest(query: URLSearchParams, now: number): Html {
  const required = true;
  const today = new Date(now).toISOString().slice(0, 10);
  const types = partyTypes.map(({ resourceType }) => resourceType);
  return html`<form class="filters" method="post" action="${screen}">
    ${renderOrganizationInput(query, { required })}
    ${renderTypeChoice(query, types, { label: "Type", unset: "choose one" })}
    ${renderInput("Id", "id", { value: query.get("id"), maxlength: limits.idCharactersMax, required })}
    ${renderInput("Received on", "received", { type: "date", value: query.get("received") ?? today })}
    <button type="submit" class="main">Show what is stored</button>
  </form>`;
}

export async function countAccess(person: Person, form: URLSearchParams): Promise<Next> {
  const { app } = person;
  const received = readDate(form, "received", "The day of the request") ?? app.now();
  const request = requestOf(form);
  await beginSubject(app, "subject.show", request);
  const count = await countSubject(app, request);
  const body = html`${renderDeadline(received, app.now())} ${renderCounts(request, count)}
  ${renderDeletions(count.deletions)} ${app.viewer.may("subject.export") && renderCopy(request)}
  ${app.viewer.may("deletion.request") && renderErasure(request)}`;
  const title = `Access request of a ${nounOf(request.resourceType)}`;
  return { title, id: request.resourceId, screen, body };
}

function requestOf(form: URLSearchParams): SubjectRequest {
  return { ...readRecordKey(form), confidential: false, searchedMax };
}

function renderDeadline(received: number, now: number): Html {
  const { due, extended } = answerDates(received);
  const state = due < now ? renderChip("bad", "overdue") : renderChip("wait", "open");
  return renderFacts([
    ["Received", formatDay(received)],
    ["Answer by", html`${formatDay(due)} ${state} <small>one month, Article 12(3)</small>`],
    [
      "At the latest",
      html`${formatDay(extended)}
        <small>if it is complex and the person was told why within the month</small>`,
    ],
  ]);
}

/** A day of the calendar, which is the same in every zone. */
function formatDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

function renderCounts(request: SubjectRequest, { counts }: SubjectCount): Html {
  const columns: readonly Column<SubjectCount["counts"][number]>[] = [
    ["Record type", ([type]) => titleOf(type), "head"],
    ["Records", ([, count]) => formatNumber(count), "number"],
  ];
  return html`<section aria-labelledby="stored">
    <h2 id="stored">What is stored</h2>
    <p>
      ${renderRecordLink(request)} in ${renderOrganization(request.organizationId)}, everything that
      belongs to it, and the transactions that name it.
    </p>
    ${renderTable(columns, counts, { style: "charts" })}
    <p class="note">
      Confidential reports and legal holds are left out: the law usually forbids disclosing even
      that there is one.
    </p>
  </section>`;
}

function renderDeletions(deletions: readonly SubjectDeletion[]): Html | false {
  const columns: readonly Column<SubjectDeletion>[] = [
    ["Deletion", (one) => renderDeletionLink(one.deletion_request_id), "bare"],
    ["Status", ({ status }) => renderStatus(status)],
    ["Waits for", (one) => describeWait(one), "text"],
    ["Requested", (one) => renderTime(Date.parse(one.requested_at))],
    ["Reason", ({ reason }) => html`<bdi>${reason}</bdi>`, "text"],
  ];
  return (
    deletions.length > 0 &&
    html`<section aria-labelledby="deletions">
      <h2 id="deletions">Requests to delete it</h2>
      ${renderTable(columns, deletions)}
    </section>`
  );
}

function renderCopy(request: SubjectRequest): Html {
  return html`<section aria-labelledby="copy">
    <h2 id="copy">The copy</h2>
    <p>
      One file (NDJSON): a record a line, with its state and every change. Read it before you hand
      it out, because it can name others, and delete it afterwards. That you downloaded it is in the
      audit trail. <code>sluice subject export</code> writes the same as a folder with a page that
      explains it.
    </p>
    ${renderButton("Download the copy", `${screen}/copy`, { fields: keyFields(request), main: true })}
  </section>`;
}

function renderErasure(request: SubjectRequest): Html {
  const path = recordPath("/console/record/deletion", request);
  return html`<section aria-labelledby="erasure">
    <h2 id="erasure">Erasure</h2>
    <p>
      If the person asks for erasure too:
      <a href="${path}">see what it would erase, and everything that prevents it</a>.
    </p>
  </section>`;
}

export async function downloadAccess(person: Person, form: URLSearchParams): Promise<undefined> {
  const request = requestOf(form);
  await beginSubject(person.app, "subject.export", request);
  const { organizationId, resourceType, resourceId } = request;
  const copy = {
    fileName: "access-request.ndjson",
    pages: readSubject(person.app, request),
    view: (one: SubjectRecord) => one,
    organizationId,
    query: { export: "subject", resource_type: resourceType, resource_id: resourceId },
  };
  return sendDownload(person, copy);
}
