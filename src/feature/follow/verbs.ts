// The operations by which a program sets up how its organization is followed: one with a body changes something, once
// for an Idempotency-Key, and one lists what there is.

import type { Identity } from "../../actions/access/caller-cache.ts";
import type { IdempotencyMark } from "../../domain/record/record-write.ts";
import type { ObjectSchema } from "../../domain/schema/schema-shape.ts";
import type { HttpContext } from "../../http/http-context.ts";
import {
  type Component,
  type Content,
  jsonReply,
  jsonRequest,
  objectSchema,
} from "../../http/openapi/content.ts";
import { type JsonSchema, schemaRef } from "../../http/openapi/document.ts";
import { changeErrors } from "../../http/openapi/error-responses.ts";
import { describedShape } from "../../http/openapi/publish-schema.ts";
import type { OperationDocument, Verb } from "../../http/operation.ts";
import { jsonAnswer } from "../../http/reply/reply.ts";
import { keyedRequest, markOf } from "../../http/request/idempotency-key.ts";
import { queryIdentifier } from "../../http/request/query.ts";
import { jsonBody } from "../../http/request/request-check.ts";

interface Follow extends Pick<OperationDocument, "tag" | "summary" | "description"> {
  readonly verb: string;
}

type Example = Component["examples"];

interface Change<Sent> extends Follow, Partial<Pick<Verb, "errors" | "success">> {
  /** `what`: what an error calls the body. */
  readonly request: {
    readonly what: string;
    readonly name: string;
    readonly about: string;
    readonly shape: ObjectSchema;
    readonly examples: Example;
  };
  readonly reply: Content;
  /** Returns the body of the reply. */
  readonly act: (
    context: HttpContext,
    caller: Identity,
    sent: Sent & { readonly idempotency: IdempotencyMark | undefined },
  ) => Promise<object>;
}

const usual = { permission: "read", scope: "changes:read" } as const;

/** `Sent`: the body, as the shape has checked it. */
export function changeVerb<Sent>({
  verb,
  success = 200,
  errors = [],
  request: { what, about, shape, ...component },
  act,
  ...document
}: Change<Sent>): Verb {
  return {
    verb,
    ...usual,
    body: "one",
    success,
    errors: [...errors, ...changeErrors],
    document: () => ({
      ...document,
      parameters: [],
      request: jsonRequest({ ...component, schema: describedShape(about, shape) }),
    }),
    makeHandler: (context, operation) => {
      const read = jsonBody(shape, what);
      return async (input) => {
        const { body, bytes } = await read(input.request);
        const { organizationId } = input.caller;
        const idempotency = markOf(keyedRequest(input.request, operation, organizationId), bytes);
        const sent = { ...(body as Sent), idempotency };
        return jsonAnswer(success, await act(context, input.caller, sent));
      };
    },
  };
}

interface List extends Follow {
  /** The parameter with which only one is listed. */
  readonly only: { readonly name: string; readonly description: string };
  /** `of`: its member. `rows`: the component of each. */
  readonly reply: {
    readonly description: string;
    readonly name: string;
    readonly about: string;
    readonly of: string;
    readonly order: string;
    readonly row: readonly [name: string, schema: JsonSchema];
    readonly examples: Example;
  };
  /** `only`: the value of that parameter. */
  readonly find: (
    context: HttpContext,
    caller: Identity,
    only: string | undefined,
  ) => Promise<readonly object[]>;
}

export function listVerb({ verb, only, reply, find, ...document }: List): Verb {
  const { description, name, about, of, order, examples } = reply;
  const [rowName, rowSchema] = reply.row;
  return {
    verb,
    ...usual,
    body: "none",
    success: 200,
    errors: [],
    document: () => ({
      ...document,
      parameters: [{ ...only, in: "query", required: false, schema: { type: "string" } }],
      reply: jsonReply(description, {
        name,
        schema: objectSchema(about, {
          [of]: { type: "array", description: order, items: schemaRef(rowName) },
        }),
        parts: { [rowName]: rowSchema },
        examples,
      }),
    }),
    makeHandler:
      (context) =>
      async ({ request, caller }) => {
        const isNamed = Object.hasOwn(request.query as object, only.name);
        const wanted = isNamed ? queryIdentifier(request, only.name) : undefined;
        return jsonAnswer(200, { [of]: await find(context, caller, wanted) });
      },
  };
}
