// The list of deletions with its filters, and the links to what can be done with all that a filter finds.

import {
  type ShownDeletion,
  type WaitKind,
  waitKinds,
} from "../../actions/deletion/deletion-wait.ts";
import {
  countDeletions,
  countWaiting,
  type DeletionQuery,
  listByDue,
  listDeletions,
  sortedMax,
} from "../../actions/deletion/list-deletions.ts";
import { deletionStatuses, dueTime, requesterOf } from "../../domain/deletion/deletion.ts";
import { renderChip, renderStatus, renderTabs, type Tab } from "../html/chip.ts";
import { renderDeletionOf } from "../html/link.ts";
import { readText, renderHidden } from "../html/field.ts";
import {
  organizationColumn,
  renderChoice,
  renderNext,
  renderOrganizationInput,
  withOrganization,
} from "../html/filter.ts";
import { type Column, html, type Html, renderElement, renderTable } from "../html/html.ts";
import { formatCounted, type Next, type Person } from "../page.ts";
import { formatNumber, renderAgo } from "../html/time.ts";
import { renderActor } from "../html/party.ts";
import { sluice } from "../../basics/program-name.ts";

type Shown = Awaited<ReturnType<typeof listDeletions>>;

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

export function readFilter(fields: URLSearchParams): DeletionQuery {
  const text = (name: string) => readText(fields, name);
  const isMine = text("wait") === mine;
  return {
    organizationId: text("organization"),
    status: deletionStatuses.find((status) => status === text("status")),
    wait: isMine ? "approval" : waitKinds.find((kind) => kind === text("wait")),
    ...(isMine && { isToApprove: true }),
  };
}

/** The value of `wait` for deletions that this person may approve. */
const mine = "mine";

export function filterFields({
  organizationId,
  status,
  wait,
  isToApprove,
}: DeletionQuery): Readonly<Record<string, string>> {
  const waiting = isToApprove === true ? mine : wait;
  return {
    ...(organizationId !== undefined && { organization: organizationId }),
    ...(status !== undefined && { status }),
    ...(waiting !== undefined && { wait: waiting }),
  };
}

function addressOf(filter: DeletionQuery): string {
  return new URLSearchParams(filterFields(filter)).toString();
}

export async function showDeletions(person: Person): Promise<Next> {
  const { app } = person;
  const query = withOrganization(person);
  const filter = readFilter(query);
  const isByDue = query.get("sort") === "due";
  const page = { before: readText(query, "before"), limit: shownMax };
  const [tabs, part] = await Promise.all([
    renderTabsOf(person, filter),
    isByDue ? listByDue(app, filter, page) : listDeletions(app, filter, page),
  ]);
  const body = html`${tabs} ${renderFilters(query)}
  ${part.shown.length > 0 && renderBulkLinks(person, filter)}
  ${"isComplete" in part && !part.isComplete && unsortedNote} ${renderPart(part, query)}`;
  return { title: "Deletions", screen, body };
}

const unsortedNote = html`<p class="note">
  Only the newest ${formatNumber(sortedMax)} of these deletions are sorted: the store has no index
  by when they are due. Filter by organization to see others.
</p>`;

/** Each view of the list with its number, if counting is cheap. */
async function renderTabsOf({ app }: Person, filter: DeletionQuery): Promise<Html> {
  const { organizationId } = filter;
  const count = async (more: DeletionQuery) =>
    formatCounted(await countDeletions(app, { organizationId, ...more }));
  const [pending, processing, waiting] = await Promise.all([
    count({ status: "pending" }),
    count({ status: "processing" }),
    countWaiting(app, organizationId),
  ]);
  const views: readonly (readonly [label: string, view: DeletionQuery, count?: string])[] = [
    ["All", {}],
    ["Pending", { status: "pending" }, pending],
    ...(app.viewer.may("deletion.approve")
      ? [["Needs my approval", toApprove, formatCounted(waiting.deletions)] as const]
      : []),
    ["Processing", { status: "processing" }, processing],
    ["Completed", { status: "completed" }],
    ["Cancelled", { status: "cancelled" }],
  ];
  const tabs = views.map(([label, view, number]): Tab => {
    const isCurrent = view.status === filter.status && view.isToApprove === filter.isToApprove;
    const address = addressOf({ organizationId: organizationId ?? "", ...view });
    return { href: `${screen}?${address}`, label, count: number, isCurrent };
  });
  return renderTabs("Deletions", tabs);
}

const toApprove: DeletionQuery = { wait: "approval", isToApprove: true };

function renderBulkLinks({ app }: Person, filter: DeletionQuery): Html | undefined {
  if (filter.status !== "pending" && filter.wait === undefined) return undefined;
  const links = (["approve", "cancel"] as const)
    .filter((act) => app.viewer.may(`deletion.${act}`))
    .map((act) => {
      const verb = act === "approve" ? "Approve" : "Cancel";
      return html`<a class="button" href="/console/deletions/${act}?${addressOf(filter)}"
        >${verb} all that this filter finds…</a
      > `;
    });
  return links.length === 0 ? undefined : html`<p>${links}</p>`;
}

function renderFilters(query: URLSearchParams): Html {
  const status = query.get("status");
  return html`<form class="filters" method="get" action="/console/deletions">
    ${renderOrganizationInput(query)}
    ${renderChoice("Waits for", "wait", {
      query,
      values: waitKinds.map((kind) => [kind, waitLabels[kind]]),
    })}
    ${status !== null && renderHidden({ status })}
    <button type="submit">Filter</button>
  </form>`;
}

function renderPart({ shown, next }: Shown, query: URLSearchParams): Html {
  const label = query.get("sort") === "due" ? "Deletions due later" : "Older deletions";
  const more = renderNext(label, screen, { query, place: { before: next } });
  const where = next === undefined ? "" : " among the last 1,000";
  const empty = html`There is no such deletion${where}. Programs request deletions with DELETE, and
    operators with <code>${sluice} deletion request</code>.`;
  return html`${more} ${renderTable(columnsOf(query), shown, { empty })} ${more}`;
}

function columnsOf(query: URLSearchParams): readonly Column<ShownDeletion>[] {
  const isByDue = query.get("sort") === "due";
  const heading = (label: string, sort: string | undefined): Html => {
    const address = new URLSearchParams(query);
    for (const name of ["sort", "before"]) address.delete(name);
    if (sort !== undefined) address.set("sort", sort);
    const isCurrent = isByDue === (sort === "due");
    const href = `${screen}?${address.toString()}`;
    const mark = isCurrent ? html` <span aria-hidden="true">${isByDue ? "↑" : "↓"}</span>` : "";
    return renderElement("a", { href, "aria-current": isCurrent && "true" }, [label, mark]);
  };
  const only = readText(query, "organization");
  return [
    ["Record", ({ deletion }) => renderDeletionOf(deletion), "bare"],
    ...organizationColumn(only, ({ deletion }: ShownDeletion) => deletion.organizationId),
    ["Status", renderState],
    ["Requested by", ({ deletion }) => renderActor(requesterOf(deletion))],
    [heading("Requested", undefined), ({ deletion }) => renderAgo(deletion.requestedAt)],
    [heading("Due", "due"), ({ deletion }) => renderAgo(dueTime(deletion))],
  ];
}

function renderState({ kind, deletion: { status } }: ShownDeletion): Html {
  if (kind === undefined || kind === "grace" || kind === "turn") return renderStatus(status);
  return renderChip(kind === "error" ? "bad" : "wait", `waits for ${waitLabels[kind]}`);
}
