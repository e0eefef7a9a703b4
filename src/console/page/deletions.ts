// The deletions: a list with filters, and one deletion with what it waits for, its course and its receipt.

import {
  browseDeletions,
  type DeletionDetails,
  type DeletionPart,
  readDeletionDetails,
  readReceipt,
  type ShownDeletion,
  type WaitKind,
  waitKinds,
} from "../../actions/browse-deletions.ts";
import { cancelDeletion } from "../../actions/cancel-deletion.ts";
import { OperatorError } from "../../actions/operator-error.ts";
import type { DeletionPreview } from "../../actions/preview-deletion.ts";
import { dueTime } from "../../actions/read-deletion.ts";
import { type Deletion, deletionStatuses } from "../../domain/deletion/deletion.ts";
import type { Node } from "../../domain/deletion/erasure.ts";
import type { Answer } from "../../http/reply/reply.ts";
import { jsonReply, pageAnswer, redirectTo } from "../answer.ts";
import { requireTyped } from "../confirmation.ts";
import { type Html, html } from "../html.ts";
import { renderPage } from "../layout.ts";
import { type Person, readForm } from "../request.ts";
import { formatNumber, renderTime } from "../time.ts";

const screen = "/console/deletions";

const waitLabels: Readonly<Record<WaitKind, string>> = {
  grace: "its grace period",
  floor: "a retention floor",
  other: "a hold, a failure or its turn",
};

export async function showDeletions(person: Person): Promise<Answer> {
  const { query } = person;
  const text = (name: string) => query.get(name)?.trim() || undefined;
  const part = await browseDeletions(person.app, {
    organizationId: text("organization"),
    status: deletionStatuses.find((status) => status === text("status")),
    wait: waitKinds.find((kind) => kind === text("wait")),
    before: text("before"),
  });
  const body = html`${renderFilters(query)} ${renderPart(part, query)}`;
  return pageAnswer(renderPage({ title: "Deletions", screen, body }, person));
}

function renderFilters(query: URLSearchParams): Html {
  return html`<form class="filters" method="get" action="/console/deletions">
    <label
      >Organization
      <input name="organization" value="${query.get("organization") ?? ""}" maxlength="64"
    /></label>
    ${renderChoice("Status", "status", { query, values: deletionStatuses.map((one) => [one, one]) })}
    ${renderChoice("Waits for", "wait", {
      query,
      values: waitKinds.map((kind) => [kind, waitLabels[kind]]),
    })}
    <button type="submit">Filter</button>
  </form>`;
}

export interface Choice {
  readonly query: URLSearchParams;
  readonly values: readonly (readonly [value: string, label: string])[];
  /** The label of no value. */
  readonly unset?: string;
}

/** A select of a filter, with the value of the query. */
export function renderChoice(label: string, name: string, { query, values, unset = "any" }: Choice): Html {
  const options = values.map(([value, text]) =>
    query.get(name) === value
      ? html`<option value="${value}" selected>${text}</option>`
      : html`<option value="${value}">${text}</option>`,
  );
  return html`<label
    >${label}
    <select name="${name}">
      <option value="">${unset}</option>
      ${options}
    </select></label
  >`;
}

function renderPart({ shown, next }: DeletionPart, query: URLSearchParams): Html {
  const more =
    next !== undefined &&
    html`<p><a href="/console/deletions?${withPlace(query, next)}">Older deletions</a></p>`;
  if (shown.length === 0) {
    const where = next === undefined ? "" : " among the last 1,000";
    return html`<p class="empty">
        There is no such deletion${where}. Programs request deletions with DELETE, and operators
        with
        <code>sluice deletion request</code>.
      </p>
      ${more}`;
  }
  return html`<div class="scroll">
      <table class="cards">
        <thead>
          <tr>
            <th scope="col">Deletion</th>
            <th scope="col">Organization</th>
            <th scope="col">Record</th>
            <th scope="col">Status</th>
            <th scope="col">Requested</th>
            <th scope="col">Due</th>
            <th scope="col">Waits for</th>
          </tr>
        </thead>
        <tbody>
          ${shown.map(renderRow)}
        </tbody>
      </table>
    </div>
    ${more}`;
}

function withPlace(query: URLSearchParams, next: string): string {
  const link = new URLSearchParams(query);
  link.set("before", next);
  return link.toString();
}

function renderRow({ deletion, waitsFor }: ShownDeletion): Html {
  const id = deletion.deletionRequestId;
  return html`<tr>
    <td>
      <a href="/console/deletion/${encodeURIComponent(id)}"><code>${id}</code></a>
    </td>
    <td data-label="Organization"><bdi>${deletion.organizationId}</bdi></td>
    <td data-label="Record">${deletion.resourceType} <bdi>${deletion.resourceId}</bdi></td>
    <td data-label="Status">${deletion.status}</td>
    <td data-label="Requested">${renderTime(deletion.requestedAt)}</td>
    <td data-label="Due">${renderTime(dueTime(deletion))}</td>
    <td data-label="Waits for"><bdi>${waitsFor ?? "–"}</bdi></td>
  </tr>`;
}

export async function showDeletion(person: Person): Promise<Answer> {
  const details = await readDeletionDetails(person.app, person.id);
  const { deletion, waitsFor, erased } = details;
  const counts = Object.entries(erased).map(
    ([type, count]) => `${formatNumber(count ?? 0)} ${type}`,
  );
  const body = html`<dl class="facts">
      <dt>Record</dt>
      <dd>${deletion.resourceType} <bdi>${deletion.resourceId}</bdi></dd>
      <dt>Organization</dt>
      <dd><bdi>${deletion.organizationId}</bdi></dd>
      <dt>Status</dt>
      <dd>${deletion.status}</dd>
      <dt>Waits for</dt>
      <dd><bdi>${waitsFor ?? "nothing"}</bdi></dd>
      <dt>Reason</dt>
      <dd><bdi>${deletion.reason}</bdi></dd>
      <dt>Erased</dt>
      <dd>${counts.length === 0 ? "nothing yet" : counts.join(", ")}</dd>
    </dl>
    ${details.preview !== undefined && renderPreview(details.preview)} ${renderCourse(deletion)}
    ${renderReceipt(details)} ${details.mayCancel && renderCancel(deletion)}`;
  const title = `Deletion ${deletion.deletionRequestId}`;
  return pageAnswer(renderPage({ title, screen, body }, person));
}

function renderCourse(deletion: Deletion): Html {
  const { requestedAt, requestedBy, startedAt, completedAt, nextAttemptAt, status } = deletion;
  const steps: readonly (readonly [number | undefined, Html])[] = [
    [requestedAt, html`requested by <bdi>${requestedBy}</bdi>`],
    [dueTime(deletion), html`due`],
    [startedAt, html`processing began, ${formatNumber(deletion.attempts)} attempts so far`],
    [completedAt, html`completed: a verification pass found nothing left`],
    [status === "completed" ? undefined : nextAttemptAt, html`next attempt`],
  ];
  const known = steps.filter(([at]) => at !== undefined && at > 0);
  return html`<section aria-labelledby="course">
    <h2 id="course">Course</h2>
    <ol class="course">
      ${known.map(([at, what]) => html`<li>${renderTime(at)} ${what}</li>`)}
      ${status === "cancelled" && html`<li>cancelled</li>`}
    </ol>
  </section>`;
}

/** What a deletion erases and changes, and the holds that prevent it. */
export function renderPreview({ erased, redacted, holds, isComplete }: DeletionPreview): Html {
  const held = holds.map(
    ({ resourceType, resourceId, reason, owner }) =>
      html`<li>
        ${resourceType} <bdi>${resourceId}</bdi> is on hold: <bdi>${reason}</bdi>${
          owner !== undefined && html`, <bdi>${owner}</bdi>`
        }
      </li>`,
  );
  return html`<section aria-labelledby="preview">
    <h2 id="preview">What it would erase</h2>
    <p>
      As of now; what arrives until then is included.
      ${!isComplete && "There is more than is shown."}
    </p>
    <h3>Erased: ${formatNumber(erased.length)}</h3>
    ${renderNodes(erased)}
    <h3>Stays, without a reference to them: ${formatNumber(redacted.length)}</h3>
    ${redacted.length > 0 && renderNodes(redacted)}
    ${
      held.length > 0 &&
      html`<h3>Nothing is erased while there are holds</h3>
        <ul>
          ${held}
        </ul>`
    }
  </section>`;
}

const nodesShownMax = 100;

function renderNodes(nodes: readonly Node[]): Html {
  const items = nodes
    .slice(0, nodesShownMax)
    .map(({ type, id }) => html`<li>${type} <bdi>${id}</bdi></li>`);
  const more = nodes.length - items.length;
  return html`<ul class="records">
    ${items}${more > 0 && html`<li>and ${formatNumber(more)} more</li>`}
  </ul>`;
}

function renderReceipt({ deletion, receiptFaults, mayReadReceipt }: DeletionDetails): Html {
  const path = `/console/receipt/${encodeURIComponent(deletion.deletionRequestId)}`;
  const verdict =
    receiptFaults === undefined
      ? html`<p>There is a receipt when the deletion is completed.</p>`
      : receiptFaults.length === 0
        ? html`<p>The receipt is genuine: its signature is valid.</p>`
        : html`<p role="alert">The receipt is not genuine. ${receiptFaults.join(" ")}</p>`;
  return html`<section aria-labelledby="receipt">
    <h2 id="receipt">Receipt</h2>
    ${verdict}
    ${receiptFaults !== undefined && mayReadReceipt && html`<p><a href="${path}">The receipt</a> as JSON</p>`}
  </section>`;
}

function renderCancel({ deletionRequestId, resourceType }: Deletion): Html {
  return html`<section class="danger" aria-labelledby="cancel">
    <h2 id="cancel">Cancel</h2>
    <p>
      The ${resourceType} and everything that belongs to it stay. Whoever requested the deletion
      sees the status <q>cancelled</q>, and can request it again. Type the id of the deletion to
      confirm.
    </p>
    <form method="post" action="/console/deletion/${encodeURIComponent(deletionRequestId)}">
      <label>Id of the deletion <input name="confirm" required autocomplete="off" /></label>
      <button type="submit">Cancel the deletion</button>
    </form>
  </section>`;
}

export async function cancelOne(person: Person): Promise<Answer> {
  const form = await readForm(person);
  requireTyped(form, person.id, "the deletion");
  await cancelDeletion(person.app, person.id);
  return redirectTo(`/console/deletion/${encodeURIComponent(person.id)}`);
}

export async function showReceipt(person: Person): Promise<Answer> {
  const receipt = await readReceipt(person.app, person.id);
  if (receipt === undefined) {
    throw new OperatorError("no_such_deletion", "There is no receipt: it is not completed yet.");
  }
  return jsonReply(receipt);
}
