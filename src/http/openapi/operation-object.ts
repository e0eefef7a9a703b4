// An operation of the route table as the document shows it.

import { identifier } from "../../domain/schema/fields.ts";
import { nounOf, type RecordType } from "../../domain/record-type.ts";
import type { Operation } from "../operation.ts";
import { bodiesOf } from "./bodies.ts";
import type {
  OperationObject,
  ParameterObject,
  PathItem,
  Reference,
  SecurityRequirement,
} from "./document.ts";
import { errorResponsesOf } from "./error-responses.ts";
import { exampleDeletionId, idExample } from "./examples.ts";
import { parameterRef } from "./parts.ts";
import { publishSchema } from "./publish-schema.ts";
import { componentName, describe } from "./wording.ts";

export const tokenTag = "Access token";
export const deletionTag = "Deletion";

/** The paths of the API, in the order of the table. HEAD comes with the GET of a record. */
export function apiPaths(
  operations: readonly Operation[],
  deletable: readonly RecordType[],
): Record<string, PathItem> {
  const paths: Record<string, PathItem> = {};
  for (const operation of operations) {
    const shared = { parameters: [parameterRef("RequestId")] };
    paths[operation.path] = {
      ...(paths[operation.path] ?? shared),
      [operation.method.toLowerCase()]: operationObject(operation, deletable),
      ...(operation.verb === "check record" ? { head: headObject(operation, deletable) } : {}),
    };
  }
  return paths;
}

function operationObject(operation: Operation, deletable: readonly RecordType[]): OperationObject {
  const parameters = parametersOf(operation);
  const { request, success } = bodiesOf(operation, deletable);
  return {
    operationId: operation.name,
    tags: [tagOf(operation)],
    ...describe(operation),
    security: [securityOf(operation)],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(request === undefined ? {} : { requestBody: request }),
    responses: {
      [operation.success]: success,
      ...errorResponsesOf(operation),
    },
  };
}

function headObject(operation: Operation, deletable: readonly RecordType[]): OperationObject {
  const {
    summary,
    description,
    requestBody: _none,
    ...rest
  } = operationObject(operation, deletable);
  const { description: found, headers } = bodiesOf(operation, deletable).success;
  return {
    ...rest,
    operationId: `head${operation.type === undefined ? "" : componentName(operation.type)}`,
    summary: `${summary} (without a body)`,
    description: `As GET, but only the status and the headers are answered. ${description}`,
    responses: {
      [operation.success]: { description: found, headers },
      ...errorResponsesOf(operation, { bodiless: true }),
    },
  };
}

function tagOf({ type, verb }: Operation): string {
  if (type !== undefined) return type.title;
  return verb === "issue token" ? tokenTag : deletionTag;
}

function securityOf({ verb }: Operation): SecurityRequirement {
  return verb === "issue token" ? { ApiKey: [] } : { AccessToken: [] };
}

function parametersOf(operation: Operation): (ParameterObject | Reference)[] {
  const { method, verb, body, type } = operation;
  if (verb === "issue token") return [];
  if (verb === "read deletion") {
    const description = "Unique identifier of the deletion request.";
    return [query("deletion_request_id", { description, example: exampleDeletionId })];
  }
  if (method === "GET") {
    if (type === undefined) throw new Error(`the operation ${operation.name} has no record type`);
    const description = `Unique identifier of the ${nounOf(type)}.`;
    return [query(type.idField, { description, example: idExample(type) })];
  }
  const lists = body === "list" || body === "either";
  return [parameterRef("IdempotencyKey"), ...(lists ? [parameterRef("Prefer")] : [])];
}

function query(
  name: string,
  { description, example }: { description: string; example: string },
): ParameterObject {
  const { description: _same, ...schema } = publishSchema(identifier(description));
  return { name, in: "query", required: true, description, schema, example };
}
