// The options as they are typed: long and short forms, and those that every command has.

import { UsageError } from "../actions/operator/operator-error.ts";
import { isOperatorName, isReservedName, operatorNameRule } from "../domain/operator.ts";
import { flag, optional } from "./command.ts";

/** Short forms, the same for every command that has the option. */
const shortFlags: ReadonlyMap<string, string> = new Map([["organization", "-o"]]);

export const commonOptions = {
  json: flag("Print JSON on standard output, and errors as JSON on standard error."),
  as: optional(
    { placeholder: "NAME", read: readOperator },
    "The operator who acts, for the audit trail, instead of the user of the operating system.",
  ),
};

/** `--deletion-grace` for `deletionGrace`. */
export function optionFlag(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

export function optionFlags(name: string): readonly string[] {
  const short = shortFlags.get(name);
  return short === undefined ? [optionFlag(name)] : [short, optionFlag(name)];
}

/** Throws UsageError for a name that is reserved in the audit trail or has other characters than names have. */
export function readOperator(word: string): string {
  if (isReservedName(word)) {
    throw new UsageError(`"${word}" is reserved in the audit trail; give the name of a person.`);
  }
  if (isOperatorName(word)) return word;
  throw new UsageError(`It must be ${operatorNameRule}.`);
}
