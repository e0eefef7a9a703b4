// What `serve` prints while the store has no organization: commands that can be pasted into a shell, and outside
// production an API key. Never prints a setting that may contain a password.

import { sqlitePath } from "../../files/sqlite-path.ts";

export interface FirstOrganization {
  readonly organization_id: string;
  readonly key_id: string;
  readonly api_key: string;
}

export function describeFirstSteps(address: string, first: FirstOrganization): string {
  const { organization_id: organizationId, api_key: apiKey } = first;
  return `The store is new. Created an organization "${organizationId}" with an API key for all records.
The key is shown only once:

    ${apiKey}

Paste these commands into another shell to try it; Ctrl-C here stops the server.

# Exchange the key for an access token that is valid for an hour
TOKEN=$(curl -sS -X POST ${address}/auth/token \\
  -H 'Authorization: ${apiKey}' -H 'Content-Type: application/json' \\
  -d '{"expiry_seconds": 3600, "scopes": {"organization_id": "${organizationId}", "scopes": ["transactions:write"]}}' \\
  | sed -n 's/.*"token": *"\\([^"]*\\)".*/\\1/p')

# Send a transaction
curl -sS -w '\\n' -X POST ${address}/v2/transaction \\
  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '{"tx_id": "tx-1", "type": "DEPOSIT", "method": "SEPA", "amount": 1250.5, "currency": "EUR", "status": "SETTLED", "sender_id": "person-81", "sender_country": "DE", "timestamp": "2026-01-31T09:30:00Z"}'

# Check that it exists
curl -sS -w '\\n' '${address}/v2/transaction?tx_id=tx-1' -H "Authorization: Bearer $TOKEN"

# Delete it permanently
curl -sS -w '\\n' -X DELETE ${address}/v2/transaction \\
  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '{"tx_id": "tx-1", "reason": "trying Sluice"}'

API reference: ${address}/docs
In a browser: \`npx sluice operator create NAME --role operator\`, then the link that \`npx sluice operator link NAME\` prints.
\`npx sluice organization create\` and \`npx sluice key create\` create organizations and keys.
\`npx sluice demo\` shows the whole service at work with a few thousand transactions.`;
}

export interface ProductionStart {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The path of Node, and of the script that it runs. */
  readonly program: readonly string[];
}

/** What the commands need to find the same store, and the console. */
const neededSettings = ["DATABASE_URL", "DATA_DIR", "CONSOLE_URL", "PORT"] as const;

export function describeProductionSteps(
  address: string,
  { environment, program }: ProductionStart,
): string {
  const sluice = program.map(quote).join(" ");
  const given = neededSettings.flatMap((name) => {
    const value = environment[name];
    const isPublic = name !== "DATABASE_URL" || sqlitePath(value ?? "") !== undefined;
    return value === undefined || !isPublic ? [] : [` ${name}=${quote(value)}`];
  });
  const settings = given.length === 0 ? "" : `export${given.join("")}\n`;
  return `The store has no organization yet. Paste these commands into a shell of the same user, with the same settings,
and with your own names.

# An organization, and an API key for its programs; the key is shown only once
${settings}${sluice} organization create --name 'My organization' --id my-organization
${sluice} key create --organization my-organization

# A person who operates the service, and a link for signing in to the console
${sluice} operator create anna --role operator
${sluice} operator link anna

API reference: ${address}/docs`;
}

/** Quotes text for a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
