// POST /auth/token: an API key for an access token. Idempotency-Key has no effect here, since a kept reply would be a
// kept secret.

import {
  identifyKeyHolder,
  issueToken,
  type AccessTokenRequest,
} from "../../actions/issue-token.ts";
import type { KeyHolder } from "../../domain/access.ts";
import { refuse } from "../authenticate.ts";
import { parseJson } from "../parse-json.ts";
import { rateLimited } from "../rate-limit.ts";
import { mediaTypeOf, readSmallBody } from "../read-body.ts";
import { requestCheck, tokenRequestSchema } from "../request-schemas.ts";
import { type HandlerMaker, ok } from "./handler.ts";

export const makeIssueToken: HandlerMaker = (door) => {
  const check = requestCheck(tokenRequestSchema, "token request");
  return async ({ request, visit }) => {
    let holder: KeyHolder;
    try {
      holder = await identifyKeyHolder(door.app, request.headers.authorization);
    } catch (error) {
      return refuse(door, request, { visit, error });
    }
    const asked = door.rates.tokenIssuing(holder.key.keyId);
    const limited = asked instanceof Promise ? await asked : asked;
    visit.rate = limited.headers;
    if (!limited.allowed) {
      door.onRateLimited("token-issuing");
      throw rateLimited(limited);
    }
    mediaTypeOf(request.raw, false);
    const body = parseJson(await readSmallBody(request.raw));
    check(body);
    const token = await issueToken(door.app, holder, body as AccessTokenRequest);
    return { ...ok(200, token), headers: { "cache-control": "no-store" } };
  };
};
