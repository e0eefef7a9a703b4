// The pages of uploads, and what they show on pages of the core: the form for a file, the files of this person, and one
// file with its mapping, its first rows, its import and its refused rows. Nothing is written before the person has seen
// the rows and confirms.

import { OperatorError } from "../../actions/operator/operator-error.ts";
import { findOrganizationId } from "../../actions/access/find-organization.ts";
import { enterSession } from "../../actions/operator/session.ts";
import { layoutNames } from "../csv/layout.ts";
import { type Meaning, renderChip } from "../../console/html/chip.ts";
import { renderChoice, renderOrganizationInput } from "../../console/html/filter.ts";
import { type Column, html, type Html, renderEmpty, renderTable } from "../../console/html/html.ts";
import { renderOrganization } from "../../console/html/party.ts";
import { formatBytes, renderAgo } from "../../console/html/time.ts";
import {
  jsonReply,
  type Next,
  openedOf,
  type Panels,
  type Person,
  type Route,
} from "../../console/page.ts";
import { showIntake } from "../../console/page/intake.ts";
import { sendFile } from "../../console/request/download.ts";
import { receiveFileForm } from "../../console/request/multipart.ts";
import { act, read, send } from "../../console/route.ts";
import { readCookie } from "../../console/sign-in/cookie.ts";
import { recordTypes, titleOf } from "../../domain/record-types.ts";
import { beginImport, requireImportable, trackImport } from "../import/imports.ts";
import { rights } from "../import/rows.ts";
import type { MappingChoice } from "./column-choice.ts";
import { makeImportWriter } from "./import-writer.ts";
import { describeStep, renderBusy, renderEnded } from "./render-import.ts";
import { renderReady } from "./render-ready.ts";
import { operatorErrors } from "./rows.ts";
import { isBusy, type Upload } from "./upload.ts";
import { Uploads } from "./uploads.ts";
import { sluice } from "../../basics/program-name.ts";

const right = rights["records.import"];

export const routes: readonly Route[] = [
  { ...send("/console/upload", right, receiveUpload, showIntake), lasting: true },
  read("/console/upload/:id", right, showUpload),
  act("/console/upload/:id", right, chooseColumns, showUpload),
  { ...send("/console/upload/:id/repair", right, receiveUpload, showUpload), lasting: true },
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
        ${renderTable(fileColumns, own)}`
    }
  </section>`;
}

const uploadsOff = html`Uploads are off. On the server, <code>${sluice} import</code> imports files.`;

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

const fileColumns: readonly Column<Upload>[] = [
  [
    "File",
    ({ uploadId, fileName }) =>
      html`<a href="/console/upload/${uploadId}"><bdi>${fileName}</bdi></a>`,
  ],
  ["Organization", ({ organizationId }) => renderOrganization(organizationId)],
  ["Records", ({ resourceType }) => titleOf(resourceType)],
  ["Uploaded", ({ receivedAt }) => renderAgo(receivedAt)],
  ["State", ({ state: { name } }) => renderChip(states[name][0], states[name][1])],
];

/** What each state is called in a list, and as the title of the page. */
const states: Readonly<Record<Upload["state"]["name"], readonly [Meaning, string, string]>> = {
  ready: ["wait", "to be checked", "Check the file"],
  checking: ["busy", "is being checked", "Checking all rows"],
  importing: ["busy", "is being imported", "Importing"],
  ended: ["good", "import ended", "Import"],
};

const refreshSeconds = 2;

/**
 * Receives the form with a file, also with one that repairs another. A person without the right gets an error before
 * the file is read.
 */
async function receiveUpload(person: Person): Promise<Next> {
  const { app, operator, id } = person;
  const uploads = uploadsOf(person);
  const { uploadId } = await receiveFileForm(person, async ({ fields, fileName, content }) => {
    const faulty = id === "" ? undefined : find(person);
    const { organizationId, resourceType, update } = faulty ?? {
      organizationId: await findOrganizationId(app, fields.get("organization") ?? ""),
      resourceType: fields.get("type") ?? "",
      update: isUpdate(fields.get("mode")),
    };
    const target = { organizationId, resourceType };
    await requireImportable(app, target);
    const about = { ...target, update, fileName, ownerId: operator.operatorId };
    return uploads.receive({ ...about, repairs: faulty?.uploadId }, content);
  });
  return `/console/upload/${uploadId}`;
}

function isUpdate(mode = "add"): boolean {
  if (mode === "add" || mode === "update") return mode === "update";
  throw new OperatorError("invalid", "The field mode must be add or update. Choose a purpose.");
}

async function showUpload(person: Person): Promise<Next> {
  const upload = find(person);
  const { state } = upload;
  const body =
    state.name === "ready"
      ? renderReady(...(await inspect(person)))
      : state.name === "ended"
        ? renderEnded(upload, state)
        : renderBusy(upload, state);
  const [, , title] = states[state.name];
  return { title, screen: "/console/intake", body, ...(isBusy(upload) && { refreshSeconds }) };
}

async function inspect(person: Person): Promise<[Upload, string | undefined]> {
  try {
    await uploadsOf(person).inspect(person.id, person.operator.operatorId);
    return [find(person), undefined];
  } catch (error) {
    if (!(error instanceof OperatorError) || error.errorName !== "input") throw error;
    return [find(person), error.message];
  }
}

async function chooseColumns(person: Person, form: URLSearchParams): Promise<Next> {
  const { operator, id } = person;
  const [fields, times] = [form.getAll("field"), form.getAll("time")];
  const columns = form.getAll("column").map((column, index) => ({
    column,
    field: fields[index]?.trim() ?? "",
    time: times[index]?.trim() ?? "",
  }));
  const layout = Object.fromEntries(
    layoutNames.map((name) => [name, form.get(name)?.trim() ?? ""]),
  );
  const [preset = "", more = ""] = ["preset", "more"].map((name) => form.get(name)?.trim());
  const choice: MappingChoice = { preset, layout, columns, more };
  await uploadsOf(person).inspect(id, operator.operatorId, choice);
  return `/console/upload/${id}`;
}

async function startImport(person: Person, form: URLSearchParams): Promise<Next> {
  const { app, context, operator, id } = person;
  const upload = find(person);
  const { organizationId, resourceType, update } = upload;
  const target = { organizationId, resourceType };
  const write = makeImportWriter(context, await requireImportable(app, target));
  const requireAllowed = (): Promise<void> => requireStillImportable(person, upload);
  uploadsOf(person).start(id, operator.operatorId, {
    inspectionNo: Number(form.get("seen")),
    write: async (drafts, stopping) => {
      await requireAllowed();
      return write(drafts, stopping);
    },
    requireAllowed,
    record: async (run) => {
      await beginImport(app, { ...target, update, rows: upload.check?.rows });
      return trackImport(app, { ...target, source: "console" }, run);
    },
  });
  return `/console/upload/${id}`;
}

/** Throws OperatorError if the person has signed out, was disabled or lost the right since the request. */
async function requireStillImportable(person: Person, upload: Upload): Promise<void> {
  const secret = readCookie("session", person);
  const entered = secret === undefined ? undefined : await enterSession(person.context.app, secret);
  if (entered === undefined) {
    throw new OperatorError("not_permitted", "The session in which it was started has ended.");
  }
  await requireImportable(entered.app, upload);
}

async function stopImport(person: Person): Promise<Next> {
  uploadsOf(person).stop(person.id, person.operator.operatorId);
  return `/console/upload/${person.id}`;
}

async function discardUpload(person: Person): Promise<Next> {
  await uploadsOf(person).discard(person.id, person.operator.operatorId);
  return "/console/intake";
}

async function followImport(person: Person): Promise<Next> {
  const upload = find(person);
  if (!isBusy(upload)) return jsonReply({ end: true });
  return jsonReply({ share: upload.state.step?.share ?? 0, text: describeStep(upload.state) });
}

async function downloadRefused(person: Person): Promise<undefined> {
  const found = uploadsOf(person).readRefused(person.id, person.operator.operatorId);
  if (found === undefined) {
    throw new OperatorError(operatorErrors.no_such_upload, "No row of this file was refused.");
  }
  return sendFile(person, found.name, found.open);
}

/** Throws OperatorError not_permitted and no_such_upload. */
function find(person: Person): Upload {
  return uploadsOf(person).find(person.id, person.operator.operatorId);
}

/** Throws OperatorError not_permitted. */
function uploadsOf(person: Person): Uploads {
  person.app.viewer.require(rights["records.import"]);
  return openedOf(person, Uploads);
}
