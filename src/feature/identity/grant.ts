// The grant of access tokens for tokens of platforms, as `client_assertion` of OAuth 2.0 (RFC 7523): its form, its
// reply and its errors.

import type { IncomingMessage } from "node:http";
import { issueToken } from "../../actions/access/issue-token.ts";
import { AppError, type FieldError } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";
import { readSmallBody } from "../../http/body/read-body.ts";
import type { HttpContext } from "../../http/http-context.ts";
import { textSchema } from "../../http/openapi/content.ts";
import type { Grant, HandlerInput } from "../../http/operation.ts";
import { enforceLimit } from "../../http/rate-limit/enforce-limit.ts";
import { type Answer, jsonAnswer } from "../../http/reply/reply.ts";
import { refuseCredential } from "../../http/request/authenticate.ts";
import { findGrantee } from "../../http/verb/issue-token.ts";
import { identifyProgram } from "./identify-program.ts";

const formType = "application/x-www-form-urlencoded";

/** A token has 16 KiB at most. */
const formBytesMax = 32 * 1_024;

const grantType = "client_credentials";
const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

const tokenForm: Grant = {
  takes: isTokenForm,
  makeHandler: (context) => (input) => exchange(context, input),
  description:
    "A program with a token of its platform (a JWT) sends a form without `Authorization` instead, as RFC 7523 " +
    "has it (`client_assertion`); the reply has the fields of RFC 6749, too.",
  reply: {
    access_token: textSchema("The same as `token`, in the reply to a form."),
    token_type: textSchema("`Bearer`, in the reply to a form."),
    expires_in: {
      type: "integer",
      format: "int64",
      description: "The lifetime in seconds, in the reply to a form.",
    },
    scope: textSchema("The granted scopes, separated by spaces, in the reply to a form."),
  },
};

export const grants: readonly Grant[] = [tokenForm];

/** An API key is in Authorization, so a client that sends that header means the exchange of a key. */
function isTokenForm({ headers }: IncomingMessage): boolean {
  const [type = ""] = (headers["content-type"] ?? "").split(";", 1);
  return headers.authorization === undefined && type.trim().toLowerCase() === formType;
}

async function exchange(context: HttpContext, input: HandlerInput): Promise<Answer> {
  const { request, requestContext } = input;
  const { app, rates } = context;
  requestContext.oauthErrorOf = oauthErrorOf;
  // The form is read before anybody is identified.
  enforceLimit(context, request, rates.unauthenticated(request.ip));
  const form = await readTokenForm(request.raw);
  const program = await findGrantee(context, request, identifyProgram(app, form));
  const { organizationId, scopes = program.key.scopes, expirySeconds } = form;
  const asked = {
    expiry_seconds: Math.min(expirySeconds, program.key.rule.lifetimeSeconds),
    scopes: { organization_id: organizationId, scopes },
  };
  const issued = await issueToken(app, program, asked).catch((error: unknown) =>
    refuseCredential(context, request, { error }),
  );
  return jsonAnswer(200, {
    ...issued,
    access_token: issued.token,
    token_type: "Bearer",
    expires_in: issued.expiry - Math.floor(app.now() / 1_000),
    scope: issued.scopes.scopes.join(" "),
  });
}

/** Throws AppError validation_failed, too_large, and malformed_json for a body that is incomplete. */
async function readTokenForm(request: IncomingMessage) {
  const body = await readSmallBody(request, formBytesMax);
  const form = new URLSearchParams(body.toString("utf8"));
  const errors: FieldError[] = [];
  const refuse = (field: string, message: string): void => void errors.push({ field, message });
  const read = (name: string): string | undefined => {
    const [value, ...more] = form.getAll(name);
    if (more.length > 0) refuse(name, "must be sent once");
    // A parameter without a value counts as omitted (RFC 6749, section 3.2).
    return value === "" ? undefined : value;
  };
  const fixed = { grant_type: grantType, client_assertion_type: assertionType };
  for (const [name, value] of Object.entries(fixed)) {
    if (read(name) !== value) refuse(name, `must be ${value}`);
  }
  const token = read("client_assertion") ?? "";
  if (token === "") refuse("client_assertion", "is required: the token of the platform");
  const organizationId = read("organization_id") ?? "";
  if (organizationId === "" || organizationId.length > limits.idCharactersMax) {
    refuse("organization_id", "is required: the organization for which the token is requested");
  }
  const scopes = read("scope")
    ?.split(" ")
    .filter((scope) => scope !== "");
  if (scopes !== undefined && (scopes.length === 0 || scopes.length > limits.scopesMax)) {
    refuse("scope", `must be 1 to ${limits.scopesMax} scopes, separated by spaces`);
  }
  const expirySeconds = readSeconds(read("expiry_seconds"), refuse);
  if (errors.length > 0) {
    throw new AppError("validation_failed", { message: "The token request is not valid.", errors });
  }
  return { organizationId, token, scopes, expirySeconds };
}

function readSeconds(
  text: string | undefined,
  refuse: (field: string, message: string) => void,
): number {
  const { tokenSecondsMin: min, tokenSecondsMax: max } = limits;
  if (text === undefined) return max;
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(seconds >= min && seconds <= max)) {
    refuse("expiry_seconds", `must be a whole number from ${min} to ${max}`);
  }
  return seconds;
}

const oauthErrors: Readonly<Record<string, string>> = {
  unknown_scope: "invalid_scope",
  insufficient_scope: "invalid_scope",
  internal: "server_error",
  unavailable: "temporarily_unavailable",
  rate_limited: "temporarily_unavailable",
};

/** The error code of OAuth 2.0 (RFC 6749, section 5.2). */
function oauthErrorOf({ errorName, errors = [] }: AppError): string {
  if (errorName === "credential_invalid") return "invalid_client";
  if (errors.some(({ field }) => field === "grant_type")) return "unsupported_grant_type";
  return oauthErrors[errorName] ?? "invalid_request";
}
