// All operations of the service, those of the core and those of features, and the document that describes them.

import type { RecordType } from "../domain/record-type.ts";
import { recordTypes } from "../domain/record-types.ts";
import { features } from "../feature/features.ts";
import * as core from "../http/openapi.ts";
import type { OpenApiDocument } from "../http/openapi/document.ts";
import type { Operation } from "../http/operation.ts";
import { operationsFor } from "../http/routes.ts";

const parts = (await Promise.all(features.map((feature) => feature.http?.()))).filter(
  (part) => part !== undefined,
);
const added = {
  operations: parts.flatMap((part) => part.operations),
  tags: parts.flatMap((part) => part.tags),
};

export const operations: readonly Operation[] = operationsFor(recordTypes, added.operations);

/** The document as it is published. */
export function publishOpenApi(types: readonly RecordType[] = recordTypes): OpenApiDocument {
  return core.publishOpenApi(types, added);
}

/** Everything that the service accepts and answers, streams and unions included. */
export function buildOpenApi(types: readonly RecordType[] = recordTypes): OpenApiDocument {
  return core.buildOpenApi(types, added);
}
