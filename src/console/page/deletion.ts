// One deletion: what it waits for, its progress and its receipt; cancelling and approving.

import { dayMs } from "../../basics/duration.ts";
import { describeBasis } from "../../domain/deletion/basis.ts";
import {
  type DeletionDetails,
  readDeletionDetails,
  readReceipt,
  stateOf,
} from "../../actions/deletion/show-deletion.ts";
import {
  awaitsApproval,
  type Deletion,
  dueTime,
  requesterOf,
} from "../../domain/deletion/deletion.ts";
import { sayOrigin } from "../../domain/retention/floor.ts";
import { nounOf } from "../../domain/record-types.ts";
import { jsonReply, type Next, type Person, readPanels } from "../page.ts";
import { renderForm, renderApproving } from "../../noun/act.ts";
import { deletionApprove, deletionCancel } from "../../noun/deletion.ts";
import { type Bar, renderBars } from "../html/chart.ts";
import { renderChip, renderStatus } from "../html/chip.ts";
import {
  deletionPath,
  pathTo,
  renderFollowed,
  renderRecordLink,
  renderRecordName,
  renderTrailLink,
} from "../html/link.ts";
import { html, type Html, type HtmlValue, renderFacts, renderTable } from "../html/html.ts";
import { formatCount } from "../../basics/format-count.ts";
import { formatCounts, renderTime, renderTimeline } from "../html/time.ts";
import { renderActor, renderOrganization } from "../html/party.ts";
import { boundsOf, renderEarliest, renderPreview } from "./deletion-preview.ts";

const screen = "/console/deletions";

export async function showDeletion(person: Person): Promise<Next> {
  const { app, id, query } = person;
  const now = app.now();
  const isWhole = query.has("whole");
  const details = await readDeletionDetails(app, id, boundsOf(person));
  const { deletion, preview } = details;
  const waits = {
    needsApproval: awaitsApproval(deletion),
    until: deletion.dueAt > now ? deletion.dueAt : undefined,
    whole: isWhole ? undefined : (`${deletionPath(id)}?whole=yes` as const),
  };
  const isOpen = deletion.status === "pending" || deletion.status === "processing";
  const body = html`<div class="sides">
      <div>
        <section>${renderOwnFacts(details)}</section>
        ${preview !== undefined && renderPreview(deletion, preview, waits)}
        ${renderReceipt(details)} ${renderTold(details)}
      </div>
      <div>
        ${renderCourse(details, now)}
        ${isOpen && renderFollowed(deletionPath(id), stateOf(deletion))}
        ${app.viewer.may("audit.read") && renderTrailLink(deletion)}
      </div>
    </div>
    ${renderApproval(details)} ${details.mayCancel && renderCancel(deletion)}`;
  const aside = html`${renderStatus(deletion.status)}
  ${await readPanels(person, ({ deletion: show }) => show && ((one) => show(one, deletion)))}
  ${details.mayApprove === true && html`<a class="button main" href="#approve">Approve…</a>`}`;
  const refresh = isAboutToChange(details, now) && { refreshSeconds };
  return { title: "Deletion", id, screen, body, aside, ...refresh };
}

const refreshSeconds = 5;
const soonMs = 60_000;

/** Whether the status can be expected to change while the page is open. */
function isAboutToChange({ deletion, kind }: DeletionDetails, now: number): boolean {
  if (deletion.status === "processing" || kind === "turn") return true;
  return kind === "grace" && dueTime(deletion) <= now + soonMs;
}

function renderOwnFacts({
  deletion,
  waitsFor,
  erased,
  kept,
  restriction,
  pseudonyms,
  preview,
}: DeletionDetails): Html {
  const { reason } = deletion;
  return renderFacts([
    ["Record", preview === undefined ? renderRecordName(deletion) : renderRecordLink(deletion)],
    ["Organization", renderOrganization(deletion.organizationId)],
    ["Requested by", renderActor(requesterOf(deletion))],
    ["Waits for", waitsFor !== undefined && html`<bdi>${sayOrigin(waitsFor)}</bdi>`],
    [
      "Reason",
      html`<bdi>${deletion.requestedBy === "retention" ? sayOrigin(reason) : reason}</bdi>`,
    ],
    ["Basis", describeBasis(deletion.basis)],
    [
      "Erased",
      formatCounts(erased) || (deletion.completedAt === undefined ? "nothing yet" : "nothing"),
    ],
    [
      "Kept in the restricted store",
      formatCounts(kept) || (restriction?.status === "pending" && "only references"),
    ],
    [
      "Kept because of",
      restriction?.waitingFor && html`<bdi>${sayOrigin(restriction.waitingFor)}</bdi>`,
    ],
    ["Kept until", restriction?.floorUntil && renderTime(restriction.floorUntil)],
    ["Of what was kept", restriction?.status === "completed" && "nothing is left"],
    ["Stay with a pseudonym", pseudonyms && formatCounts(pseudonyms)],
  ]);
}

function renderCourse(details: DeletionDetails, now: number): Html {
  const { deletion } = details;
  const { requestedAt, startedAt, completedAt, nextAttemptAt = 0, status, approval } = deletion;
  const due = dueTime(deletion);
  const { floorsEnd, holdsEnd } = obstaclesOf(details);
  const steps = [
    [requestedAt, html`requested by ${renderActor(requesterOf(deletion))}`],
    [approval?.approvedAt, html`approved by <bdi>${approval?.approvedBy}</bdi>`],
    [awaitsApproval(deletion) && due <= now ? undefined : due, html`due`],
    [floorsEnd, html`the last retention floor ends`],
    [holdsEnd, html`the last legal hold ends`],
    [
      startedAt,
      html`planned, and processing began; ${formatCount(deletion.attempts, "attempt")} so far`,
    ],
    [completedAt, html`erased and completed: a verification pass found nothing left`],
    [status !== "completed" && nextAttemptAt > due ? nextAttemptAt : undefined, html`next attempt`],
  ] as const;
  return renderTimeline(steps, {
    above: status !== "cancelled" && renderAxis(details, now),
    last: [
      awaitsApproval(deletion) && html`<li>not approved yet</li>`,
      status === "cancelled" && html`<li>cancelled</li>`,
    ],
  });
}

/** When what prevents it now ends; undefined for nothing, and for holds of which one has no end. */
function obstaclesOf({ preview }: DeletionDetails) {
  const { holds = [], floors = [] } = preview ?? {};
  const ends = holds.map(({ endsOn }) =>
    endsOn === undefined ? Infinity : Date.parse(endsOn) + dayMs,
  );
  return {
    isHeld: holds.length > 0,
    holdsEnd: lastOf(ends),
    floorsEnd: lastOf(floors.map(({ until }) => until)),
  };
}

/** Undefined if there is none, or if one of them is Infinity. */
function lastOf(times: readonly number[]): number | undefined {
  const last = Math.max(...times);
  return Number.isFinite(last) ? last : undefined;
}

function row(name: string, bar: Omit<Bar, "name">) {
  return [name, [{ name, ...bar }]] as const;
}

function renderAxis(details: DeletionDetails, now: number): Html {
  const { deletion, restriction } = details;
  const { requestedAt, dueAt, startedAt, completedAt, approval } = deletion;
  const { isHeld, holdsEnd, floorsEnd } = obstaclesOf(details);
  const from = requestedAt;
  const rows = [
    approval && row("Approval", { from, until: approval.approvedAt }),
    row("Grace period", { from, until: dueAt }),
    floorsEnd !== undefined && row("Retention floors", { from, until: floorsEnd, keeps: true }),
    isHeld && row("Legal holds", { from, until: holdsEnd, keeps: true }),
    startedAt !== undefined &&
      row("Erasure and verification", { from: startedAt, until: completedAt }),
    completedAt !== undefined &&
      restriction?.status === "pending" &&
      row("Kept in the restricted store", {
        from: completedAt,
        until: restriction.floorUntil,
        keeps: true,
      }),
  ];
  const shown = rows.filter((one) => one !== undefined && one !== false);
  const isOver = completedAt !== undefined && restriction?.status !== "pending";
  return renderBars(shown, { label: "The timeline as an axis", now: isOver ? undefined : now });
}

function renderReceipt({ deletion, receiptFaults }: DeletionDetails): Html {
  const path = pathTo("receipt", deletion.deletionRequestId);
  const verdict =
    receiptFaults === undefined
      ? html`<p>There is a receipt when the deletion is completed.</p>`
      : receiptFaults.length === 0
        ? html`<p>
            ${renderChip("good", "genuine")} The receipt is genuine: its signature is valid.
          </p>`
        : html`<p role="alert">The receipt is not genuine. ${receiptFaults.join(" ")}</p>`;
  return html`<section aria-labelledby="receipt">
    <h2 id="receipt">Receipt</h2>
    ${verdict}
    ${receiptFaults !== undefined && html`<p><a href="${path}">The receipt</a> as JSON</p>`}
  </section>`;
}

function renderTold({ recipients }: DeletionDetails): Html | undefined {
  if (recipients.length === 0) return undefined;
  const table = renderTable(
    [
      ["Name", ({ name }) => html`<bdi>${name}</bdi>`],
      ["Informed", ({ told_at }) => renderTime(Date.parse(told_at))],
      ["Acknowledged", ({ acknowledged_at: at }) => at && renderTime(Date.parse(at))],
      ["Removed before", ({ removed_at: at }) => at && renderTime(Date.parse(at))],
      ["Notices expired", ({ expired_at: at }) => at && renderTime(Date.parse(at))],
    ],
    recipients,
    { style: "plain" },
  );
  return html`<section aria-labelledby="recipients">
    <h2 id="recipients">Recipients of changes</h2>
    ${table}
  </section>`;
}

function renderApproval({ deletion, mayApprove, preview }: DeletionDetails): HtmlValue {
  const text = html`The ${nounOf(deletion.resourceType)} and everything that belongs to it is erased
  for good once the deletion is due. ${preview && renderEarliest(preview)} Your name is in the audit
  trail.`;
  const form = renderForm(deletionApprove, deletion.deletionRequestId, { text });
  return renderApproving(
    mayApprove,
    "You requested this deletion, or created the key that did",
    form,
  );
}

function renderCancel({ deletionRequestId, resourceType }: Deletion): Html {
  return renderForm(deletionCancel, deletionRequestId, {
    text: html`The ${nounOf(resourceType)} and everything that belongs to it stay. Whoever requested
      the deletion sees the status <q>cancelled</q>, and can request it again.`,
  });
}

export async function showReceipt(person: Person): Promise<Next> {
  return jsonReply(await readReceipt(person.app, person.id));
}
