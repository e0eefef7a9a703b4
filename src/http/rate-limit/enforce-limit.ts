// Refuses a request that is beyond a limit.

import type { HttpContext } from "../http-context.ts";
import type { RequestContext } from "../reply/reply.ts";
import { type Limited, rateLimited } from "./rate-limit.ts";

/**
 * Throws AppError rate_limited. Either way the reply has the headers of this limit. `name`: the label in the metrics.
 */
export function enforceLimit(
  context: HttpContext,
  limited: Limited,
  { requestContext, name }: { readonly requestContext: RequestContext; readonly name: string },
): void {
  requestContext.rate = limited.headers;
  if (limited.allowed) return;
  context.onRateLimited(name);
  throw rateLimited(limited);
}
