// Legal holds: their values on the command line and on pages, and the page of a hold with the form that releases it.
// Their commands are in src/cli/command/hold.ts, because a record can be named in three ways there.

import type { App } from "../actions/app.ts";
import {
  type HoldDetails,
  readHoldDetails,
  releaseHold,
  type ReviewState,
  stateOf,
} from "../actions/retention/holds.ts";
import { optional, required } from "../cli/command.ts";
import { reason as reasonText, text } from "../cli/input/kinds.ts";
import { renderChip } from "../console/html/chip.ts";
import { type Html, html, renderFacts } from "../console/html/html.ts";
import { pathTo, renderDeletionLink, renderRecordLink } from "../console/html/link.ts";
import { renderOrganization } from "../console/html/party.ts";
import { formatNumber, renderTime } from "../console/html/time.ts";
import type { Hold } from "../domain/access.ts";
import { deletionOfSet, ownerOf } from "../domain/deletion/restricted-set.ts";
import { limits } from "../domain/limits.ts";
import { defineForm, type NounPage, renderForm } from "./act.ts";
import { defineNoun, idValue } from "./noun.ts";

const screen = "/console/holds";

/** The deletion that moved the record to the restricted store; undefined for a record that is not there. */
function restrictedBy({ organizationId }: Hold): string | undefined {
  return deletionOfSet(organizationId);
}

/** Names the record in a sentence. */
export function nameHeld(hold: Hold): string {
  const { resourceType, resourceId } = hold;
  const where = restrictedBy(hold) === undefined ? "" : ", in the restricted store,";
  return `${resourceType} ${resourceId} of organization ${ownerOf(hold)}${where}`;
}

/** On the command line. */
export const listedHolds = defineNoun<Hold, void>({
  values: {
    organizationId: { json: ownerOf, text: ownerOf },
    record: {
      text: (hold) => {
        const by = restrictedBy(hold);
        const record = `${hold.resourceType} ${hold.resourceId}`;
        return by === undefined ? record : `${record}, restricted by ${by}`;
      },
    },
    restrictedBy: { json: restrictedBy },
    endsOn: { text: ({ endsOn: day }) => day ?? "released" },
  },
  json:
    "holdId, organizationId, resourceType, resourceId, reason, owner, reviewOn: review_date, endsOn: until, placedAt, " +
    "placedBy, restrictedBy",
  columns:
    "holdId, organizationId, record, reason, owner, reviewOn: review, endsOn: until, placedAt, placedBy: by",
});

const onPages: Parameters<typeof defineNoun<Hold>>[0] = {
  values: {
    holdId: idValue("hold", "holdId", ({ reason }) => reason),
    organizationId: { html: (hold) => renderOrganization(ownerOf(hold)) },
    record: { html: renderHeld },
    owner: { fact: ({ owner }) => html`<bdi>${owner ?? "nobody is named"}</bdi>`, kind: "text" },
    reviewOn: {
      html: (hold, app) => renderReview(hold, stateOf(app, hold).review),
      kind: "text",
    },
    endsOn: { html: renderEnd, kind: "text" },
    placed: {
      html: ({ placedAt, placedBy }) => html`${renderTime(placedAt)} by <bdi>${placedBy}</bdi>`,
    },
  },
  headings: "holdId, record, organizationId, owner, reviewOn, endsOn",
  facts: "record, organizationId, reason, owner, reviewOn, endsOn: Ends by itself after, placed",
};

export const shownHolds = defineNoun(onPages);

export const shownHoldsOfRecord = defineNoun({
  ...onPages,
  headings: "holdId, owner, reviewOn, endsOn, placedAt",
});

function renderHeld(hold: Hold): Html {
  const by = restrictedBy(hold);
  const where = by !== undefined && html`, restricted by ${renderDeletionLink(by)}`;
  return html`${renderRecordLink(hold)}${where}`;
}

function renderReview({ reviewOn }: Hold, review: ReviewState): Html {
  if (reviewOn === undefined) return html`–`;
  return html`<time>${reviewOn}</time> ${review === "overdue" && renderChip("bad", "overdue")}`;
}

function renderEnd(hold: Hold, app: App): Html {
  if (hold.endsOn === undefined) return html`–`;
  const soon = stateOf(app, hold).endsSoon && renderChip("wait", "soon");
  return html`<time>${hold.endsOn}</time> ${soon}`;
}

const releaseForm = defineForm({
  rights: ["hold.release"],
  arguments: { holdId: required(text("HOLD_ID"), "The hold.") },
  options: { reason: optional(reasonText, "Why it is released.") },
  act: (app, { holdId, reason: because }) => releaseHold(app, { holdId }, because),
  form: {
    path: "/console/hold/:id",
    heading: "Release",
    confirm: "hold",
    fields: {
      reason: {
        label: "Why it is released, for the audit trail",
        maxlength: limits.reasonCharactersMax,
      },
    },
    next: () => screen,
  },
});

export const holdPage: NounPage = {
  acts: [releaseForm],
  view: async ({ app, id }) => {
    const details = await readHoldDetails(app, id);
    const proposed = details.releasing?.proposalId;
    const body = html`${renderFacts(shownHolds.facts(details.hold, app))}
    ${proposed !== undefined && html`<p><a href="${pathTo("proposal", proposed)}">Its release was proposed</a>, and waits for a second person.</p>`}
    ${app.viewer.may("hold.release") && renderForm(releaseForm, id, { text: describeRelease(details) })}`;
    return { title: "Legal hold", id, screen, body };
  },
};

function describeRelease({ others, deletion }: HoldDetails): Html {
  const effect =
    others.length > 0
      ? `The record has ${formatNumber(others.length)} more holds, which still keep it.`
      : "It is the only hold on the record: deletions can erase and change the record afterwards.";
  const waiting =
    deletion !== undefined &&
    html`The deletion ${renderDeletionLink(deletion.deletionRequestId)} of the record is open.
    ${others.length === 0 && "If nothing else prevents it, it begins within seconds."}`;
  return html`${effect} ${waiting}`;
}
