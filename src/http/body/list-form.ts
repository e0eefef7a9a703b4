// Checks the form of a body against that of the operation (one object, a list, or either), and the length of a list.

import { AppError } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";
import type { RecordType } from "../../domain/record-type.ts";

/** one: an object; list: a list; either: both. Lists may also be sent as a stream (application/x-ndjson). */
export type BodyForm = "none" | "one" | "list" | "either";

/** Throws AppError validation_failed if a list is expected. */
export function requireSingleForm(form: BodyForm, { resourceType }: RecordType): void {
  if (form !== "list") return;
  throw invalid(`The body must be a list of objects; send one to /v2/${resourceType}.`);
}

/** Throws AppError validation_failed if one object is expected or the list is empty, too_large if it is too long. */
export function requireListForm(form: BodyForm, type: RecordType, items: number): void {
  if (form === "one") {
    throw invalid(`The body must be one object; send lists to /v2/${type.batchPath ?? ""}.`);
  }
  if (items === 0) throw invalid("The list must hold at least one item.");
  if (items > limits.batchItemsMax) {
    throw new AppError("too_large", {
      message:
        `A list may have at most ${limits.batchItemsMax} items, and this one has ${items}; ` +
        "send it in parts, or as a stream (application/x-ndjson).",
    });
  }
}

function invalid(message: string): AppError {
  return new AppError("validation_failed", { message });
}
