// Retention: ceilings and floors of organizations, what retention would delete, and the forms that change the rules.

import { previewPart } from "../../actions/retention/preview-retention.ts";
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
import { redirectTo } from "../request/answer.ts";
import { requireTyped } from "../html/confirmation.ts";
import { type Form, readText, readWhole } from "../html/field.ts";
import { type Html, html } from "../html/html.ts";
import { showPage } from "../frame/layout.ts";
import { readRecordKey } from "../html/link.ts";
import { type Person, readForm } from "../request/request.ts";
import {
  renderCeilingForm,
  renderFloorForm,
  renderRetentionPreview,
  retentionPath,
  screen,
} from "../html/retention-preview.ts";
import { type Column, renderFacts, renderFocusableTable } from "../html/table.ts";

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
  await setFloor(person.app, { organizationId, resourceType, keepDays, countedFrom });
  return redirectTo(retentionPath(organizationId));
}

function readConfirmed(form: Form): string {
  const organizationId = readText(form, "organization") ?? "";
  requireTyped(form, organizationId, "organization");
  return organizationId;
}
