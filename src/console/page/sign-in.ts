// Signs people in: with a passkey, with OpenID Connect, or once with a link from the command line. Opening a link only
// shows whom it is for, because mail programs and chats open links too. A cookie, sent only to the path of an issuer's
// answer, binds the answer to the browser that began it; it is a challenge, so an answer can be used once.

import { readSignInLink, useSignInLink } from "../../actions/operator/sign-in-link.ts";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import {
  jsonReply,
  type Next,
  pageAnswer,
  readForm,
  readJsonBody,
  redirectTo,
  requireAttempt,
  type Visitor,
} from "../page.ts";
import { startedCookie, openIdCookie, readCookie } from "../sign-in/cookie.ts";
import { html } from "../html/html.ts";
import { supportsPasskeys, type Origin } from "../sign-in/origin.ts";
import { askForPasskey, signInBy } from "../sign-in/passkey.ts";
import {
  attemptLifetimeMs,
  beginAttempt,
  completeAttempt,
} from "../../actions/operator/identity.ts";
import { AppError } from "../../domain/error.ts";
import { renderForward } from "../frame/error-page.ts";
import { isAnswerTo, type OpenId } from "../sign-in/openid/provider.ts";
import { renderButton } from "../html/field.ts";
import { sluice } from "../../basics/program-name.ts";

const howToGetLink = html`<p>
    Ask somebody with a shell on the server for a link. It is created with
  </p>
  <pre><code>${sluice} operator link NAME</code></pre>
  <p>A new person needs an account first:</p>
  <pre><code>${sluice} operator create NAME --role viewer</code></pre>`;

export async function showSignIn({ origin, sources }: Visitor): Promise<Next> {
  const { openId } = sources;
  const elsewhere =
    openId !== undefined &&
    renderButton(`Sign in with ${openId.issuerName}`, "/console/openid", { main: true });
  const passkey = supportsPasskeys(origin)
    ? html`<p>
          <button type="button" class="main" data-passkey="sign-in" hidden>
            Sign in with a passkey
          </button>
        </p>
        <p role="alert" data-passkey-message></p>
        <p data-without-script>Passkeys need JavaScript. A sign-in link works without it.</p>`
    : html`<p>
        Passkeys need TLS, or the address <code>localhost</code>; here you can sign in with a link.
      </p>`;
  const body = html`<section class="narrow">
    ${elsewhere} ${passkey}
    <h2>With a link</h2>
    ${howToGetLink}
  </section>`;
  return { title: "Sign in", body };
}

export async function showLink(visitor: Visitor): Promise<Next> {
  const token = visitor.query.get("token") ?? "";
  await requireAttempt(visitor);
  const operator = await readSignInLink(visitor.context.app, token);
  if (operator === undefined) throw linkEnded();
  const body = html`<section class="narrow">
    <p>
      This link signs in <strong><bdi>${operator.name}</bdi></strong
      >, once, for 12 hours.
    </p>
    ${renderButton("Sign in", "/console/link", { fields: { token }, main: true })}
  </section>`;
  return { title: "Sign in", body };
}

export async function useLink(visitor: Visitor): Promise<Next> {
  const form = await readForm(visitor);
  await requireAttempt(visitor);
  const started = await useSignInLink(visitor.context.app, form.get("token") ?? "");
  if (started === undefined) throw linkEnded();
  return redirectTo("/console/account", startedCookie(visitor.origin, started));
}

export async function offerPasskey(visitor: Visitor): Promise<Next> {
  await requireAttempt(visitor);
  return jsonReply(await askForPasskey(visitor.context.app, visitor.origin));
}

export async function usePasskey(visitor: Visitor): Promise<Next> {
  const answer = await readJsonBody(visitor);
  await requireAttempt(visitor);
  const started = await signInBy(visitor.context.app, visitor.origin, answer);
  return jsonReply({ location: "/console" }, { cookie: startedCookie(visitor.origin, started) });
}

function linkEnded(): OperatorError {
  return new OperatorError(
    "sign_in",
    `This link was used before, has expired, or was replaced by a newer one. Ask for another: ${sluice} operator link NAME`,
  );
}

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
export async function leaveForIssuer(visitor: Visitor): Promise<Next> {
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
export async function acceptAnswer(visitor: Visitor): Promise<Next> {
  const openId = requireOpenId(visitor);
  await requireAttempt(visitor);
  const { context, origin, query } = visitor;
  const secret = readCookie("openid", visitor);
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
