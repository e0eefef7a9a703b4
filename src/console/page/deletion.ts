// One deletion: what it waits for, what it would erase and what stays, its progress and its receipt; cancelling and
// approving.

import { dayMs } from "../../basics/duration.ts";
import { describeBasis } from "../../domain/deletion/basis.ts";
import {
  type DeletionDetails,
  readDeletionDetails,
  readReceipt,
  stateOf,
} from "../../actions/deletion/show-deletion.ts";
import type { DeletionPreview } from "../../actions/deletion/preview-deletion.ts";
import {
  awaitsApproval,
  type Deletion,
  dueTime,
  requesterOf,
} from "../../domain/deletion/deletion.ts";
import type { Node } from "../../domain/deletion/erasure.ts";
import { isPartyType } from "../../domain/deletion/party.ts";
import { formatDays, originWords, sayOrigin } from "../../domain/retention/floor.ts";
import { nounOf, titleOf } from "../../domain/record-types.ts";
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
import {
  html,
  type Html,
  type HtmlValue,
  renderFacts,
  renderRecords,
  renderTable,
} from "../html/html.ts";
import { formatCount } from "../../basics/format-count.ts";
import { formatCounts, formatNumber, renderTime, renderTimeline } from "../html/time.ts";
import { renderActor, renderOrganization } from "../html/party.ts";

const screen = "/console/deletions";

export async function showDeletion(person: Person): Promise<Next> {
  const details = await readDeletionDetails(person.app, person.id);
  const { deletion } = details;
  const { deletionRequestId: id } = deletion;
  const isOpen = deletion.status === "pending" || deletion.status === "processing";
  const body = html`<div class="sides">
      <div>
        <section>${renderOwnFacts(details)}</section>
        ${details.preview !== undefined && renderPreview(deletion, details.preview, { needsApproval: awaitsApproval(deletion), until: deletion.dueAt > person.app.now() ? deletion.dueAt : undefined })}
        ${renderReceipt(details)} ${renderTold(details)}
      </div>
      <div>
        ${renderCourse(details, person.app.now())}
        ${isOpen && renderFollowed(deletionPath(id), stateOf(deletion))}
        ${person.app.viewer.may("audit.read") && renderTrailLink(deletion)}
      </div>
    </div>
    ${renderApproval(details)} ${details.mayCancel && renderCancel(deletion)}`;
  const aside = html`${renderStatus(deletion.status)}
  ${await readPanels(person, ({ deletion: show }) => show && ((one) => show(one, deletion)))}
  ${details.mayApprove === true && html`<a class="button main" href="#approve">Approve…</a>`}`;
  return {
    title: "Deletion",
    id,
    screen,
    body,
    aside,
    ...(isAboutToChange(details, person.app.now()) && { refreshSeconds }),
  };
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
    ["Waits for", html`<bdi>${sayOrigin(waitsFor ?? "nothing")}</bdi>`],
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
  const { requestedAt, startedAt, completedAt, nextAttemptAt, status, approval } = deletion;
  const { floorsEnd, holdsEnd } = obstaclesOf(details);
  const steps = [
    [requestedAt, html`requested by ${renderActor(requesterOf(deletion))}`],
    [approval?.approvedAt, html`approved by <bdi>${approval?.approvedBy}</bdi>`],
    [dueTime(deletion), html`due`],
    [floorsEnd, html`the last retention floor ends`],
    [holdsEnd, html`the last legal hold ends`],
    [
      startedAt,
      html`planned, and processing began; ${formatCount(deletion.attempts, "attempt")} so far`,
    ],
    [completedAt, html`erased and completed: a verification pass found nothing left`],
    [status === "completed" ? undefined : nextAttemptAt, html`next attempt`],
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

interface Waits {
  readonly needsApproval: boolean;
  readonly until?: number | undefined;
}

export function renderPreview(
  { resourceType }: Pick<Deletion, "resourceType">,
  preview: DeletionPreview,
  waits: Waits,
): Html {
  const { erased, redacted, restriction, pseudonyms, isCut } = preview;
  const renderCount = (count: number) => `${isCut ? "at least " : ""}${formatNumber(count)}`;
  return html`${renderObstacles(preview, waits)}
    <section aria-labelledby="preview">
      <h2 id="preview">What it would erase</h2>
      <p>
        As of now; what arrives until then is included.
        ${isCut && "There is more than was read: nothing is known about the rest."}
      </p>
      <h3>Erased: ${renderCount(erased.length)}</h3>
      ${renderNodes(erased)}
      ${
        redacted.length > 0 &&
        html`<h3>Stays, without a reference to them: ${renderCount(redacted.length)}</h3>
          <p>These also belong to other records, or only mention what is erased.</p>
          ${renderNodes(redacted)}`
      }
      ${isPartyType(resourceType) && renderPseudonyms(resourceType, renderCount(pseudonyms))}
      ${renderRestriction(restriction)}
      <h3>Stays in any case</h3>
      <ul>
        <li>
          this request with its id and its reason, the receipt, and entries of the audit trail
        </li>
      </ul>
    </section>`;
}

function renderPseudonyms(resourceType: string, count: string): Html {
  return html`<h3>Stays, with a pseudonym for the ${resourceType}: ${count}</h3>
    <p>Transactions that name the ${resourceType} as sender or receiver.</p>`;
}

/** Empty for people who may not know of reports. */
function renderRestriction({
  moved,
  reports,
  until,
  isHeld,
}: DeletionPreview["restriction"]): Html | undefined {
  const count = moved.length + reports.length;
  if (count === 0) return undefined;
  const hold = isHeld && html`${until !== undefined && ", and "}until the legal hold is released`;
  return html`<h3>Kept, because a report has to be kept: ${formatNumber(count)}</h3>
    <p>
      ${until !== undefined && html`Until ${renderTime(until)}, when the last retention floor ends`}${hold}.
      Only officers can read what moves to the restricted store.
    </p>
    ${renderNodes(moved)}
    ${
      reports.length > 0 &&
      html`<p>These stay in their place, unchanged:</p>
        ${renderNodes(reports)}`
    }`;
}

/** What becomes of the record itself, above a button that requests its deletion. */
export function renderFate(
  { resourceType, resourceId }: Pick<Deletion, "resourceType" | "resourceId">,
  { restriction: { moved } }: DeletionPreview,
): Html {
  const gone = "erased from every file of the store, and nothing brings them back";
  const isKept = moved.some(({ type, id }) => type === resourceType && id === resourceId);
  return isKept
    ? html`The ${nounOf(resourceType)} moves to the restricted store with its whole history.
        Everything listed under <q>Erased</q> and the references to it are ${gone}.`
    : html`The ${nounOf(resourceType)}, its whole history and everything listed under
        <q>Erased</q> are ${gone}.`;
}

export function renderEarliest({ earliest, heldRecords }: DeletionPreview): Html {
  const hold = heldRecords > 0 && ", and not before its holds are released";
  return html`<strong
    >It would be erased on ${renderTime(earliest)} at the earliest${hold}.</strong
  >`;
}

export function isUnhindered({
  heldRecords,
  floors,
}: Pick<DeletionPreview, "heldRecords" | "floors">): boolean {
  return heldRecords + floors.length === 0;
}

function renderObstacles(
  { holds, heldRecords, floors, isCut }: DeletionPreview,
  { needsApproval, until }: Waits,
): Html {
  const held = holds.map(
    ({ resourceType, resourceId, reason, owner }) =>
      html`<li>
        ${renderRecordName({ resourceType, resourceId })} is on hold: <bdi>${reason}</bdi>${
          owner !== undefined && html`, <bdi>${owner}</bdi>`
        }
      </li>`,
  );
  const kept = floors.map(
    ({ resourceType, keepDays, countedFrom, until: end }) =>
      html`<li>
        ${titleOf(resourceType)} has to be kept for ${formatDays(keepDays)}
        ${originWords[countedFrom]} (retention floor), until ${renderTime(end)}
      </li>`,
  );
  const approval = needsApproval && html`<li>It needs the approval of a second person.</li>`;
  const grace =
    until !== undefined && html`<li>Its grace period lasts until ${renderTime(until)}.</li>`;
  const isFree = isUnhindered({ heldRecords, floors }) && !needsApproval && until === undefined;
  const all =
    heldRecords > holds.length &&
    html`<li>Records on hold in all: ${formatNumber(heldRecords)}.</li>`;
  return html`<section aria-labelledby="obstacles">
    <h2 id="obstacles">What prevents it</h2>
    ${
      isFree
        ? !isCut && html`<p>${renderChip("good", "nothing")}</p>`
        : html`<p>Nothing is erased while any of this applies:</p>
            <ul>
              ${approval}${grace}${held}${all}${kept}
            </ul>`
    }
    ${isCut && html`<p class="note">Not everything was read here: there may be more holds and floors.</p>`}
  </section>`;
}

function renderNodes(nodes: readonly Node[]): Html {
  return renderRecords(nodes, ({ type, id }) => html`${titleOf(type)} <bdi>${id}</bdi>`);
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
  return renderApproving(mayApprove, "You requested this deletion", form);
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
