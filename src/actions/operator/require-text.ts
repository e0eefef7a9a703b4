// Text that a person enters, such as a reason, before it is stored.

import { limits } from "../../domain/limits.ts";
import { OperatorError } from "./operator-error.ts";

// eslint-disable-next-line no-control-regex
const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/;

/** Throws OperatorError invalid unless `text` is a line of 1 to `charactersMax` characters. */
export function requireLine(what: string, text: string, charactersMax: number): void {
  const fits = text.trim() !== "" && text.length <= charactersMax;
  if (fits && !controlCharacter.test(text) && text.isWellFormed()) return;
  throw new OperatorError(
    "invalid",
    `${what} must be 1 to ${charactersMax} characters without control characters.`,
  );
}

/** Throws OperatorError invalid. */
export function requireReason(reason: string): void {
  requireLine("The reason", reason, limits.reasonCharactersMax);
}
