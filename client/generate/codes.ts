// client/src/generated/codes.ts: the error codes by name.

import { allErrors } from "../../src/process/tables.ts";
import { docstring, file } from "./code-text.ts";

export function renderCodes(): string {
  const entries = Object.entries(allErrors).map(
    ([name, { code, message }]) => `${docstring(message, "  ")}  ${name}: ${code},\n`,
  );
  return file(
    "The codes of errors. They are stable, and new ones may come.",
    `export const errorCodes = {\n${entries.join("")}} as const;`,
    "export type ErrorCode = (typeof errorCodes)[keyof typeof errorCodes];",
  );
}
