// The audit trail: a filtered part of it, the verification of its chain part by part, and the whole trail as a file.

import {
  chainStart,
  countAuditDays,
  downloadAudit,
  listAudit,
  type ShownEntry,
  type Verification,
  verifyAudit,
  viewAuditEntry,
} from "../../actions/trail/list-audit.ts";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import type { RecordKey } from "../../domain/record/record-write.ts";
import { proposedActs } from "../../domain/proposal.ts";
import { recordTypes, titleOf } from "../../domain/record-types.ts";
import { isFullDate } from "../../domain/timestamp.ts";
import { formatCount } from "../../basics/format-count.ts";
import { sendDownload } from "../request/download.ts";
import { type Input, readText, renderButton, renderInput } from "../html/field.ts";
import {
  organizationColumn,
  renderNext,
  renderOrganizationInput,
  renderTypeChoice,
} from "../html/filter.ts";
import { renderChart } from "../html/chart.ts";
import {
  type Column,
  html,
  type Html,
  type HtmlValue,
  renderElement,
  renderFacts,
  renderTable,
} from "../html/html.ts";
import { pathTo, readRecordKey, renderDeletionLink, renderDeletionOf } from "../html/link.ts";
import type { ConsoleSources, Next, Person } from "../page.ts";
import {
  formatDuration,
  formatExactDuration,
  formatNumber,
  renderExactTime,
} from "../html/time.ts";
import { describeValue, inWords } from "../html/typed-value.ts";
import { renderActor, renderParty } from "../html/party.ts";
import { sluice } from "../../basics/program-name.ts";

const screen = "/console/audit";

export async function showAudit(person: Person): Promise<Next> {
  const { app, query, sources } = person;
  const { entries, next } = await listAudit(app, {
    actor: readText(query, "actor"),
    organizationId: readText(query, "organization"),
    action: readText(query, "action"),
    ...readRecord(query),
    from: readTime(query, "from"),
    until: readTime(query, "until"),
    before: readNumber(query.get("before")),
  });
  const older = renderNext("Older entries", screen, { query, place: { before: next } });
  const columns = columnsOf(sources.actions, readText(query, "organization"));
  const isAll = [...query.keys()].every((name) => name === "organization");
  const body = html`${isAll && renderDays(await countAuditDays(app), sources.actions)}
    ${renderFilters(query, sources.actions)} ${older}
    <p><a href="#chain">To the verification of the chain, and the download</a></p>
    ${renderTable(columns, entries, { empty: describeNone(next !== undefined) })} ${older}
    ${chainForms}`;
  return { title: "Audit trail", screen, body };
}

type Days = Awaited<ReturnType<typeof countAuditDays>>;

function renderDays(days: Days, actions: Actions): Html {
  const slots = days.map(({ at, entries: value, actions: counts }) => {
    const parts = counts.map(
      ([action, count]) => `${actions[action] ?? action}: ${formatNumber(count)}`,
    );
    return { at, value, detail: parts.join(", ") };
  });
  return renderChart({
    label: "Entries of all organizations by day",
    unit: "entries a day",
    slots,
    isByDay: true,
    details: "What happened",
  });
}

/** Throws OperatorError invalid. */
function readRecord(query: URLSearchParams): { readonly record?: RecordKey } {
  const record = readRecordKey(query);
  const { organizationId, resourceType, resourceId } = record;
  if (resourceId === "") return {};
  if (organizationId !== "" && resourceType !== "") return { record };
  throw new OperatorError(
    "invalid",
    "The id of a record needs its organization and its type, too.",
  );
}

/** `2026-01-31`, or `2026-01-31T09:30`, in UTC. Throws OperatorError invalid. */
function readTime(query: URLSearchParams, name: "from" | "until"): number | undefined {
  const given = readText(query, name);
  if (given === undefined) return undefined;
  const form = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?)?$/;
  const text = given.includes("T") ? `${given}Z` : `${given}T00:00Z`;
  const isTime = form.test(given) && isFullDate(given.slice(0, "0000-00-00".length));
  const time = isTime ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw new OperatorError(
    "invalid",
    `The time "${name}" must be a date, or a date and a time in UTC, such as 2026-01-31T09:30.`,
  );
}

function readNumber(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

type Actions = ConsoleSources["actions"];

function renderFilters(query: URLSearchParams, actions: Actions): Html {
  const field = (label: string, name: string, input: Input = {}) =>
    renderInput(label, name, { value: query.get(name), maxlength: 256, ...input });
  const options = Object.entries(actions).map(([value, sentence]) =>
    renderElement("option", { value }, sentence),
  );
  return html`<form class="filters" method="get" action="/console/audit">
    ${field("Person, key or part of the service", "actor")}
    ${field("What happened", "action", { list: "actions" })} ${renderOrganizationInput(query)}
    ${renderTypeChoice(
      query,
      recordTypes.map(({ resourceType }) => resourceType),
    )}
    ${field("Id of the record", "id")} ${field("From (UTC)", "from", { type: "datetime-local" })}
    ${field("Until (UTC)", "until", { type: "datetime-local" })}
    <button type="submit">Filter</button>
    <datalist id="actions">${options}</datalist>
  </form>`;
}

function describeNone(hasMore: boolean): string {
  const where = hasMore ? " among the last 10,000; older ones may match" : "";
  return `No entry matches${where}. The trail has an entry for every act of an operator and for every deletion.`;
}

function columnsOf(actions: Actions, only: string | undefined): readonly Column<ShownEntry>[] {
  return [
    [
      "Entry",
      ({ entryNo, start }) => [start !== undefined && `${start.entryNo}, `, entryNo],
      "number",
    ],
    ["Time", ({ at }) => renderExactTime(at)],
    ["What happened", (entry) => renderSentence(entry, actions), "text"],
    ...organizationColumn(only, ({ organizationId }: ShownEntry) => organizationId),
    ["Details", ({ action, detail }) => renderDetail(detail, action), "text"],
  ];
}

/** `anna created an API key: key_2f…`; the tooltip has the name of the action, by which files have it. */
function renderSentence(entry: ShownEntry, actions: Actions): Html {
  const { action, actor, detail, subject, organizationId, start } = entry;
  const { rows } = detail;
  const isSaid = subject === organizationId || subject === actor || /^store_\w+$/.test(subject);
  const object = !isSaid && html`: ${renderObject(entry)}`;
  const count = typeof rows === "number" && `, ${formatCount(rows, "row")}`;
  return html`<span title="${action}">${renderActor(actor)} ${actions[action] ?? action}</span
    >${object}${count}${start && html`, begun ${renderExactTime(start.at)}`}`;
}

const shownLengthMax = 28;

/** The tooltip and the download contain everything. */
function renderObject({ subject, deletion, detail }: ShownEntry): Html {
  if (deletion !== undefined) return renderDeletionOf(deletion);
  if (/^prp_\w+$/.test(subject))
    return html`<a href="${pathTo("proposal", subject)}">${renderValue("act", detail["act"])}</a>`;
  const [type = "", digest] = subject.split(" sha256:");
  if (digest !== undefined) return html`${titleOf(type)} with the digest ${renderDigest(digest)}`;
  const name = detail["name"] ?? detail["host"];
  if (typeof name === "string") return renderParty(name, subject);
  const shown = subject.length <= shownLengthMax ? subject : `${subject.slice(0, shownLengthMax)}…`;
  return shown === subject ? renderActor(subject) : html`<bdi title="${subject}">${shown}</bdi>`;
}

const chainForms = html`<section aria-labelledby="chain">
  <h2 id="chain">The chain</h2>
  <p>
    Each entry has the hash of the one before it, so none can be changed, left out or moved without
    a trace. Verifying reads the trail from its first entry, in parts.
  </p>
  ${renderButton("Verify the chain", "/console/audit/verify")}
  <h2 id="download">Download</h2>
  <p>
    All entries as NDJSON, oldest first, with their hashes. That you downloaded them is in the trail
    itself.
  </p>
  ${renderButton("Download the audit trail", "/console/audit/download")}
</section>`;

export async function verifyTrail(person: Person, form: URLSearchParams): Promise<Next> {
  const no = readNumber(form.get("after")) ?? chainStart.no;
  const hash = no === chainStart.no ? chainStart.hash : (form.get("hash") ?? "");
  const verified = await verifyAudit(person.app, { no, hash });
  const body = html`${renderVerified(verified)}
    <p><a href="/console/audit">To the audit trail</a></p>`;
  return { title: "Verification of the audit trail", screen, body };
}

function renderVerified({ after, no, hash, fault, isEnd }: Verification): Html {
  const known =
    after === 0 ? "" : ` The part before it was verified with the hash that led to this part.`;
  const range = html`${formatNumber(after + 1)} to ${formatNumber(no)}`;
  if (fault !== undefined) {
    return html`<p role="alert"><strong>Not genuine.</strong> ${fault}</p>
      ${no > after && html`<p>The entries ${range} before it are unaltered.</p>`}
      <p>
        Nothing was changed. <code>${sluice} check</code> compares the trail with everything else.
      </p>`;
  }
  const result = html`<p>
      The entries ${range} are unaltered, and each follows from the one before it.${known}
    </p>
    <p>The hash of entry ${formatNumber(no)} is <code>${hash}</code>.</p>`;
  if (isEnd) {
    return html`${result}
      <p>
        This is the end of the trail. Whether entries are missing after it is shown by the ledger,
        which is outside the store: <code>${sluice} check</code>.
      </p>`;
  }
  return html`${result}
  ${renderButton("Verify the next part", "/console/audit/verify", { fields: { after: no, hash }, main: true })}`;
}

export async function downloadTrail(person: Person): Promise<undefined> {
  const pages = await downloadAudit(person.app);
  return sendDownload(person, {
    fileName: "audit.ndjson",
    pages,
    view: viewAuditEntry,
    organizationId: undefined,
    query: { export: "audit" },
  });
}

type Detail = Readonly<Record<string, unknown>>;

const factsMax = 12;
const itemsMax = 10;
const charactersMax = 160;

/** `action`: of the entry; a change has new values. */
export function renderDetail(detail: Detail, action = ""): Html {
  const facts = Object.entries(detail);
  if (facts.length === 0) return html`–`;
  const shown = facts
    .slice(0, factsMax)
    .map(([name, value]) => [labelOf(name, action), renderValue(name, value)] as const);
  const left = facts.length - shown.length;
  if (facts.length === 1) {
    return html`${shown.map(([name, value]) => html`<small>${name}</small> ${value}`)}`;
  }
  return html`<details>
    <summary>${facts.length} details</summary>
    ${renderFacts(shown)} ${left > 0 && html`<p>and ${left} more in the export</p>`}
  </details>`;
}

const labels: Readonly<Record<string, string>> = {
  act: "What was proposed",
  deletionApproval: "Deletions need a second person",
  deletionGraceSeconds: "Grace period of deletions",
  deleteAfterDays: "Erased after",
  holdId: "Hold",
  keepDays: "Kept at least",
  needsApproval: "Needs a second person",
  receiptHash: "Digest of the receipt",
  receiptNo: "Number of the receipt",
  redactable: "References may be redacted",
  request: "Digest of the request",
  resourceType: "Record type",
  retainDays: "Ceiling of types without their own",
};

function labelOf(name: string, action = ""): string {
  const label = labels[name] ?? inWords(name.replace(/(?:At|On)$/, ""));
  return action.endsWith(".change") ? `New: ${label.toLowerCase()}` : label;
}

function renderValue(name: string, value: unknown): HtmlValue {
  if (value === null || value === undefined) return "none";
  if (typeof value === "number") return renderNumber(name, value);
  if (Array.isArray(value)) return renderItems(name, value);
  if (typeof value === "object") return renderParts(value);
  const text = describeValue(value);
  if (/types?$/i.test(name)) return titleOf(text);
  if (name === "act") return new Map(Object.entries(proposedActs)).get(text) ?? text;
  if (/^del_\w+$/.test(text)) return renderDeletionLink(text);
  if (/^(?:[\da-f]{64}|[\w-]{43})$/.test(text)) return renderDigest(text);
  if (/^key_\w+$/.test(text)) return renderActor(text);
  // Whatever else there is may be what somebody has typed.
  const isCode = name === "countedFrom";
  return html`<bdi class="value">${isCode ? text.replaceAll("_", " ") : shorten(text)}</bdi>`;
}

function renderDigest(digest: string): Html {
  return html`<bdi class="id" title="${digest}">${digest.slice(0, 12)}…</bdi>`;
}

/** Times are Unix milliseconds, and recognized by name: `dueAt`, `until`. */
function renderNumber(name: string, value: number): HtmlValue {
  if (/(?:at|until|from|time)$/i.test(name) && value > 1e11) return renderExactTime(value);
  if (/ms$/i.test(name)) return formatDuration(value);
  if (name.endsWith("Seconds")) return formatExactDuration(value * 1_000);
  if (name.endsWith("Days")) return value === 0 ? "none" : formatCount(value, "day");
  return formatNumber(value);
}

function renderItems(name: string, values: readonly unknown[]): HtmlValue {
  const shown = values
    .slice(0, itemsMax)
    .map((value, index) => html`${index > 0 && ", "}${renderValue(name, value)}`);
  const left = values.length - shown.length;
  return values.length === 0 ? "none" : html`${shown}${left > 0 && ` and ${left} more`}`;
}

function renderParts(value: object): HtmlValue {
  const parts = Object.entries(value).slice(0, itemsMax);
  return html`${parts.map(
    ([name, part], index) =>
      html`${index > 0 && ", "}${labelOf(name).toLowerCase()} ${renderValue(name, part)}`,
  )}`;
}

function shorten(text: string): string {
  const short = text.replaceAll(/(sha256:\w{12})\w+/g, "$1…");
  return short.length <= charactersMax ? short : `${short.slice(0, charactersMax)}…`;
}
