// The options as they are typed: long and short forms, and those that every command has.

import { flag, optional } from "./command.ts";
import { readOperator } from "./context.ts";

/** Short forms, the same for every command that has the option. */
const shortFlags: ReadonlyMap<string, string> = new Map([["organization", "-o"]]);

/** The options that every command has. */
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

/** The short form, if there is one, and the long one. */
export function optionFlags(name: string): readonly string[] {
  const short = shortFlags.get(name);
  return short === undefined ? [optionFlag(name)] : [short, optionFlag(name)];
}
