// Turns any error into one readable line or one JSON object, and names the command to run after it: the actions that
// throw it do not know the command line. Never shows a stack trace.

import { resolve } from "node:path";
import {
  type ErrorContext,
  firstError,
  OperatorError,
  type OperatorErrorName,
} from "../../actions/operator/operator-error.ts";
import type { FeatureName } from "../../basics/name-rows.ts";
import { AppError } from "../../domain/error.ts";
import { FileError } from "../../files/file-error.ts";
import { ConfigError } from "../../settings/config.ts";
import { StoreError } from "../../store/interface/store-error.ts";
import { sluice } from "../../basics/program-name.ts";

export interface ErrorView {
  readonly name: string;
  readonly message: string;
  readonly code?: number;
}

const ofSettings =
  "DATABASE_URL, DATA_DIR and RECEIPT_KEY_FILE say where the files of the service are.";

/** `words`: those of the command line. A file that they do not name is one of the service. */
export function viewError(thrown: unknown, words: readonly string[] = []): ErrorView {
  const error = firstError(thrown);
  const path = findPath(error);
  const view = viewKind(error);
  if (path === undefined || isNamed(path, words)) return view;
  return { ...view, message: `${view.message} ${ofSettings}` };
}

function findPath(error: unknown): string | undefined {
  if (error instanceof FileError) return error.path;
  return error instanceof Error ? findPath(error.cause) : undefined;
}

/** Whether a word of the command line, or the value of an option in it, names the file, or one that it is made from. */
function isNamed(path: string, words: readonly string[]): boolean {
  return words.some((word) => resolve(path).startsWith(resolve(word.slice(word.indexOf("=") + 1))));
}

function viewKind(error: unknown): ErrorView {
  if (error instanceof ConfigError) return { name: "settings", message: error.message };
  if (error instanceof FileError) return { name: "file", message: error.message };
  if (error instanceof OperatorError) return viewOperatorError(error);
  if (error instanceof StoreError) return { name: "store", message: error.message };
  if (error instanceof AppError) {
    const detail = (error.errors ?? []).map(
      ({ field, message }) => ` ${field ?? ""} ${message ?? ""}.`,
    );
    // The reason of a store that is unavailable is for operators, and names no content.
    const reason = error.errorName === "unavailable" ? error.cause : undefined;
    if (reason instanceof Error) detail.push(` ${reason.message}`);
    return { name: error.errorName, message: error.message + detail.join(""), code: error.code };
  }
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return {
    name: "internal",
    message: `Internal error: ${message}. Please report it, with the stack trace that LOG_LEVEL=debug prints.`,
  };
}

/** The advice is at the end of the first line. If another error caused this one, it contains the advice. */
function viewOperatorError(error: OperatorError): ErrorView {
  const { errorName: name, message, cause } = error;
  const advised = adviseOn(error) ?? (cause instanceof OperatorError ? adviseOn(cause) : undefined);
  if (advised === undefined) return { name, message };
  return { name, message: message.replace(/\n|$/, (end) => ` ${advised}${end}`) };
}

function adviseOn({ errorName, row, context }: OperatorError): string | undefined {
  return (row.advice ?? advice[errorName])?.(context);
}

export const advice: {
  readonly [Name in OperatorErrorName | FeatureName]?: (
    context: ErrorContext,
  ) => string | undefined;
} = {
  confidential_type: () =>
    "To include it, add --include-confidential; it may be forbidden to pass on the output.",
  export_wanted: () =>
    "Add --export DIR to export its records before they are deleted, or --without-export.",
  input: ({ option }) => option && `See the option ${option}.`,
  invalid: where("isRecord", `To show one record, use: ${sluice} record show`),
  key_ended: ({ organizationId = "ID" }) =>
    `Create a new one with: ${sluice} key create --organization ${organizationId}`,
  ledger_ahead: () => `Run: ${sluice} deletion replay`,
  no_such_deletion: () => `List them with: ${sluice} deletion list`,
  no_such_hold: () => `List them with: ${sluice} deletion holds`,
  no_such_key: where("isFirst", `Create one with: ${sluice} key create --organization ID`),
  no_such_operator: where("isFirst", `Create one with: ${sluice} operator create NAME --role ROLE`),
  no_such_organization: where(
    "isFirst",
    `Create one with: ${sluice} organization create --name NAME`,
  ),
  no_such_restricted_set: ({ organizationId = "ID" }) =>
    `List them with: ${sluice} restricted list --organization ${organizationId}`,
  not_permitted: where("isUnnamed", "To name one, add --as NAME."),
  organization_closed: ({ deletionRequestId: id }) =>
    id === undefined
      ? undefined
      : `For its deletion, see: ${sluice} deletion show ${id} --include-confidential`,
  organization_exists: ({ organizationId = "ID" }) =>
    `To change it, use: ${sluice} organization set ${organizationId}`,
  proposed: ({ proposalId = "ID" }) =>
    `Approve it with: ${sluice} proposal approve ${proposalId} --as NAME`,
  no_such_proposal: () => `List them with: ${sluice} proposal list`,
  replay_unread: ({ ledgers = [] }) =>
    `Run: ${sluice} deletion replay${ledgers.map((name) => ` --ledger ${name}`).join("")}`,
  several_holds: () => `Name the one to release: ${sluice} deletion release HOLD_ID`,
};

function where(condition: "isFirst" | "isRecord" | "isUnnamed", text: string) {
  return (context: ErrorContext) => (context[condition] === true ? text : undefined);
}
