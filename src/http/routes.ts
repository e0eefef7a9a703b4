// The API of the core on one screen: every operation as a row of name, method, path and verb. This is only a table;
// each file of verb/ contains everything about a verb. src/process/operations.ts adds the operations of features.

import type { RecordType } from "../domain/record-type.ts";
import { componentName } from "./openapi/wording.ts";
import type { Grant, Operation, Verb } from "./operation.ts";
import { checkRecord } from "./verb/check-record.ts";
import { issueTokenBy } from "./verb/issue-token.ts";
import { readDeletion } from "./verb/read-deletion.ts";
import { requestDeletion, requestDeletionByType } from "./verb/request-deletion.ts";
import { addRecords, appendRecords, updateRecords } from "./verb/write-verbs.ts";

/** What features add. */
interface Added {
  readonly operations: readonly Operation[];
  readonly grants: readonly Grant[];
}

export function operationsFor(
  types: readonly RecordType[],
  { operations, grants }: Added = { operations: [], grants: [] },
): readonly Operation[] {
  const issueToken = issueTokenBy(grants);
  return [
    row("issueToken", "POST /auth/token", issueToken),
    row("issueTokenV2", "POST /v2/auth/token", issueToken),
    row("requestDeletion", "POST /v2/deletion_request", requestDeletionByType),
    row("readDeletion", "GET /v2/deletion_request", readDeletion),
    ...operations,
    ...types.flatMap(operationsOfType),
  ];
}

function operationsOfType(type: RecordType): readonly Operation[] {
  const name = componentName(type);
  const path = `/v2/${type.resourceType}`;
  const batch = `/v2/${type.batchPath}`;
  const body = type.batchPath === undefined ? "either" : "one";
  const deletion = row(`delete${name}`, `DELETE ${path}`, requestDeletion, { type });
  const lists = [
    row(`add${name}Batch`, `POST ${batch}`, appendRecords, { type, body: "list" }),
    row(`update${name}Batch`, `PUT ${batch}`, updateRecords, { type, body: "list" }),
  ];
  return [
    row(`check${name}`, `GET ${path}`, checkRecord, { type }),
    row(`add${name}`, `POST ${path}`, addRecords, { type, body }),
    row(`update${name}`, `PUT ${path}`, updateRecords, { type, body }),
    ...(type.deletable === true ? [deletion] : []),
    ...(type.batchPath === undefined ? [] : lists),
  ];
}

export function row(
  name: string,
  route: `${Operation["method"]} ${string}`,
  verb: Verb,
  rest: Partial<Pick<Operation, "type" | "body">> = {},
): Operation {
  const [method, path] = route.split(" ") as [Operation["method"], string];
  return { name, method, path, ...verb, ...rest };
}
