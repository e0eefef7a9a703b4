// Reads a form with a file (multipart/form-data) as it arrives. The fields come before the file, so that they are known
// when its first byte is read; the file is never held in memory.

import type { IncomingMessage } from "node:http";
import { finished, type Readable } from "node:stream";
import type { BusboyInstance } from "@fastify/busboy";
import type { FastifyRequest } from "fastify";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import { AppError } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";
import { askForBody } from "../../http/body/expectation.ts";
import { keepForm, type Person, requireStorable, requireType } from "../page.ts";

export interface FilePart {
  readonly fields: ReadonlyMap<string, string>;
  /** Contains no folder, and may be empty. Never contains half of a character, which no header and no file can have. */
  readonly fileName: string;
  readonly content: Readable;
}

/** The bound applies however slowly the form arrives. */
const uploadMsMax = 15 * 60_000;

const bounds = {
  fields: 8,
  fieldSize: 1_024,
  files: 1,
  parts: 9,
  headerPairs: 16,
  headerSize: 4_096,
};

/** For a form on a page. Throws also OperatorError upload if too many are arriving, and invalid without a file. */
export async function receiveFileForm<Result>(
  person: Person,
  receive: (part: FilePart) => Promise<Result>,
  options?: { readonly fieldBytesMax: number },
): Promise<Result> {
  const { sources, operator, request } = person;
  const end = sources.forms.begin(operator.operatorId);
  const receiveNamed = async (part: FilePart): Promise<Result> => {
    keepForm(person, new URLSearchParams([...part.fields]));
    if (part.fileName !== "") return receive(part);
    throw new OperatorError("invalid", "No file was chosen. Choose a file.");
  };
  return readFileForm(request, receiveNamed, options).finally(end);
}

/**
 * Resolves to the result of `receive` when the form has arrived. Rejects with AppError content_type, request_timeout,
 * malformed_http or validation_failed, with OperatorError invalid for a form without a file, and with what `receive`
 * rejects with; by then `receive` has ended.
 */
export async function readFileForm<Result>(
  { raw, headers }: Pick<FastifyRequest, "raw"> & { readonly headers: FastifyRequest["headers"] },
  receive: (part: FilePart) => Promise<Result>,
  { fieldBytesMax = bounds.fieldSize }: { readonly fieldBytesMax?: number } = {},
): Promise<Result> {
  requireType(headers, "multipart/form-data");
  const parser = await makeParser(raw, fieldBytesMax);
  const ended = Promise.withResolvers<void>();
  const fields = new Map<string, string>();
  let file: Readable | undefined;
  let received: Promise<Result> | undefined;
  const fail = (error: Error): void => {
    raw.unpipe(parser);
    file?.destroy(error);
    ended.reject(error);
  };
  const receiveStorable = async (part: FilePart): Promise<Result> => {
    requireStorable([...part.fields, ["file", part.fileName]]);
    return receive(part);
  };
  const late = setTimeout(() => fail(new AppError("request_timeout")), uploadMsMax);
  const fieldsLate = setTimeout(() => fail(new AppError("request_timeout")), limits.bodyTimeoutMs);
  parser.on("field", (name, value) => fields.set(name, value));
  // The parser passes undefined if the form names none, although its type does not say so.
  parser.on("file", (_name, content: Readable, fileName: string | undefined) => {
    clearTimeout(fieldsLate);
    file = content;
    content.on("error", () => undefined);
    received = receiveStorable({ fields, fileName: fileName?.toWellFormed() ?? "", content });
    received.catch(fail);
  });
  parser.on("error", (cause) => fail(incomplete(cause)));
  parser.on("finish", () => ended.resolve());
  // Also if the client has disconnected before this, while its session was looked up.
  finished(raw, (error) => error && fail(incomplete(error)));
  askForBody(raw);
  raw.pipe(parser);
  try {
    await ended.promise;
    if (received !== undefined) return await received;
  } catch (error) {
    // By then, what it has written is removed.
    await received?.catch(() => undefined);
    throw error;
  } finally {
    clearTimeout(late);
    clearTimeout(fieldsLate);
  }
  throw new OperatorError("invalid", "The form has no file. Choose a file, and send it again.");
}

/** The library is loaded with the first upload. */
async function makeParser(raw: IncomingMessage, fieldSize: number): Promise<BusboyInstance> {
  const { Busboy } = await import("@fastify/busboy");
  try {
    const { "content-type": type = "" } = raw.headers;
    return new Busboy({
      headers: { ...raw.headers, "content-type": type },
      limits: { ...bounds, fieldSize },
    });
  } catch (cause) {
    throw incomplete(cause);
  }
}

function incomplete(cause?: unknown): AppError {
  return new AppError("malformed_http", { message: "The form did not arrive completely.", cause });
}
