// The API key for an import over HTTP: from the environment or from a file, never from the command line, which every
// user of the machine can read. Never printed.

import { OperatorError } from "../../actions/operator/operator-error.ts";
import type { Context } from "../../cli/command.ts";
import { readText } from "./map/mapping.ts";
import { operatorErrors } from "./rows.ts";

export const keyVariable = "SLUICE_API_KEY";

/** Throws OperatorError that says where the key is expected. */
export function readApiKey({ environment }: Context, keyFile: string | undefined): string {
  const unread = (why: string) =>
    new OperatorError(operatorErrors.key, `The key file ${keyFile} ${why}.`);
  const key = keyFile === undefined ? environment[keyVariable] : readText(keyFile, unread);
  const text = key?.trim() ?? "";
  if (/^[\u0021-\u007e]+$/.test(text)) return text;
  const where = keyFile === undefined ? `The variable ${keyVariable}` : `The file ${keyFile}`;
  throw new OperatorError(
    operatorErrors.key,
    `${where} ${text === "" ? "has no API key" : "contains something other than an API key"}. ` +
      `Set ${keyVariable}, or name a file that contains the key with --key-file.`,
  );
}
