// POST /auth/token: an API key for an access token. Idempotency-Key has no effect here, since a kept reply would be a
// kept secret.

import {
  identifyKeyHolder,
  issueToken,
  type AccessTokenRequest,
} from "../../actions/issue-token.ts";
import type { KeyHolder } from "../../domain/access.ts";
import { refuse } from "../request/authenticate.ts";
import { parseJson } from "../body/parse-json.ts";
import { rateLimited } from "../rate-limit/rate-limit.ts";
import { mediaTypeOf, readSmallBody } from "../body/read-body.ts";
import { requestCheck, tokenRequestSchema } from "../request/request-schemas.ts";
import { type HandlerMaker, ok } from "./handler.ts";

export const makeIssueToken: HandlerMaker = (context) => {
  const check = requestCheck(tokenRequestSchema, "token request");
  return async ({ request, requestContext }) => {
    let holder: KeyHolder;
    try {
      holder = await identifyKeyHolder(context.app, request.headers.authorization);
    } catch (error) {
      return refuse(context, request, { requestContext, error });
    }
    const asked = context.rates.tokenIssuing(holder.key.keyId);
    const limited = asked instanceof Promise ? await asked : asked;
    requestContext.rate = limited.headers;
    if (!limited.allowed) {
      context.onRateLimited("token-issuing");
      throw rateLimited(limited);
    }
    mediaTypeOf(request.raw, false);
    const body = parseJson(await readSmallBody(request.raw));
    check(body);
    const token = await issueToken(context.app, holder, body as AccessTokenRequest);
    return { ...ok(200, token), headers: { "cache-control": "no-store" } };
  };
};
