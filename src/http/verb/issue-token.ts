// POST /auth/token: an access token. Idempotency-Key has no effect: a stored reply would be a stored secret.

import {
  type AccessTokenRequest,
  type Grantee,
  identifyKeyHolder,
  issueToken,
} from "../../actions/access/issue-token.ts";
import { limits } from "../../domain/limits.ts";
import { allScopes } from "../../domain/scope.ts";
import { jsonReply, jsonRequest, objectSchema, textSchema } from "../openapi/content.ts";
import { schemaRef } from "../openapi/document.ts";
import { contentType, errorResponse, tooLarge } from "../openapi/error-responses.ts";
import { exampleOrganizationId } from "../openapi/examples.ts";
import { describedShape } from "../openapi/publish-schema.ts";
import { tokenTag } from "../openapi/parts.ts";
import type { FastifyRequest } from "fastify";
import type { HttpContext } from "../http-context.ts";
import type { Grant, Verb } from "../operation.ts";
import { enforceLimit } from "../rate-limit/enforce-limit.ts";
import { jsonAnswer } from "../reply/reply.ts";
import { refuseCredential } from "../request/authenticate.ts";
import { closedObject, jsonBody } from "../request/request-check.ts";

const scopesSchema = closedObject(
  {
    organization_id: {
      type: "string",
      description: "Organization for which the token is requested.",
      minLength: 1,
      maxLength: limits.idCharactersMax,
      expected: "the organization's id",
    },
    // Any text, so that a scope that does not exist has a separate error code.
    scopes: {
      type: "array",
      items: { type: "string", component: "Scope", expected: "the name of a scope" },
      description: "Scopes the token is to have.",
      minItems: 1,
      maxItems: limits.scopesMax,
      expected: `a list of 1 to ${limits.scopesMax} scopes, such as transactions:write`,
    },
  },
  {
    component: "AccessTokenScope",
    expected: "an object with organization_id and scopes",
    description: "Scope grant requested.",
  },
);

export const tokenRequestSchema = closedObject({
  expiry_seconds: {
    type: "integer",
    description: "Requested lifetime in seconds.",
    minimum: limits.tokenSecondsMin,
    maximum: limits.tokenSecondsMax,
    expected: `a whole number from ${limits.tokenSecondsMin} to ${limits.tokenSecondsMax}`,
  },
  scopes: scopesSchema,
});

const scopesExample = { organization_id: exampleOrganizationId, scopes: ["transactions:write"] };

const tokenRequest = jsonRequest({
  name: "AccessTokenRequest",
  schema: describedShape("Which access token is requested.", tokenRequestSchema),
  parts: {
    AccessTokenScope: describedShape("Scope grant requested.", scopesSchema),
    Scope: { type: "string", description: "The name of a scope.", enum: [...allScopes] },
  },
  examples: {
    token: {
      summary: "For an hour",
      value: { expiry_seconds: 3_600, scopes: scopesExample },
    },
  },
});

/** `added`: the fields that only some replies have. */
function replyWith(added: Grant["reply"]) {
  return jsonReply("The access token.", {
    name: "AccessToken",
    schema: objectSchema(
      "An access token; returned once and never stored.",
      {
        token: textSchema("The access token, for `Authorization: Bearer <token>`."),
        expiry: {
          type: "integer",
          format: "int64",
          description:
            "Expiration time as Unix time, in seconds: as requested, or when the API key ends if that is sooner.",
        },
        organization_id: textSchema("Organization for which the token was requested."),
        organization_name: textSchema("Name of that organization."),
        scopes: schemaRef("AccessTokenScope"),
        ...added,
      },
      { sometimes: Object.keys(added) },
    ),
    examples: {
      token: {
        summary: "A token",
        value: {
          token: "sluice_token_example",
          expiry: 1_769_855_400,
          organization_id: exampleOrganizationId,
          organization_name: "Example Bank",
          scopes: scopesExample,
        },
      },
    },
  });
}

const errors = [
  errorResponse("BadTokenRequest", {
    description: "The request is not valid, or requests a scope that does not exist.",
    errors: ["validation_failed", "malformed_json", "unknown_scope", "malformed_http"],
    fields: [{ field: "expiry_seconds", message: "must be a whole number from 300 to 86400" }],
  }),
  errorResponse("NotGranted", {
    description:
      "The API key or the rule was not granted the scope; or the key belongs to another organization.",
    errors: ["insufficient_scope", "other_organization"],
  }),
  tooLarge,
  contentType,
];

/** `grants`: the other ways to get a token. The first that takes a request answers it. */
export function issueTokenBy(grants: readonly Grant[]): Verb {
  return {
    verb: "issue token",
    body: "one",
    success: 200,
    errors,
    document: ({ path }) => ({
      tag: tokenTag,
      summary: path.startsWith("/v2")
        ? "Request an access token (v2 path)"
        : "Request an access token",
      description: [
        "Exchanges the API key for an access token that is valid for the requested time, but never longer than the key;",
        "`expiry` is its end. The key is the whole value of `Authorization`, without `Bearer`; an access token cannot be used",
        "to get another one. The key belongs to one organization; a request for any other is 403, whether or not it exists.",
        ...grants.map(({ description }) => description),
        `The limit is ${limits.tokenRequestsPerMinute} requests a minute for each key or rule. \`/auth/token\` and`,
        "`/v2/auth/token` are the same operation.",
      ].join(" "),
      request: tokenRequest,
      reply: replyWith(Object.assign({}, ...grants.map((grant) => grant.reply)) as Grant["reply"]),
    }),
    makeHandler: (context) => {
      const read = jsonBody(tokenRequestSchema, "token request");
      const others = grants.map(({ takes, makeHandler }) => ({
        takes,
        handle: makeHandler(context),
      }));
      return async (input) => {
        const { raw, headers } = input.request;
        const other = others.find(({ takes }) => takes(raw));
        if (other !== undefined) return other.handle(input);
        const identified = identifyKeyHolder(context.app, headers.authorization);
        const holder = await findGrantee(context, input.request, identified);
        const { body } = await read(input.request);
        return jsonAnswer(200, await issueToken(context.app, holder, body as AccessTokenRequest));
      };
    },
  };
}

/** Counts the request against the limit of whom is found, and a credential that is refused against its address. */
export async function findGrantee<Found extends Grantee>(
  context: HttpContext,
  request: FastifyRequest,
  finding: Promise<Found>,
): Promise<Found> {
  const found = await finding.catch((error: unknown) =>
    refuseCredential(context, request, { error }),
  );
  enforceLimit(context, request, context.rates.tokenIssuing(found.key.keyId));
  return found;
}
