// The OpenAPI 3.1 document, generated from the route table and from the schemas that validate. Pure: the same table gives
// the same document, byte by byte.

import type { RecordType } from "../domain/record-type.ts";
import { recordTypes } from "../domain/record-types.ts";
import type { Components, JsonSchema, OpenApiDocument, PathItem, Tag } from "./openapi/document.ts";
import { errorComponents } from "./openapi/error-responses.ts";
import { introduction } from "./openapi/introduction.ts";
import { apiPaths, deletionTag, tokenTag } from "./openapi/operation-object.ts";
import { headers, parameters, securitySchemes } from "./openapi/parts.ts";
import { sharedSchemas } from "./openapi/publish-schema.ts";
import { deletionAccepted, generalSchemas, replySchemasOf } from "./openapi/reply-schemas.ts";
import { generalRequestSchemas, requestSchemasOf } from "./openapi/request-body-schemas.ts";
import { servicePaths, serviceTag } from "./openapi/service-paths.ts";
import { operationsFor } from "./routes.ts";

export interface OpenApiOptions {
  /** Where the service is reached, e.g. `https://intake.example.com`. */
  readonly serverUrl?: string;
  readonly types?: readonly RecordType[];
}

const defaultServerUrl = "http://127.0.0.1:8080";

export function buildOpenApi(options: OpenApiOptions = {}): OpenApiDocument {
  const { serverUrl = defaultServerUrl, types = recordTypes } = options;
  const deletable = types.filter((type) => type.deletable === true);
  const paths = { ...apiPaths(operationsFor(types), deletable), ...servicePaths() };
  return {
    openapi: "3.1.0",
    info: {
      title: "Sluice",
      version: "2.0",
      summary: "Intake of financial records, with erasure that is verified.",
      description: introduction(),
      contact: { name: "The operator of this service" },
      license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: serverUrl, description: "This service: v1.0 and v2.0 have the same base." }],
    tags: tagsFor(types),
    security: [{ AccessToken: [] }],
    paths,
    components: componentsFor(types, paths),
  };
}

function tagsFor(types: readonly RecordType[]): readonly Tag[] {
  return [
    { name: tokenTag, description: "Short-lived access to one organization's records." },
    ...types.map(({ title, summary }) => ({ name: title, description: summary })),
    { name: deletionTag, description: "Requests to delete a record, and how far they have come." },
    { name: serviceTag, description: "What operators' machines ask; no credential is needed." },
  ];
}

function componentsFor(
  types: readonly RecordType[],
  paths: Readonly<Record<string, PathItem>>,
): Components {
  const schemas: Record<string, JsonSchema> = {
    ...generalRequestSchemas(),
    ...Object.assign({}, ...types.map(requestSchemasOf)),
    ...Object.assign({}, ...types.map(replySchemasOf)),
    DeletionAccepted: deletionAccepted(types),
    ...sharedSchemas(),
    ...generalSchemas,
  };
  const all = { schemas, responses: errorComponents(), parameters, headers };
  return { ...withoutUnused(all, paths), securitySchemes };
}

type Named = Readonly<Record<string, object>>;

/** Linters complain of components that nothing refers to; which ones those are depends on the record types. */
function withoutUnused<Parts extends Readonly<Record<string, Named>>>(
  all: Parts,
  paths: object,
): Parts {
  const used = new Set<string>();
  const follow = (part: object): void => {
    for (const [, kind = "", name = ""] of JSON.stringify(part).matchAll(reference)) {
      const target = all[kind]?.[name];
      if (target === undefined) throw new Error(`the document has no component ${kind}/${name}`);
      if (used.has(`${kind}/${name}`)) continue;
      used.add(`${kind}/${name}`);
      follow(target);
    }
  };
  follow(paths);
  const kept = Object.entries(all).map(([kind, parts]) => [
    kind,
    Object.fromEntries(Object.entries(parts).filter(([name]) => used.has(`${kind}/${name}`))),
  ]);
  return Object.fromEntries(kept) as Parts;
}

const reference = /"\$ref":"#\/components\/(\w+)\/([\w.-]+)"/g;
