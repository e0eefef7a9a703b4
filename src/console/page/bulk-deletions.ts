// Cancels or approves all deletions that a filter finds: a first page shows them, and once the person has typed their
// number, the second one shows the result.

import {
  type BulkAct,
  bulkMax,
  type BulkResult,
  changeAll,
  selectDeletions,
  type Selection,
} from "../../actions/deletion/decide-deletions.ts";
import type { DeletionQuery } from "../../actions/deletion/list-deletions.ts";
import { renderDeletionLink, renderRecordName } from "../html/link.ts";
import { html, type Html, renderFacts, renderRecords } from "../html/html.ts";
import type { Next, Person } from "../page.ts";
import { formatNumber } from "../html/time.ts";
import { filterFields, readFilter } from "./deletions.ts";
import { renderHidden, renderInput } from "../html/field.ts";
import { renderOrganization } from "../html/party.ts";

const screen = "/console/deletions";

interface ActWords {
  readonly verb: string;
  readonly participle: string;
  readonly effect: string;
  readonly exception: string;
}

const words: Readonly<Record<BulkAct, ActWords>> = {
  cancel: {
    verb: "Cancel",
    participle: "cancelled",
    effect: "Their records stay. Whoever requested them sees the status “cancelled”.",
    exception: "Deletions of closed organizations can't be cancelled and are left out.",
  },
  approve: {
    verb: "Approve",
    participle: "approved",
    effect:
      "Their records, and everything that belongs to these, are erased for good once the deletions are due.",
    exception: "Deletions that you requested yourself, or that need no approval, are left out.",
  },
};

export async function showBulk(person: Person, act: BulkAct): Promise<Next> {
  const filter = readFilter(person.query);
  const selection = await selectDeletions(person.app, act, filter);
  const { verb, exception } = words[act];
  const body = html`${renderFilter(filter)}
    <p>${exception}</p>
    ${selection.deletions.length === 0 ? nothing : renderConfirmation(act, filter, selection)}`;
  return { title: `${verb} deletions`, screen, body };
}

const nothing = html`<p class="empty">
  The filter finds no deletion for which this is possible.
  <a href="/console/deletions">All deletions</a>
</p>`;

function renderFilter(filter: DeletionQuery): Html {
  const fields = Object.entries(filterFields(filter));
  return fields.length === 0
    ? html`<p>There is no filter: this is for all pending deletions.</p>`
    : renderFacts(fields.map(([name, value]) => [name, html`<bdi>${value}</bdi>`]));
}

function renderConfirmation(
  act: BulkAct,
  filter: DeletionQuery,
  { deletions, digest, isComplete }: Selection,
): Html {
  const { verb, effect } = words[act];
  const count = deletions.length;
  return html`<section aria-labelledby="found">
      <h2 id="found">Found: ${formatNumber(count)}</h2>
      ${!isComplete && html`<p>There may be more; at most ${formatNumber(bulkMax)} are changed at once.</p>`}
      ${renderRecords(
        deletions,
        (one) =>
          html`${renderDeletionLink(one.deletionRequestId)} ${renderRecordName(one)} of
          ${renderOrganization(one.organizationId)}`,
      )}
    </section>
    <section class="danger" aria-labelledby="confirm">
      <h2 id="confirm">${verb} ${formatNumber(count)}</h2>
      <p>
        ${effect} Each is in the audit trail under your name. If the filter finds others by then,
        nothing is changed. Type the number ${formatNumber(count)} to confirm.
      </p>
      <form method="post" action="/console/deletions/${act}">
        ${renderHidden({ ...filterFields(filter), digest })}
        ${renderInput("Number of deletions", "confirm", { inputmode: "numeric", required: true })}
        <button type="submit">${verb} them</button>
      </form>
    </section>`;
}

export async function changeBulk(
  person: Person,
  form: URLSearchParams,
  act: BulkAct,
): Promise<Next> {
  const result = await changeAll(person.app, act, {
    query: readFilter(form),
    digest: form.get("digest") ?? "",
    count: form.get("confirm") ?? "",
  });
  const { context, request } = person;
  for (const { id, internal } of result.failed) {
    if (internal === undefined) continue;
    const fields = { err: internal, request_id: request.id, deletion_request_id: id };
    context.log.error(fields, "a deletion was not changed");
  }
  const body = renderResult(act, result);
  const title = `${formatNumber(result.done.length)} ${words[act].participle}`;
  return { title, screen, body };
}

function renderResult(act: BulkAct, { done, failed }: BulkResult): Html {
  const { participle } = words[act];
  const failures = failed.map(
    ({ id, why }) => html`<li><code>${id}</code>: <bdi>${why}</bdi></li>`,
  );
  const failure =
    failed.length > 0 &&
    html`<section aria-labelledby="failed">
      <h2 id="failed">Not ${participle}: ${formatNumber(failed.length)}</h2>
      <ul>
        ${failures}
      </ul>
    </section>`;
  const count =
    done.length === 1 ? "1 deletion was" : `${formatNumber(done.length)} deletions were`;
  return html`<p role="status">${`${count} ${participle}.`}</p>
    ${failure}
    <p><a href="/console/deletions">All deletions</a></p>`;
}
