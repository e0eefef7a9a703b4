// The intake: the form by which a person uploads a file, the files that this person has uploaded, imports, and what was refused.

import { listOrganizations } from "../../actions/access/find-organization.ts";
import { hasRight, requireRight, viewerOf } from "../../actions/operator/viewer.ts";
import type { Upload } from "../../bulk/upload/upload.ts";
import { recordTypes } from "../../domain/record-types.ts";
import type { Answer } from "../../http/reply/reply.ts";
import { type Html, html } from "../html/html.ts";
import { showPage } from "../frame/layout.ts";
import type { Person } from "../request/request.ts";
import { type Column, renderTable } from "../html/table.ts";
import { formatBytes, renderTime } from "../html/time.ts";
import { renderImports } from "./imports.ts";
import { renderRefusals } from "./refusals.ts";

const screen = "/console/intake";

export async function showIntake(person: Person): Promise<Answer> {
  requireRight(person.app, "intake.read");
  const mayImport = hasRight(person.app, "records.import");
  const body = html`${mayImport && (await renderUploads(person))} ${await renderImports(person)}
  ${renderRefusals(person)}`;
  return showPage(person, { title: "Intake", screen, body });
}

async function renderUploads(person: Person): Promise<Html> {
  const { sources, operator } = person;
  const own = sources.uploads.listOf(operator.operatorId);
  return html`<section aria-labelledby="upload">
    <h2 id="upload">Upload a file</h2>
    ${sources.uploads.bytesMax === 0 ? uploadsOff : await renderForm(person)}
    ${own.length > 0 && renderOwn(own)}
  </section>`;
}

const uploadsOff = html`<p class="empty">
  Uploads are off. On the server, <code>sluice import</code> imports files.
</p>`;

const organizationsOffered = 200;

async function renderForm({ app, sources }: Person): Promise<Html> {
  const hidden = await viewerOf(app).hiddenTypes();
  const organizations = await listOrganizations(app);
  const open = organizations.filter(({ closedAt }) => closedAt === undefined);
  const types = recordTypes.filter(({ resourceType }) => !hidden.has(resourceType));
  return html`<p>
      CSV, NDJSON, JSON or Parquet, also compressed with gzip, Brotli or Zstandard, up to
      ${formatBytes(sources.uploads.bytesMax)}. The ending of the name says which. Nothing is
      written before you have seen the first rows and confirm.
    </p>
    <form class="filters" method="post" action="/console/upload" enctype="multipart/form-data">
      <label
        >Organization
        <input name="organization" list="organizations" required maxlength="64" autocomplete="off"
      /></label>
      <datalist id="organizations">
        ${open
          .slice(0, organizationsOffered)
          .map(
            ({ organizationId, name }) => html`<option value="${organizationId}">${name}</option>`,
          )}
      </datalist>
      <label
        >Record type
        <select name="type" required>
          ${types.map(({ resourceType }) => html`<option>${resourceType}</option>`)}
        </select></label
      >
      <label
        >Purpose
        <select name="mode">
          <option value="add">add records</option>
          <option value="update">update records that exist</option>
        </select></label
      >
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
  ["Records", ({ resourceType }) => resourceType],
  ["Uploaded", ({ receivedAt }) => renderTime(receivedAt)],
  ["State", ({ state }) => stateLabels[state.name]],
];

const stateLabels: Readonly<Record<Upload["state"]["name"], string>> = {
  ready: "to be checked",
  importing: "is being imported",
  ended: "import ended",
};
