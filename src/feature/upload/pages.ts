// One uploaded file: which column goes to which field, the first rows as they would be stored, the import while it
// runs, and the refused rows. Nothing is written before the person has seen the rows and confirms.

import { beginImport, requireImportable, trackImport } from "../import/imports.ts";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import { enterSession } from "../../actions/operator/session.ts";
import type { MappingChoice } from "./column-choice.ts";
import type { Upload } from "./upload.ts";
import { jsonReply, type Next, noteForm, type Person } from "../../console/page.ts";
import { readSessionCookie } from "../../console/sign-in/cookie.ts";
import { sendFile } from "../../console/request/download.ts";
import { makeImportWriter } from "./import-writer.ts";
import { readFileForm } from "../../console/request/multipart.ts";
import { describeStep, renderBusy, renderEnded } from "./render-import.ts";
import { renderReady } from "./render-ready.ts";

const refreshSeconds = 2;

/** Receives the form with the file. A person without the right gets an error before the file is read. */
export async function receiveUpload(person: Person): Promise<Next> {
  const { app, operator, sources, request } = person;
  app.viewer.require("records.import");
  const endForm = sources.uploads.beginForm(operator.operatorId);
  const { uploadId } = await readFileForm(request, async ({ fields, fileName, content }) => {
    noteForm(person, new URLSearchParams([...fields]));
    if (fileName === "") throw new OperatorError("invalid", "No file was chosen. Choose a file.");
    const about = {
      ownerId: operator.operatorId,
      fileName,
      organizationId: fields.get("organization")?.trim() ?? "",
      resourceType: fields.get("type") ?? "",
      update: isUpdate(fields.get("mode")),
      repairs: fields.get("repairs"),
    };
    await requireImportable(app, about);
    return sources.uploads.receive(about, content);
  }).finally(endForm);
  return `/console/upload/${uploadId}`;
}

function isUpdate(mode = "add"): boolean {
  if (mode === "add" || mode === "update") return mode === "update";
  throw new OperatorError("invalid", "The field mode must be add or update. Choose a purpose.");
}

export async function showUpload(person: Person): Promise<Next> {
  const upload = find(person);
  const { state } = upload;
  const body =
    state.name === "ready"
      ? renderReady(...(await inspect(person)), person.sources.uploads)
      : state.name === "ended"
        ? renderEnded(upload, state)
        : renderBusy(upload, state);
  const isRunning = state.name === "checking" || state.name === "importing";
  const title = titles[state.name];
  const view = { title, screen: "/console/intake", body, ...(isRunning && { refreshSeconds }) };
  return view;
}

const titles: Readonly<Record<Upload["state"]["name"], string>> = {
  ready: "Check the file",
  checking: "Checking all rows",
  importing: "Importing",
  ended: "Import",
};

async function inspect(person: Person): Promise<[Upload, string | undefined]> {
  try {
    await person.sources.uploads.inspect(person.id, person.operator.operatorId);
    return [find(person), undefined];
  } catch (error) {
    if (!(error instanceof OperatorError) || error.errorName !== "input") throw error;
    return [find(person), error.message];
  }
}

export async function chooseColumns(person: Person, form: URLSearchParams): Promise<Next> {
  const { sources, operator, id } = person;
  find(person);
  const [fields, times] = [form.getAll("field"), form.getAll("time")];
  const columns = form.getAll("column").map((column, index) => ({
    column,
    field: fields[index]?.trim() ?? "",
    time: times[index]?.trim() ?? "",
  }));
  const names = Object.keys(sources.uploads.layoutParts);
  const layout = Object.fromEntries(names.map((name) => [name, form.get(name)?.trim() ?? ""]));
  const [preset = "", more = ""] = ["preset", "more"].map((name) => form.get(name)?.trim());
  const choice: MappingChoice = { preset, layout, columns, more };
  await sources.uploads.inspect(id, operator.operatorId, choice);
  return `/console/upload/${id}`;
}

export async function startImport(person: Person, form: URLSearchParams): Promise<Next> {
  const { app, context, sources, operator, id } = person;
  const upload = find(person);
  const { organizationId, resourceType, update } = upload;
  const target = { organizationId, resourceType };
  const write = makeImportWriter(context, await requireImportable(app, target));
  const requireAllowed = (): Promise<void> => requireStillImportable(person, upload);
  sources.uploads.start(id, operator.operatorId, {
    inspectionNo: Number(form.get("seen")),
    write: async (drafts, stopping) => {
      await requireAllowed();
      return write(drafts, stopping);
    },
    requireAllowed,
    record: async (run) => {
      await beginImport(app, { ...target, update });
      return trackImport(app, { ...target, source: "console" }, run);
    },
  });
  return `/console/upload/${id}`;
}

/** Throws OperatorError if the person has signed out, was disabled or lost the right since the request. */
async function requireStillImportable(
  { context, request, origin }: Person,
  upload: Upload,
): Promise<void> {
  const secret = readSessionCookie(request.headers, origin);
  const entered = secret === undefined ? undefined : await enterSession(context.app, secret);
  if (entered === undefined) {
    throw new OperatorError("not_permitted", "The session in which it was started has ended.");
  }
  await requireImportable(entered.app, upload);
}

export async function stopImport(person: Person): Promise<Next> {
  person.app.viewer.require("records.import");
  person.sources.uploads.stop(person.id, person.operator.operatorId);
  return `/console/upload/${person.id}`;
}

export async function discardUpload(person: Person): Promise<Next> {
  person.app.viewer.require("records.import");
  await person.sources.uploads.discard(person.id, person.operator.operatorId);
  return "/console/intake";
}

export async function followImport(person: Person): Promise<Next> {
  const { state } = find(person);
  const isRunning = state.name === "checking" || state.name === "importing";
  if (!isRunning) return jsonReply({ end: true });
  return jsonReply({ share: state.step?.share ?? 0, text: describeStep(state) });
}

export async function downloadRefused(person: Person): Promise<undefined> {
  const { app, sources, operator, id } = person;
  app.viewer.require("records.import");
  const found = sources.uploads.readRefused(id, operator.operatorId);
  if (found === undefined) {
    throw new OperatorError("no_such_upload", "No row of this file was refused.");
  }
  return sendFile(person, found.name, found.open);
}

/** Throws OperatorError not_permitted and no_such_upload. */
function find({ app, sources, operator, id }: Person): Upload {
  app.viewer.require("records.import");
  return sources.uploads.find(id, operator.operatorId);
}
