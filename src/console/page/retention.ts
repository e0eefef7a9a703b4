// Retention: the rules of organizations, what they would delete, and the form that sets the ceiling of an organization.

import type { PreviewPart } from "../../actions/retention/preview-retention.ts";
import { changeOrganization } from "../../actions/access/change-organization.ts";
import {
  listRetention,
  previewRules,
  type Retention,
} from "../../actions/retention/retention-rules.ts";
import { dayMs } from "../../basics/duration.ts";
import { limits } from "../../domain/limits.ts";
import { describeCommonCeiling } from "../../domain/retention/ceiling.ts";
import type { Next, Person } from "../page.ts";
import { readText, readWhole, renderHidden, renderInput } from "../html/field.ts";
import { renderNext, withOrganization } from "../html/filter.ts";
import { renderBars } from "../html/chart.ts";
import {
  type Column,
  html,
  type Html,
  renderEmpty,
  renderFacts,
  renderRecords,
  renderTable,
} from "../html/html.ts";
import { readRecordKey, renderRecordLink, renderRecordName } from "../html/link.ts";
import { renderParty } from "../html/party.ts";
import type { Organization } from "../../domain/access.ts";
import { titleOf } from "../../domain/record-types.ts";
import { formatCounts, formatNumber } from "../html/time.ts";
import {
  describeTimes,
  examineAll,
  planRule,
  readConfirmed,
  renderOrganizationFields,
  renderRuleForm,
  renderRules,
  retentionPath,
  screen,
} from "./retention-rule.ts";
import { sluice } from "../../basics/program-name.ts";

export async function showRetention(person: Person): Promise<Next> {
  const id = readText(withOrganization(person), "organization");
  if (id === undefined) return { title: "Retention", screen, body: await renderAll(person) };
  const aside = html`<a class="button" href="${screen}?organization=">All organizations</a>`;
  return { title: "Retention", screen, aside, ...(await renderOne(person, id)) };
}

async function renderAll({ app, query }: Person): Promise<Html> {
  const { shown, next } = await listRetention(app, query.get("after") ?? "");
  const create = `${sluice} organization create --name "Acme Payments" --id acme`;
  const none = html`There is no organization. Create one with <code>${create}</code>.`;
  if (shown.length === 0) return renderEmpty(none);
  return html`<p class="note">
      A ceiling erases records without a request. A floor keeps records of a type for at least a
      time, whoever requests their deletion.
    </p>
    ${renderTable(columns, shown)}
    ${renderNext("More organizations", screen, { place: { after: next } })}`;
}

function renderOrganization({ organization: { organizationId, name } }: Retention): Html {
  return html`<a href="${retentionPath(organizationId)}">${renderParty(name, organizationId)}</a>`;
}

function renderRuleList({ rules }: Retention): Html | string {
  if (rules.length === 0) return "none";
  return html`<ul>
    ${rules.map((rule) => html`<li>${titleOf(rule.resourceType)}: ${describeTimes(rule)}</li>`)}
  </ul>`;
}

const columns: readonly Column<Retention>[] = [
  ["Organization", renderOrganization, "bare"],
  ["Ceiling", ({ organization }) => describeCommonCeiling(organization.retainDays)],
  ["Rules of types", renderRuleList],
];

async function renderOne(
  person: Person,
  organizationId: string,
): Promise<{ readonly body: Html; readonly status: number }> {
  const { app, query } = person;
  const retainDays = readWhole(query, "days", { label: "The number of days", max: daysMax });
  const date = readText(query, "at");
  const { resourceType, resourceId } = readRecordKey(query);
  const after = resourceType === "" ? undefined : { resourceType, resourceId };
  const asked = { organizationId, retainDays, after, date };
  const maySet = app.viewer.may("retention.set");
  const [{ organization, rules, part, holds }, plan] = await Promise.all([
    previewRules(app, asked),
    maySet && query.has("rule") ? planRule(person, organizationId) : undefined,
  ]);
  const isInRow = rules.some((rule) => rule.resourceType === query.get("change"));
  const body = html`${plan?.body}
  ${!isInRow && plan?.refused !== undefined && html`<p role="alert">${plan.refused}</p>`}
  ${renderFacts([
    ["Organization", renderParty(organization.name, organizationId)],
    ["Ceiling of types without their own", describeCommonCeiling(organization.retainDays)],
  ])}
  ${renderRules(rules, {
    organizationId,
    retainDays: organization.retainDays,
    query,
    refused: plan?.refused,
    mayChange: maySet,
  })}
  ${renderHorizon(rules, { organization, holds, now: app.now() })}
  ${renderRetentionPreview(organization, part, { retainDays, date })}
  ${maySet && renderRuleForm(organizationId, { types: part.types, query: isInRow ? new URLSearchParams() : query })}
  ${maySet && organization.closedAt === undefined && renderCeilingForm(organizationId, retainDays)}`;
  return { body, status: plan?.status ?? 200 };
}

const horizonDays = 3_653;

interface Horizon {
  readonly organization: Organization;
  readonly holds: Awaited<ReturnType<typeof previewRules>>["holds"];
  readonly now: number;
}

/** From the rules and holds alone: which records end when would have to be counted over all of them. */
function renderHorizon(
  rules: Retention["rules"],
  { organization: { retainDays }, holds: { shown, next }, now }: Horizon,
): Html {
  const after = (days: number | undefined) => (days === undefined ? undefined : now + days * dayMs);
  const other = { resourceType: "Other types", keepDays: 0, deleteAfterDays: undefined };
  const rows = [...rules, other].map(({ resourceType, keepDays, deleteAfterDays = retainDays }) => {
    const floorEnd = now + keepDays * dayMs;
    const bars = [
      { name: "has to be kept", from: now, until: floorEnd, keeps: true },
      { name: "stays until it is erased", from: floorEnd, until: after(deleteAfterDays) },
    ];
    const seen = bars.filter(({ from, until }) => until === undefined || until > from);
    return [titleOf(resourceType), seen] as const;
  });
  const held = shown.map(({ hold: { reason: name, endsOn } }) => {
    const until = endsOn === undefined ? undefined : Date.parse(endsOn) + dayMs;
    return { name, from: now, until, keeps: true };
  });
  const count = `${next === undefined ? "" : "more than "}${held.length}`;
  const all = held.length === 0 ? rows : [...rows, [`Legal holds: ${count}`, held] as const];
  return html`<section aria-labelledby="horizon">
    <h2 id="horizon">How long a record of today is kept</h2>
    ${renderBars(all, { label: "The rules above on an axis of ten years, by quarter", now, until: now + horizonDays * dayMs })}
    <p class="legend note">
      <span class="keeps">has to be kept by a floor or a legal hold</span>
      <span>stays until a ceiling erases it, or a request</span>
      <span class="open">paler: no end is set</span>
    </p>
  </section>`;
}

const daysMax = limits.retainDaysMax;

export async function setCeiling(person: Person, form: URLSearchParams): Promise<Next> {
  const organizationId = readConfirmed(form);
  const retainDays = readWhole(form, "days", { label: "The ceiling", max: daysMax }) ?? null;
  await changeOrganization(person.app, organizationId, { retainDays });
  return retentionPath(organizationId);
}

// What retention would delete, a part at a time, with the form that previews another ceiling.

interface AskedPreview {
  readonly retainDays: number | undefined;
  readonly date: string | undefined;
}

function renderRetentionPreview(
  organization: Organization,
  { ceilings, tally, last }: PreviewPart,
  { retainDays, date = "" }: AskedPreview,
): Html {
  const { organizationId } = organization;
  const days = retainDays === undefined ? "" : String(retainDays);
  return html`<section aria-labelledby="preview">
    <h2 id="preview">What retention would delete</h2>
    <form class="filters" method="get" action="${screen}">
      ${renderHidden({ organization: organizationId })}
      ${renderInput("On", "at", { type: "date", value: date })}
      ${renderInput("With this ceiling for other types, in days", "days", {
        inputmode: "numeric",
        value: days,
        placeholder: organization.retainDays,
      })}
      <button type="submit">Preview</button>
    </form>
    ${
      last !== undefined &&
      html`<p>
        Records are examined in parts, in the order of their types and ids, up to
        ${renderRecordName(last)} here. Nothing is known about the rest.
        ${examineAll("retention preview")}
        <a
          href="${retentionPath(organizationId, { days, at: date, type: last.resourceType, id: last.resourceId })}"
          >Examine the next records</a
        >
      </p>`
    }
    ${ceilings.length === 0 ? renderEmpty(noCeiling) : renderTally(tally, { date, isPart: last !== undefined })}
  </section>`;
}

const noCeiling = "There is no ceiling. Enter a number of days to see what it would delete.";
const dueShownMax = 20;

interface TallyView {
  readonly date: string;
  readonly isPart: boolean;
}

function renderTally(tally: PreviewPart["tally"], { date, isPart }: TallyView): Html {
  const { counts, due, dueByType, erasedWith, shared, inPart, recent } = tally;
  const shown = due.slice(0, dueShownMax);
  return html`${renderFacts([
    ["By", date === "" ? "now" : `${date}, if no record and no rule changes until then`],
    [
      isPart ? "Would be deleted in this part" : "Would be deleted",
      formatCounts(dueByType) || "nothing",
    ],
    ["Erased with these", formatCounts(erasedWith) || "nothing"],
    ["Of several records, erased with the last", formatCounts(shared) || "nothing"],
    [
      "Arrived within a day",
      recent > 0 && `${formatNumber(recent)} of these: are their times right?`,
    ],
    ["Left out", inPart > 0 && `more that belongs to ${formatNumber(inPart)} of these records`],
    ["Kept by a hold", formatNumber(counts.held)],
    ["Kept by a floor", formatNumber(counts.floor)],
    ["Needed by later records", formatNumber(counts.needed)],
    ["Deletion is open already", formatNumber(counts.open)],
  ])}
  ${
    shown.length > 0 &&
    html`<p>The first of them:</p>
      ${renderRecords(shown, renderRecordLink)}`
  }`;
}

function renderCeilingForm(organizationId: string, days: number | undefined): Html {
  return html`<section class="danger" aria-labelledby="ceiling">
    <h2 id="ceiling">Set the ceiling of types without their own</h2>
    <p>
      Applies to types without a ceiling of their own. Transactions do not count for the persons and
      companies that they name. Deletions of records that were last seen longer ago are requested
      within a minute, and then continually; they begin after the grace period of the organization.
      Without a number there is no ceiling, and records are kept. Preview a number above first. Type
      the id of the organization to confirm.
    </p>
    <form method="post" action="/console/retention/ceiling">
      ${renderInput("Days", "days", { inputmode: "numeric", value: days })}
      ${renderOrganizationFields(organizationId)}
      <button type="submit">Set the ceiling</button>
    </form>
  </section>`;
}
