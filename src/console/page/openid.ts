// Sign-in with OpenID Connect: sends the browser to the issuer, and reads the issuer's answer. A cookie, sent only to
// the path of the answer, binds both to one browser. It is a challenge, so an answer can be used once.

import { hashSecret } from "../../actions/credential.ts";
import { isChallenge, makeChallenge } from "../../actions/operator/challenge.ts";
import { signInIdentified } from "../../actions/operator/identity.ts";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import { AppError } from "../../domain/error.ts";
import type { Answer } from "../../http/reply/reply.ts";
import { pageAnswer, type Visitor, requireAttempt } from "../page.ts";
import { openIdCookie, readOpenIdCookie, startedCookie } from "../sign-in/cookie.ts";
import { renderForward } from "../frame/error-page.ts";
import { html } from "../html/html.ts";
import { isAnswerTo, type OpenId } from "../sign-in/openid/provider.ts";
import type { Origin } from "../sign-in/origin.ts";

/** A sign-in may take this long, because some people enter a second factor or a new password. */
const attemptLifetimeMs = 10 * 60_000;
const use = { purpose: "oidc" } as const;

function requireOpenId({ sources }: Visitor): OpenId {
  if (sources.openId !== undefined) return sources.openId;
  throw new AppError("no_such_operation", {
    message: "Sign-in with OpenID Connect is not set up; see OIDC_ISSUER.",
  });
}

function redirectUriOf({ text }: Origin): string {
  return `${text}/console/openid/answer`;
}

/** Answers with a page, because browsers apply the policy for forms to where a form is redirected to. */
export async function leaveForIssuer(visitor: Visitor): Promise<Answer> {
  const openId = requireOpenId(visitor);
  await requireAttempt(visitor);
  const { context, origin } = visitor;
  const secret = await makeChallenge(context.app, use, attemptLifetimeMs);
  const redirectUri = redirectUriOf(origin);
  const to = (await openId.beginAt({ secret, redirectUri })).href;
  const text = html`Going to <a href="${to}">${openId.issuerName}</a>…`;
  const cookie = openIdCookie(origin, secret, attemptLifetimeMs);
  return pageAnswer(renderForward({ to, text }), { cookie });
}

/** The session begins with a page of our own: with a redirect of another site browsers send no strict cookie. */
export async function acceptAnswer(visitor: Visitor): Promise<Answer> {
  const openId = requireOpenId(visitor);
  await requireAttempt(visitor);
  const { context, origin, query, request } = visitor;
  const { app } = context;
  const secret = readOpenIdCookie(request.headers, origin);
  if (secret === undefined || !isAnswerTo({ secret }, query)) throw notBegunHere();
  if (!(await isChallenge(app, use, secret))) throw notBegunHere();
  const redirectUri = redirectUriOf(origin);
  // An issuer takes a code that it gets twice for stolen, and would refuse both requests.
  const started = await app.inFlight
    .run(hashSecret(secret), async () => {
      const person = await openId.identify({ secret, redirectUri }, query);
      return signInIdentified(app, person, secret);
    })
    .catch(ifNotInFlight);
  if (started === undefined) throw notBegunHere();
  const text = html`<a href="/console">To the console</a>`;
  const cookie = startedCookie(origin, started);
  return pageAnswer(renderForward({ to: "/console", text }), { cookie });
}

function ifNotInFlight(error: unknown): undefined {
  if (!(error instanceof AppError && error.errorName === "idempotency_in_flight")) throw error;
}

function notBegunHere(): OperatorError {
  return new OperatorError(
    "sign_in",
    "This sign-in was completed before, took longer than ten minutes, or did not begin in this browser. Sign in again.",
  );
}
