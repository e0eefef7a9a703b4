// Explains errors of the library for OpenID Connect. Recognizes them by their codes and fields, never by their texts.

/** An error and its causes, the outermost first; the library wraps errors. */
function chainOf(error: unknown): readonly Error[] {
  const chain: Error[] = [];
  let next: unknown = error;
  while (next instanceof Error && chain.length < 5) {
    chain.push(next);
    next = next.cause;
  }
  return chain;
}

/** The error code of an issuer that did not sign the person in (RFC 6749, 4.1.2.1). */
export function readRefusal(error: unknown): string | undefined {
  const found = chainOf(error).find((one) => codeOf(one) === "OAUTH_AUTHORIZATION_RESPONSE_ERROR");
  if (found === undefined) return undefined;
  const { error: code } = found as { error?: unknown };
  return typeof code === "string" && /^[\w.-]{1,64}$/.test(code) ? code : "error";
}

/** The issuer did not reply, took too long, or replied with a server error. */
export function isUnreachable(error: unknown): boolean {
  return chainOf(error).some((one) => {
    const { syscall } = one as { syscall?: unknown };
    const isTimeout = one.name === "TimeoutError" || one.name === "AbortError";
    const isOwn = hasServerStatus(one) || hasServerStatus(one.cause);
    return isTimeout || isOwn || typeof syscall === "string" || isSocketError(one);
  });
}

function hasServerStatus(from: unknown): boolean {
  const { status } = Object(from) as { status?: unknown };
  return typeof status === "number" && status >= 500;
}

function isSocketError(error: Error): boolean {
  return /^(?:UND_ERR_|E[A-Z]+$)/.test(codeOf(error));
}

/** Describes a failure for the log, by codes and messages, which contain no token. */
export function describeFailure(error: unknown): string {
  const parts = chainOf(error).map((one) => {
    const { error: code } = one as { error?: unknown };
    return [codeOf(one), typeof code === "string" ? code : "", one.message];
  });
  return parts
    .flat()
    .filter((part) => part !== "")
    .join(": ");
}

function codeOf(error: Error): string {
  const { code } = error as { code?: unknown };
  return typeof code === "string" ? code : "";
}
