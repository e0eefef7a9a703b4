// Sign-in with OpenID Connect: sends the browser to the issuer, and reads the issuer's answer. A cookie, sent only to
// the path of the answer, binds both to one browser. It is a challenge, so an answer can be used once.

import {
  attemptLifetimeMs,
  beginAttempt,
  completeAttempt,
} from "../../actions/operator/identity.ts";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import { AppError } from "../../domain/error.ts";
import type { Answer } from "../../http/reply/reply.ts";
import { pageAnswer, type Visitor, requireAttempt } from "../page.ts";
import { openIdCookie, readOpenIdCookie, startedCookie } from "../sign-in/cookie.ts";
import { renderForward } from "../frame/error-page.ts";
import { html } from "../html/html.ts";
import { isAnswerTo, type OpenId } from "../sign-in/openid/provider.ts";
import type { Origin } from "../sign-in/origin.ts";

function requireOpenId({ sources }: Visitor): OpenId {
  if (sources.openId !== undefined) return sources.openId;
  throw new AppError("no_such_operation", {
    message: "Sign-in with OpenID Connect is not set up; see OIDC_ISSUER.",
  });
}

function redirectUriOf({ text }: Origin): string {
  return `${text}/console/openid/answer`;
}

/** Answers with a page, because browsers apply the form policy to the target of a redirect too. */
export async function leaveForIssuer(visitor: Visitor): Promise<Answer> {
  const openId = requireOpenId(visitor);
  await requireAttempt(visitor);
  const { context, origin } = visitor;
  const secret = await beginAttempt(context.app);
  const redirectUri = redirectUriOf(origin);
  const to = (await openId.beginAt({ secret, redirectUri })).href;
  const text = html`Going to <a href="${to}">${openId.issuerName}</a>…`;
  const cookie = openIdCookie(origin, secret, attemptLifetimeMs);
  return pageAnswer(renderForward({ to, text }), { cookie });
}

/** The session begins with a page of this site: with a redirect from another site, browsers send no strict cookie. */
export async function acceptAnswer(visitor: Visitor): Promise<Answer> {
  const openId = requireOpenId(visitor);
  await requireAttempt(visitor);
  const { context, origin, query, request } = visitor;
  const secret = readOpenIdCookie(request.headers, origin);
  if (secret === undefined || !isAnswerTo({ secret }, query)) throw notBegunHere();
  const redirectUri = redirectUriOf(origin);
  const started = await completeAttempt(context.app, secret, () =>
    openId.identify({ secret, redirectUri }, query),
  );
  if (started === undefined) throw notBegunHere();
  const text = html`<a href="/console">To the console</a>`;
  const cookie = startedCookie(origin, started);
  return pageAnswer(renderForward({ to: "/console", text }), { cookie });
}

function notBegunHere(): OperatorError {
  return new OperatorError(
    "sign_in",
    "This sign-in was completed before, took longer than ten minutes, or did not begin in this browser. Sign in again.",
  );
}
