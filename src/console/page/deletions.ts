// The list of deletions with its filters, and the links to what can be done with all that a filter finds.

import {
  type ShownDeletion,
  type WaitKind,
  waitKinds,
} from "../../actions/deletion/deletion-wait.ts";
import {
  type DeletionPart,
  type DeletionQuery,
  listDeletions,
} from "../../actions/deletion/list-deletions.ts";
import { deletionStatuses, dueTime } from "../../domain/deletion/deletion.ts";
import type { Answer } from "../../http/reply/reply.ts";
import { renderDeletionLink } from "../html/link.ts";
import { readText } from "../html/field.ts";
import { renderChoice, withPlace, renderOrganizationInput } from "../html/filter.ts";
import { type Html, html, type Column, renderTable } from "../html/html.ts";
import { showPage, type Person } from "../page.ts";
import { renderTime } from "../html/time.ts";

const screen = "/console/deletions";
const shownMax = 50;

const waitLabels: Readonly<Record<WaitKind, string>> = {
  approval: "an approval",
  grace: "its grace period",
  hold: "a legal hold",
  floor: "a retention floor",
  error: "another attempt after an error",
  turn: "its turn",
};

/** Reads the filter from a query or from the fields of a form. */
export function readFilter(fields: URLSearchParams): DeletionQuery {
  const text = (name: string) => readText(fields, name);
  return {
    organizationId: text("organization"),
    status: deletionStatuses.find((status) => status === text("status")),
    wait: waitKinds.find((kind) => kind === text("wait")),
  };
}

/** The fields of a filter, as they are in the address. */
export function filterFields({
  organizationId,
  status,
  wait,
}: DeletionQuery): readonly (readonly [name: string, value: string])[] {
  const fields = [
    ["organization", organizationId],
    ["status", status],
    ["wait", wait],
  ] as const;
  return fields.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}

export async function showDeletions(person: Person): Promise<Answer> {
  const { app, query } = person;
  const filter = readFilter(query);
  const before = readText(query, "before");
  const part = await listDeletions(app, filter, { before, limit: shownMax });
  const body = html`${renderFilters(query)} ${renderPart(part, query)}
  ${part.shown.length > 0 && renderBulkLinks(person, filter)}`;
  return showPage(person, { title: "Deletions", screen, body });
}

function renderBulkLinks({ app }: Person, filter: DeletionQuery): Html | undefined {
  if (filter.status !== undefined && filter.status !== "pending") return undefined;
  const fields = new URLSearchParams(filterFields(filter).map(([name, value]) => [name, value]));
  const links = (["approve", "cancel"] as const)
    .filter((act) => app.viewer.may(`deletion.${act}`))
    .map((act) => {
      const verb = act === "approve" ? "Approve" : "Cancel";
      return html`<li>
        <a href="/console/deletions/${act}?${fields.toString()}"
          >${verb} all that this filter finds…</a
        >
      </li>`;
    });
  return links.length === 0
    ? undefined
    : html`<ul>
        ${links}
      </ul>`;
}

function renderFilters(query: URLSearchParams): Html {
  return html`<form class="filters" method="get" action="/console/deletions">
    ${renderOrganizationInput(query)}
    ${renderChoice("Status", "status", { query, values: deletionStatuses.map((one) => [one, one]) })}
    ${renderChoice("Waits for", "wait", {
      query,
      values: waitKinds.map((kind) => [kind, waitLabels[kind]]),
    })}
    <button type="submit">Filter</button>
  </form>`;
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
  return html`${renderTable(columns, shown)} ${more}`;
}

const columns: readonly Column<ShownDeletion>[] = [
  ["Deletion", ({ deletion }) => renderDeletionLink(deletion.deletionRequestId), "bare"],
  ["Organization", ({ deletion }) => html`<bdi>${deletion.organizationId}</bdi>`],
  ["Record", ({ deletion }) => html`${deletion.resourceType} <bdi>${deletion.resourceId}</bdi>`],
  ["Status", ({ deletion }) => deletion.status],
  ["Requested", ({ deletion }) => renderTime(deletion.requestedAt)],
  ["Due", ({ deletion }) => renderTime(dueTime(deletion))],
  ["Waits for", ({ waitsFor }) => html`<bdi>${waitsFor ?? "–"}</bdi>`],
];
