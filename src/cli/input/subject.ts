// The arguments and options of the commands about a person or a company.

import { recordTypes } from "../../domain/record-types.ts";
import { flag, required } from "../command.ts";
import { recordType, text } from "./kinds.ts";

const parties = recordTypes.filter(({ party }) => party === true);

/** The action that uses the type reports any other. */
const subjectType = { ...recordType, values: parties.map(({ resourceType }) => resourceType) };

export const subjectArguments = {
  type: required(subjectType, "person or company."),
  id: required(text("ID"), "Id of the person or company."),
};

export const subjectOptions = {
  organization: required(text("ID"), "Organization that the record belongs to."),
  includeConfidential: flag(
    "Include confidential types, such as reports of suspicions, the restricted store, and legal holds. For officers only: do not hand it out.",
  ),
};
