// What a deletion would erase, what stays, and what prevents it, as of now: on its page, and before it is requested.

import {
  briefPreview,
  type DeletionPreview,
  longPreview,
  type PreviewBounds,
} from "../../actions/deletion/preview-deletion.ts";
import type { Person } from "../page.ts";
import type { Deletion } from "../../domain/deletion/deletion.ts";
import type { Node } from "../../domain/deletion/erasure.ts";
import { isPartyType } from "../../domain/deletion/party.ts";
import { formatDays, originWords } from "../../domain/retention/floor.ts";
import { nounOf, titleOf } from "../../domain/record-types.ts";
import { renderChip } from "../html/chip.ts";
import { html, type Html, renderRecords } from "../html/html.ts";
import { renderRecordName } from "../html/link.ts";
import { formatNumber, renderTime } from "../html/time.ts";

/** A page shows a part, and all of it to those who ask, as long as they wait. */
export function boundsOf({ query, gone }: Person): PreviewBounds {
  return query.has("whole") ? { ...longPreview, gone } : briefPreview;
}

interface Waits {
  readonly needsApproval: boolean;
  readonly until?: number | undefined;
  /** Where the whole preview is; undefined if this is the whole one. */
  readonly whole: string | undefined;
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
        ${isCut && waits.whole !== undefined && html`<a href="${waits.whole}">Read all of it</a>`}
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
