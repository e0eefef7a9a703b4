// One record: its state, its relations, and its history. The content is hidden until somebody who may read it gives a
// reason.

import {
  permitReading,
  usePermission,
  type FloorView,
  type NamingView,
  type RecordView,
  viewRecord,
} from "../../actions/record/view-record.ts";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import type { Hold } from "../../domain/access.ts";
import type { Deletion } from "../../domain/deletion/deletion.ts";
import type { RecordKey } from "../../domain/record/record-write.ts";
import { formatDays, originWords } from "../../domain/retention/floor.ts";
import { recordTypeByName, titleOf } from "../../domain/record-types.ts";
import { timestampOf } from "../../domain/timestamp.ts";
import type { Next, Person } from "../page.ts";
import {
  readRecordKey,
  recordPath,
  renderDeletionLink,
  renderKeyFields,
  renderRecordLink,
  renderTrailLink,
} from "../html/link.ts";
import { renderChip } from "../html/chip.ts";
import { fieldsOf, readText, renderHidden, renderReason } from "../html/field.ts";
import {
  type Column,
  html,
  type Html,
  renderFacts,
  renderRecords,
  renderTable,
} from "../html/html.ts";
import { renderHistory } from "../html/record-history.ts";
import { renderTime, renderTimestamp } from "../html/time.ts";
import { describeValue } from "../html/typed-value.ts";
import { renderNone, screen } from "./find.ts";
import { shownHoldsOfRecord } from "../../noun/hold.ts";
import { renderPlacing } from "./holds.ts";
import { renderOrganization } from "../html/party.ts";

const path = "/console/record";

export async function showRecord(person: Person): Promise<Next> {
  const { app, operator, query } = person;
  const key = readRecordKey(query);
  const secret = query.get("reading");
  const isRevealed = secret !== null && (await usePermission(app, key, { operator, secret }));
  const { resourceType, resourceId } = key;
  const before = readText(query, "before");
  const view = await viewRecord(app, key, { before, isRevealed }).catch((error: unknown) => {
    if (error instanceof OperatorError && error.errorName === "no_such_record") return undefined;
    throw error;
  });
  if (view === undefined) {
    const body = await renderNone(person, key);
    return { title: titleOf(resourceType), id: resourceId, screen, body, status: 404 };
  }
  const { content, course } = renderHistory(view.history, {
    revealing: renderRevealing(person, key, { isRevealed, isUsed: secret !== null }),
    earlier: renderEarlier(key, view.history.before),
    linkOf: (field, value) =>
      recordTypeByName(resourceType)?.partyFields.includes(field) === true
        ? renderPartyLink(key, String(value))
        : undefined,
  });
  // Values need the width of the page.
  const body = html`<div class="${isRevealed ? "one" : "sides"}">
    <div>
      <section>${renderOwnFacts(view, app.now())}</section>
      ${content} ${view.namings.length > 0 && renderNamings(view.namings)}
      ${renderDeletion(view.deletion)} ${renderHolds(person, key, view.holds)}
      ${renderRelations(key, view.relations)}
    </div>
    <div>${course} ${app.viewer.may("audit.read") && renderTrailLink(key)}</div>
  </div>`;
  const aside = html`${view.holds.length > 0 && renderChip("wait", "on hold")}
  ${view.deletion !== undefined && renderChip("wait", "deletion requested")}
  ${person.sources.panels.map(({ record }) => record?.(person, key))}
  ${renderActions(person, key, view)}`;
  const title = titleOf(resourceType);
  return { title, id: resourceId, screen, body, aside };
}

/** A transaction names a person or a company by its id alone. */
function renderPartyLink({ organizationId }: Pick<RecordKey, "organizationId">, id: string): Html {
  const found = recordPath(screen, { organizationId, resourceType: "", resourceId: id });
  return html`<a href="${found}"><bdi>${id}</bdi></a>`;
}

const exact = { maximumFractionDigits: 20 };

const namingColumns: readonly Column<NamingView>[] = [
  ["Day", ({ state }) => html`<time>${timestampOf(state)?.slice(0, 10)}</time>`],
  ["Record", ({ key }) => renderRecordLink(key), "bare"],
  [
    "Amount",
    ({ state: { amount = "–", currency = "" } }) =>
      `${typeof amount === "number" ? amount.toLocaleString("en", exact) : describeValue(amount)} ${describeValue(currency)}`,
  ],
  ["Other party", ({ key, others }) => others.map((id) => renderPartyLink(key, id)), "text"],
];

function renderNamings(namings: RecordView["namings"]): Html {
  return html`<section aria-labelledby="transactions">
    <h2 id="transactions">Transactions</h2>
    <p class="note">The first ${namings.length} that name it as sender or receiver.</p>
    ${renderTable(namingColumns, namings)}
  </section>`;
}

function renderOwnFacts({ record, floor }: RecordView, now: number): Html {
  return renderFacts([
    ["Organization", renderOrganization(record.organizationId)],
    ["First seen", renderTimestamp(record.firstSeen)],
    ["Last seen", renderTimestamp(record.lastSeen)],
    ["Retention floor", floor === undefined ? "none for this type" : renderFloor(floor, now)],
  ]);
}

function renderFloor({ floor, until, isOpen }: FloorView, now: number): Html {
  const rule = `${formatDays(floor.keepDays)} ${originWords[floor.countedFrom]}`;
  if (isOpen) return html`${rule}; the period begins with a deletion request`;
  if (until === undefined) return html`${rule}; its end is not computed for a long history`;
  if (until <= now) return html`${rule}; ended ${renderTime(until)}`;
  return html`${rule}, until ${renderTime(until)}`;
}

function renderActions(
  { app: { viewer } }: Person,
  key: RecordKey,
  { deletion }: RecordView,
): Html {
  const deleting = recordPath("/console/record/deletion", key);
  return html`${viewer.may("hold.place") && html` <a class="button" href="#place">Place a hold</a>`}
  ${
    deletion === undefined &&
    viewer.may("deletion.request") &&
    html` <a class="button" href="${deleting}">Request its deletion</a>`
  }`;
}

function renderDeletion(deletion: Deletion | undefined): Html {
  const open =
    deletion === undefined
      ? html`<p>No deletion is open.</p>`
      : html`<p>
          Deletion ${renderDeletionLink(deletion.deletionRequestId)} is ${deletion.status},
          requested ${renderTime(deletion.requestedAt)}.
        </p>`;
  return html`<section aria-labelledby="deletion">
    <h2 id="deletion">Deletion</h2>
    ${open}
  </section>`;
}

const holdsShownMax = 20;

function renderHolds({ app }: Person, key: RecordKey, holds: readonly Hold[]): Html {
  const shown = holds.slice(0, holdsShownMax);
  const more = holds.length - shown.length;
  const all = new URLSearchParams({ organization: key.organizationId, type: key.resourceType });
  return html`<section aria-labelledby="holds">
    <h2 id="holds">Holds</h2>
    ${shown.length === 0 ? html`<p>There is no hold on it.</p>` : shownHoldsOfRecord.list(shown, app)}
    ${
      more > 0 &&
      html`<p>
        And ${more} more:
        <a href="/console/holds?${all.toString()}">holds on records of this type</a>
      </p>`
    }
    ${app.viewer.may("hold.place") && renderPlacing(key)}
  </section>`;
}

function renderRelations(key: RecordKey, relations: RecordView["relations"]): Html {
  const { organizationId } = key;
  const referrers = relations.referrers.flatMap(({ records }) => records);
  const { references, hasMoreReferences } = relations;
  if (referrers.length + references.length === 0) {
    return html`<section aria-labelledby="relations">
      <h2 id="relations">Relations</h2>
      <p>It refers to no record, and none refers to it. ${renderAll(key)}</p>
    </section>`;
  }
  const hasMore = relations.referrers.some((group) => group.hasMore);
  return html`<section aria-labelledby="relations">
    <h2 id="relations">Relations</h2>
    <h3>Refers to it</h3>
    ${renderRelated(organizationId, referrers)}
    <p>${hasMore && "There are more than are listed. "}${renderAll(key)}</p>
    <h3>It refers to</h3>
    ${renderRelated(organizationId, references)}
    ${hasMoreReferences && html`<p>It refers to more records than are listed.</p>`}
  </section>`;
}

function renderRelated(
  organizationId: string,
  records: RecordView["relations"]["references"],
): Html {
  if (records.length === 0) return html`<p>No record.</p>`;
  return renderRecords(
    records,
    (record) => html`${record.kind}: ${renderRecordLink({ organizationId, ...record })}`,
  );
}

function renderAll(key: RecordKey): Html {
  return html`<a href="${recordPath(screen, key)}">Everything that refers to it</a>`;
}

function renderEarlier(key: RecordKey, before: string | undefined): Html | undefined {
  if (before === undefined) return undefined;
  const link = recordPath(path, key, { before });
  return html`<p><a href="${link}">Earlier changes</a></p>`;
}

interface Revealing {
  readonly isRevealed: boolean;
  /** The request had a permission that was used before or has expired. */
  readonly isUsed: boolean;
}

function renderRevealing(
  { app, query }: Person,
  key: RecordKey,
  { isRevealed, isUsed }: Revealing,
): Html {
  if (isRevealed) {
    return html`<p>
      The content is shown once: it is hidden again when you reload the page or leave it.
    </p>`;
  }
  if (!app.viewer.may("record.show")) {
    return html`<p class="note">Your role does not allow you to read the content of records.</p>`;
  }
  return html`${isUsed && html`<p role="alert">The content is hidden again. Give a reason to see it.</p>`}
    <form class="settings" method="post" action="/console/record/reading">
      ${renderKeyFields(key)} ${renderHidden(fieldsOf(query, ["before"]))}
      ${renderReason("Reason for reading the content")}
      <button type="submit">Show the content</button>
    </form>
    <p class="note">
      Of a person or a company, days, amounts and other parties of transactions are shown, too. Your
      name, the record and the reason go to the audit trail, which outlives the record: put no
      personal data in the reason.
    </p>`;
}

export async function revealRecord(person: Person, form: URLSearchParams): Promise<Next> {
  const { app, operator } = person;
  const key = readRecordKey(form);
  const before = readText(form, "before");
  const reason = readText(form, "reason") ?? "";
  const reading = await permitReading(app, key, { operator, reason });
  return recordPath(path, key, { before, reading });
}
