// The structure of an OpenAPI 3.1 document, as far as this service uses it. Types only, except for references.

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

export type Media = Readonly<Record<string, MediaType>>;

/** A header by its name. */
export interface OwnHeader extends HeaderObject {
  readonly header: string;
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

export interface RequestBodyObject {
  readonly description: string;
  readonly required: true;
  readonly content: Media;
}

export interface ResponseObject {
  readonly description: string;
  readonly headers: Readonly<Record<string, Reference | HeaderObject>>;
  readonly content?: Media;
}

export interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly (ParameterObject | Reference)[];
  readonly requestBody?: RequestBodyObject;
  readonly responses: Readonly<Record<string, ResponseObject | Reference>>;
}

export type PathItem = { readonly parameters?: readonly Reference[] } & Partial<
  Record<"get" | "head" | "post" | "put" | "delete", OperationObject>
>;

export interface Components {
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  readonly responses: Readonly<Record<string, ResponseObject>>;
  readonly parameters: Readonly<Record<string, ParameterObject>>;
  readonly headers: Readonly<Record<string, HeaderObject>>;
  readonly securitySchemes: Readonly<Record<string, object>>;
}

export interface OpenApiDocument {
  readonly openapi: "3.1.0";
  readonly info: Readonly<Record<string, unknown>>;
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly security: OperationObject["security"];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: Components;
}

export function schemaRef(name: string): Reference & JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}
