// Retention: ceilings and floors of organizations, what retention would delete, and the forms that change the rules.

import { previewPart, type PreviewPart } from "../../actions/retention/preview-retention.ts";
import { changeOrganization } from "../../actions/access/change-organization.ts";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import {
  listRetention,
  readRetention,
  type Retention,
  setFloor,
} from "../../actions/retention/retention-floors.ts";
import { hasRight } from "../../actions/operator/viewer.ts";
import { limits } from "../../domain/limits.ts";
import { floorOrigins, formatDays, type RetentionFloor } from "../../domain/retention/floor.ts";
import type { Answer } from "../../http/reply/reply.ts";
import { redirectTo, showPage, type Person, readForm } from "../page.ts";
import { requireTyped, renderIdField } from "../html/confirmation.ts";
import { type Form, readText, readWhole, renderInput } from "../html/field.ts";
import { type Html, html, type Column, renderFacts, renderFocusableTable } from "../html/html.ts";
import { readRecordKey, renderRecordLink } from "../html/link.ts";
import type { Organization } from "../../domain/access.ts";
import { renderChoice } from "../html/filter.ts";
import { formatNumber } from "../html/time.ts";

export async function showRetention(person: Person): Promise<Answer> {
  const id = readText(person.query, "organization");
  const body = id === undefined ? await renderAll(person) : await renderOne(person, id);
  const title = id === undefined ? "Retention" : `Retention of ${id}`;
  return showPage(person, { title, screen, body });
}

async function renderAll({ app, query }: Person): Promise<Html> {
  const { shown, next } = await listRetention(app, query.get("after") ?? "");
  if (shown.length === 0) {
    return html`<p class="empty">
      There is no organization. Create one with
      <code>sluice organization create --name "Acme Payments" --id acme</code>.
    </p>`;
  }
  return html`<p class="note">
      A ceiling deletes records a time after they were last seen. A floor keeps records of a type
      for at least a time, whoever requests their deletion.
    </p>
    ${renderFocusableTable(columns, shown)}
    ${
      next !== undefined &&
      html`<p>
        <a href="${screen}?${new URLSearchParams({ after: next }).toString()}"
          >More organizations</a
        >
      </p>`
    }`;
}

function renderOrganization({ organization: { organizationId, name } }: Retention): Html {
  return html`<a href="${retentionPath(organizationId)}"><bdi>${organizationId}</bdi></a>
    <small><bdi>${name}</bdi></small>`;
}

function renderFloorList({ floors }: Retention): Html | string {
  if (floors.length === 0) return "none";
  const rules = floors.map(
    ({ resourceType, keepDays }) => html`<li>${resourceType}: ${formatDays(keepDays)}</li>`,
  );
  return html`<ul>
    ${rules}
  </ul>`;
}

const columns: readonly Column<Retention>[] = [
  ["Organization", renderOrganization, "bare"],
  ["Ceiling", ({ organization }) => describeCeiling(organization.retainDays)],
  ["Floors", renderFloorList],
];

function describeCeiling(days: number | undefined): string {
  return days === undefined
    ? "none: records are kept until a deletion is requested"
    : `deleted ${formatDays(days)} after they were last seen`;
}

async function renderOne(person: Person, organizationId: string): Promise<Html> {
  const { app, query } = person;
  const { organization, floors } = await readRetention(app, organizationId);
  const retainDays = readWhole(query, "days", { label: "The number of days", max: daysMax });
  const { resourceType, resourceId } = readRecordKey(query);
  const after = resourceType === "" ? undefined : { resourceType, resourceId };
  const part = await previewPart(app, { organizationId, retainDays, after });
  const maySet = hasRight(app, "retention.set");
  return html`${renderFacts([["Ceiling", describeCeiling(organization.retainDays)]])}
  ${renderFloors(floors)} ${renderRetentionPreview(organization, part, retainDays)}
  ${maySet && organization.closedAt === undefined && renderCeilingForm(organizationId, retainDays)}
  ${maySet && renderFloorForm(organizationId, part.types)}`;
}

const daysMax = limits.retainDaysMax;

const floorColumns: readonly Column<RetentionFloor>[] = [
  ["Type", ({ resourceType }) => resourceType, "bare"],
  ["Kept at least", ({ keepDays }) => formatDays(keepDays)],
  ["Counted from", ({ countedFrom }) => countedFrom],
  ["References", ({ redactable }) => (redactable ? "may be redacted" : "kept too")],
];

function renderFloors(floors: readonly RetentionFloor[]): Html {
  return html`<section aria-labelledby="floors">
    <h2 id="floors">Floors</h2>
    ${
      floors.length === 0
        ? html`<p>
            There is no floor: a deletion that is requested begins after its grace period.
          </p>`
        : renderFocusableTable(floorColumns, floors)
    }
  </section>`;
}

export async function setCeiling(person: Person): Promise<Answer> {
  const form = await readForm(person);
  const organizationId = readConfirmed(form);
  const retainDays = readWhole(form, "days", { label: "The ceiling", max: daysMax }) ?? null;
  await changeOrganization(person.app, organizationId, { retainDays });
  return redirectTo(retentionPath(organizationId));
}

export async function setOneFloor(person: Person): Promise<Answer> {
  const form = await readForm(person);
  const organizationId = readConfirmed(form);
  const keepDays = readWhole(form, "days", { label: "The floor", max: daysMax }) ?? null;
  const from = readText(form, "from") ?? floorOrigins[0];
  const countedFrom = floorOrigins.find((one) => one === from);
  if (countedFrom === undefined) {
    throw new OperatorError("invalid", `Floors count from ${floorOrigins.join(" or ")}.`);
  }
  const resourceType = form.get("type") ?? "";
  const redactable = readText(form, "references") === "redactable";
  await setFloor(person.app, { organizationId, resourceType, keepDays, countedFrom, redactable });
  return redirectTo(retentionPath(organizationId));
}

function readConfirmed(form: Form): string {
  const organizationId = readText(form, "organization") ?? "";
  requireTyped(form, organizationId, "organization");
  return organizationId;
}

// What retention would delete, a part at a time, with the form that previews another ceiling.

export const screen = "/console/retention";

type RetentionPath = typeof screen | `${typeof screen}?${string}`;

/** The page of an organization. */
function retentionPath(
  organizationId: string,
  more: Readonly<Record<string, string>> = {},
): RetentionPath {
  return `${screen}?${new URLSearchParams({ organization: organizationId, ...more }).toString()}`;
}

/** `asked`: a ceiling other than the organization's. */
function renderRetentionPreview(
  organization: Organization,
  { retainDays, tally, last }: PreviewPart,
  asked: number | undefined,
): Html {
  const { organizationId } = organization;
  const days = asked === undefined ? "" : String(asked);
  return html`<section aria-labelledby="preview">
    <h2 id="preview">What retention would delete</h2>
    <form class="filters" method="get" action="${screen}">
      <input type="hidden" name="organization" value="${organizationId}" />
      ${renderInput("With a ceiling of, in days", "days", {
        inputmode: "numeric",
        value: days,
        placeholder: organization.retainDays,
      })}
      <button type="submit">Preview</button>
    </form>
    ${
      retainDays === undefined
        ? html`<p class="empty">
            There is no ceiling. Enter a number of days to see what it would delete.
          </p>`
        : renderTally(tally, retainDays)
    }
    ${
      last !== undefined &&
      html`<p>
        Records are examined in parts, in the order of their types and ids, up to
        ${last.resourceType} <bdi>${last.resourceId}</bdi> here.
        <a
          href="${retentionPath(organizationId, { days, type: last.resourceType, id: last.resourceId })}"
          >Examine the next records</a
        >
      </p>`
    }
  </section>`;
}

const dueShownMax = 20;

function renderTally({ counts, due, dueByType }: PreviewPart["tally"], retainDays: number): Html {
  const types = Object.entries(dueByType).map(([type, count]) => `${formatNumber(count)} ${type}`);
  const shown = due.slice(0, dueShownMax);
  return html`${renderFacts([
    ["Not seen for", formatDays(retainDays)],
    ["Would be deleted", types.length === 0 ? "nothing" : types.join(", ")],
    ["Kept by a hold", formatNumber(counts.held)],
    ["Kept by a floor", formatNumber(counts.floor)],
    ["Needed by later records", formatNumber(counts.needed)],
    ["Deletion is open already", formatNumber(counts.open)],
  ])}
  ${
    shown.length > 0 &&
    html`<p>The first of them:</p>
      <ul class="records">
        ${shown.map((key) => html`<li>${renderRecordLink(key)}</li>`)}
      </ul>`
  }`;
}

// The forms that set the ceiling and the floors of an organization, each with its effect.

function renderOrganizationFields(organizationId: string): Html {
  return html`<input type="hidden" name="organization" value="${organizationId}" />
    ${renderIdField("organization")}`;
}

function renderCeilingForm(organizationId: string, days: number | undefined): Html {
  return html`<section class="danger" aria-labelledby="ceiling">
    <h2 id="ceiling">Set the ceiling</h2>
    <p>
      Deletions of all records that were last seen longer ago are requested within a minute, and
      then continually; they begin after the grace period of the organization. Without a number
      there is no ceiling, and records are kept. Preview a number above first. Type the id of the
      organization to confirm.
    </p>
    <form method="post" action="/console/retention/ceiling">
      ${renderInput("Days", "days", { inputmode: "numeric", value: days })}
      ${renderOrganizationFields(organizationId)}
      <button type="submit">Set the ceiling</button>
    </form>
  </section>`;
}

function renderFloorForm(organizationId: string, types: readonly string[]): Html {
  const query = new URLSearchParams();
  const [usual, ...others] = floorOrigins;
  return html`<section class="danger" aria-labelledby="floor">
    <h2 id="floor">Set or remove a floor</h2>
    <p>
      No deletion erases a record of the type before the time has passed; one that would, waits.
      Without a number the floor is removed, and deletions that waited only for it begin within
      seconds; so they do if the new floor is shorter. Type the id of the organization to confirm.
    </p>
    <form method="post" action="/console/retention/floor">
      ${renderChoice("Record type", "type", {
        query,
        values: types.map((type) => [type, type]),
        unset: "choose one",
      })}
      ${renderInput("Days", "days", { inputmode: "numeric" })}
      ${renderChoice("Counted from", "from", {
        query,
        values: others.map((origin) => [origin, origin]),
        unset: usual,
      })}
      ${renderChoice("References in its records", "references", {
        query,
        values: [["redactable", "may be redacted"]],
        unset: "kept too",
      })}
      ${renderOrganizationFields(organizationId)}
      <button type="submit">Set the floor</button>
    </form>
  </section>`;
}
