// The table from verb to handler.

import type { Verb } from "../operation.ts";
import { makeCheckRecord } from "./check-record.ts";
import { makeReadDeletion, makeRequestDeletion, makeRequestDeletionByType } from "./deletion.ts";
import type { HandlerMaker } from "./handler.ts";
import { makeIssueToken } from "./issue-token.ts";
import { makeAddRecords, makeAppendRecords, makeUpdateRecords } from "./write-records.ts";

export const handlers: Readonly<Record<Verb, HandlerMaker>> = {
  "issue token": makeIssueToken,
  "check record": makeCheckRecord,
  "add records": makeAddRecords,
  "append records": makeAppendRecords,
  "update records": makeUpdateRecords,
  "request deletion": makeRequestDeletion,
  "request deletion by type": makeRequestDeletionByType,
  "read deletion": makeReadDeletion,
};
