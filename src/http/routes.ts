// The API on one screen: the operations of the contract, section 2, as record types times verbs.
// Only a table; what the verbs do is in handlers/.

import type { RecordType } from "../domain/record-type.ts";
import { recordTypes } from "../domain/record-types.ts";
import type { Operation } from "./operation.ts";

const general: readonly Operation[] = [
  row("issueToken", "POST", "/auth/token", { verb: "issue token", body: "one", errors: [415] }),
  row("issueTokenV2", "POST", "/v2/auth/token", { verb: "issue token", body: "one", errors: [415] }),
  row("readDeletion", "GET", "/v2/deletion_request", {
    verb: "read deletion",
    permission: "delete",
    errors: [404],
  }),
  row("requestDeletion", "POST", "/v2/deletion_request", {
    verb: "request deletion by type",
    permission: "delete",
    body: "one",
    errors: [404, 409, 415, 422],
  }),
];

/** Every operation of the service for these record types. */
export function operationsFor(types: readonly RecordType[]): readonly Operation[] {
  return [...general, ...types.flatMap(operationsOfType)];
}

export const operations: readonly Operation[] = operationsFor(recordTypes);

function operationsOfType(type: RecordType): readonly Operation[] {
  const path = `/v2/${type.resourceType}`;
  const name = pascalCase(type.resourceType);
  const body = type.batchPath === undefined ? "either" : "one";
  const rows = [
    row(`check${name}`, "GET", path, { type, verb: "check record", permission: "read", errors: [404] }),
    row(`add${name}`, "POST", path, { type, verb: "add records", permission: "write", body, success: 201, errors: [409, 413, 415, 422] }),
    row(`update${name}`, "PUT", path, { type, verb: "update records", permission: "write", body, errors: [404, 409, 413, 415, 422] }),
  ];
  if (type.batchPath !== undefined) {
    const batch = `/v2/${type.batchPath}`;
    rows.push(
      row(`add${name}Batch`, "POST", batch, { type, verb: "append records", permission: "write", body: "list", errors: [409, 413, 415, 422] }),
      row(`update${name}Batch`, "PUT", batch, { type, verb: "update records", permission: "write", body: "list", errors: [404, 409, 413, 415, 422] }),
    );
  }
  if (type.deletable === true) {
    rows.push(row(`delete${name}`, "DELETE", path, { type, verb: "request deletion", permission: "delete", body: "one", errors: [404, 409, 415, 422] }));
  }
  return rows;
}

function row(
  name: string,
  method: Operation["method"],
  path: string,
  rest: Partial<Operation> & Pick<Operation, "verb" | "errors">,
): Operation {
  return { name, method, path, body: "none", success: 200, ...rest };
}

function pascalCase(snake: string): string {
  return snake.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
