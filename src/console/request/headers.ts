// The headers of the console's replies, which bound what a browser does with them.

/** Allows only the own stylesheet, the own script, and requests to the own origin. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The policy is not no-referrer, because with that browsers would send forms with `Origin: null`. */
export const pageHeaders = {
  "cache-control": "no-store",
  "content-security-policy": contentSecurityPolicy,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "same-origin",
  "x-frame-options": "DENY",
};

/** Returns the headers of a file to download, whose name may have any character. */
export function fileHeaders(name: string): Readonly<Record<string, string>> {
  return {
    ...pageHeaders,
    "content-type": "application/octet-stream",
    "x-content-type-options": "nosniff",
    "content-disposition": `attachment; filename*=UTF-8''${encodeName(name)}`,
  };
}

/** Leaves only the characters that RFC 8187, section 3.2.1, allows. */
function encodeName(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
