// POST /auth/token: an access token. Idempotency-Key has no effect: a stored reply would be a stored secret.

import {
  identifyKeyHolder,
  issueToken as issue,
  type AccessTokenRequest,
} from "../../actions/access/issue-token.ts";
import { identifyProgram } from "../../feature/identity/identify-program.ts";
import { limits } from "../../domain/limits.ts";
import { allScopes } from "../../domain/scope.ts";
import { jsonReply, jsonRequest, objectSchema, textSchema } from "../openapi/content.ts";
import { schemaRef } from "../openapi/document.ts";
import { contentType, errorResponse, tooLarge } from "../openapi/error-responses.ts";
import { exampleOrganizationId } from "../openapi/examples.ts";
import { describedShape } from "../openapi/publish-schema.ts";
import { tokenTag } from "../openapi/parts.ts";
import type { HttpContext } from "../http-context.ts";
import type { HandlerInput, Verb } from "../operation.ts";
import { enforceLimit } from "../rate-limit/enforce-limit.ts";
import { type Answer, jsonAnswer } from "../reply/reply.ts";
import { refuseCredential } from "../request/authenticate.ts";
import { closedObject, jsonBody } from "../request/request-check.ts";
import { isTokenForm, oauthErrorOf, oauthReply, readTokenForm } from "../../feature/identity/token-form.ts";

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

const request = jsonRequest({
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

const reply = jsonReply("The access token.", {
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
      ...oauthReply,
    },
    { sometimes: Object.keys(oauthReply) },
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

export const issueToken: Verb = {
  verb: "issue token",
  body: "one",
  success: 200,
  errors: [
    errorResponse("BadTokenRequest", {
      description: "The request is not valid, or requests a scope that does not exist.",
      errors: ["validation_failed", "malformed_json", "unknown_scope", "malformed_http"],
      fields: [{ field: "expiry_seconds", message: "must be a whole number from 300 to 86400" }],
    }),
    errorResponse("NotGranted", {
      description:
        "The API key, or the rule for a program, was not granted the scope; or the key belongs to another organization.",
      errors: ["insufficient_scope", "other_organization"],
    }),
    tooLarge,
    contentType,
  ],

  document: ({ path }) => ({
    tag: tokenTag,
    summary: path.startsWith("/v2")
      ? "Request an access token (v2 path)"
      : "Request an access token",
    description:
      "Exchanges the API key for an access token that is valid for the requested time, but never longer than the key; " +
      "`expiry` is its end. The key is the whole value of `Authorization`, without `Bearer`; an access token cannot be used " +
      "to get another one. The key belongs to one organization; a request for any other is 403, whether or not it exists. " +
      "A program with a token of its platform (a JWT) sends a form without `Authorization` instead, as RFC 7523 " +
      "has it (`client_assertion`); the reply has the fields of RFC 6749, too. " +
      `The limit is ${limits.tokenRequestsPerMinute} requests a minute for each key or rule. \`/auth/token\` and ` +
      "`/v2/auth/token` are the same operation.",
    request,
    reply,
  }),

  makeHandler: (context) => {
    const read = jsonBody(tokenRequestSchema, "token request");
    return async (input) => {
      const { request: http, requestContext } = input;
      if (isTokenForm(http.raw)) return exchange(context, input);
      const holder = await admit(context, input, () =>
        identifyKeyHolder(context.app, http.headers.authorization),
      );
      const limited = context.rates.tokenIssuing(holder.key.keyId);
      enforceLimit(context, limited, { requestContext, name: "token-issuing" });
      const { body } = await read(http);
      return jsonAnswer(200, await issue(context.app, holder, body as AccessTokenRequest));
    };
  },
};

async function admit<Found>(
  context: HttpContext,
  { request: http, requestContext }: HandlerInput,
  work: () => Promise<Found>,
): Promise<Found> {
  try {
    return await work();
  } catch (error) {
    return refuseCredential(context, http, { requestContext, error });
  }
}

async function exchange(context: HttpContext, input: HandlerInput): Promise<Answer> {
  const { request: http, requestContext } = input;
  requestContext.oauthErrorOf = oauthErrorOf;
  // The form is read before anybody is identified.
  const unknown = context.rates.unauthenticated(http.ip);
  enforceLimit(context, unknown, { requestContext, name: "unauthenticated" });
  const form = await readTokenForm(http.raw);
  const program = await admit(context, input, () => identifyProgram(context.app, form));
  const limited = context.rates.tokenIssuing(program.key.keyId);
  enforceLimit(context, limited, { requestContext, name: "token-issuing" });
  const issued = await admit(context, input, () =>
    issue(context.app, program, {
      expiry_seconds: form.expirySeconds ?? limits.tokenSecondsMax,
      scopes: {
        organization_id: form.organizationId,
        scopes: form.scopes ?? program.key.scopes,
      },
    }),
  );
  return jsonAnswer(200, {
    ...issued,
    access_token: issued.token,
    token_type: "Bearer",
    expires_in: issued.expiry - Math.floor(context.app.now() / 1_000),
    scope: issued.scopes.scopes.join(" "),
  });
}
