// docs/reference/operations.md: every operation of the API, from the table of routes.

import { recordTypes } from "../../src/domain/record-types.ts";
import { type Operation, scopesOf } from "../../src/http/operation.ts";
import { operations } from "../../src/process/operations.ts";
import { code, generatedNote, page, table } from "./markdown.ts";

const opening = `Bodies and replies are JSON; operations that accept a list also accept a stream of lines
(\`application/x-ndjson\`). Every operation can also answer 400, 401, 403, 429, 500 and 503; the codes are in
[errors](errors.md), the fields in [records](records.md). A running server shows the same with all schemas at \`/docs\`, and as
OpenAPI 3.1 at \`/openapi.json\`. Every GET also supports HEAD.`;

const outside = `## Outside the API

| path | returns |
|---|---|
| \`GET /health/live\` | 200 as long as the process runs |
| \`GET /health/ready\` | 200 if writes would be accepted; 503 while the store is unavailable, full or read-only, and while the process stops |
| \`GET /metrics\` | Prometheus text, see [metrics](metrics.md) |
| \`GET /.well-known/sluice-receipts.json\` | the public keys of receipts |
| \`GET /.well-known/sluice-heads.json\` | the signed heads of receipts and of the audit trail |
| \`GET /openapi.json\` | the OpenAPI document |
| \`GET /docs\` | the reference as a page that loads nothing from elsewhere |

None of these needs an access token. All except \`/health\` are limited by address ([limits](limits.md)), and
\`/metrics\` requires the token of \`METRICS_TOKEN\` if that is set.`;

export function renderOperations(): string {
  const rows = operations.map((operation) => [
    code(`${operation.method} ${operation.path}`),
    takes(operation),
    needs(operation),
    String(operation.success),
    statedErrors(operation).join(", ") || "none",
  ]);
  return page(
    "# Operations",
    generatedNote,
    opening,
    table(["operation", "input", "scope", "success", "also"], rows),
    outside,
  );
}

/** Without 415 and the responses that the introduction names for every operation. */
function statedErrors({ errors }: Operation): readonly number[] {
  const usual = new Set([400, 401, 403, 415, 429, 500, 503]);
  return errors
    .map(({ status }) => status)
    .filter((status) => !usual.has(status))
    .toSorted((one, other) => one - other);
}

function takes(operation: Operation): string {
  const { query, parameters, request } = operation.document(operation, recordTypes);
  if (parameters !== undefined && parameters.length > 0)
    return `query ${parameters.map(({ name }) => code(name)).join(", ")}`;
  if (query !== undefined) return `query ${code(query.name)}`;
  if (operation.permission === "write") {
    return operation.body === "none" ? "" : forms[operation.body];
  }
  const [schema = {}] = Object.values(request?.schemas ?? {});
  const fields = Object.keys(schema["properties"] ?? {})
    .map(code)
    .join(", ");
  return operation.permission === undefined
    ? `${fields}; the API key as \`Authorization\``
    : fields;
}

const forms = {
  one: "one object",
  list: "a list or a stream",
  either: "one object, a list or a stream",
};

function needs(operation: Operation): string {
  if (operation.permission === undefined) return "an API key";
  if (operation.scope !== undefined) return code(operation.scope);
  if (operation.type === undefined) return "`:delete` of the record's family";
  return scopesOf(operation).map(code).join(", ");
}
