// The pages of uploads, and what they show on pages of the core: the form for a file, and the files of this person.

import { type Meaning, renderChip } from "../../console/html/chip.ts";
import { renderChoice, renderOrganizationInput } from "../../console/html/filter.ts";
import { type Column, html, type Html, renderEmpty, renderTable } from "../../console/html/html.ts";
import { renderOrganization } from "../../console/html/party.ts";
import { formatBytes, renderAgo } from "../../console/html/time.ts";
import { openedOf, type Panels, type Person, type Route } from "../../console/page.ts";
import { showIntake } from "../../console/page/intake.ts";
import { act, read, send } from "../../console/route.ts";
import { recordTypes, titleOf } from "../../domain/record-types.ts";
import { rights } from "../import/rows.ts";
import {
  chooseColumns,
  discardUpload,
  downloadRefused,
  followImport,
  receiveUpload,
  showUpload,
  startImport,
  stopImport,
} from "./pages.ts";
import type { Upload } from "./upload.ts";
import { Uploads } from "./uploads.ts";

const right = rights["records.import"];

export const routes: readonly Route[] = [
  { ...send("/console/upload", right, receiveUpload, showIntake), lasting: true },
  read("/console/upload/:id", right, showUpload),
  act("/console/upload/:id", right, chooseColumns, showUpload),
  act("/console/upload/:id/start", right, startImport, showUpload),
  act("/console/upload/:id/stop", right, stopImport, showUpload),
  act("/console/upload/:id/discard", right, discardUpload, showUpload),
  read("/console/upload/:id/progress", right, followImport),
  read("/console/upload/:id/refused", right, downloadRefused),
];

export const panels: Panels = {
  intake: async (person) => person.app.viewer.may(right) && (await renderUploads(person)),
};

async function renderUploads(person: Person): Promise<Html> {
  const uploads = openedOf(person, Uploads);
  const own = uploads.listOf(person.operator.operatorId);
  return html`<section aria-labelledby="upload">
    <h2 id="upload">Upload a file</h2>
    ${uploads.bytesMax === 0 ? renderEmpty(uploadsOff) : await renderForm(person, uploads)}
    ${
      own.length > 0 &&
      html`<h3>Your files</h3>
        ${renderTable(columns, own)}`
    }
  </section>`;
}

const uploadsOff = html`Uploads are off. On the server, <code>sluice import</code> imports files.`;

const purposes = [
  ["add", "add records"],
  ["update", "update records that exist"],
] as const;

async function renderForm(
  { app, organization = "" }: Person,
  { bytesMax }: Pick<Uploads, "bytesMax">,
): Promise<Html> {
  const hidden = await app.viewer.hiddenTypes();
  const types = recordTypes
    .filter(({ resourceType }) => !hidden.has(resourceType))
    .map(({ resourceType, title }) => [resourceType, title] as const);
  const query = new URLSearchParams({ organization });
  return html`<p>
      CSV, NDJSON or JSON, also compressed with gzip, Brotli or Zstandard, up to
      ${formatBytes(bytesMax)}. The ending of the name says which. Nothing is written before you
      have seen the first rows and confirm.
    </p>
    <form class="filters" method="post" action="/console/upload" enctype="multipart/form-data">
      ${renderOrganizationInput(query, { required: true })}
      ${renderChoice("Record type", "type", { query, values: types, required: true })}
      ${renderChoice("Purpose", "mode", { query, values: purposes, required: true })}
      <label>File <input type="file" name="file" required /></label>
      <button type="submit" class="main">Upload</button>
    </form>`;
}

const columns: readonly Column<Upload>[] = [
  [
    "File",
    ({ uploadId, fileName }) =>
      html`<a href="/console/upload/${uploadId}"><bdi>${fileName}</bdi></a>`,
  ],
  ["Organization", ({ organizationId }) => renderOrganization(organizationId)],
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
