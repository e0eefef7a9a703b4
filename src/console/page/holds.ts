// Legal holds: the list with filters, one hold with its release, and the form that places one.

import {
  type HoldDetails,
  type HoldPart,
  holdRecord,
  listHolds,
  readHoldDetails,
  releaseHold,
  type ReviewState,
  reviewStates,
  type ShownHold,
  stateOf,
} from "../../actions/retention/holds.ts";
import type { App } from "../../actions/app.ts";
import type { Hold } from "../../domain/access.ts";
import { limits } from "../../domain/limits.ts";
import { holdWarningDays, holdYearsMax } from "../../domain/retention/hold-end.ts";
import type { RecordKey } from "../../domain/record/record-write.ts";
import type { Answer } from "../../http/reply/reply.ts";
import { redirectTo, showPage, type Person, readForm } from "../page.ts";
import { renderConfirmation, requireTyped } from "../html/confirmation.ts";
import {
  pathTo,
  readRecordKey,
  recordPath,
  renderDeletionLink,
  renderKeyFields,
  renderRecordLink,
} from "../html/link.ts";
import { renderChip } from "../html/chip.ts";
import { readText, renderInput, renderReason } from "../html/field.ts";
import {
  renderNext,
  renderChoice,
  renderOrganizationInput,
  renderTypeChoice,
  withOrganization,
} from "../html/filter.ts";
import { type Html, html, renderFacts, renderTable } from "../html/html.ts";
import { formatNumber, renderAgo, renderTime } from "../html/time.ts";
import { renderTyped } from "../html/typed-value.ts";

const screen = "/console/holds";
const shownMax = 50;

const reviewLabels: Readonly<Record<ReviewState, string>> = {
  overdue: "review overdue",
  ahead: "review ahead",
  none: "no review date",
};

export async function showHolds(person: Person): Promise<Answer> {
  const query = withOrganization(person);
  const text = (name: string) => readText(query, name);
  const filter = {
    organizationId: text("organization"),
    resourceType: text("type"),
    owner: text("owner"),
    review: reviewStates.find((state) => state === text("review")),
    endsSoon: text("end") === "soon",
  };
  const part = await listHolds(person.app, filter, { after: text("after"), limit: shownMax });
  const body = html`${await renderFilters({ ...person, query })}
  ${renderPart({ ...person, query }, part)}`;
  return showPage(person, { title: "Legal holds", screen, body });
}

async function renderFilters({ app, query }: Person): Promise<Html> {
  const types = await app.viewer.knownTypes(readText(query, "organization") ?? "");
  return html`<form class="filters" method="get" action="${screen}">
    ${renderOrganizationInput(query)} ${renderTypeChoice(query, types)}
    ${renderInput("Owner", "owner", {
      value: query.get("owner"),
      maxlength: limits.nameCharactersMax,
    })}
    ${renderChoice("Review", "review", {
      query,
      values: reviewStates.map((state) => [state, reviewLabels[state]]),
    })}
    ${renderChoice("End", "end", {
      query,
      values: [["soon", `ends within ${holdWarningDays} days`]],
    })}
    <button type="submit">Filter</button>
  </form>`;
}

function renderPart({ app, query }: Person, { shown, next }: HoldPart): Html {
  const more = renderNext("More holds", screen, { query, place: { after: next } });
  const holds = shown.map(({ hold }) => hold);
  if (holds.length > 0) return html`${renderHoldTable(app, holds)} ${more}`;
  return html`<p class="empty">
      There is no such hold${next !== undefined && " among those that were examined"}. A hold keeps
      a record from being erased or changed by deletions:
      <a href="/console/find">find a record</a> to place one.
    </p>
    ${more}`;
}

/** Shows each hold with its record. */
export function renderHoldTable(app: App, holds: readonly Hold[]): Html {
  return renderTable(
    [
      ["Hold", renderHoldLink, "bare"],
      ["Organization", ({ organizationId }) => html`<bdi>${organizationId}</bdi>`],
      ["Record", renderRecordLink],
      ["Reason", ({ reason }) => html`<bdi>${reason}</bdi>`],
      ["Owner", ({ owner }) => html`<bdi>${owner ?? "–"}</bdi>`],
      ["Review", (hold) => renderReview(hold, stateOf(app, hold).review)],
      ["Ends", (hold) => renderEnd(hold, stateOf(app, hold))],
      ["Placed", renderPlaced],
    ],
    holds,
  );
}

function renderHoldLink({ holdId }: Hold): Html {
  return html`<a href="${pathTo("hold", holdId)}"><code>${holdId}</code></a>`;
}

function renderPlaced({ placedAt, placedBy }: Hold): Html {
  return html`${renderAgo(placedAt)} by <bdi>${placedBy}</bdi>`;
}

function renderReview({ reviewOn }: Hold, review: ReviewState): Html {
  if (reviewOn === undefined) return html`–`;
  return html`${renderTyped(reviewOn)} ${review === "overdue" && renderChip("bad", "overdue")}`;
}

function renderEnd({ endsOn }: Hold, { endsSoon }: Pick<ShownHold, "endsSoon">): Html {
  if (endsOn === undefined) return html`when released`;
  return html`${renderTyped(endsOn)} ${endsSoon && renderChip("wait", "soon")}`;
}

export async function showHold(person: Person): Promise<Answer> {
  const details = await readHoldDetails(person.app, person.id);
  const { hold, review } = details;
  const body = html`${renderFacts([
    ["Record", renderRecordLink(hold)],
    ["Organization", html`<bdi>${hold.organizationId}</bdi>`],
    ["Reason", html`<bdi>${hold.reason}</bdi>`],
    ["Owner", html`<bdi>${hold.owner ?? "nobody is named"}</bdi>`],
    ["Review", renderReview(hold, review)],
    ["Ends by itself after", renderEnd(hold, details)],
    ["Placed", html`${renderTime(hold.placedAt)} by <bdi>${hold.placedBy}</bdi>`],
  ])}
  ${person.app.viewer.may("hold.release") && renderRelease(details)}`;
  return showPage(person, { title: `Hold ${hold.holdId}`, screen, body });
}

function renderRelease({ hold, others, deletion }: HoldDetails): Html {
  const effect =
    others.length > 0
      ? `The record has ${formatNumber(others.length)} more holds, which still keep it.`
      : "It is the only hold on the record: deletions can erase and change the record afterwards.";
  const waiting =
    deletion !== undefined &&
    html`The deletion ${renderDeletionLink(deletion.deletionRequestId)} of the record is open.
    ${others.length === 0 && "If nothing else prevents it, it begins within seconds."}`;
  return renderConfirmation({
    verb: "Release",
    what: "hold",
    path: pathTo("hold", hold.holdId),
    effect: html`${effect} ${waiting}`,
  });
}

export async function releaseOne(person: Person): Promise<Answer> {
  requireTyped(await readForm(person), person.id, "hold");
  await releaseHold(person.app, { holdId: person.id });
  return redirectTo(screen);
}

/** Shown on the page of a record. */
export function renderPlacing(key: RecordKey): Html {
  return html`<details>
    <summary>Place a hold</summary>
    <p>
      No deletion erases or changes the record until its last hold is released or has ended.
      Deletions that would do so wait. The organization does not see holds. A hold can end by
      itself, up to ${holdYearsMax} years ahead.
    </p>
    <form class="acts" method="post" action="/console/record/hold">
      ${renderKeyFields(key)} ${renderReason()}
      ${renderInput("Owner, such as a person or a department", "owner", {
        maxlength: limits.nameCharactersMax,
        autocomplete: "off",
      })}
      ${renderInput("Review date", "review", { type: "date" })}
      ${renderInput("Ends by itself after", "until", { type: "date" })}
      <button type="submit">Place the hold</button>
    </form>
  </details>`;
}

export async function placeOne(person: Person): Promise<Answer> {
  const form = await readForm(person);
  const key = readRecordKey(form);
  const reason = readText(form, "reason") ?? "";
  const owner = readText(form, "owner");
  const reviewOn = readText(form, "review");
  const endsOn = readText(form, "until");
  await holdRecord(person.app, key, { reason, owner, reviewOn, endsOn });
  return redirectTo(recordPath("/console/record", key));
}
