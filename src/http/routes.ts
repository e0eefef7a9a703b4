// The API on one screen: the operations of the contract, section 2, as record types times verbs.
// Only a table; what the verbs do is in handlers/.

import type { RecordType } from "../domain/record-type.ts";
import { recordTypes } from "../domain/record-types.ts";
import type { Operation } from "./operation.ts";

const written = [409, 413, 415, 422];
const token = { verb: "issue token", body: "one", errors: [413, 415] } as const;
const check = { verb: "check record", permission: "read", errors: [404] } as const;
const add = { verb: "add records", permission: "write", success: 201, errors: written } as const;
const append = { ...add, verb: "append records", body: "list", success: 200 } as const;
const update = { verb: "update records", permission: "write", errors: [404, ...written] } as const;
const remove = { permission: "delete", body: "one", errors: [404, ...written] } as const;

const general: readonly Operation[] = [
  row("issueToken", "POST", "/auth/token", token),
  row("issueTokenV2", "POST", "/v2/auth/token", token),
  row("requestDeletion", "POST", "/v2/deletion_request", {
    ...remove,
    verb: "request deletion by type",
  }),
  row("readDeletion", "GET", "/v2/deletion_request", {
    verb: "read deletion",
    permission: "delete",
    errors: [404],
  }),
];

/** Every operation of the service for these record types. */
export function operationsFor(types: readonly RecordType[]): readonly Operation[] {
  return [...general, ...types.flatMap(operationsOfType)];
}

export const operations: readonly Operation[] = operationsFor(recordTypes);

function operationsOfType(type: RecordType): readonly Operation[] {
  const name = pascalCase(type.resourceType);
  const path = `/v2/${type.resourceType}`;
  const body = type.batchPath === undefined ? "either" : "one";
  const rows = [
    row(`check${name}`, "GET", path, { ...check, type }),
    row(`add${name}`, "POST", path, { ...add, type, body }),
    row(`update${name}`, "PUT", path, { ...update, type, body }),
  ];
  if (type.deletable === true) {
    rows.push(row(`delete${name}`, "DELETE", path, { ...remove, verb: "request deletion", type }));
  }
  if (type.batchPath !== undefined) {
    const batch = `/v2/${type.batchPath}`;
    rows.push(
      row(`add${name}Batch`, "POST", batch, { ...append, type }),
      row(`update${name}Batch`, "PUT", batch, { ...update, type, body: "list" }),
    );
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
