// What an OpenAPI 3.1 document is made of, as far as ours uses it. Types only.

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface Reference {
  readonly $ref: string;
}

export interface Example {
  readonly summary: string;
  readonly value: unknown;
}

export type Examples = Readonly<Record<string, Example>>;

export interface MediaType {
  readonly schema: JsonSchema;
  readonly examples?: Examples;
}

export interface HeaderObject {
  readonly description: string;
  readonly schema: JsonSchema;
  readonly example: string | number;
}

export interface ParameterObject {
  readonly name: string;
  readonly in: "query" | "header";
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly example?: string;
}

/** What an operation states of its only query parameter, an identifier. */
export interface QueryParameter {
  readonly name: string;
  readonly description: string;
  readonly example: string;
}

export interface RequestBodyObject {
  readonly description: string;
  readonly required: true;
  readonly content: Readonly<Record<string, MediaType>>;
}

export interface ResponseObject {
  readonly description: string;
  readonly headers: Readonly<Record<string, Reference>>;
  readonly content?: Readonly<Record<string, MediaType>>;
}

/** By status. */
export type Responses = Readonly<Record<string, ResponseObject | Reference>>;

export type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

export interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly SecurityRequirement[];
  readonly parameters?: readonly (ParameterObject | Reference)[];
  readonly requestBody?: RequestBodyObject;
  readonly responses: Responses;
}

export type Method = "get" | "head" | "post" | "put" | "delete";

export type PathItem = { readonly parameters?: readonly Reference[] } & Partial<
  Record<Method, OperationObject>
>;

export interface Components {
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  readonly responses: Readonly<Record<string, ResponseObject>>;
  readonly parameters: Readonly<Record<string, ParameterObject>>;
  readonly headers: Readonly<Record<string, HeaderObject>>;
  readonly securitySchemes: Readonly<Record<string, object>>;
}

export interface Tag {
  readonly name: string;
  readonly description: string;
}

export interface OpenApiDocument {
  readonly openapi: "3.1.0";
  readonly info: Readonly<Record<string, unknown>>;
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly Tag[];
  readonly security: readonly SecurityRequirement[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: Components;
}

export function schemaRef(name: string): Reference & JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}
