// The intake page: the form for uploading a file, the files that this person has uploaded, imports, and refusals.

import type { Upload } from "../../feature/upload/upload.ts";
import { recordTypes, titleOf } from "../../domain/record-types.ts";
import { type Column, html, type Html, renderEmpty, renderTable } from "../html/html.ts";
import type { Next, Person } from "../page.ts";
import { type Meaning, renderChip } from "../html/chip.ts";
import { formatBytes, renderAgo, formatDuration, formatNumber } from "../html/time.ts";
import { listImports } from "../../feature/import/imports.ts";
import type { ErrorRow } from "../../domain/error.ts";
import type { Refusal, RefusalsRead } from "../../metrics/refusals.ts";
import { readText, renderInput } from "../html/field.ts";
import { renderChoice, renderOrganizationInput } from "../html/filter.ts";

const screen = "/console/intake";

export async function showIntake(person: Person): Promise<Next> {
  const mayImport = person.app.viewer.may("records.import");
  const body = html`${mayImport && (await renderUploads(person))} ${await renderImports(person)}
  ${renderRefusals(person)}`;
  return { title: "Intake", screen, body };
}

async function renderUploads(person: Person): Promise<Html> {
  const { sources, operator } = person;
  const own = sources.uploads.listOf(operator.operatorId);
  return html`<section aria-labelledby="upload">
    <h2 id="upload">Upload a file</h2>
    ${sources.uploads.bytesMax === 0 ? renderEmpty(uploadsOff) : await renderForm(person)}
    ${own.length > 0 && renderOwn(own)}
  </section>`;
}

const uploadsOff = html`Uploads are off. On the server, <code>sluice import</code> imports files.`;

const purposes = [
  ["add", "add records"],
  ["update", "update records that exist"],
] as const;

async function renderForm({ app, sources, organization = "" }: Person): Promise<Html> {
  const hidden = await app.viewer.hiddenTypes();
  const types = recordTypes
    .filter(({ resourceType }) => !hidden.has(resourceType))
    .map(({ resourceType, title }) => [resourceType, title] as const);
  const query = new URLSearchParams({ organization });
  return html`<p>
      CSV, NDJSON or JSON, also compressed with gzip, Brotli or Zstandard, up to
      ${formatBytes(sources.uploads.bytesMax)}. The ending of the name says which. Nothing is
      written before you have seen the first rows and confirm.
    </p>
    <form class="filters" method="post" action="/console/upload" enctype="multipart/form-data">
      ${renderOrganizationInput(query, { required: true })}
      ${renderChoice("Record type", "type", { query, values: types, required: true })}
      ${renderChoice("Purpose", "mode", { query, values: purposes, required: true })}
      <label>File <input type="file" name="file" required /></label>
      <button type="submit" class="main">Upload</button>
    </form>`;
}

function renderOwn(uploads: readonly Upload[]): Html {
  return html`<h3>Your files</h3>
    ${renderTable(uploadColumns, uploads)}`;
}

function renderUploadLink({ uploadId, fileName }: Upload): Html {
  return html`<a href="/console/upload/${uploadId}"><bdi>${fileName}</bdi></a>`;
}

const uploadColumns: readonly Column<Upload>[] = [
  ["File", renderUploadLink],
  ["Organization", ({ organizationId }) => html`<bdi>${organizationId}</bdi>`],
  ["Records", ({ resourceType }) => titleOf(resourceType)],
  ["Uploaded", ({ receivedAt }) => renderAgo(receivedAt)],
  ["State", ({ state }) => renderChip(...states[state.name])],
];

const states: Readonly<Record<Upload["state"]["name"], readonly [Meaning, string]>> = {
  ready: ["wait", "to be checked"],
  checking: ["busy", "is being checked"],
  importing: ["busy", "is being imported"],
  ended: ["good", "import ended"],
};

// Lists the running imports of all processes, and the imports of the last weeks.

type ImportRun = Awaited<ReturnType<typeof listImports>>[number];

/** A running import reports more often than this, unless it has to wait. */
const silentMs = 120_000;

async function renderImports({ app }: Person): Promise<Html> {
  const imports = await listImports(app);
  const now = app.now();
  return html`<section aria-labelledby="imports">
    <h2 id="imports">Imports</h2>
    ${renderRuns(imports, now)}
    <p class="note">
      Imports in the console, and by <code>sluice import</code> into this store. With
      <code>--url</code>, an import is requests of an API key.
    </p>
  </section>`;
}

const noImports = html`Nothing was imported within the last 30 days. Upload a file above, or use
  <code>sluice import</code> on the server.`;

function renderRuns(imports: readonly ImportRun[], now: number): Html {
  return renderTable(
    [
      ["Organization", ({ organizationId }) => html`<bdi>${organizationId}</bdi>`],
      ["Records", ({ resourceType }) => titleOf(resourceType)],
      ["Started", ({ startedAt }) => renderAgo(startedAt)],
      ["By", renderStarter],
      ["State", (one) => describeState(one, now)],
      ["Rows", ({ rows }) => formatNumber(rows)],
      ["Written", ({ written }) => formatNumber(written)],
      ["Refused", ({ refused }) => formatNumber(refused)],
    ],
    imports,
    { empty: noImports },
  );
}

const startedFrom = { console: "in the console", command: "on the command line" } as const;

function renderStarter({ startedBy, source }: ImportRun): Html {
  return html`<bdi>${startedBy}</bdi> <small>${startedFrom[source]}</small>`;
}

function describeState({ outcome, updatedAt }: ImportRun, now: number): Html {
  if (outcome !== undefined) return html`${outcome}`;
  const silence = now - updatedAt;
  if (silence < silentMs) return renderChip("busy", "running");
  return html`running or interrupted <small>no progress for ${formatDuration(silence)}</small>`;
}

// Lists refusals by error, field and API key: a table without content, with filters in the address.

const rowsShown = 100;

function renderRefusals({ sources, query }: Person): Html {
  const read = sources.refusals.read(query.get("period") === "hour" ? 1 : 24);
  const found = read.refusals.filter((one) => fits(one, query));
  return html`<section aria-labelledby="refusals">
    <h2 id="refusals">Refusals</h2>
    ${renderFilters(query)} ${renderFound(found, sources.errors, read)}
    ${
      read.others > 0 &&
      html`<p>
        ${formatNumber(read.others)} more are not listed: too many different ones were refused.
      </p>`
    }
    <p class="note">
      Errors in requests that this process has refused since its start, a day ago at most; other
      processes of the same store count their own. No values, no ids, and nothing about confidential
      types.
    </p>
  </section>`;
}

function fits({ code, organizationId, keyId }: Refusal, query: URLSearchParams): boolean {
  const known = { code: String(code), organization: organizationId, key: keyId };
  return Object.entries(known).every(([name, value]) => {
    return (readText(query, name) ?? value) === value;
  });
}

function renderFilters(query: URLSearchParams): Html {
  const input = (label: string, name: string) =>
    renderInput(label, name, { value: query.get(name), maxlength: 64, autocomplete: "off" });
  return html`<form class="filters" method="get" action="/console/intake">
    ${input("Code", "code")} ${input("Organization", "organization")} ${input("API key", "key")}
    ${renderChoice("Period", "period", {
      query,
      values: [["hour", "this hour"]],
      unset: "the last 24 hours",
    })}
    <button type="submit">Filter</button>
  </form>`;
}

const nothingLike = html`Nothing like this was refused.
  <a href="/console/intake">Show all refusals</a>`;

function renderFound(
  found: readonly Refusal[],
  errors: readonly ErrorRow[],
  { refusals }: RefusalsRead,
): Html {
  const more = found.length - rowsShown;
  const messages = new Map(errors.map(({ code, message }) => [code, message]));
  const error = ({ code }: Refusal) => html`${code} <small>${messages.get(code) ?? ""}</small>`;
  const shown = found.slice(0, rowsShown);
  const empty = refusals.length === 0 ? "Nothing was refused." : nothingLike;
  return html`${renderTable([["Error", error], ...columns], shown, { empty })}
  ${more > 0 && html`<p>and ${formatNumber(more)} more kinds; use the filters</p>`}`;
}

const columns: readonly Column<Refusal>[] = [
  ["Records", ({ resourceType }) => resourceType ?? "–"],
  ["Field", ({ field }) => (field === "" ? "–" : html`<code>${field}</code>`)],
  ["API key", renderKey],
  ["Times", ({ count }) => formatNumber(count)],
  ["Last", ({ at }) => renderAgo(at)],
];

function renderKey({ keyId, organizationId }: Refusal): Html | string {
  if (keyId === undefined) return "unknown";
  return html`<bdi>${keyId}</bdi> <small><bdi>${organizationId ?? ""}</bdi></small>`;
}
