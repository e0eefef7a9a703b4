// The introduction of the document, with figures from the code.

import { errorCatalogue } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";

export function introduction(): string {
  return sections
    .map(([title, text]) => (title === "" ? text : `## ${title}\n\n${text}`))
    .join("\n\n");
}

const sections: readonly (readonly [title: string, text: string])[] = [
  [
    "",
    "Accepts financial records of organizations, stores them durably, and erases them permanently on request. A reply of " +
      "success means that the data is on stable storage.",
  ],
  [
    "Access",
    "An organization exchanges its API key for an access token at `POST /auth/token`; every `/v2` operation takes the token " +
      "as `Authorization: Bearer <token>`. Each operation names the scope that it requires. `<family>:write` includes " +
      "`<family>:read`. `transactions:write` also includes the deletion of transactions and all risk assessment operations, " +
      "unless the operator has turned that off for the organization.",
  ],
  [
    "Records",
    "A record is a series of changes: each accepted POST or PUT appends one. `timestamp` is business time, so the order in " +
      "which changes arrive does not matter. Text is stored exactly as sent and must be well-formed Unicode. Unknown fields " +
      "are refused, and so are numbers with more digits than a double holds.",
  ],
  [
    "Limits",
    `A JSON body may have ${limits.bodyBytesMax / 1_048_576} MiB, also when decoded, and ${limits.batchItemsMax} items; one ` +
      `record ${limits.recordBytesMax / 1_024} KiB. Streams (\`application/x-ndjson\`) may have any length. Every reply ` +
      "has what is left of the rate limit in `RateLimit` and `RateLimit-Policy`; a 429 has the seconds to wait in " +
      "`Retry-After`.",
  ],
  [
    "Errors",
    "Every error has the body `Error`, or `Problem` (RFC 9457) for `Accept: application/problem+json`. Its `code` is stable: " +
      `the HTTP status times 100 plus a number.\n\n${codeTable()}`,
  ],
];

function codeTable(): string {
  const rows = Object.values(errorCatalogue).map(({ code, message }) => `| ${code} | ${message} |`);
  return ["| code | meaning |", "|---|---|", ...rows].join("\n");
}
