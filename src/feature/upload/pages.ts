// One uploaded file: which column goes to which field, the first rows as they would be stored, the import while it
// runs, and the refused rows. Nothing is written before the person has seen the rows and confirms.

import { beginImport, requireImportable, trackImport } from "../import/imports.ts";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import { enterSession } from "../../actions/operator/session.ts";
import type { MappingChoice } from "./column-choice.ts";
import { layoutNames } from "../../bulk/formats/layout.ts";
import { rights } from "../import/rows.ts";
import { operatorErrors } from "./rows.ts";
import type { Upload } from "./upload.ts";
import { Uploads } from "./uploads.ts";
import { jsonReply, type Next, openedOf, type Person } from "../../console/page.ts";
import { readSessionCookie } from "../../console/sign-in/cookie.ts";
import { sendFile } from "../../console/request/download.ts";
import { makeImportWriter } from "./import-writer.ts";
import { receiveFileForm } from "../../console/request/multipart.ts";
import { describeStep, renderBusy, renderEnded } from "./render-import.ts";
import { renderReady } from "./render-ready.ts";

const refreshSeconds = 2;

/** Receives the form with the file. A person without the right gets an error before the file is read. */
export async function receiveUpload(person: Person): Promise<Next> {
  const { app, operator } = person;
  const uploads = uploadsOf(person);
  const { uploadId } = await receiveFileForm(person, async ({ fields, fileName, content }) => {
    const about = {
      ownerId: operator.operatorId,
      fileName,
      organizationId: fields.get("organization")?.trim() ?? "",
      resourceType: fields.get("type") ?? "",
      update: isUpdate(fields.get("mode")),
      repairs: fields.get("repairs"),
    };
    await requireImportable(app, about);
    return uploads.receive(about, content);
  });
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
      ? renderReady(...(await inspect(person)))
      : state.name === "ended"
        ? renderEnded(upload, state)
        : renderBusy(upload, state);
  const isRunning = state.name === "checking" || state.name === "importing";
  const title = titles[state.name];
  return { title, screen: "/console/intake", body, ...(isRunning && { refreshSeconds }) };
}

const titles: Readonly<Record<Upload["state"]["name"], string>> = {
  ready: "Check the file",
  checking: "Checking all rows",
  importing: "Importing",
  ended: "Import",
};

async function inspect(person: Person): Promise<[Upload, string | undefined]> {
  try {
    await uploadsOf(person).inspect(person.id, person.operator.operatorId);
    return [find(person), undefined];
  } catch (error) {
    if (!(error instanceof OperatorError) || error.errorName !== "input") throw error;
    return [find(person), error.message];
  }
}

export async function chooseColumns(person: Person, form: URLSearchParams): Promise<Next> {
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

export async function startImport(person: Person, form: URLSearchParams): Promise<Next> {
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
  uploadsOf(person).stop(person.id, person.operator.operatorId);
  return `/console/upload/${person.id}`;
}

export async function discardUpload(person: Person): Promise<Next> {
  await uploadsOf(person).discard(person.id, person.operator.operatorId);
  return "/console/intake";
}

export async function followImport(person: Person): Promise<Next> {
  const { state } = find(person);
  const isRunning = state.name === "checking" || state.name === "importing";
  if (!isRunning) return jsonReply({ end: true });
  return jsonReply({ share: state.step?.share ?? 0, text: describeStep(state) });
}

export async function downloadRefused(person: Person): Promise<undefined> {
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
