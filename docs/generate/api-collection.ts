// clients/postman: a collection of requests for Postman, Bruno, Insomnia and the like, made from the OpenAPI document: one
// request an operation, with its first example. Run from top to bottom, it adds, updates, checks and deletes those examples.

import { allScopes } from "../../src/domain/scope.ts";
import { deletionTag } from "../../src/http/openapi/parts.ts";
import { buildOpenApi } from "../../src/http/openapi.ts";
import type { OpenApiDocument, Reference } from "../../src/http/openapi/document.ts";

type Operation = NonNullable<OpenApiDocument["paths"][string]["get"]>;

export interface CollectionHeader {
  readonly key: string;
  readonly value: string;
  readonly disabled?: true;
  readonly description?: string;
}

export interface CollectionEvent {
  readonly listen: "test";
  readonly script: { readonly type: "text/javascript"; readonly exec: readonly string[] };
}

export interface CollectionItem {
  readonly name: string;
  readonly event?: readonly CollectionEvent[];
  readonly request: {
    readonly method: string;
    readonly description: string;
    readonly auth?: { readonly type: "noauth" };
    readonly header: readonly CollectionHeader[];
    readonly body?: { readonly mode: "raw"; readonly raw: string; readonly options: object };
    readonly url: {
      readonly raw: string;
      readonly host: readonly string[];
      readonly path: readonly string[];
      readonly query?: readonly { readonly key: string; readonly value: string }[];
    };
  };
}

export interface Collection {
  readonly info: { readonly name: string; readonly description: string; readonly schema: string };
  readonly auth: object;
  readonly variable: readonly { readonly key: string; readonly value: string }[];
  readonly item: readonly {
    readonly name: string;
    readonly description: string;
    readonly item: readonly CollectionItem[];
  }[];
}

const description = `Generated from the OpenAPI document by \`npm run docs\`.

Set the variables \`baseUrl\`, \`apiKey\` and \`organizationId\`, and send "Request an access token" first: it stores the
token for all the other requests. A deletion stores its id for "Read the status of a deletion request".`;

/** HEAD needs no example, and the v2 path of the token is the same operation. */
const methods = ["post", "put", "delete", "get"] as const;
const leftOut: ReadonlySet<string> = new Set(["/v2/auth/token"]);

export function buildCollection(): Collection {
  const document = buildOpenApi();
  const folders = document.tags.map(({ name, description: about }) => ({
    name,
    description: about,
    item: itemsOf(document, (tag, method) =>
      method === "delete" ? name === deletionTag : tag === name,
    ),
  }));
  return {
    info: {
      name: "Sluice",
      description,
      schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
    },
    auth: { type: "bearer", bearer: [variable("token", "{{accessToken}}")] },
    variable: [
      variable("baseUrl", document.servers[0]?.url ?? ""),
      variable("apiKey", ""),
      variable("organizationId", ""),
      variable("accessToken", ""),
      variable("deletionRequestId", ""),
    ],
    item: folders,
  };
}

export function renderCollection(): string {
  return `${JSON.stringify(buildCollection(), undefined, 2)}\n`;
}

function variable(key: string, value: string) {
  return { key, value, type: "string" };
}

/** In the order of a record's life, whatever the order of the document; deletions come last, for they cascade. */
function itemsOf(
  { paths, components }: OpenApiDocument,
  belongs: (tag: string, method: string) => boolean,
): readonly CollectionItem[] {
  return methods.flatMap((method) =>
    Object.entries(paths).flatMap(([path, item]) => {
      const operation = item[method];
      if (operation === undefined || leftOut.has(path)) return [];
      if (!belongs(operation.tags[0] ?? "", method)) return [];
      return [itemOf({ method: method.toUpperCase(), path, operation }, components.parameters)];
    }),
  );
}

interface Place {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

function itemOf(
  { method, path, operation }: Place,
  shared: OpenApiDocument["components"]["parameters"],
): CollectionItem {
  const parameters = (operation.parameters ?? []).map((each) => resolve(each, shared));
  const query = parameters.flatMap((each) =>
    each?.in === "query" ? [{ key: each.name, value: queryValue(each.name, each.example) }] : [],
  );
  const example = bodyOf(path, operation);
  const text = query.map(({ key, value }) => `${key}=${value}`).join("&");
  const script = scriptOf(method, path);
  return {
    name: operation.summary,
    ...(script === undefined ? {} : { event: [eventOf(script)] }),
    request: {
      method,
      description: operation.description,
      ...(hasToken(operation) ? {} : { auth: { type: "noauth" as const } }),
      header: [
        ...(isForKey(operation) ? [{ key: "Authorization", value: "{{apiKey}}" }] : []),
        ...(example === undefined ? [] : [{ key: "Content-Type", value: "application/json" }]),
        ...parameters.flatMap((each) =>
          each?.in === "header" ? [optionalHeader(each.name, each.description)] : [],
        ),
      ],
      ...(example === undefined ? {} : { body: rawBody(example) }),
      url: {
        raw: `{{baseUrl}}${path}${text === "" ? "" : `?${text}`}`,
        host: ["{{baseUrl}}"],
        path: path.slice(1).split("/"),
        ...(query.length === 0 ? {} : { query }),
      },
    },
  };
}

function resolve(
  parameter: NonNullable<Operation["parameters"]>[number],
  shared: OpenApiDocument["components"]["parameters"],
) {
  if (!isReference(parameter)) return parameter;
  return shared[parameter.$ref.slice(parameter.$ref.lastIndexOf("/") + 1)];
}

function isReference(value: object): value is Reference {
  return "$ref" in value;
}

function queryValue(name: string, example = ""): string {
  return name === "deletion_request_id" ? "{{deletionRequestId}}" : example;
}

function optionalHeader(key: string, about: string): CollectionHeader {
  const value = key === "Prefer" ? "handling=lenient" : "{{$guid}}";
  return { key, value, disabled: true, description: about };
}

function hasToken({ security }: Operation): boolean {
  return security.some((each) => "AccessToken" in each);
}

function isForKey({ security }: Operation): boolean {
  return security.some((each) => "ApiKey" in each);
}

function bodyOf(path: string, { requestBody }: Operation): unknown {
  const examples = requestBody?.content["application/json"]?.examples ?? {};
  const value = Object.values(examples)[0]?.value;
  return adjusted[path]?.(value) ?? value;
}

/** Added by the batch, and deleted by the request that stands for a DELETE. */
const secondTransaction = "tx-2026-000418";

const adjusted: Readonly<Record<string, (value: unknown) => unknown>> = {
  "/auth/token": (value) => ({
    ...(value as object),
    scopes: { organization_id: "{{organizationId}}", scopes: allScopes },
  }),
  "/v2/transactions/batch": (value) => {
    const [first = {}] = value as readonly object[];
    return [first, { ...first, tx_id: secondTransaction }];
  },
  "/v2/deletion_request": (value) =>
    value === undefined ? value : { ...(value as object), resource_id: secondTransaction },
};

function rawBody(example: unknown) {
  const options = { raw: { language: "json" } };
  return { mode: "raw" as const, raw: JSON.stringify(example, undefined, 2), options };
}

/** What a reply leaves for the requests after it. */
function scriptOf(method: string, path: string): string | undefined {
  if (path === "/auth/token") return keep("accessToken", "token");
  if (method === "DELETE" || (method === "POST" && path === "/v2/deletion_request")) {
    return keep("deletionRequestId", "deletion_request_id");
  }
  return undefined;
}

function keep(name: string, field: string): string {
  return `if (pm.response.code === 200) pm.collectionVariables.set("${name}", pm.response.json().${field});`;
}

function eventOf(script: string): CollectionEvent {
  return { listen: "test", script: { type: "text/javascript", exec: [script] } };
}
