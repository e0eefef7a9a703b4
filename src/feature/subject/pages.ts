// Requests of a person or a company about what is stored on it: how much there is, until when the request has to be
// answered, and the copy.

import { dateOf, dayMs } from "../../basics/duration.ts";
import { Readable } from "node:stream";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import { readDate, renderButton, renderInput } from "../../console/html/field.ts";
import { renderChip, renderStatus } from "../../console/html/chip.ts";
import {
  renderOrganizationInput,
  renderTypeChoice,
  withOrganization,
} from "../../console/html/filter.ts";
import {
  type Column,
  html,
  type Html,
  type HtmlValue,
  renderFacts,
  renderTable,
} from "../../console/html/html.ts";
import {
  keyFields,
  readRecordKey,
  recordPath,
  renderDeletionLink,
  renderKeyFields,
  renderRecordLink,
} from "../../console/html/link.ts";
import { renderOrganization } from "../../console/html/party.ts";
import { formatNumber, renderTime } from "../../console/html/time.ts";
import type { Next, Person } from "../../console/page.ts";
import { sendDownload, sendFile, sendStream } from "../../console/request/download.ts";
import { pageHeaders } from "../../console/request/headers.ts";
import { act, read } from "../../console/route.ts";
import { partyTypes } from "../../domain/deletion/party.ts";
import { limits } from "../../domain/limits.ts";
import { nounOf, titleOf } from "../../domain/record-types.ts";
import { copyPolicy, writeCopy } from "./copy.ts";
import {
  auditSubject,
  type Count,
  countSubject,
  describeWait,
  readSubject,
  type SubjectCount,
  type SubjectDeletion,
  type SubjectRecord,
  type SubjectRequest,
} from "./read-subject.ts";
import { rights } from "./rows.ts";
import { letterTexts } from "./texts.ts";
import { sluice } from "../../basics/program-name.ts";

export const accessPath = "/console/access";
const copyPath = `${accessPath}/page` as const;
/** If more has to be searched, the command has to be used, because it has the time. */
export const searchedMax = 100_000;

/** Asks for an id. */
export function renderForm(
  path: string,
  query: URLSearchParams,
  { fields, button }: { readonly fields: HtmlValue; readonly button: string },
): Html {
  const types = partyTypes.map(({ resourceType }) => resourceType);
  const id = { value: query.get("id"), maxlength: limits.idCharactersMax, required: true };
  return html`<form class="filters" method="post" action="${path}">
    ${renderOrganizationInput(query, { required: true })}
    ${renderTypeChoice(query, types, { label: "Type", unset: "choose one" })}
    ${renderInput("Id", "id", id)} ${fields}
    <button type="submit" class="main">${button}</button>
  </form>`;
}

function showAccess(person: Person): Promise<Next> {
  const query = withOrganization(person);
  const today = dateOf(person.app.now());
  const received = { type: "date", value: query.get("received") ?? today } as const;
  const fields = renderInput("Received on", "received", received);
  const body = html`<p class="note">
      A person may ask what is stored, and for a copy (Articles 15 and 20 of the GDPR). First make
      sure that the request comes from this person.
    </p>
    ${renderForm(accessPath, query, { fields, button: "Show what is stored" })}`;
  return Promise.resolve({ title: "Access request", screen: accessPath, body });
}

async function countAccess(person: Person, form: URLSearchParams): Promise<Next> {
  const { app } = person;
  const received = readReceived(form, app.now());
  const request = await auditSubject(app, "subject.show", requestOf(form));
  const count = await countSubject(app, request);
  const body = html`${renderDeadline(received, app.now())} ${renderCounts(request, count)}
  ${renderDeletions(count.deletions)}
  ${app.viewer.may(rights["subject.export"]) && renderCopy(request)}
  ${app.viewer.may("deletion.request") && renderErasure(request)}`;
  const title = `Access request of a ${nounOf(request.resourceType)}`;
  return { title, id: request.resourceId, screen: accessPath, body };
}

/** Where it is entered, it can be the next day already. */
function readReceived(form: URLSearchParams, now: number): number {
  const received = readDate(form, "received", "The day of the request") ?? now;
  if (received <= now + dayMs) return received;
  const why = "The day of the request must not be in the future.";
  throw new OperatorError("invalid", why, { context: { field: "received" } });
}

function requestOf(form: URLSearchParams): SubjectRequest {
  return { ...readRecordKey(form), confidential: false, searchedMax };
}

function renderDeadline(received: number, now: number): Html {
  const { due, extended } = answerDates(received);
  const state = due < now ? renderChip("bad", "overdue") : renderChip("wait", "open");
  return renderFacts([
    ["Received", dateOf(received)],
    ["Answer by", html`${dateOf(due)} ${state} <small>one month, Article 12(3)</small>`],
    [
      "At the latest",
      html`${dateOf(extended)}
        <small>if it is complex and the person was told why within the month</small>`,
    ],
  ]);
}

/**
 * One month, or three, from the receipt: Article 12(3) of Regulation (EU) 2016/679. The period ends with the day of the
 * same date, or with the last day of the month if there is none: Article 3(2)(c) of Regulation (EEC) 1182/71. It is
 * extended if the request is complex and the person was told so. Unix milliseconds.
 */
export function answerDates(received: number) {
  return { due: monthsAfter(received, 1), extended: monthsAfter(received, 3) };
}

function monthsAfter(time: number, months: number): number {
  const from = new Date(time);
  const [year, month] = [from.getUTCFullYear(), from.getUTCMonth() + months];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(from.getUTCDate(), lastDay) + 1) - 1;
}

function renderCounts(request: SubjectRequest, { counts }: SubjectCount): Html {
  const columns: readonly Column<Count>[] = [
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
      audit trail. <code>${sluice} subject export</code> writes the same as a folder with a page
      that explains it.
    </p>
    ${renderButton("Download the copy", `${accessPath}/copy`, { fields: keyFields(request), main: true })}
    <p class="note">
      The same for people, without earlier changes: a page to print, with transactions as a table.
    </p>
    <div class="filters">
      <form method="post" action="${copyPath}" target="_blank">
        ${renderKeyFields(request)}<button type="submit">Show the copy to print</button>
      </form>
      ${renderButton("Download the copy as a page", copyPath, { fields: { ...keyFields(request), download: "on" } })}
    </div>
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

async function downloadCopy(person: Person, form: URLSearchParams): Promise<undefined> {
  const request = await auditSubject(person.app, "subject.export", requestOf(form));
  const { organizationId, resourceType, resourceId } = request;
  return sendDownload(person, {
    fileName: "access-request.ndjson",
    pages: readSubject(person.app, request),
    view: (one: SubjectRecord) => one,
    organizationId,
    query: { export: "subject", resource_type: resourceType, resource_id: resourceId },
  });
}

async function sendCopy(person: Person, form: URLSearchParams): Promise<undefined> {
  const request = await auditSubject(person.app, "subject.export", requestOf(form));
  const pages = await writeCopy(person.app, request, { texts: person.app.setting(letterTexts) });
  const open = () => Readable.from(pages);
  if (form.has("download")) return sendFile(person, "access-request.html", open);
  const type = { "content-type": "text/html; charset=utf-8" };
  return sendStream(
    person,
    { ...pageHeaders, ...type, "content-security-policy": `${copyPolicy}; frame-ancestors 'none'` },
    open,
  );
}

export const accessRoutes = [
  read(accessPath, rights["subject.show"], showAccess),
  act(accessPath, rights["subject.show"], countAccess, showAccess),
  act(`${accessPath}/copy`, rights["subject.export"], downloadCopy, showAccess),
  act(copyPath, rights["subject.export"], sendCopy),
];
