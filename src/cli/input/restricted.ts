// The options of commands that read the restricted store.

import { optional, required } from "../command.ts";
import { reason, text } from "./kinds.ts";

export const restrictedOptions = {
  organization: required(text("ID"), "Organization that the records were of."),
  reason: optional(reason, "Why you read it; for the audit trail."),
};
