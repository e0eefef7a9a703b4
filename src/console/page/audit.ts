// The audit trail: a filtered part of it, the verification of its chain part by part, and the whole trail as a file.

import {
  chainStart,
  downloadAudit,
  listAudit,
  type Verification,
  verifyAudit,
  viewAuditEntry,
} from "../../actions/trail/list-audit.ts";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import type { AuditEntry } from "../../domain/access.ts";
import type { Answer } from "../../http/reply/reply.ts";
import { sendDownload } from "../request/download.ts";
import { readText, renderButton, renderInput } from "../html/field.ts";
import { renderNext } from "../html/filter.ts";
import { type Html, html, type Column, renderFocusableTable } from "../html/html.ts";
import { renderDeletionLink } from "../html/link.ts";
import { showPage, type Person, readForm } from "../page.ts";
import { formatNumber, renderAgo } from "../html/time.ts";
import { renderDetail } from "../html/trail-detail.ts";

const screen = "/console/audit";

export async function showAudit(person: Person): Promise<Answer> {
  const { app, query } = person;
  const { entries, next } = await listAudit(app, {
    actor: readText(query, "actor"),
    organizationId: readText(query, "organization"),
    action: readText(query, "action"),
    from: readTime(query, "from"),
    until: readTime(query, "until"),
    before: readNumber(query.get("before")),
  });
  const older = renderNext("Older entries", screen, { query, place: { before: next } });
  const body = html`${renderFilters(query)}
  ${entries.length === 0 ? renderNothing(next !== undefined) : renderFocusableTable(columns, entries)}
  ${older} ${chainForms}`;
  return showPage(person, { title: "Audit trail", screen, body });
}

/** `2026-01-31`, or `2026-01-31T09:30`, in UTC. Throws OperatorError invalid. */
function readTime(query: URLSearchParams, name: "from" | "until"): number | undefined {
  const given = readText(query, name);
  if (given === undefined) return undefined;
  const form = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?)?$/;
  const text = given.includes("T") ? `${given}Z` : `${given}T00:00Z`;
  const time = form.test(given) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw new OperatorError(
    "invalid",
    `The time "${name}" must be a date, or a date and a time in UTC, such as 2026-01-31T09:30.`,
  );
}

/** Undefined if the text is not the number of an entry. */
function readNumber(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

const fields = [
  ["actor", "Person, key or part of the service", "text"],
  ["action", "Action, such as key or key.create", "text"],
  ["organization", "Organization", "text"],
  ["from", "From (UTC)", "datetime-local"],
  ["until", "Until (UTC)", "datetime-local"],
] as const;

function renderFilters(query: URLSearchParams): Html {
  const inputs = fields.map(([name, label, type]) =>
    renderInput(label, name, { type, value: query.get(name), maxlength: 100 }),
  );
  return html`<form class="filters" method="get" action="/console/audit">
    ${inputs}
    <button type="submit">Filter</button>
  </form>`;
}

function renderNothing(hasMore: boolean): Html {
  const where = hasMore ? " among the last 10,000; older ones may match" : "";
  return html`<p class="empty">
    No entry matches${where}. The trail has an entry for every act of an operator and for every
    deletion.
  </p>`;
}

const columns: readonly Column<AuditEntry>[] = [
  ["Entry", ({ entryNo }) => entryNo, "head"],
  ["Time", ({ at }) => renderAgo(at)],
  ["By", ({ actor }) => html`<bdi>${actor}</bdi>`],
  ["Action", ({ action }) => action],
  ["Organization", ({ organizationId }) => html`<bdi>${organizationId ?? "–"}</bdi>`],
  ["Object", ({ subject }) => renderObject(subject)],
  ["Details", ({ detail }) => renderDetail(detail)],
];

const shownLengthMax = 28;

/** The tooltip and the download contain everything. */
function renderObject(subject: string): Html {
  if (/^del_\w+$/.test(subject)) return renderDeletionLink(subject);
  const text = subject.replace(/(sha256:\w{12})\w+/, "$1…");
  const shown = text.length <= shownLengthMax ? text : `${text.slice(0, shownLengthMax)}…`;
  return html`<bdi title="${subject}">${shown}</bdi>`;
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

export async function verifyTrail(person: Person): Promise<Answer> {
  const form = await readForm(person);
  const no = readNumber(form.get("after")) ?? chainStart.no;
  const hash = no === chainStart.no ? chainStart.hash : (form.get("hash") ?? "");
  const verified = await verifyAudit(person.app, { no, hash });
  const body = html`${renderVerified(verified)}
    <p><a href="/console/audit">To the audit trail</a></p>`;
  return showPage(person, { title: "Verification of the audit trail", screen, body });
}

function renderVerified({ after, no, hash, fault, isEnd }: Verification): Html {
  const known =
    after === 0 ? "" : ` The part before it was verified with the hash that led to this part.`;
  const range = html`${formatNumber(after + 1)} to ${formatNumber(no)}`;
  if (fault !== undefined) {
    return html`<p role="alert"><strong>Not genuine.</strong> ${fault}</p>
      ${no > after && html`<p>The entries ${range} before it are unaltered.</p>`}
      <p>
        Nothing was changed. <code>sluice check</code> compares the trail with everything else.
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
        which is outside the store: <code>sluice check</code>.
      </p>`;
  }
  return html`${result}
    <form method="post" action="/console/audit/verify">
      <input type="hidden" name="after" value="${no}" />
      <input type="hidden" name="hash" value="${hash}" />
      <button type="submit" class="main">Verify the next part</button>
    </form>`;
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
