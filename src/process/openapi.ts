// The OpenAPI document of the service, with the operations of features. Nothing that serves loads this: it is large.

import type { RecordType } from "../domain/record-type.ts";
import { recordTypes } from "../domain/record-types.ts";
import * as core from "../http/openapi.ts";
import type { OpenApiDocument } from "../http/openapi/document.ts";
import { added as parts, publicRoutes } from "./operations.ts";
import { allErrors } from "./tables.ts";

const added = { ...parts, publicRoutes, errors: Object.values(allErrors) };

export function publishOpenApi(types: readonly RecordType[] = recordTypes): OpenApiDocument {
  return core.publishOpenApi(types, added);
}

/** Everything that the service accepts and answers, streams and unions included. */
export function buildOpenApi(types: readonly RecordType[] = recordTypes): OpenApiDocument {
  return core.buildOpenApi(types, added);
}
